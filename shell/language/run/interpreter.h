/* interpreter.h -- runs texts. The grammar of a whole text is checked before its first line
 * runs. */
#ifndef RANKSH_INTERPRETER_H
#define RANKSH_INTERPRETER_H

#include "shell/language/parse/rows.h"
#include "shell/values/read.h"

struct interpreter *interpreter_create(void);
void interpreter_free(struct interpreter *interpreter);
/* Forgets variables and defs. Requires a new, empty shell->world. Texts may be running, but no
 * statement that uses something of the old world. */
void interpreter_reset(struct shell *shell);
/* Runs a text (one line, several, or a file) for all ranks. file: for messages, NULL at the
 * prompt; first_line: its first line's number. ST_INCOMPLETE: a bracket or quote is open, and
 * nothing ran. If a line is refused, the lines before it have taken effect. A false `expect` is
 * shown and counted in shell->expect.failed. May be called while a line runs (source, undo,
 * check). */
enum status interpreter_run(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* As interpreter_run, for an outermost text, or (grant NULL) for a text whose lines replace the
 * current line, as those of `source` do. If a statement leaves a wish (shell->wishes.statement),
 * `grant` fulfils it after the statement; a statement that returned ST_AGAIN runs again.
 * interpreter_run refuses wishes. */
enum status interpreter_run_granting(struct shell *shell, const char *text, size_t count, const char *file,
        int first_line, enum status (*grant)(struct shell *shell));
/* Returns the strongest class of its commands: COMMAND_LOOK, COMMAND_SESSION, or COMMAND_STEER. */
enum command_class interpreter_class(const char *text, size_t count);
/* Appends possible endings for the word before `cursor`: "name\n" each. */
void interpreter_complete(struct shell *shell, const char *line, int cursor, struct text *out);
struct statement;
/* Appends lines that define the learner's defs with a serial above `after` and set the learner's
 * variables; nothing if there is no such def. Returns the latest serial. */
unsigned interpreter_typed(const struct shell *shell, unsigned after, struct text *out);
/* Appends the lines that set the learner's variables. */
void interpreter_variables(const struct shell *shell, struct text *out);
/* Resolves a tensor as written ("w1", "flat[0:64]") on a rank. */
enum status interpreter_view(struct shell *shell, int rank, const char *text, struct view *view);
/* Appends the current line as it runs on `rank` of the set, without @, block and phase. Variables,
 * expressions, and the streams and groups of outer blocks are filled in; expressions that read
 * data or the clock stay. Sets *varies if the line may differ on another rank. */
void interpreter_render(struct shell *shell, struct statement *statement, const struct ranks *set, int rank,
        struct text *out, bool *varies);

/* Appends `use @1` etc. as the prompt shows it: "@1 " or "". */
void interpreter_prompt(const struct shell *shell, struct text *out);
/* Returns the ranks of a line at the prompt. */
const struct ranks *interpreter_ranks(const struct shell *shell);
/* Returns the number of completed statements, without read-only ones and requests to the front
 * end. */
uint64_t interpreter_did(const struct interpreter *interpreter);
/* Returns true on a walk through a program in advance (training/walk.c): lines queue, but write no
 * files. */
bool interpreter_walks(const struct interpreter *interpreter);
uint64_t interpreter_digest(const struct interpreter *interpreter); /* variables, defs, use */

#endif
