/* hunt.c -- hunt and fix: a program with one wrong line */
#include "shell/course/hunt/hunt.h"
#include "shell/language/run/command.h"

#include <string.h>

enum { NUMBER_MOST = 1000000000 };

/* seed= and change= belong to the hunt; other keys are the strategy's options. */
static enum status hunt_read_keys(struct call *call, struct hunt_asked *asked)
{
	struct choice *strategy = asked->strategy;
	enum status status = ST_OK;
	for (int i = 0; i < call->statement->options && status == ST_OK; i++) {
		struct given given;
		status = call_key(call, i, &given);
		if (status != ST_OK)
			break;
		long *own = strcmp(given.name, "seed") == 0 ? &asked->seed
		        : strcmp(given.name, "change") == 0 ? &asked->change
		                                            : NULL;
		if (own && !given.word && number_is_whole(given.number.value, 1, NUMBER_MOST))
			*own = (long)given.number.value;
		else if (own)
			status = fail(ST_RANGE, "hunt %s=: a whole number from 1 to %d was expected",
			        given.name, NUMBER_MOST);
		else if (choice_is_path(strategy->name))
			status = fail(ST_ARGUMENT,
			        "hunt %s %s=: a script has no options; seed= and change= are the hunt's",
			        strategy->name, given.name);
		else
			status = choice_key(call, i, strategy);
	}
	return status;
}

static enum status hunt_run(struct call *call)
{
	struct choice strategy = {0};
	struct hunt_asked asked = {.strategy = &strategy, .seed = -1};
	const char *word = call_argument_text(call, 1, 0);
	int64_t level = 0;
	enum status status = call_common(call, 0, &strategy.name);
	if (status == ST_OK && !strategy.name)
		return hunt_show(call->shell);
	bool give = status == ST_OK && strcmp(strategy.name, "give") == 0, up = strcmp(word, "up") == 0;
	if (status == ST_OK && (give || up))
		return give && up ? hunt_give_up(call->shell) : fail(ST_ARGUMENT, "write: hunt give up");
	if (status == ST_OK)
		status = hunt_read_keys(call, &asked);
	if (status == ST_OK)
		status = call_whole(call, 2, 1, HUNT_LEVELS, &level);
	asked.level = (long)level;
	if (status != ST_OK)
		return status;
	return strcmp(word, "all") == 0 ? hunt_list(call->shell, &asked) : hunt_begin(call->shell, &asked);
}

static void hunt_follows(const char *name, struct text *out)
{
	strategy_follows(name, out);
	if (!*name)
		text_add(out, "give\n");
}

const struct command command_hunt = {
        .name = "hunt",
        .topic = "learn",
        .usage = "hunt [NAME|F.rsh [LEVEL|all] [seed=N] [change=N] [KEY=VALUE ...]] | hunt give up",
        .help = "plants a bug in one line of a strategy or script; you find it. Level 1: hangs or wrong "
                "numbers; 2: wrong numbers or races; 3: slower or more memory. `hunt` alone shows the "
                "lines and the known facts; `fix` repairs a line; all: lists every change that can be "
                "detected",
        .example = "hunt ddp seed=5\nhunt\nhunt give up",
        .for_all = "training",
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_STEER},
        .argument = {{ARG_FILE, ARG_OPTIONAL, NULL, "NAME|F.rsh"},
                {ARG_WORD, ARG_OPTIONAL, "up all", "up|all"}, {ARG_EXPRESSION, ARG_OPTIONAL, NULL, "LEVEL"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = hunt_run,
        .follows = hunt_follows,
};

static enum status fix_run(struct call *call)
{
	struct slice_of_text words = {"", 0};
	if (call_count(call, 0))
		words = call_argument(call, 0, 0)->written;
	return hunt_fix(call->shell, words.at, words.length);
}

const struct command command_fix = {
        .name = "fix",
        .topic = "learn",
        .usage = "fix N LINE",
        .help = "replaces line N in the hunted program by LINE, which may contain `;` and braces. The "
                "result is judged by numbers, races, time and memory, not by its text",
        .example = "hunt ddp seed=5\nfix 1 # nothing",
        .for_all = "training",
        .class = COMMAND_STEER,
        .verbatim = true,
        .argument = {{ARG_TEXT, ARG_OPTIONAL, NULL, "N LINE"}},
        .run = fix_run,
};
