/* interpreter.h -- text to effects. The grammar of the whole text is checked before any of it runs. */
#ifndef RANKSH_INTERPRETER_H
#define RANKSH_INTERPRETER_H

#include "shell/language/run/command.h"

enum status interpreter_create(struct interpreter **interpreter);
void interpreter_free(struct interpreter *interpreter);
/* Forgets variables, defs, `use` and phases: shell->world is new and empty. Lines may be running (`reset`,
 * `undo`): what they hold by name moves from the names of the world before, which still stand. */
void interpreter_reset(struct shell *shell, const struct names *before);
/* Runs text (a line, several, or a file's whole content) for all ranks. file: for messages, NULL at the
 * prompt. first_line: number of its first line. ST_INCOMPLETE (nothing ran) when a bracket or quote is still
 * open. On a refused line the lines before it have taken effect and the message says file, line, rank and
 * loop values. A false `expect` is said (out), counted in shell->expects_failed, and the lines go on: it is
 * no refusal. May be called while a line runs (source, undo, check). */
enum status interpreter_run(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* Grammar only: ST_OK, ST_INCOMPLETE or the failure. Names and shapes are not looked at. */
enum status interpreter_check(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line);
/* Grammar only: *taken is the bytes of the first line with something on it, with the lines of its block. */
enum status interpreter_first(
        const char *text, size_t count, const char *file, int first_line, size_t *taken);
/* Possible endings of the word before `cursor`: "name\n" each. */
enum status interpreter_complete(struct shell *shell, const char *line, int cursor, struct text *out);
/* Variables with values by rank, for `let` from the command line and for the prompt. */
enum status interpreter_let(struct shell *shell, const char *name, const char *expression);
/* A tensor as written ("w1", "flat[0:64]") on a rank. */
enum status interpreter_view(struct shell *shell, int rank, const char *text, struct view *view);
/* "use @1" etc. as the prompt shows it: "@1 " or "" */
void interpreter_prompt(const struct shell *shell, struct text *out);
uint64_t interpreter_digest(const struct interpreter *interpreter); /* of variables, defs, use */

#endif
