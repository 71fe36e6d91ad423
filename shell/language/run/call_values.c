/* call_values.c -- values of a line's words on a rank: numbers, texts, shapes, names, options.
 *
 * Each function evaluates the word on the rank (word_value), checks it against the row, and sets
 * the rank of a failure (on_rank). The world's names own returned texts. */
#include "shell/language/parse/parse.h"
#include "shell/language/run/run.h"

#include <stdio.h>

/* A word with a value: of `name`, or, if that is NULL, of `formula` */
struct valued {
	const struct formula *formula;
	struct name *name;
	struct slice_of_text written;
	struct word_slot *slot;
};
static struct valued argument_valued(const struct call *call, const struct argument *argument)
{
	return (struct valued){
	        argument->formula, argument->name, argument->written, argument_slot(call, argument)};
}

/* Reads once for all ranks. A read-only line's read is not in the trace (reason NULL). */
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

/* Checks that the word has the value `first` on all the line's ranks. data: its reads, or NULL */
static enum status value_is_common(
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
			        "%s: %.*s must be equal on all ranks: rank %d has another value than rank %d",
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

static enum status word_number(struct call *call, const struct valued *word, int rank, struct number *number)
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

bool call_expression_number(struct call *call, int row, int i, int rank, double *number)
{
	struct value value;
	struct valued word = argument_valued(call, call_argument(call, row, i));
	if (word.formula->kind == FORMULA_TEXT || word_value(call, &word, rank, &value) != ST_OK ||
	        value.kind != VALUE_NUMBER)
		return false;
	*number = value.number;
	return true;
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

enum status call_name(struct call *call, int row, int i, int rank, name_id *name)
{
	const struct argument *argument = call_argument(call, row, i);
	bool known = argument_slot(call, argument)->ready;
	enum status status = name_word(call, argument->name, argument_slot(call, argument), rank, name);
	if (status != ST_OK || known || argument->kind != ARG_NEW)
		return status;
	/* a name with `$` may become any text: refuse those that a line would not read as a
	 * name */
	const char *text = names_text(call->shell->world->names, *name);
	if (is_name_start(*text) && !strpbrk(text, ".[]() \t$\"'=,:;"))
		return ST_OK;
	return fail(ST_NAME, "%s: '%.*s' is not a name: letters, digits and _ make one",
	        call->statement->row->name, SHOWN(argument->written));
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

const struct key_value *statement_option(const struct statement *statement, const char *key)
{
	for (int i = 0; i < statement->options; i++)
		if (slice_is(statement->option[i].key, key))
			return &statement->option[i];
	return NULL;
}

bool call_has(const struct call *call, const char *option)
{
	return statement_option(call->statement, option) != NULL;
}

/* A number of bytes, and 0, need no unit. */
static enum status option_unit_fits(const struct key_value *option, struct number number)
{
	static const char *const examples[] = {"4", "20us, 2ms, 1s", "64MB", "12GB/s", "2TFLOP/s"};
	enum unit wanted = option->row->unit;
	if (number.unit == wanted || (wanted == UNIT_BYTES && number.unit == UNIT_PLAIN))
		return ST_OK;
	if (number.unit == UNIT_PLAIN && number.value == 0)
		return ST_OK;
	if (number.unit == UNIT_PLAIN)
		return fail(ST_UNIT, "%.*s: which unit? (%s)", SHOWN(option->written), examples[wanted]);
	return fail(ST_UNIT, "%.*s is %s, and %s was expected (%s)", SHOWN(option->written),
	        unit_name(number.unit), unit_name(wanted), examples[wanted]);
}

enum status call_option(struct call *call, const char *name, int rank, struct number *number)
{
	const struct key_value *option = statement_option(call->statement, name);
	if (!option)
		return ST_OK;
	struct valued word = {
	        .formula = option->formula, .written = option->written, .slot = option_slot(call, option)};
	enum status status = word_number(call, &word, rank, number);
	if (status == ST_NAME)
		return fail_in(status, "%.*s", SHOWN(option->written));
	return status == ST_OK ? option_unit_fits(option, *number) : status;
}

enum status call_option_word(struct call *call, const char *name, int rank, const char **word)
{
	name_id id;
	const struct key_value *option = statement_option(call->statement, name);
	if (!option)
		return ST_OK;
	enum status status = name_word(call, option->word, option_slot(call, option), rank, &id);
	if (status != ST_OK)
		return status;
	*word = names_text(call->shell->world->names, id);
	const char *words = option->row->words;
	if (!words || is_listed(words, slice_of_string(*word)))
		return ST_OK;
	char written[100];
	snprintf(written, sizeof written, "%s=%s", name, *word);
	return none_of(call->statement->row->name, slice_between(written, written + strlen(written)),
	        slice_between(written + strlen(name) + 1, written + strlen(written)), words);
}

/* name: of the option, "" for an argument */
static enum status whole_between(
        const struct call *call, const char *name, double number, int64_t least, int64_t most, int64_t *value)
{
	if (!number_is_whole(number, least, most))
		return fail(ST_RANGE, "%s: %s%s%g: a whole number from %lld to %lld was expected",
		        call->statement->row->name, name, *name ? "=" : "", number, (long long)least,
		        (long long)most);
	*value = (int64_t)number;
	return ST_OK;
}

enum status call_option_whole(
        struct call *call, const char *name, int rank, int64_t least, int64_t most, int64_t *value)
{
	struct number number = {*value, UNIT_PLAIN};
	enum status status = call_option(call, name, rank, &number);
	return status == ST_OK && call_has(call, name)
	        ? whole_between(call, name, number.value, least, most, value)
	        : status;
}

enum status call_whole(struct call *call, int row, int64_t least, int64_t most, int64_t *value)
{
	struct number number;
	if (call_count(call, row) == 0)
		return ST_OK;
	enum status status = call_number(call, row, 0, COMMON, &number);
	if (status == ST_NAME)
		return fail_in(status, "%s", command_usage(call->statement->row));
	return status == ST_OK ? whole_between(call, "", number.value, least, most, value) : status;
}

enum status call_key(struct call *call, int i, struct given *given)
{
	const struct key_value *option = &call->statement->option[i];
	struct names *names = call->shell->world->names;
	struct eval eval = eval_on(call, ranks_first(call->set));
	struct valued word = {.formula = option->formula, .written = option->written};
	struct value value;
	name_id id;
	*given = (struct given){
	        .name = names_text(names, names_make(names, option->key.at, option->key.length))};
	/* machine=dgx-h100 parses as a difference, of names that are unknown: then it is a word */
	if (option->formula && evaluate(&eval, option->formula, &value) == ST_OK &&
	        value.kind == VALUE_NUMBER) {
		if (eval.varies && value_is_common(call, &word, NULL, &value) != ST_OK)
			return ST_RANK;
		given->number = (struct number){value.number, value.unit};
		const char *digits = option->key.at + option->key.length + 1;
		size_t length = (size_t)(option->written.at + option->written.length - digits);
		if (option->formula->kind == FORMULA_NUMBER)
			given->digits = names_text(names, names_make(names, digits, length));
		return ST_OK;
	}
	enum status status = name_word(call, option->word, option_slot(call, option), COMMON, &id);
	if (status == ST_OK)
		given->word = names_text(names, id);
	return status;
}
