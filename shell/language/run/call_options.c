/* call_options.c -- KEY=VALUE of a line, on a rank: numbers in the row's unit, words, free keys */
#include "shell/language/run/call.h"
#include "shell/language/parse/parse.h"
#include "shell/language/run/run.h"

#include <stdio.h>
#include <string.h>

static const struct key_value *option_find(const struct call *call, const char *name)
{
	const struct statement *statement = call->statement;
	for (int i = 0; i < statement->options; i++)
		if (slice_is(statement->option[i].key, name))
			return &statement->option[i];
	return NULL;
}

bool call_has(const struct call *call, const char *option)
{
	return option_find(call, option) != NULL;
}

/* A plain number as an amount is bytes; 0 needs no unit. */
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
	const struct key_value *option = option_find(call, name);
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
	const struct key_value *option = option_find(call, name);
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

/* "undo: 1.5: a whole number ..."; name: of the option, "" for an argument */
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
		return fail_in(status, "%s", call->statement->row->usage);
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
	/* machine=dgx-h100 parses as a difference of unknown names: it is a word */
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
