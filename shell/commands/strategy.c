/* strategy.c -- strategy: writes the program that trains the model on all ranks */
#include "shell/language/run/command.h"
#include "shell/session/out.h"
#include "shell/training/training.h"
#include "strategies/strategies.h"

#include <stdio.h>
#include <string.h>

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *p = words; *p; p += strspn(p, " ")) {
		size_t stop = strcspn(p, " ");
		if (stop == length && memcmp(p, word, length) == 0)
			return true;
		p += stop;
	}
	return false;
}

static void default_options(struct strategy_call *made)
{
	for (int i = 0; i < STRATEGY_OPTIONS_MAX && made->strategy->option[i].name; i++) {
		const struct strategy_option *row = &made->strategy->option[i];
		struct number number = {0};
		int used;
		made->option[i] = (struct strategy_value){0};
		if (row->words)
			snprintf(made->option[i].word, sizeof made->option[i].word, "%s", row->value);
		else if (*row->value && number_read(row->value, &number, &used) == ST_OK)
			made->option[i].number = number.value;
	}
}

/* What `stage` has said, where the strategy has such options; `strategy` may still say otherwise */
static void stage_options(const struct plan *plan, struct strategy_call *made)
{
	const struct {
		const char *name;
		double ns;
	} times[] = {
	        {"F", plan->stage.f}, {"B", plan->stage.b}, {"W", plan->stage.w}, {"comm", plan->stage.comm}};
	for (int i = 0; plan->stage.given && i < STRATEGY_OPTIONS_MAX && made->strategy->option[i].name; i++)
		for (size_t k = 0; k < sizeof times / sizeof *times; k++)
			if (strcmp(made->strategy->option[i].name, times[k].name) == 0)
				made->option[i] =
				        (struct strategy_value){.number = times[k].ns, .given = true};
}

static enum status strange_value(const struct strategy_option *row, const char *word)
{
	int count;
	const char *near = text_nearest(row->words, word, strlen(word), &count);
	if (near)
		return fail(ST_ARGUMENT, "%s=%s: one of %s is wanted; did you mean '%s=%.*s'?", row->name,
		        word, row->words, row->name, count, near);
	return fail(ST_ARGUMENT, "%s=%s: one of %s is wanted", row->name, word, row->words);
}

static enum status take_value(const struct strategy_option *row, struct strategy_value *value,
        struct number number, const char *word)
{
	value->given = true;
	if (row->words) {
		if (!word || !has_word(row->words, word))
			return strange_value(row, word ? word : "a number");
		snprintf(value->word, sizeof value->word, "%s", word);
		return ST_OK;
	}
	if (word)
		return fail(ST_ARGUMENT, "%s=%s: a number is wanted", row->name, word);
	if (number.unit != row->unit &&
	        !(number.unit == UNIT_PLAIN && (row->unit == UNIT_BYTES || number.value == 0)))
		return fail(ST_UNIT, "%s is %s, and %s was expected", row->name, unit_name(number.unit),
		        unit_name(row->unit));
	if (!(number.value >= row->least))
		return fail(ST_RANGE, "%s: a number from %g on is wanted", row->name, row->least);
	value->number = number.value;
	return ST_OK;
}

static enum status take_option(
        struct strategy_call *made, const char *key, struct number number, const char *word)
{
	const struct strategy *strategy = made->strategy;
	const char *nearest = NULL;
	int best = 3;
	for (int i = 0; i < STRATEGY_OPTIONS_MAX && strategy->option[i].name; i++) {
		const struct strategy_option *row = &strategy->option[i];
		int away = text_distance(row->name, key);
		if (away == 0)
			return take_value(row, &made->option[i], number, word);
		nearest = away < best ? row->name : nearest;
		best = away < best ? away : best;
	}
	return nearest ? fail(ST_ARGUMENT, "strategy %s has no option '%s'; did you mean '%s'?",
	                         strategy->name, key, nearest)
	               : fail(ST_ARGUMENT, "strategy %s has no option '%s': %s", strategy->name, key,
	                         strategy->usage);
}

static enum status unknown(const char *name)
{
	struct text names = {0};
	int count;
	for (int i = 0; strategy_at(i); i++)
		text_add(&names, "%s%s", i ? " " : "", strategy_at(i)->name);
	const char *near = text_nearest(text_string(&names), name, strlen(name), &count);
	enum status status = near
	        ? fail(ST_NAME, "no strategy '%s'; did you mean '%.*s'? (there are: %s)", name, count, near,
	                  text_string(&names))
	        : fail(ST_NAME, "no strategy '%s' (there are: %s)", name, text_string(&names));
	text_release(&names);
	return status;
}

