/* options.c -- `option` and `refuse` of a program's file (a model's, a strategy's) */
#include "shell/language/parse/parse.h"
#include "shell/language/run/player.h"
#include "shell/language/run/run.h"

#include <math.h>

void given_text(const struct given *given, struct text *out)
{
	if (given->word)
		text_add(out, "%s", given->word);
	else
		value_exact(value_number(given->number.value, given->number.unit), out);
}

bool option_is_of(const char *words, struct slice_of_text value)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ") - (*at == '*'), from = value.length - length;
		at += *at == '*';
		if (at > words && at[-1] == '*' && value.length > length &&
		        memcmp(value.at + from, at, length) == 0)
			return true;
		at += length;
	}
	return is_listed(words, value);
}

/* With `for="x y"`, offload=b,y:a sets offload_x to b and offload_y to a. */

/* Reads an item of a list with commas: `part:word`, or a word for the first part. Moves *at to the
 * next; NULL after the last. */
static void option_next_item(
        const char **at, const char *parts, struct slice_of_text *part, struct slice_of_text *word)
{
	const char *item = *at, *after = item + strcspn(item, ","),
	           *colon = memchr(item, ':', (size_t)(after - item));
	*part = colon ? slice_between(item, colon) : slice_between(parts, parts + strcspn(parts, " "));
	*word = slice_between(colon ? colon + 1 : item, after);
	*at = *after ? after + 1 : NULL;
}

static enum status option_items_fit(const char *what, const struct option_line *line, const char *value)
{
	struct slice_of_text part, word;
	enum status status = ST_OK;
	for (const char *at = value; at && status == ST_OK;) {
		const char *item = at;
		option_next_item(&at, line->parts, &part, &word);
		if (!is_listed(line->parts, part))
			status = none_of(what, part, part, line->parts);
		else if (line->words && !is_listed(line->words, word))
			status = none_of(what, slice_between(item, word.at + word.length), word, line->words);
	}
	return status;
}

static enum status option_let_parts(struct shell *shell, const struct option_line *line, struct value value)
{
	const char *given = names_text(shell->world->names, value.name),
	           *first = line->words ? line->words : given;
	enum status status = option_items_fit("option", line, given);
	for (const char *at = line->parts; *at && status == ST_OK; at += strspn(at, " ")) {
		struct slice_of_text wanted = {at, (uint32_t)strcspn(at, " ")}, part, word,
		                     found = {first, (uint32_t)strcspn(first, " ")};
		for (const char *item = given; item;) {
			option_next_item(&item, line->parts, &part, &word);
			if (part.length == wanted.length && memcmp(part.at, wanted.at, part.length) == 0)
				found = word;
		}
		struct text name = {0};
		text_add(&name, "%.*s_%.*s", WHOLE(line->name), WHOLE(wanted));
		status = variable_let(shell, names_make(shell->world->names, name.bytes, name.count),
		        value_of_text(shell, found));
		text_release(&name);
		at += wanted.length;
	}
	return status;
}

/* Checks a value against `of`, `least`, and the default, whose unit it must have; a whole default
 * needs a whole value. Fails with ST_ARGUMENT for another word, or a word where a number is
 * needed, and with ST_RANGE or ST_UNIT. */
static enum status given_fits(const char *what, const struct option_line *line, const struct given *given)
{
	struct text text = {0};
	text_add(&text, "%s=", given->name);
	size_t name = text.count;
	given_text(given, &text);
	const char *written = text_string(&text), *value = written + name, *end = written + text.count;
	enum status status = ST_OK;
	const struct formula *standard = line->formula;
	bool number = standard && standard->kind == FORMULA_NUMBER;
	if (line->parts)
		status = option_items_fit(what, line, value);
	else if (line->words && line->has_least && given->word &&
	        !option_is_of(line->words, slice_between(value, end)))
		status = fail(ST_ARGUMENT, "%s: %s: %s or a number was expected", what, written, line->words);
	else if (line->words && !line->has_least && !option_is_of(line->words, slice_between(value, end)))
		status = none_of(what, slice_between(written, end), slice_between(value, end), line->words);
	else if (number && given->word && !line->words)
		status = fail(ST_ARGUMENT, "%s: %s: a number was expected, as in the default %.*s", what,
		        written, WHOLE(line->value));
	else if (line->has_least && given->word && !line->words && !slice_is(line->value, given->word))
		status = fail(ST_ARGUMENT, "%s: %s: %.*s or a number was expected", what, written,
		        WHOLE(line->value));
	else if (!given->word && !isfinite(given->number.value))
		status = fail(ST_RANGE, "%s: %s: a finite number was expected", what, written);
	else if (line->has_least && !given->word && !(given->number.value >= line->least.value))
		status = fail(ST_RANGE, "%s: %s: at least %g was expected", what, written, line->least.value);
	else if (number && given->number.unit != standard->number.unit &&
	        !(given->number.unit == UNIT_PLAIN &&
	                (standard->number.unit == UNIT_BYTES || given->number.value == 0)))
		status = fail(ST_UNIT, "%s: %s: %s was expected, as in the default %.*s", what, written,
		        unit_name(standard->number.unit), WHOLE(line->value));
	else if (number && standard->number.unit != UNIT_TIME &&
	        floor(given->number.value) != given->number.value &&
	        !memchr(line->value.at, '.', line->value.length) &&
	        !memchr(line->value.at, '%', line->value.length))
		status = fail(ST_RANGE, "%s: %s: a whole number was expected, as in the default %.*s", what,
		        written, WHOLE(line->value));
	text_release(&text);
	return status;
}

