/* call_options.c -- KEY=VALUE of a line, on a rank: numbers with the unit that the row asks for, words, free
 * keys */
#include "shell/language/run/call.h"
#include "shell/language/parse/parse.h"

#include <stdio.h>
#include <string.h>

static struct option *option_of(const struct call *call, const char *name, struct word_slot **slot)
{
	struct statement *statement = call->statement;
	size_t length = strlen(name);
	for (int i = 0; i < statement->options; i++)
		if (statement->option[i].key.length == length &&
		        memcmp(statement->option[i].key.at, name, length) == 0) {
			*slot = &call->slot[statement->results + statement->arguments + i];
			return &statement->option[i];
		}
	return NULL;
}

bool call_has(const struct call *call, const char *option)
{
	struct word_slot *slot;
	return option_of(call, option, &slot) != NULL;
}

static enum status unit_fits(const struct option *option, struct number number)
{
	static const char *const examples[] = {"4", "20us, 2ms, 1s", "64MB", "12GB/s", "2TFLOP/s"};
	enum unit wanted = option->row ? option->row->unit : UNIT_PLAIN;
	int length = (int)(option->written.length > 60 ? 60 : option->written.length);
	if (!option->row || number.unit == wanted || (wanted == UNIT_BYTES && number.unit == UNIT_PLAIN))
		return ST_OK;
	if (number.unit == UNIT_PLAIN && number.value == 0)
		return ST_OK;
	if (number.unit == UNIT_PLAIN)
		return fail(ST_UNIT, "%.*s: which unit? (%s)", length, option->written.at, examples[wanted]);
	return fail(ST_UNIT, "%.*s is %s, and %s was expected (%s)", length, option->written.at,
	        unit_name(number.unit), unit_name(wanted), examples[wanted]);
}

static enum status option_number(struct call *call, const struct option *option, struct word_slot *slot,
        int rank, struct number *number)
{
	struct value value;
	enum status status = word_value(call, option->formula, slot, rank, &value);
	if (status == ST_NAME)
		return fail_in(status, "%.*s", SHOWN(option->written));
	if (status == ST_OK)
		status = as_number(call, &value, option->written, number);
	return status == ST_OK ? unit_fits(option, *number) : status;
}

enum status call_option(struct call *call, const char *name, int rank, struct number *number)
{
	struct word_slot *slot;
	const struct option *option = option_of(call, name, &slot);
	return option ? option_number(call, option, slot, rank, number) : ST_OK;
}

enum status call_option_word(struct call *call, const char *name, int rank, const char **word)
{
	struct word_slot *slot;
	name_id id;
	const struct option *option = option_of(call, name, &slot);
	if (!option)
		return ST_OK;
	enum status status = name_word(call, option->word, slot, rank, &id);
	if (status != ST_OK)
		return status;
	*word = names_text(call->shell->world->names, id);
	const char *words = option->row->words;
	if (!words || is_listed(words, *word, *word + strlen(*word)))
		return ST_OK;
	char written[100];
	snprintf(written, sizeof written, "%s=%s", name, *word);
	return none_of(call->statement->row->name, slice_between(written, written + strlen(written)),
	        slice_between(written + strlen(name) + 1, written + strlen(written)), words);
}

/* "undo: 1.5: a whole number ..."; name: of the option, "" for an argument */
static enum status whole_in(
        const struct call *call, const char *name, double number, int64_t least, int64_t most, int64_t *value)
{
	if (!number_is_whole(number, (double)least, (double)most))
		return fail(ST_RANGE, "%s: %s%s%g: a whole number from %lld to %lld was expected",
		        call->statement->row->name, name, *name ? "=" : "", number, (long long)least,
		        (long long)most);
	*value = (int64_t)number;
	return ST_OK;
}

enum status call_option_whole(
        struct call *call, const char *name, int rank, int64_t least, int64_t most, int64_t *value)
{
	struct number number = {(double)*value, UNIT_PLAIN};
	enum status status = call_option(call, name, rank, &number);
	return status == ST_OK && call_has(call, name)
	        ? whole_in(call, name, number.value, least, most, value)
	        : status;
}

enum status call_whole(struct call *call, int row, int64_t least, int64_t most, int64_t *value)
{
	struct number number;
	if (call_count(call, row) == 0)
		return ST_OK;
	enum status status = call_number(call, row, 0, call_first(call), &number);
	return status == ST_OK ? whole_in(call, "", number.value, least, most, value) : status;
}

int call_keys(const struct call *call)
{
	int count = 0;
	for (int i = 0; i < call->statement->options; i++)
		count += !call->statement->option[i].row;
	return count;
}

int call_key_part(const struct call *call, int i)
{
	for (int k = 0; k < call->statement->options; k++)
		if (!call->statement->option[k].row && i-- == 0)
			return call->statement->option[k].part;
	return 0;
}

enum status call_key(
        struct call *call, int i, int rank, const char **key, struct number *number, const char **word)
{
	struct statement *statement = call->statement;
	for (int k = 0; k < statement->options; k++) {
		struct option *option = &statement->option[k];
		if (option->row || i-- > 0)
			continue;
		struct word_slot *slot = &call->slot[statement->results + statement->arguments + k];
		struct eval eval = eval_on(call, rank);
		struct value value;
		name_id id;
		*key = NULL;
		name_id name = names_make(call->shell->world->names, option->key.at, option->key.length);
		*key = names_text(call->shell->world->names, name);
		*number = (struct number){0};
		/* machine=dgx-h100 reads as a difference of names that are not there: then it is a word */
		enum status status = option->formula ? evaluate(&eval, option->formula, &value) : ST_ARGUMENT;
		if (status == ST_OK && value.kind == VALUE_NUMBER) {
			*number = (struct number){value.number, (enum unit)value.unit};
			*word = NULL;
			return ST_OK;
		}
		status = name_word(call, option->word, slot, rank, &id);
		*word = status == ST_OK ? names_text(call->shell->world->names, id) : NULL;
		return status;
	}
	return no_word(call);
}
