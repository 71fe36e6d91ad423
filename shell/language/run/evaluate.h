/* evaluate.h -- expressions, names, tensors and sets of ranks, as they are on one rank.
 *
 *     eval = {shell, set, rank}         one rank at a time
 *     evaluate(&eval, formula, &v)      v on that rank; eval.varies: other ranks may differ
 *     evaluate_all(&eval, formula)      all ranks of the set; the first alone if none varies */
#ifndef RANKSH_EVALUATE_H
#define RANKSH_EVALUATE_H

#include "shell/language/run/command.h"
#include "shell/language/run/state.h"

/* One evaluation, on one rank at a time. `varies` accumulates over ranks and is never cleared. */
struct eval {
	struct shell *shell;
	const struct ranks *set; /* for messages */
	int rank;
	bool varies;
	bool assume;        /* --dry: close() holds */
	const double *data; /* data[place * world + rank], of fetch_reads */
	int depth;          /* of names for names */
};

static inline struct eval eval_for(struct shell *shell, const struct ranks *set)
{
	return (struct eval){.shell = shell, .set = set, .rank = ranks_first(set)};
}

/* Returns the status; keeps a failure's rank for the message. */
static inline enum status on_rank(const struct eval *eval, enum status status)
{
	struct running *now = &eval->shell->interpreter->now;
	if (status != ST_OK && now->fault_rank < 0)
		now->fault_rank = eval->rank;
	return status;
}

static inline double eval_read(const struct eval *eval, const struct formula *formula)
{
	return eval->data[formula->place * eval->shell->world->n + eval->rank];
}

/* value.c: `at` and `what` are for messages */
/* a KIND b. ST_UNIT: incompatible units; ST_RANGE: division by zero; ST_ARGUMENT: a text */
enum status value_binary(enum formula_kind kind, struct value a, struct value b, const struct formula *at,
        struct value *result);
/* ST_UNIT: one is a time, a size or a rate, and the other has no unit and is not 0 or inf */
enum status value_comparable(
        struct value a, const struct formula *left, struct value b, const struct formula *right);
struct value value_number(double number, enum unit unit);
struct value value_plain(double number); /* without a unit */
struct value value_of_text(const struct shell *shell, struct slice_of_text text);
static inline struct value value_named(name_id name)
{
	return (struct value){.kind = VALUE_TEXT, .name = name};
}
static inline bool value_true(struct value value)
{
	return value.kind == VALUE_NUMBER ? value.number != 0 : value.kind != VALUE_NONE;
}
/* A plain number or an amount as a count, at most 2^53. ST_ARGUMENT, ST_UNIT, ST_RANGE */
enum status value_whole(struct value value, struct slice_of_text what, int64_t *whole);
/* As print shows it: "2 ms", a text or name as letters */
void value_text(const struct shell *shell, struct value value, struct text *out);
/* Of a number: as the language reads it, to the last bit */
void value_exact(struct value value, struct text *out);
/* As an expression with this value; a text is quoted. */
void value_written(const struct shell *shell, struct value value, struct text *out);

/* flow.c: on each rank of eval->set, into in->scratch; only the first rank's unless eval->varies.
 * A failure keeps its rank. */
enum status evaluate_all(struct eval *eval, const struct formula *formula);
/* ... of the set; fetches the data first. reason: of the read (values/read.h) */
enum status evaluate_values(struct shell *shell, const struct formula *formula, const struct ranks *set,
        const char *reason, bool *varies);

/* On eval->rank. A failure is worded without the rank, which the caller keeps (on_rank). */
enum status evaluate(struct eval *eval, const struct formula *formula, struct value *value);
/* As evaluate; ST_ARGUMENT: a text or a name */
enum status evaluate_number(struct eval *eval, const struct formula *formula, struct value *value);
enum status evaluate_whole(struct eval *eval, const struct formula *formula, int64_t *whole);
enum status must_be_number(const struct shell *shell, struct value value, struct slice_of_text written);
/* The name as written, its `$` replaced. ST_RANGE: evaluate_text; ST_DEVICE_MEMORY: too many */
enum status evaluate_written(struct eval *eval, struct name *name, name_id *id);
/* ... or the name that a variable of that name holds: the tensor that a def's call passed */
enum status evaluate_name(struct eval *eval, struct name *name, name_id *id);
enum { TEXT_MOST = 1 << 20 }; /* bytes */
/* Appends a text or name, its `$` replaced; a part of it on failure. ST_RANGE: over TEXT_MOST */
enum status evaluate_text(struct eval *eval, const struct name *name, struct text *out);
enum status evaluate_function(struct eval *eval, const struct formula *formula, struct value *value);
/* The set for a @ or AXIS=, within `bound`. ST_RANK: no such rank */
enum status evaluate_ranks(
        struct shell *shell, struct ranks_ref *ref, const struct ranks *bound, struct ranks *set);

/* reads.c: fetches the formula's reads for all ranks in the set; *values is mem_free'd by the
 * caller (NULL: no reads). call: the line, which waits on its stream; NULL: the default stream */
enum status fetch_reads(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, const char *reason, double **values);

/* view.c: what is equal for a tensor on all the line's ranks */
struct view_cache {
	name_id base, name; /* of the whole tensor; of the view, with its slice; 0: not known */
};
/* A tensor as written, on eval->rank; *view is valid until the world changes. result: the name may
 * be new, then view->tensor is -1. cache: kept for the line's next ranks, or NULL. ST_NAME: no
 * such tensor; ST_RANGE, ST_SHAPE: the slice does not fit. */
enum status evaluate_view(struct eval *eval, struct tensor_ref *tensor, struct view_cache *cache, bool result,
        struct view *view);
/* unknown.c: each words a failure: the nearest name, the ranks that lack it, a line that makes
 * one */
enum status no_such(const struct eval *eval, name_id id, enum thing_kind kind, enum thing_kind other);

enum status unknown_word(struct shell *shell, const struct statement *statement, const char *word);
enum status unknown_variable(const struct eval *eval, const char *name);

#endif