static void say_cost(struct shell *shell, const struct strategy *strategy)
{
	const char *end;
	for (const char *line = strategy->cost; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		out_say(shell->out, "     %s%.*s%s\n", style(shell->out, COLOUR_NOTE), (int)(end - line),
		        line, style(shell->out, COLOUR_PLAIN));
	}
}

static void say_list(struct shell *shell, const char *name)
{
	const struct strategy *strategy;
	for (int i = 0; (strategy = strategy_at(i)); i++) {
		if (name && strcmp(name, strategy->name) != 0)
			continue;
		out_say(shell->out, "   %s%-13s%s %s\n", style(shell->out, COLOUR_HEAD), strategy->name,
		        style(shell->out, COLOUR_PLAIN), strategy->help);
		say_cost(shell, strategy);
		for (int k = 0; name && k < STRATEGY_OPTIONS_MAX && strategy->option[k].name; k++) {
			const struct strategy_option *row = &strategy->option[k];
			out_say(shell->out, "     %s=%s%s%s%s%s\n         %s\n", row->name, row->value,
			        row->words ? "   of: " : "", row->words ? row->words : "", "", "",
			        row->about);
		}
	}
}

/* "a gpt of 4 layers", or what `stage` and F= B= W= say instead of a model */
static void say_trained(const struct strategy_call *call, struct text *what)
{
	static const char *const times[] = {"F", "B", "W", "comm"};
	if (!(option_number(call, "F") > 0)) {
		text_add(what, "%s of %d layer%s", call->model.kind == MODEL_GPT ? "a gpt" : "an mlp",
		        call->model.layers, call->model.layers == 1 ? "" : "s");
		return;
	}
	text_add(what, "%d stage%s of given times:", call->ranks, call->ranks == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		text_add(what, " %s=", times[i]);
		number_text((struct number){option_number(call, times[i]), UNIT_TIME}, what);
	}
}

static void say_program(struct shell *shell, const struct training *t)
{
	const struct program *p = &t->now.program;
	struct text what = {0};
	say_trained(&t->now.call, &what);
	out_say(shell->out, "   %s: %zu step%s of setup, then %zu an iteration, for %s\n", p->name, p->setup,
	        p->setup == 1 ? "" : "s", p->count - p->setup, text_string(&what));
	text_release(&what);
	out_say(shell->out,
	        "   Enter or `step` plays one, `run 20` twenty iterations; `program` lists them, `strategy "
	        "%s help` what it costs\n",
	        p->name);
}

static enum status strategy_run(struct shell *shell, struct call *call)
{
	struct training *t = training_of(shell);
	struct strategy_call made = {.ranks = shell->world->n};
	const char *word, *name;
	int first = ranks_first(call_ranks(call));
	if (!t)
		return ST_MEMORY;
	if (call_count(call, 0) == 0) {
		say_list(shell, NULL);
		return ST_OK;
	}
	enum status status = call_word(call, 0, 0, first, &name);
	if (status != ST_OK)
		return status;
	if (!(made.strategy = strategy_find(name)))
		return unknown(name);
	if (call_count(call, 1)) {
		say_list(shell, made.strategy->name);
		return ST_OK;
	}
	default_options(&made);
	stage_options(&t->now, &made);
	for (int i = 0; i < call_keys(call) && status == ST_OK; i++) {
		const char *key;
		struct number number;
		status = call_key(call, i, first, &key, &number, &word);
		if (status == ST_OK)
			status = take_option(&made, key, number, word);
	}
	plan_complete(&t->now);
	made.model = t->now.model;
	made.data = t->now.data;
	if (status == ST_OK)
		status = program_generate(shell, &made);
	if (status == ST_OK)
		say_program(shell, t);
	return status;
}

const struct command command_strategy = {
        .name = "strategy",
        .topic = "learn",
        .usage = "strategy [NAME [help] [KEY=VALUE ...]]",
        .help = "writes the program that trains the model on all ranks, in an empty world; alone it lists "
                "the strategies",
        .example = "strategy serial\nstep\nrun 1",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "NAME"}, {ARG_WORD, ARG_OPTIONAL, "help", "help"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = strategy_run,
};
