/* call.h -- a running line: its words and its ranks. command.h's questions are answered by call.c
 * (the line, streams, groups) and call_values.c (values, names, KEY=VALUE). */
#ifndef RANKSH_CALL_H
#define RANKSH_CALL_H

#include "shell/language/run/run.h"

/* What is known of a word for all the line's ranks, as long as the line runs. The clauses' slots
 * are first, then results, arguments, options. */
struct word_slot {
	bool ready; /* `value` is that of every rank */
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

/* a word that may be a tensor or a number: its name decides */
bool argument_is_number(const struct call *call, const struct argument *argument);

/* call_values.c: computed once if equal on all the line's ranks */
enum status name_word(struct call *call, struct name *name, struct word_slot *slot, int rank, name_id *id);

/* explain.c: `explain on` shows the CUDA or NCCL call and the PyTorch line */
void explain_line(struct call *call);

#endif