enum status givens_fit(const char *what, const struct tree *tree, const struct given *given, int count)
{
	for (int i = 0; i < count; i++) {
		const struct option_line *line = NULL;
		struct text list = {0};
		for (const struct statement *at = tree->block.first; at; at = at->next) {
			if (at->kind != STATEMENT_OPTION)
				continue;
			text_add(&list, "%s%.*s", list.count ? " " : "", WHOLE(at->given->name));
			if (slice_is(at->given->name, given[i].name))
				line = at->given;
		}
		enum status status = line
		        ? given_fits(what, line, &given[i])
		        : option_unknown(what, slice_of_string(given[i].name), text_string(&list), NULL);
		text_release(&list);
		for (int k = 0; k < i && status == ST_OK; k++)
			if (strcmp(given[i].name, given[k].name) == 0)
				status = fail(ST_ARGUMENT, "%s: '%s' is given twice", what, given[i].name);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

const char *command_line_text(const struct shell *shell, struct slice_of_text name)
{
	for (int i = 0; i < shell->arguments; i++)
		if (strncmp(shell->argument[i], name.at, name.length) == 0 &&
		        shell->argument[i][name.length] == '=')
			return shell->argument[i] + name.length + 1;
	return NULL;
}

/* The given value, else the default's value; a default without a value is a word (`hook=none`). */
static enum status option_value(
        struct eval *eval, const struct option_line *line, const struct given *given, struct value *value)
{
	struct shell *shell = eval->shell;
	enum status status = ST_OK;
	if (given && given->word)
		*value = value_of_text(shell, slice_of_string(given->word));
	else if (given)
		*value = value_number(given->number.value, given->number.unit);
	else if (line->formula)
		status = evaluate(eval, line->formula, value);
	if (!given && (!line->formula || (status != ST_OK && line->formula->kind == FORMULA_NAME))) {
		*value = value_of_text(shell, line->value);
		return ST_OK;
	}
	return status;
}

/* Makes a variable of the file's namespace, equal on all ranks. Its value is the command line's
 * (for a script), else that of the program's line, else the default. */
enum status run_option(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	const struct player_file *file = in->now.file;
	const struct option_line *line = statement->given;
	struct eval eval = eval_for(shell, set);
	name_id name = names_make(shell->world->names, line->name.at, line->name.length);
	const struct given *given = NULL;
	struct given own = {.name = names_text(shell->world->names, name)};
	struct value value;
	enum status status = ST_OK;
	int used = 0;
	const char *text = !file && in->now.tree->file ? command_line_text(shell, line->name) : NULL;
	for (int i = 0; file && i < file->givens; i++)
		if (slice_is(line->name, file->given[i].name))
			given = &file->given[i];
	if (text) {
		if (number_read(text, &own.number, &used) != ST_OK || text[used])
			own.word = text;
		given = &own;
		status = given_fits("the command line", line, given);
	}
	if (status == ST_OK)
		status = option_value(&eval, line, given, &value);
	if (status == ST_OK && !given && value.kind == VALUE_NUMBER) {
		own.number = (struct number){value.number, value.unit};
		status = given_fits("the default", line, &own);
	}
	if (status != ST_OK)
		return status;
	if (eval.varies)
		return fail(
		        ST_ARGUMENT, "option %.*s: its default may not differ by rank", WHOLE(line->name));
	bool there = variable_find(in, name) != NULL;
	if (there && !(file && file->shares))
		return fail(ST_NAME, "option %.*s: a variable or an option has that name already",
		        WHOLE(line->name));
	if (there && !given)
		return ST_OK;
	status = variable_let(shell, name, value);
	return status == ST_OK && line->parts ? option_let_parts(shell, line, value) : status;
}

enum status run_refuse(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	bool varies = false;
	struct text why = {0};
	enum status status = evaluate_values(shell, statement->formula, set, "refuse", &varies);
	FOR_RANKS (rank, set) {
		struct eval eval = {.shell = shell, .set = set, .rank = rank};
		if (status != ST_OK || (!varies && rank != ranks_first(set)))
			break;
		if (!value_true(in->scratch[rank]))
			continue;
		status = evaluate_text(&eval, statement->word, &why);
		if (status == ST_OK)
			status = fail(ST_RANGE, "%s", text_string(&why));
		in->now.fault_rank = varies ? rank : -1;
	}
	text_release(&why);
	return status;
}
