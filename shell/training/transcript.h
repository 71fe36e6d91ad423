/* transcript.h -- the lines of a step as they ran, `$` and expressions filled in, by rank
 *
 *     step 12/21 of iteration 0   forward of micro-batch 3, backward of 0               ranks 0-3
 *       each backward frees the activations of a micro-batch, for which a forward can begin
 *         @0 forward 3;  @1 forward 2;  @2 forward 1;  @3 backward 0
 *
 * `step` shows the lines at the depth of the step's `##`; `step in` also those within calls. */
#ifndef RANKSH_TRANSCRIPT_H
#define RANKSH_TRANSCRIPT_H

#include "shell/language/run/player.h"

struct out;
struct training;
struct program_step;
struct transcript;

struct transcript *transcript_make(void);
void transcript_free(struct transcript *transcript);
void transcript_begin(struct transcript *transcript);
/* Notes that the step has reached its `##`, at this depth of calls. */
void transcript_title(struct transcript *transcript, int depth);
/* Notes a line that a player ran (watcher.line). */
void transcript_line(struct transcript *transcript, struct shell *shell, enum ran ran,
        struct statement *statement, const struct ranks *set, int depth);
/* Returns the columns for a step's text: the screen's, at most 80. */
int transcript_width(const struct out *out);
/* Prints the step's own lines in at most `most` rows. */
void transcript_say_calls(struct shell *shell, const struct transcript *transcript, int most);
/* Prints all lines, one a row; returns false if there are none. */
bool transcript_say_lines(struct shell *shell, const struct transcript *transcript);
/* Appends the lines as a script. phase: by rank, the script's latest phase; 0: none */
void transcript_script(
        const struct transcript *transcript, const struct shell *shell, name_id *phase, struct text *out);

/* ---- showing.c: a step's output while it runs ---- */

struct showing {
	struct shell *shell;
	struct training *t;
	bool head, lines; /* wanted: the step's title; its lines */
	bool echoes;      /* wanted by a script: its lines as in the file, before their output */
	/* ---- private to showing.c; zero at first */
	bool told;          /* the title is printed */
	int used;           /* rows of the screen */
	int depth;          /* of the step's `##` */
	size_t line;        /* number of the file's line that was echoed last */
	size_t left;        /* lines beyond the screen */
	const char **begin; /* where each line of the file begins; NULL: none echoed yet */
	size_t begins;
};
/* Watches the next step of the player. Call showing_release in any case. */
void showing_watch(struct showing *show);
/* Call after the step: prints the remaining output. */
void showing_end(struct showing *show);
void showing_release(struct showing *show);

/* The position: "step 12/21 of iteration 0" */
struct step_words {
	char text[64];
} step_place(const struct training *t);
/* For a script's end: fails with ST_ARGUMENT within the setup, an iteration or a program without
 * iterations; ST_OK if the program is torn or has ended. */
enum status step_unfinished(const struct training *t);
/* Returns the next step as program_walk found it; NULL at its end, or if data led elsewhere. */
const struct program_step *step_ahead(const struct training *t);

#endif
