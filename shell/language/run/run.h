/* run.h -- statements: one function a kind, and what runs several of them.
 *
 *     text -> run_text -> run_file -> statements -> run_kind -> run_command, run_let, run_for ...
 *                                        ^                          |
 *                                        +------- run_block <-------+   { lines }: a scope of their own
 *
 * Each runs for a set of ranks, which its clauses have narrowed already and which is not empty. A failure is
 * worded; its place is added where it leaves the innermost statement (interpreter.c: locate).
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_RUN_H
#define RANKSH_RUN_H

#include "shell/language/parse/function.h"
#include "shell/language/run/command.h"
#include "shell/language/run/evaluate.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/state.h"

/* ---- setting.c: what the line's tensors are for, until it is over. ST_ARGUMENT: no such word */
enum status purpose_set(struct shell *shell, struct name *purpose, const struct ranks *set);

/* clauses: its own `on` and `in`, or NULL. Stops at the first statement that fails, which has said its place
 * then. bound must outlive it; no rank
 * outside it is touched. */
enum status run_block(
        struct shell *shell, struct block *block, const struct clauses *clauses, const struct ranks *bound);
enum status budget_step(struct shell *shell);  /* one step of the budget */
void interpreter_prepare(struct shell *shell); /* the world may be new: before a text is read */
/* Statements of a whole file, those before `last` (NULL: all), once its first words are known. */
enum status run_file(struct shell *shell, struct tree *tree, const struct statement *last);

/* ---- journal_note.c, for what runs lines again. A question was asked in `statement`: the journal notes the lines before it. */
void journal_note_text(struct shell *shell, const struct statement *statement);
/* A wish was granted that has emptied the world: what runs from here on is the new one's. A typed line runs again from its
 * beginning. */
void journal_note_empty(struct shell *shell, const struct statement *statement);

/* ---- watched.c. The statement that comes is the learner's own, and somebody looks (shell->watch). */
bool statement_watched(const struct shell *shell);
/* The file's lines are those of who looks: a task's starter, and the defs in it */
bool watch_owns_file(const struct shell *shell, const char *file);
/* It is over: if it is one of the outermost, who looks is told. */
void watch_report(struct shell *shell, const struct statement *statement, enum status status);

/* ---- command.c, making.c, defs.c, flow.c, expect.c, options.c, chosen.c, player.c: a statement as its kind
 * says, for the ranks that its clauses leave */
typedef enum status run_one(struct shell *shell, struct statement *statement, const struct ranks *set);
run_one run_kind; /* of any kind: interpreter.c */
run_one run_command, run_view, run_making, run_call, run_def, run_for, run_let, run_if, run_expect,
        run_expect_error, run_expect_verify;
run_one run_title, run_option, run_refuse, run_chosen;
enum command_class statement_class(const struct statement *statement); /* as its first words have it */
bool statement_is_aside(
        const struct statement *statement); /* the world is the same with the line and without it */
/* VALUE of NAME=VALUE on the command line; NULL: not given */
const char *command_line_text(const struct shell *shell, struct slice_of_text name);
/* The values of options, against the `option` lines of the file; what: who speaks, "strategy ddp" */
enum status givens_fit(const char *what, const struct tree *tree, const struct given *given, int count);
enum status argument_value(struct eval *eval, struct argument *argument, struct value *value);
/* An argument of a def, a word of a `for`: its value on each rank, into in->scratch; `varies` as in
 * variable_set */
enum status argument_values(
        struct shell *shell, struct argument *argument, const struct ranks *set, bool *varies);

#endif
