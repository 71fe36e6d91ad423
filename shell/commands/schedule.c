/* schedule.c -- schedule NAME: the order in which each rank of a pipeline works on its
 * micro-batches
 *
 * A program's loop reads it with slots, work(k), micro(k) and chunk(k). Only zb-auto uses the
 * times of F, B and W, in any unit. */
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "schedules/schedule.h"

#include <string.h>

/* Without F=, F, B and W take one unit, a transfer takes 1/20, and all memory of F is held until
 * W. With F=, B and W take the same unless given, and transfers take comm=. */
static enum status schedule_read_times(struct call *call, struct schedule_ask *ask)
{
	struct number f = {0};
	enum status status = call_option(call, "F", COMMON, &f);
	bool timed = f.value > 0;
	ask->f = timed ? f.value : 1;
	const struct {
		const char *name;
		double standard, *value;
	} rows[] = {{"B", ask->f, &ask->b}, {"W", ask->f, &ask->w}, {"comm", timed ? 0 : 0.05, &ask->comm},
	        {"limit", 1, &ask->limit}, {"held", timed ? 0.5 : 1, &ask->held}};
	for (int i = 0; i < 5 && status == ST_OK; i++) {
		struct number number = {rows[i].standard, UNIT_PLAIN};
		status = call_option(call, rows[i].name, COMMON, &number);
		*rows[i].value = number.value;
	}
	return status;
}

/* A schedule in the binary, or a file; a name with / is always a file. */
static enum status schedule_read_named(
        struct shell *shell, const char *name, const struct schedule_ask *ask, struct schedule *schedule)
{
	const struct embedded *own =
	        strchr(name, '/') ? NULL : embedded_find("strategies/schedules/", name, "");
	char *bytes = NULL;
	size_t count;
	if (own)
		return schedule_read(ask, name, own->bytes, own->count, schedule);
	enum status status = shell_file(shell, name, &bytes, &count);
	if (status == ST_OK)
		status = schedule_read(ask, name, bytes, count, schedule);
	mem_free(bytes);
	return status;
}

static enum status schedule_run(struct call *call)
{
	int group, rank = ranks_first(call->set);
	int64_t micros = 1, chunks = 1;
	struct schedule_ask ask = {0};
	const char *word = "", *recompute = "none";
	enum status status = call_common(call, 0, &word);
	bool is_file = path_ends(word, ".csv");
	if (status == ST_OK && !is_file)
		status = schedule_find(word, &ask.kind);
	if (status == ST_OK)
		status = call_option_whole(call, "micro", COMMON, 1, 1000000, &micros);
	if (status == ST_OK)
		status = call_option_whole(call, "chunks", COMMON, 1, 1000000, &chunks);
	if (status == ST_OK)
		status = schedule_read_times(call, &ask);
	if (status == ST_OK)
		status = call_option_word(call, "recompute", COMMON, &recompute);
	if (status == ST_OK)
		status = call_group(call, rank, &group);
	if (status != ST_OK)
		return status;
	if (strcmp(recompute, "full") == 0) /* recompute runs a forward before each B */
		ask.b += ask.f;
	struct schedule schedule;
	ask.stages = group_part(&call->shell->world->groups[group], rank)->n;
	ask.micros = micros;
	ask.chunks = ask.stages == 1 ? 1 : chunks; /* on one stage all chunks are adjacent */
	status = is_file ? schedule_read_named(call->shell, word, &ask, &schedule)
	                 : schedule_make(&ask, &schedule);
	if (status == ST_OK)
		interpreter_schedule(call->shell, &schedule, group);
	return status;
}

const struct command command_schedule = {
        .name = "schedule",
        .topic = "write",
        .usage = "schedule " SCHEDULE_WORDS " F.csv micro=4 [chunks=1] [recompute=none|selective|full] "
                 "[F=TIME B=TIME W=TIME comm=TIME] [limit=1] [held=0.5] [in GROUP]",
        .help = "sets the order in which GROUP's ranks, one stage each, run micro-batches. In slot k of "
                "`for k in 0:slots`, work(k) is F, B, W, BW or idle, micro(k) its micro-batch and chunk(k)"
                " its chunk. F.csv holds an order in the format of PyTorch's pipelining: a row per rank, "
                "such as 0F0,0F1,,0B0",
        .example = "schedule 1f1b micro=8\nfor k in 0:4 { print work(k) micro(k) }",
        .group_ok = true,
        .argument = {{ARG_FILE, 0, SCHEDULE_WORDS, "a schedule"}},
        .option = {{"micro", ARG_EXPRESSION, UNIT_PLAIN, NULL, "micro-batches"},
                {"chunks", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "chunks of a stage, for interleaved: pieces of the model that are not neighbours"},
                {"recompute", ARG_WORD, UNIT_PLAIN, "none selective full",
                        "as the model's option; zb-auto, full: the forward pass is computed again before the "
                        "backward pass"},
                {"F", ARG_EXPRESSION, UNIT_TIME, NULL, "time of a stage's forward pass"},
                {"B", ARG_EXPRESSION, UNIT_TIME, NULL, "time of its input gradients"},
                {"W", ARG_EXPRESSION, UNIT_TIME, NULL, "time of its weight gradients"},
                {"comm", ARG_EXPRESSION, UNIT_TIME, NULL, "time of a transfer to the next stage"},
                {"limit", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "zb-auto: the activations that a stage may hold, as a multiple of those of 1f1b's "
                        "first stage"},
                {"held", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "zb-auto: the share of activations that W still needs after B"}},
        .run = schedule_run,
};
