/* strategy.c -- strategy: writes the program that trains the model on all ranks */
#include "shell/language/run/command.h"
#include "shell/training/choose.h"
#include "shell/training/training.h"

#include <string.h>

static void strategy_say_program(struct shell *shell, const struct training *t)
{
	const struct program *p = t->now.program;
	out_say(shell->out, "   %s: %zu setup step%s, then %zu per iteration, for %s\n", p->name, p->setup,
	        p->setup == 1 ? "" : "s", p->steps - p->setup, p->alone->name);
	if (p->links.count)
		out_say(shell->out, "   %s\n", text_string(&p->links));
	if (t->now.loader.workers) {
		struct text loader = {0};
		loader_text(&t->now.loader, &loader);
		out_say(shell->out, "   %s\n",
		        p->loads ? text_string(&loader)
		                 : "note: this program reads no data by a loader (`loader off`)");
		text_release(&loader);
	}
	program_say_idle(shell, p);
	out_say(shell->out,
	        "   Enter or `step` runs one step, `run 20` runs 20 iterations; `program` lists the steps, "
	        "`strategy %s help` shows the costs\n",
	        p->name);
}

static enum status choice_set_size(struct choice *choice, const char *name, bool is_number, double size)
{
	if (!is_number || !number_is_whole(size, 1, 1e6))
		return fail(ST_RANGE, "%s=: the number of ranks on its axis was expected, 1 or more", name);
	choice->name = name;
	choice->size = (int)size;
	return ST_OK;
}

/* `ddp`, or a path with a size, `./mine.rsh=2`, which is not parsed as a key. */
static enum status choice_read_name(struct call *call, const char *word, struct choice *choice)
{
	static const char ending[] = ".rsh=";
	const char *end = strstr(word, ending);
	choice->name = word;
	if (!end)
		return ST_OK;
	struct names *names = call->shell->world->names;
	struct number size = {0};
	int used = 0;
	const char *digits = end + strlen(ending);
	bool is_number = number_read(digits, &size, &used) == ST_OK && !digits[used];
	name_id name = names_make(names, word, (size_t)(digits - 1 - word));
	return choice_set_size(
	        choice, names_text(names, name), is_number && size.unit == UNIT_PLAIN, size.value);
}

/* Reads the line's parts, divided by ` + `: NAME or NAME=SIZE, then options. The parser has bound
 * words and keys separately, each with the index of its part:
 *
 *     strategy ddp=2 bucket=8k + tp=2       part 0: keys ddp, bucket      part 1: key tp
 *     strategy fsdp wrap=layer              part 0: word fsdp, key wrap
 *
 * A part without a word has its name in its first key. *count: number of parts. *tell: `help` or
 * `source` at the line's end; else unchanged. */
static enum status strategy_read_parts(
        struct call *call, struct choice *choice, int *count, const char **tell)
{
	enum status status = ST_OK;
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		struct choice *part = &choice[call_argument(call, 0, i)->part];
		const char *name;
		status = call_word(call, 0, i, COMMON, &name);
		if (status == ST_OK && (strcmp(name, "help") == 0 || strcmp(name, "source") == 0)) {
			*tell = name;
			continue;
		}
		if (status == ST_OK && part->name)
			status = fail(ST_ARGUMENT,
			        "'%s' after '%s': KEY=VALUE was expected; ` + ` joins two strategies", name,
			        part->name);
		if (status == ST_OK)
			status = choice_read_name(call, name, part);
	}
	for (int i = 0; i < call->statement->options && status == ST_OK; i++) {
		int at = call->statement->option[i].part;
		if (choice[at].name) {
			status = choice_key(call, i, &choice[at]);
		} else { /* `ddp=2`: the name is a key, its value the size of the axis */
			struct given size;
			status = call_key(call, i, &size);
			if (status == ST_OK)
				status = choice_set_size(
				        &choice[at], size.name, !size.word, size.number.value);
		}
		*count = at + 1 > *count ? at + 1 : *count;
	}
	for (int i = 0; i < PARTS_MAX && status == ST_OK; i++)
		*count = choice[i].name && i + 1 > *count ? i + 1 : *count;
	for (int i = 0; i < *count && status == ST_OK; i++)
		if (!choice[i].name)
			status = fail(
			        ST_ARGUMENT, "a strategy is missing next to the +: strategy ddp=2 + tp=2");
	return status;
}

static enum status strategy_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct choice choice[FILES_MAX] = {0}, *strategy = choice + 1; /* [0]: the model */
	const char *tell = "";
	int count = 0;
	enum status status = strategy_read_parts(call, strategy, &count, &tell);
	if (status != ST_OK)
		return status;
	if (count == 0) {
		choice_list(shell, false);
		return ST_OK;
	}
	bool source = strcmp(tell, "source") == 0;
	if (*tell && count > 1 && !source)
		return choice_tell_several(shell, choice, 1 + count);
	for (int i = 0; *tell && i < count && status == ST_OK; i++)
		status = choice_tell(shell, false, strategy[i].name, source);
	if (status != ST_OK || *tell)
		return status;
	status = choose_strategies(shell, choice, 1 + count);
	if (status == ST_OK)
		strategy_say_program(shell, shell->training);
	return status;
}

const struct command command_strategy = {
        .name = "strategy",
        .topic = "learn",
        .usage = "strategy [NAME|F.rsh [help|source] [KEY=VALUE ...]] [NAME=SIZE ... + NAME=SIZE ...]",
        .help = "loads the program that trains the model on all ranks, in an empty world. ` + ` combines "
                "several strategies, from the mesh's outermost axis to the innermost. `strategy` alone "
                "lists the strategies",
        .example = "strategy serial\nstep\nrun 1",
        .for_all = "training",
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_STEER},
        .divided = "+",
        .argument = {{ARG_FILE, ARG_OPTIONAL | ARG_MANY, NULL, "NAME|F.rsh"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = strategy_run,
        .follows = strategy_follows,
};
