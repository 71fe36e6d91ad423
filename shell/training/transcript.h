/* transcript.h -- what a step of a program did: the lines as they ran, `$` and expressions filled in, by rank
 *
 *     step 12/21 of iteration 0   forward of micro-batch 3, backward of 0                      ranks 0-3
 *       each backward frees the activations of a micro-batch, for which a forward can begin
 *         @0 forward 3;  @1 forward 2;  @2 forward 1;  @3 backward 0
 *
 * Of the lines, `step` shows those that stand where the step's `##` stands, calls of defs among them; `step
 * in` shows what these calls did. */
#ifndef RANKSH_TRANSCRIPT_H
#define RANKSH_TRANSCRIPT_H

#include "shell/language/run/player.h"

struct out;
struct transcript;

struct transcript *transcript_make(void);
void transcript_free(struct transcript *transcript);
/* A step begins: its lines are taken down from now on. */
void transcript_begin(struct transcript *transcript);
/* It has met its `##`. depth: of calls, where that stands. */
void transcript_title(struct transcript *transcript, int depth);
/* What a player tells (watcher.line) */
void transcript_line(struct transcript *transcript, struct shell *shell, enum ran ran,
        struct statement *statement, const struct ranks *set, int depth);
/* The columns that a step's text takes at most: the screen's, 80 of a wider one */
int transcript_width(const struct out *out);
/* The step's own lines, side by side, in at most `most` lines of the screen */
void transcript_say_calls(struct shell *shell, const struct transcript *transcript, int most);
/* All of them, one a line; false: there are none */
bool transcript_say_lines(struct shell *shell, const struct transcript *transcript);
/* What ran, as lines of a script: without the calls. phase: by rank, that which the script so far has set; 0:
 * none */
void transcript_script(
        const struct transcript *transcript, const struct shell *shell, name_id *phase, struct text *out);

#endif
