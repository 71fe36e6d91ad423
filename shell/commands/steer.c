/* steer.c -- slow, crash, abort, pace: faults and speed of ranks
 *
 * After a crash, queued work still runs, and collectives with the rank hang. abort is
 * ncclCommAbort: unfinished operations end, hosts continue, and their outputs are poisoned. */
#include "shell/language/run/command.h"
#include "shell/session/expired.h"
#include "shell/session/lasting.h"
#include "shell/session/queue.h"

#include <string.h>

static enum status slow_one(struct call *call, int rank, bool act)
{
	struct number number;
	enum status status = call_number(call, 0, 0, rank, &number);
	if (status == ST_OK && !(number.value >= 0.01 && number.value <= 1000))
		status = fail(
		        ST_RANGE, "slow: the factor must be from 0.01x to 1000x (1x: as fast as the others)");
	if (status == ST_OK && act)
		lasting_slow(call->shell, rank, number.value);
	return status;
}

const struct command command_slow = {
        .name = "slow",
        .topic = "steer",
        .usage = "@RANKS slow FACTOR",
        .help = "makes kernels queued from now on take FACTOR times as long on these ranks, also after "
                "`reset` and in the next program (`machine` shows the slow ranks). 1x or another `machine`"
                " ends it",
        .example = "@2 slow 2x\nspin 1ms\nsync",
        .class = COMMAND_STEER,
        .argument = {{ARG_EXPRESSION, 0, NULL, "FACTOR"}},
        .each = slow_one,
};

/* A crash is an operation of the host's lane, so earlier work still runs. */
static enum status crash_one(struct call *call, int rank, bool act)
{
	struct record record = call_record(call, rank, OP_CRASH, "crash");
	return act ? shell_queue(call->shell, rank, STREAM_HOST, &record, 0, 0, 0, NULL) : ST_OK;
}

const struct command command_crash = {
        .name = "crash",
        .topic = "steer",
        .usage = "@RANKS crash",
        .help = "ends these ranks' programs here. Work that they queued before still runs, and the other "
                "ranks continue until they need a crashed rank",
        .example = "tensor g[64] = rank\n@2 crash\nallreduce g\nstuck",
        .class = COMMAND_STEER,
        .each = crash_one,
};

/* Completes final work first, so that the unfinished work is the same on every process. */
static enum status abort_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct thing thing = {THING_GROUP, 0};
	if (call_count(call, 0)) {
		enum status status = call_thing(call, 0, 0, ranks_first(call->set), &thing);
		if (status != ST_OK)
			return status;
	}
	enum status status = shell_advance(shell);
	if (status == ST_OK)
		status = shell->backend->abort(shell->backend, thing.index);
	if (status != ST_OK)
		return status;
	shell_expired(shell);
	world_abort(shell->world, thing.index);
	return shell_advance(shell); /* reports what the released hosts reach now */
}

const struct command command_abort = {
        .name = "abort",
        .topic = "steer",
        .usage = "abort [GROUP]",
        .help = "ends every unfinished operation in the group (or on all ranks) and releases the hosts; "
                "these operations' outputs are invalid",
        .example = "tensor g[64] = rank\n@0 allreduce g\n@0 sync\nabort world\nsync",
        .torch = "dist.distributed_c10d._abort_process_group()",
        .cuda = "ncclCommAbort(comm)",
        .class = COMMAND_STEER,
        .argument = {{ARG_GROUP, ARG_OPTIONAL, NULL, "GROUP"}},
        .run = abort_run,
};

static enum status pace_run(struct call *call)
{
	struct number number = {0};
	enum status status = ST_OK;
	if (strcmp(call_argument_text(call, 0, 0), "off") != 0) {
		status = call_number(call, 0, 0, COMMON, &number);
		if (status == ST_OK &&
		        (number.unit != UNIT_TIME || !(number.value >= 1e6 && number.value <= 60e9)))
			status = fail(ST_RANGE,
			        "pace needs the wall time of a virtual millisecond, 1ms to 60s, or off: "
			        "pace 1s");
	}
	if (status == ST_OK)
		call->shell->lasting.pace = number.value / 1e9;
	return status;
}

const struct command command_pace = {
        .name = "pace",
        .topic = "steer",
        .usage = "pace TIME|off",
        .help = "advances the hosts' clocks with the wall clock, a virtual millisecond in each TIME, so "
                "bars grow while you type. Survives `reset`; `pace off` ends it",
        .example = "pace 1s\npace off",
        .for_all = "the pace",
        .class = COMMAND_STEER,
        .argument = {{ARG_EXPRESSION, 0, NULL, "TIME|off"}},
        .run = pace_run,
};
