/* call.h -- a line that runs: its words and the set of ranks. What its command asks (command.h) is answered
 * by call.c (the line, its words), call_values.c (their values and names), call_options.c (KEY=VALUE),
 * call_place.c (streams, groups, phases). */
#ifndef RANKSH_CALL_H
#define RANKSH_CALL_H

#include "shell/language/run/run.h"

/* What was found out about a word and holds for all ranks of the line; zeroed when the line begins, `data`
 * freed when it ends */
struct word_slot {
	bool ready; /* `value` or `text` holds for every rank */
	struct value value;
	const char *text;
	struct view_cache view;
	double *data; /* read for all ranks at once */
	bool fetched;
};
enum { SLOTS_INLINE = 12 };
struct call {
	struct shell *shell;
	struct interpreter *in;
	struct statement *statement;
	const struct ranks *set;
	struct word_slot *slot; /* results, arguments, options */
	struct word_slot slots[SLOTS_INLINE];
	struct word_slot on, in_group; /* clauses */
};

static inline struct eval eval_on(const struct call *call, int rank)
{
	return (struct eval){.shell = call->shell, .in = call->in, .set = call->set, .rank = rank};
}

/* The status; its rank is kept for the message */
static inline enum status on_rank(struct call *call, int rank, enum status status)
{
	if (status != ST_OK && call->in->now.fault_rank < 0)
		call->in->now.fault_rank = rank;
	return status;
}

/* ---- call.c */
/* The i-th word of a row, and the slot of what is known about it; NULL: there are not so many */
struct argument *word_of(struct call *call, int row, int i, struct word_slot **slot);
enum status no_word(const struct call *call);
/* A word that may be a tensor or a number, of a kernel or not: what its name is decides */
bool argument_is_number(struct call *call, const struct argument *argument);

/* ---- call_values.c: computed once where it holds for all ranks of the line */
enum status word_value(struct call *call, const struct formula *formula, struct word_slot *slot, int rank,
        struct value *value);
enum status name_word(struct call *call, struct name *name, struct word_slot *slot, int rank, name_id *id);
enum status as_number(
        struct call *call, const struct value *value, struct slice_of_text written, struct number *number);

#endif
