/* compare.c -- compare: strategies side by side (replay/compare.c)
 *
 * This file reads the line: the words between two ` / ` are the rest of a `strategy` line. */
#include "shell/language/parse/parse.h"
#include "shell/language/run/command.h"
#include "shell/training/choose.h"
#include "shell/replay/replay.h"

#include <stdio.h>
#include <string.h>

static bool compare_word(const char **at, const char *end, struct slice_of_text *word)
{
	while (*at < end && strchr(" \t\n", **at))
		(*at)++;
	word->at = *at;
	while (*at < end && !strchr(" \t\n", **at))
		(*at)++;
	word->length = (uint32_t)(*at - word->at);
	return word->length > 0;
}

/* `run=2` belongs to the whole line; every other word goes to its world as typed. */
static enum status compare_read_worlds(const struct call *call, struct question *question)
{
	const struct slice_of_text line = call->statement->source;
	const char *at = line.at, *end = line.at + line.length;
	struct slice_of_text word;
	bool behind = false;
	question->worlds = 1;
	while (compare_word(&at, end, &word)) {
		char *world = question->world[question->worlds - 1];
		size_t count = strlen(world), room = sizeof question->world[0];
		if (!behind) {
			behind = slice_is(word, call->statement->row->name);
		} else if (slice_is(word, "/")) {
			if (!*world || question->worlds == COMPARED_MOST)
				return fail(ST_ARGUMENT,
				        "compare: two to %d strategies, ` / ` between two: compare ddp / "
				        "zero stage=3",
				        COMPARED_MOST);
			question->worlds++;
		} else if (strncmp(word.at, "run=", 4) != 0) {
			if (memchr(word.at, '$', word.length))
				return fail(ST_ARGUMENT,
				        "compare: '%.*s': write the value, because `$` is not replaced here",
				        SHOWN(word));
			snprintf(world + count, room - count, "%s%.*s", count ? " " : "", WHOLE(word));
		}
	}
	if (!*question->world[question->worlds - 1])
		return fail(ST_ARGUMENT, "compare needs strategies: %s", command_usage(call->statement->row));
	return ST_OK;
}

static enum status compare_run(struct call *call)
{
	struct question *question = question_make(call, answer_compare);
	struct number run = {2, UNIT_PLAIN};
	if (!question)
		return ST_OK;
	enum status status = compare_read_worlds(call, question);
	for (int i = 0; i < call->statement->options && status == ST_OK; i++) {
		struct given given;
		if (!slice_is(call->statement->option[i].key, "run"))
			continue;
		status = call_key(call, i, &given);
		run = given.number;
	}
	if (status == ST_OK && !number_is_whole(run.value, 1, 1000))
		status = fail(ST_RANGE, "compare: run=: how many iterations, 1 to 1000");
	question->run = status == ST_OK ? (int64_t)run.value : 0;
	return question_end(call->shell, question, status);
}

const struct command command_compare = {
        .name = "compare",
        .topic = "look",
        .usage = "compare STRATEGY [KEY=VALUE ...] / STRATEGY ... [run=N]",
        .help = "runs several strategies with the session's model, data and machine, each in its own world"
                " without data. Prints a table (time per iteration, exposed communication, bytes, memory) "
                "and their timelines on one axis. run=N: iterations, 2 by default",
        .example = "model mlp layers=4 hidden=32 batch=16\ncompare ddp / ddp overlap=off / zero stage=3",
        .class = COMMAND_LOOK,
        .divided = "/+",
        .argument = {{ARG_FILE, ARG_OPTIONAL | ARG_MANY, NULL, "STRATEGY"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = compare_run,
        .follows = strategy_follows,
};
