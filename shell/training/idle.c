/* idle.c -- reports options without effect:
 *
 *     option k=1% with="hook=topk" "..."         ddp k=5%: hook= is another word, or missing
 *     option top=2 with="experts" "..."          gpt top=1: experts= is 0, off or none
 *     option bucket=256k unless="dp_shard" "..." zero=2 + ddp=2 bucket=1k: zero has that axis */
#include "shell/language/parse/lex.h"
#include "shell/language/run/command.h"
#include "shell/language/parse/tree.h"
#include "shell/training/choose.h"
#include "shell/training/head.h"
#include "shell/training/training.h"

#include <string.h>

/* Returns true for 0, off and none. */
static bool value_is_off(const struct text *value)
{
	struct number number;
	int used = 0;
	const char *text = text_string(value);
	bool is_number = number_read(text, &number, &used) == ST_OK && !text[used];
	return is_number ? number.value == 0 : is_listed("none off", slice_of_string(text));
}

/* with="NAME=WORD WORD": option NAME is one of these words; with="NAME": it is not off */
static bool option_holds(const struct choice *choice, const char *with)
{
	const char *words = strchr(with, '=');
	struct text name = {0}, value = {0};
	text_add(&name, "%.*s", (int)(words ? words - with : (ptrdiff_t)strlen(with)), with);
	const struct given *given = choice_given(choice, text_string(&name));
	const struct option_line *line = head_option(&choice->head, text_string(&name));
	if (given)
		given_text(given, &value);
	else if (line)
		text_put(&value, line->value.at, line->value.length);
	bool is =
	        words ? option_is_of(words + 1, slice_of_string(text_string(&value))) : !value_is_off(&value);
	text_release(&name);
	text_release(&value);
	return is;
}

static const char *strategy_on_axis(const struct choice *choice, int count, const char *axis)
{
	for (int i = 1; axis && i < count; i++)
		if (strcmp(text_string(&choice[i].head.text[HEAD_AXIS]), axis) == 0)
			return choice[i].name;
	return NULL;
}

/* "top=1 has no effect without experts=", a line; if several files have the option, for the first
 * only */
static void idle_put_option(
        const struct choice *choice, int count, int i, const struct given *given, struct text *out)
{
	const struct option_line *line = head_option(&choice[i].head, given->name);
	const char *beside = line ? strategy_on_axis(choice, count, line->unless) : NULL;
	const char *with = line && line->with && !option_holds(&choice[i], line->with) ? line->with : NULL;
	for (int k = 1; k < i; k++)
		if (choice_given(&choice[k], given->name))
			return;
	if (!beside && !with)
		return;
	text_add(out, "%s=", given->name);
	if (given->digits)
		text_add(out, "%s", given->digits);
	else
		given_text(given, out);
	text_add(out, " has no effect %s ", beside ? "beside" : "without");
	for (const char *at = beside ? beside : with; *at; at++)
		text_add(out, *at == ' ' ? " or " : "%c", *at);
	text_add(out, "%s\n", beside || strchr(with, '=') ? "" : "=");
}

void program_say_idle(struct shell *shell, const struct program *program)
{
	const char *at = text_string(&program->idle), *end = at + program->idle.count, *line;
	size_t length;
	while ((line = text_line(&at, end, &length)))
		out_say(shell->out, "   %s%.*s%s\n", STYLED(shell->out, COLOUR_NOTE, (int)length, line));
}

void stack_idle(const struct choice *choice, int count, int from, struct text *out)
{
	for (int i = 0; i < count; i++)
		for (int k = i ? 0 : from; k < choice[i].givens; k++)
			idle_put_option(choice, count, i, &choice[i].given[k], out);
}
