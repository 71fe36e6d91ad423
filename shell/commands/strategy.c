/* strategy.c -- strategy: writes the program that trains the model on all ranks */
#include "shell/language/run/command.h"
#include "shell/session/out.h"
#include "base/memory.h"
#include "shell/training/choose.h"
#include "shell/training/head.h"
#include "shell/training/training.h"
#include "strategies/strategies.h"

#include <stdint.h>
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

static void say_list(struct shell *shell)
{
	const char *name;
	for (int i = 0; (name = chosen_name(false, i)); i++) {
		struct player_file file;
		struct head head;
		char own[64];
		snprintf(own, sizeof own, "%s", name);
		if (choose_file(shell, false, own, &file) != ST_OK || head_read(&head, &file) != ST_OK)
			continue;
		out_say(shell->out, "   %s%-13s%s %s\n", style(shell->out, COLOUR_HEAD), own,
		        style(shell->out, COLOUR_PLAIN), text_string(&head.help));
		head_release(&head);
		mem_free((void *)(uintptr_t)file.text);
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
	const struct program *p = t->now.program;
	struct text what = {0};
	if (t->now.call.strategy)
		say_trained(&t->now.call, &what);
	else
		text_add(&what, "%s", p->alone->name);
	out_say(shell->out, "   %s: %zu step%s of setup, then %zu an iteration, for %s\n", p->name, p->setup,
	        p->setup == 1 ? "" : "s", p->steps - p->setup, text_string(&what));
	text_release(&what);
	out_say(shell->out,
	        "   Enter or `step` plays one, `run 20` twenty iterations; `program` lists them, `strategy "
	        "%s help` what it costs\n",
	        p->name);
}

/* A strategy that is still in C */
static enum status run_c(struct shell *shell, const struct choice *choice)
{
	struct training *t = training_of(shell);
	struct strategy_call made = {.strategy = strategy_find(choice->name), .ranks = shell->world->n};
	enum status status = ST_OK;
	default_options(&made);
	stage_options(&t->now, &made);
	for (int i = 0; i < choice->givens && status == ST_OK; i++)
		status = take_option(
		        &made, choice->given[i].name, choice->given[i].number, choice->given[i].word);
	plan_complete(&t->now);
	made.model = t->now.model;
	made.data = t->now.data;
	return status == ST_OK ? program_generate(shell, &made) : status;
}

static bool in_c(const char *name)
{
	const char *other;
	for (int i = 0; (other = chosen_name(false, i)); i++)
		if (strcmp(other, name) == 0)
			return false;
	return strategy_find(name) != NULL;
}

/* `ddp=2`: the name is a key, its value the size of the axis */
static enum status take_size(struct call *call, int i, struct choice *choice)
{
	struct given size;
	enum status status =
	        call_key(call, i, ranks_first(call_ranks(call)), &size.name, &size.number, &size.word);
	if (status == ST_OK && (size.word || !number_is_whole(size.number.value, 1, 1e6)))
		status = fail(
		        ST_RANGE, "%s=: the number of ranks on its axis was expected, 1 or more", size.name);
	choice->name = size.name;
	choice->size = (int)size.number.value;
	return status;
}

/* The parts of the line, divided by ` + `: NAME or NAME=SIZE first, then options */
static enum status read_parts(struct call *call, struct choice *choice, int *count)
{
	int first = ranks_first(call_ranks(call));
	enum status status = ST_OK;
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		struct choice *part = &choice[call_argument_part(call, 0, i)];
		const char *name;
		status = call_word(call, 0, i, first, &name);
		if (status == ST_OK && part->name)
			status = fail(ST_ARGUMENT,
			        "'%s' behind '%s': one strategy, then KEY=VALUE; ` + ` stands between two",
			        name, part->name);
		part->name = name;
	}
	for (int i = 0; i < call_keys(call) && status == ST_OK; i++) {
		int at = call_key_part(call, i);
		status = choice[at].name ? choice_key(call, i, &choice[at]) : take_size(call, i, &choice[at]);
		*count = at + 1 > *count ? at + 1 : *count;
	}
	for (int i = 0; i < PARTS_MAX && status == ST_OK; i++)
		*count = choice[i].name && i + 1 > *count ? i + 1 : *count;
	for (int i = 0; i < *count && status == ST_OK; i++)
		if (!choice[i].name)
			status = fail(
			        ST_ARGUMENT, "a strategy is missing beside the +: strategy ddp=2 + tp=2");
	return status;
}

static enum status strategy_run(struct shell *shell, struct call *call)
{
	struct choice choice[PARTS_MAX] = {0};
	int count = 0;
	enum status status = read_parts(call, choice, &count);
	if (status != ST_OK)
		return status;
	if (count == 0) {
		say_list(shell);
		return ST_OK;
	}
	if (call_count(call, 1))
		return choice_tell(
		        shell, false, choice[0].name, strcmp(call_argument_text(call, 1, 0), "source") == 0);
	status = count == 1 && in_c(choice[0].name) ? run_c(shell, &choice[0])
	                                            : choose_strategies(shell, choice, count);
	if (status == ST_OK)
		say_program(shell, training_of(shell));
	return status;
}

static void follows(const char *name, struct text *out)
{
	choice_follows(false, name, out);
}

const struct command command_strategy = {
        .name = "strategy",
        .topic = "learn",
        .usage = "strategy [NAME|F.rsh [help|source] [KEY=VALUE ...]] [NAME=SIZE ... + NAME=SIZE ...]",
        .help = "the program that trains the model on all ranks, in an empty world; several, from the "
                "outermost axis of a "
                "mesh to the innermost, with ` + ` between; alone it lists the strategies",
        .example = "strategy serial\nstep\nrun 1",
        .class = COMMAND_STEER,
        .divided = true,
        .argument = {{ARG_FILE, ARG_OPTIONAL | ARG_MANY, NULL, "NAME|F.rsh"},
                {ARG_WORD, ARG_OPTIONAL, "help source", "help|source"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = strategy_run,
        .follows = follows,
};
