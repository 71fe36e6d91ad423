/* evaluate.h -- evaluates expressions, names, tensors and sets of ranks on one rank.
 *
 *     eval = {shell, set, rank}         one rank at a time
 *     evaluate(&eval, formula, &v)      v on that rank; eval.varies: other ranks may differ
 *     evaluate_all(&eval, formula)      all ranks of the set; only the first if none varies */
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
	const double *data; /* of fetch_reads: data[place * world + rank] */
	int depth;          /* of parameters that stand for parameters */
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

/* value.c: `at`, `left`, `right` and `what` are for messages. */
/* Computes `a kind b`. Fails with ST_UNIT for incompatible units, ST_RANGE for a division by zero,
 * and ST_ARGUMENT for a text. */
enum status value_binary(enum formula_kind kind, struct value a, struct value b, const struct formula *at,
        struct value *result);
/* Fails with ST_UNIT if one has a unit and the other, without one, is neither 0 nor inf. */
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
/* Converts a plain number or a number of bytes to a whole number, within 2^53 of 0. Fails with
 * ST_ARGUMENT, ST_UNIT or ST_RANGE. */
enum status value_whole(struct value value, struct slice_of_text what, int64_t *whole);
/* Appends the value as `print` shows it: "2 ms", a text or name without quotes. */
void value_text(const struct shell *shell, struct value value, struct text *out);
/* Appends a number that parses back to the last bit. */
void value_exact(struct value value, struct text *out);
/* Appends an expression with this value; a text is quoted. */
void value_written(const struct shell *shell, struct value value, struct text *out);

/* flow.c: evaluates on each rank of eval->set into in->scratch[rank]; only on the first rank
 * unless eval->varies. Sets the rank of a failure. */
enum status evaluate_all(struct eval *eval, const struct formula *formula);
/* The same after fetching data. reason: of the read (values/read.h) */
enum status evaluate_values(struct shell *shell, const struct formula *formula, const struct ranks *set,
        const char *reason, bool *varies);

/* Evaluates on eval->rank. A failure's message has no rank; the caller sets it (on_rank). */
enum status evaluate(struct eval *eval, const struct formula *formula, struct value *value);
/* As evaluate; fails with ST_ARGUMENT for a text or a name. */
enum status evaluate_number(struct eval *eval, const struct formula *formula, struct value *value);
enum status evaluate_whole(struct eval *eval, const struct formula *formula, int64_t *whole);
enum status must_be_number(const struct shell *shell, struct value value, struct slice_of_text written);
/* Stores the name with `$` replaced. Fails as evaluate_text, or with ST_DEVICE_MEMORY if host
 * memory for names is full. */
enum status evaluate_written(struct eval *eval, struct name *name, name_id *id);
/* The same, but for a variable that holds a name, such as a tensor passed to a def, stores that
 * name. */
enum status evaluate_name(struct eval *eval, struct name *name, name_id *id);
enum { TEXT_MOST = 1 << 20 }; /* bytes */
/* Appends a text or name with `$` replaced. Fails with ST_RANGE beyond TEXT_MOST. A failure may
 * leave a part appended. */
enum status evaluate_text(struct eval *eval, const struct name *name, struct text *out);
enum status evaluate_function(struct eval *eval, const struct formula *formula, struct value *value);
/* Sets *set to the ranks of a @ within `bound`; it may be empty. Fails with ST_RANK if there is no
 * such rank or place, and with ST_NAME if there is no such axis. */
enum status evaluate_ranks(
        struct shell *shell, struct ranks_ref *ref, const struct ranks *bound, struct ranks *set);

/* reads.c: fetches the formula's reads for all ranks in the set into a new *values, freed by the
 * caller; NULL if there are none, or no data. call: the line, whose stream is used; NULL: the
 * stream of `use` or a block */
enum status fetch_reads(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, const char *reason, double **values);

/* view.c: a tensor's names, if equal on all the line's ranks */
struct view_cache {
	name_id base, name; /* of the whole tensor; of the view, with its slice; 0: unknown */
};
/* Resolves a tensor as written on eval->rank; *view is valid until the world changes. result: the
 * name may be new; then view->tensor is -1. cache: for the line's next ranks, or NULL. Fails with
 * ST_NAME without such a tensor, and with ST_RANGE or ST_SHAPE if the slice does not fit. */
enum status evaluate_view(struct eval *eval, struct tensor_ref *tensor, struct view_cache *cache, bool result,
        struct view *view);
/* unknown.c: each fails with a message: the nearest name, or the ranks that lack it and a line
 * that makes it. other: a second kind that would do, or `kind` */
enum status no_such(const struct eval *eval, name_id id, enum thing_kind kind, enum thing_kind other);

enum status unknown_word(struct shell *shell, const struct statement *statement, const char *word);
enum status unknown_variable(const struct eval *eval, const char *name);

#endif
