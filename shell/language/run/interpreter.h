/* interpreter.h -- text to effects. The grammar of the whole text is checked before any of it runs. */
#ifndef RANKSH_INTERPRETER_H
#define RANKSH_INTERPRETER_H

#include "shell/language/parse/rows.h"
#include "shell/values/read.h"

struct interpreter *interpreter_create(void);
void interpreter_free(struct interpreter *interpreter);
/* Forgets variables, defs, `use` and phases: shell->world is new and empty. Texts may be running, but no
 * statement that holds anything by name. */
void interpreter_reset(struct shell *shell);
/* Runs text (a line, several, or a file's whole content) for all ranks. file: for messages, NULL at the
 * prompt. first_line: number of its first line. ST_INCOMPLETE (nothing ran) when a bracket or quote is still
 * open. On a refused line the lines before it have taken effect and the message says file, line, rank and
 * loop values. A false `expect` is said (out), counted in shell->expects_failed, and the lines go on: it is
 * no refusal. May be called while a line runs (source, undo, check). */
enum status interpreter_run(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* The same for a text that nothing runs around, or (grant NULL) one of which the lines stand for the
 * line at hand, as a file's do for `source`. When a statement leaves a wish (shell->wish), `grant`
 * fulfils it once the statement is over; after ST_AGAIN the statement then runs again. Elsewhere a wish
 * is refused. */
enum status interpreter_run_granting(struct shell *shell, const char *text, size_t count, const char *file,
        int first_line, enum status (*grant)(struct shell *shell));
/* What the text's commands may change: COMMAND_LOOK nothing, COMMAND_SESSION nothing of the world, else
 * COMMAND_STEER. */
enum command_class interpreter_class(const char *text, size_t count);
/* Possible endings of the word before `cursor`: "name\n" each. */
void interpreter_complete(struct shell *shell, const char *line, int cursor, struct text *out);
struct statement;
/* The learner's defs with numbers above `after`, in the order in which they were typed, and his variables,
 * as lines that make them: all that a program's lines may meet of his. The number of the latest def. */
unsigned interpreter_typed(const struct shell *shell, unsigned after, struct text *out);
/* His variables alone */
void interpreter_variables(const struct shell *shell, struct text *out);
/* A tensor as written ("w1", "flat[0:64]") on a rank. */
enum status interpreter_view(struct shell *shell, int rank, const char *text, struct view *view);
/* The line at hand, as a program is told of it (player.h): as it is on `rank` of the set, without @, block and phase: variables,
 * expressions and the streams and groups of the blocks around it filled in. What reads data or the clock
 * stays an expression. *varies becomes true when it may be another line on another rank of the set. */
void interpreter_render(struct shell *shell, struct statement *statement, const struct ranks *set, int rank,
        struct text *out, bool *varies);

/* "use @1" etc. as the prompt shows it: "@1 " or "" */
void interpreter_prompt(const struct shell *shell, struct text *out);
/* The ranks that a line at the prompt is for */
const struct ranks *interpreter_ranks(const struct shell *shell);
/* Statements that are over, those in blocks, defs and sourced files too, but for those that only look or ask something of
 * the front end: what lasts of a session may be another one since this was less. */
uint64_t interpreter_did(const struct interpreter *interpreter);
/* Returns true while a program is walked through ahead of time (training/walk.c): there is no data, so a line that writes a file
 * queues its operations and writes nothing. */
bool interpreter_walks(const struct interpreter *interpreter);
uint64_t interpreter_digest(const struct interpreter *interpreter); /* of variables, defs, use */

#endif
