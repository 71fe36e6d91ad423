/* call_values.c -- the values of a line's words on a rank: numbers, texts, shapes, and names of
 * things.
 *
 * Each question takes the word (call_argument), evaluates it on the rank (word_value), and checks
 * it against the row. A failure keeps its rank for the message (on_rank). Returned texts belong to
 * the world's names. */
#include "shell/language/parse/parse.h"
#include "shell/language/run/call.h"
#include "shell/language/run/run.h"

#include <string.h>

/* ---- values ---- */

/* Once a word, for all the line's ranks: one collective read. Program and steering lines wait for
 * the value; a line that looks, or changes only the session, reads without a trace in the program
 * (reason NULL). */
static enum status word_fetch(struct call *call, const struct formula *formula, struct word_slot *slot)
{
	if (slot->fetched || !formula->read_count)
		return ST_OK;
	const struct command *row = call->statement->row;
	enum status status = fetch_reads(call->shell, formula, call->set, row->stream_ok ? call : NULL,
	        statement_is_aside(call->statement) ? NULL : row->name, &slot->data);
	slot->fetched = status == ST_OK;
	return status;
}

static enum status evaluate_word(struct eval *eval, const struct valued *word, struct value *value)
{
	*value = value_named(0);
	return on_rank(eval,
	        word->name ? evaluate_name(eval, word->name, &value->name)
	                   : evaluate(eval, word->formula, value));
}

enum status value_is_common(
        struct call *call, const struct valued *word, const double *data, const struct value *first)
{
	FOR_RANKS (rank, call->set) {
		struct eval eval = eval_on(call, rank);
		struct value value;
		eval.data = data;
		enum status status = evaluate_word(&eval, word, &value);
		if (status != ST_OK)
			return status;
		if (value.kind != first->kind || value.number != first->number || value.name != first->name)
			return fail(ST_RANK,
			        "%s: %.*s: rank %d has another value than rank %d, and there is one for all",
			        call->statement->row->name, SHOWN(word->written), rank,
			        ranks_first(call->set));
	}
	return ST_OK;
}

static enum status word_value(struct call *call, const struct valued *word, int rank, struct value *value)
{
	struct word_slot *slot = word->slot;
	if (slot->ready) {
		*value = slot->value;
		return ST_OK;
	}
	enum status status = word->name ? ST_OK : word_fetch(call, word->formula, slot);
	if (status != ST_OK)
		return status;
	struct eval eval = eval_on(call, rank == COMMON ? ranks_first(call->set) : rank);
	eval.data = slot->data;
	status = evaluate_word(&eval, word, value);
	if (status != ST_OK)
		return status;
	if (eval.varies)
		return rank == COMMON ? value_is_common(call, word, slot->data, value) : ST_OK;
	slot->ready = true;
	slot->value = *value;
	return ST_OK;
}

enum status word_number(struct call *call, const struct valued *word, int rank, struct number *number)
{
	struct value value;
	enum status status = word_value(call, word, rank, &value);
	if (status == ST_OK)
		status = must_be_number(call->shell, value, word->written);
	if (status == ST_OK)
		*number = (struct number){value.number, value.unit};
	return status;
}

enum status call_number(struct call *call, int row, int i, int rank, struct number *number)
{
	struct valued word = argument_valued(call, call_argument(call, row, i));
	struct eval eval = eval_on(call, rank);
	return on_rank(&eval, word_number(call, &word, rank, number));
}

enum status call_expression_text(struct call *call, int row, int i, int rank, struct text *out)
{
	struct value value;
	struct valued word = argument_valued(call, call_argument(call, row, i));
	if (word.formula->kind != FORMULA_TEXT) {
		enum status status = word_value(call, &word, rank, &value);
		if (status == ST_OK)
			value_text(call->shell, value, out);
		return status;
	}
	enum status status = word_fetch(call, word.formula, word.slot);
	struct eval eval = eval_on(call, rank);
	eval.data = word.slot->data;
	return status == ST_OK ? on_rank(&eval, evaluate_text(&eval, word.formula->name, out)) : status;
}

enum status call_shape(struct call *call, int row, int i, int rank, int *dims, int64_t *dim)
{
	const struct argument *argument = call_argument(call, row, i);
	struct eval eval = eval_on(call, rank);
	*dims = argument->dims;
	for (int d = 0; d < argument->dims; d++) {
		enum status status = evaluate_whole(&eval, argument->dim[d], &dim[d]);
		if (status != ST_OK)
			return on_rank(&eval, status);
	}
	return ST_OK;
}

/* ---- names ---- */

enum status name_word(struct call *call, struct name *name, struct word_slot *slot, int rank, name_id *id)
{
	struct valued word = {.name = name, .written = name->written, .slot = slot};
	struct value value = {0};
	enum status status = word_value(call, &word, rank, &value);
	*id = value.name;
	return status;
}

enum status call_word(struct call *call, int row, int i, int rank, const char **word)
{
	struct value value;
	const struct argument *argument = call_argument(call, row, i);
	struct valued valued = argument_valued(call, argument);
	enum status status = word_value(call, &valued, rank, &value);
	if (status != ST_OK)
		return status;
	*word = names_text(call->shell->world->names, value.name);
	const char *words = argument->kind == ARG_WORD ? call->statement->row->argument[row].words : NULL;
	struct slice_of_text got = slice_of_string(*word);
	if (!words || argument->name->constant || is_listed(words, got))
		return ST_OK;
	return none_of(call->statement->row->name, got, got, words);
}

enum status call_common(struct call *call, int row, const char **word)
{
	return call_count(call, row) ? call_word(call, row, 0, COMMON, word) : ST_OK;
}

/* A name with `$` may become anything: refused if it would be read as something else later. */
static enum status name_fits(struct call *call, const struct argument *argument, name_id name)
{
	const char *text = names_text(call->shell->world->names, name);
	if (is_name_start(*text) && !strpbrk(text, ".[]() \t$\"'=,:;"))
		return ST_OK;
	return fail(ST_NAME, "%s: '%.*s' is no name: letters, digits and _ make one",
	        call->statement->row->name, SHOWN(argument->written));
}

enum status call_name(struct call *call, int row, int i, int rank, name_id *name)
{
	const struct argument *argument = call_argument(call, row, i);
	bool known = argument_slot(call, argument)->ready;
	enum status status = name_word(call, argument->name, argument_slot(call, argument), rank, name);
	if (status == ST_OK && !known && argument->kind == ARG_NEW)
		status = name_fits(call, argument, *name);
	return status;
}

enum status call_thing(struct call *call, int row, int i, int rank, struct thing *thing)
{
	name_id name;
	const struct argument *argument = call_argument(call, row, i);
	enum status status = name_word(call, argument->name, argument_slot(call, argument), rank, &name);
	if (status != ST_OK)
		return status;
	*thing = world_find(call->shell->world, rank, name);
	enum thing_kind kind = argument->kind == ARG_STREAM ? THING_STREAM
	        : argument->kind == ARG_GROUP               ? THING_GROUP
	                                                    : THING_EVENT;
	enum thing_kind other = argument->kind == ARG_WAITABLE ? THING_STREAM : kind;
	if (thing->kind == kind || thing->kind == other)
		return ST_OK;
	struct eval eval = eval_on(call, rank);
	return on_rank(&eval, no_such(&eval, name, kind, other));
}

enum status call_ranks_argument(struct call *call, int row, int i, struct ranks *set)
{
	const struct argument *argument = call_argument(call, row, i);
	return evaluate_ranks(call->shell, argument->ranks, &call->shell->interpreter->all, set);
}
