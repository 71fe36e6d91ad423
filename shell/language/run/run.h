/* run.h -- runs statements: a function for each kind, for blocks and for whole texts. An umbrella
 * header.
 *
 *     interpreter_text -> run_file -> run_statements -> run_kind -> run_command, run_let ...
 *                                       ^                     |
 *                                       +----- run_block <----+   { lines }: a scope
 *
 * A statement runs for a set of ranks, never empty, which its clauses narrow. The innermost
 * statement adds file and line to a failure (failure_locate). */
#ifndef RANKSH_RUN_H
#define RANKSH_RUN_H

#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/evaluate.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/state.h"

#include <string.h>

/* state.c: sets the purpose of the line's tensors. Fails with ST_ARGUMENT for an unknown word. */
enum status purpose_set(struct shell *shell, struct name *purpose, const struct ranks *set);

/* Runs a block in a scope of its own. clauses: the block's `on` and `in`, or NULL. bound: the
 * ranks of the block, which must outlive the call */
enum status run_block(
        struct shell *shell, struct block *block, const struct clauses *clauses, const struct ranks *bound);
enum status budget_step(struct shell *shell); /* fails with ST_INTERRUPTED after Ctrl-C */
/* Adapts the interpreter to a new world's size. Call it before a text is parsed. */
void interpreter_prepare(struct shell *shell);
/* Checks the first words of all lines, then runs the statements before `last` (NULL: all). */
enum status run_file(struct shell *shell, struct tree *tree, const struct statement *last);

/* watched.c: records in the journal the lines before `statement`, which asks a question. */
void journal_note_text(struct shell *shell, const struct statement *statement);
/* Records that this world begins with `statement`, whose wish has emptied it. */
void journal_note_empty(struct shell *shell, const struct statement *statement);

/* Returns true if the next statement is the learner's own and shell->course.watch is set. */
bool statement_watched(const struct shell *shell);
bool watch_owns_file(const struct shell *shell, const char *file);
/* Reports a completed outermost statement to the watcher. */
void watch_report(struct shell *shell, const struct statement *statement, enum status status);

typedef enum status run_one(struct shell *shell, struct statement *statement, const struct ranks *set);
run_one run_kind;
run_one run_command, run_view, run_making, run_call, run_def, run_for, run_let, run_if, run_expect,
        run_expect_error, run_expect_verify;
run_one run_title, run_option, run_refuse, run_chosen;
enum command_class statement_class(const struct statement *statement); /* by its first words */
/* Returns true for a COMMAND_LOOK or COMMAND_SESSION. */
bool statement_is_aside(const struct statement *statement);
/* Returns VALUE if the process was started with NAME=VALUE; else NULL. */
const char *command_line_text(const struct shell *shell, struct slice_of_text name);
/* Checks option values against the file's `option` lines. what: for messages, "strategy ddp".
 * ST_ARGUMENT, ST_RANGE, ST_UNIT */
enum status givens_fit(const char *what, const struct tree *tree, const struct given *given, int count);
enum status argument_value(struct eval *eval, struct argument *argument, struct value *value);
/* Writes each rank's value to in->scratch (variable_set); only the first rank's unless *varies. */
enum status argument_values(
        struct shell *shell, struct argument *argument, const struct ranks *set, bool *varies);

/* ---- a running line. call.c (the line, streams, groups) and call_values.c (values, names,
 * KEY=VALUE) answer the questions of command.h. ---- */

/* Caches a word's value for all the line's ranks while the line runs. The order of slots: clauses,
 * results, arguments, options. */
struct word_slot {
	bool ready; /* every rank has `value` */
	bool fetched;
	struct value value;
	struct view_cache view;
	double *data;
};
enum { SLOT_WORDS = SETTING_GROUP + 1 };
static inline struct word_slot *result_slot(const struct call *call, int i)
{
	return &call->slot[SLOT_WORDS + i];
}
static inline struct word_slot *argument_slot(const struct call *call, const struct argument *argument)
{
	return result_slot(call, call->statement->results + (int)(argument - call->statement->argument));
}
static inline struct word_slot *option_slot(const struct call *call, const struct key_value *option)
{
	const struct statement *statement = call->statement;
	return result_slot(
	        call, statement->results + statement->arguments + (int)(option - statement->option));
}

static inline struct eval eval_on(const struct call *call, int rank)
{
	return (struct eval){.shell = call->shell, .set = call->set, .rank = rank};
}

/* Returns the line's KEY=VALUE; NULL if it has none. */
const struct key_value *statement_option(const struct statement *statement, const char *key);

/* Returns true if a word that may be a tensor or a number is a number. */
bool argument_is_number(const struct call *call, const struct argument *argument);

/* call_values.c: evaluates a name, once if it is equal on all the line's ranks. */
enum status name_word(struct call *call, struct name *name, struct word_slot *slot, int rank, name_id *id);

/* explain.c: for `explain on`, shows the CUDA or NCCL call and the PyTorch line. */
void explain_line(struct call *call);
/* Appends a row's text with the names in its usage ("copy FROM -> TO [on STREAM]") replaced by the
 * line's: for `copy h -> x on io`, "TO.copy_(FROM)" is "x.copy_(h)". stream: its name, or NULL */
void explain_fill(const struct statement *line, const char *stream, const char *text, struct text *out);

#endif
