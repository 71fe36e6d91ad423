/* loader.c -- loader: how batches come from the disk to a rank's GPU
 *
 * A loader is threads of each rank's host that read micro-batches from the disk and decode them
 * ahead of time (strategies/parts/loader.rsh). Without one the data is in pinned memory. */
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"
#include "shell/training/training.h"

#include <string.h>

enum { WORKERS_MOST = 64, AHEAD_MOST = 1024 /* buffers of pinned memory */ };

static enum status loader_read_options(struct call *call, struct loader *loader)
{
	int64_t workers = loader->workers, prefetch = loader->prefetch;
	struct number read = {loader->read, UNIT_BYTE_RATE}, decode = {loader->decode, UNIT_TIME};
	enum status status = call_option_whole(call, "workers", COMMON, 1, WORKERS_MOST, &workers);
	if (status == ST_OK)
		status = call_option_whole(call, "prefetch", COMMON, 1, AHEAD_MOST, &prefetch);
	if (status == ST_OK && workers * prefetch > AHEAD_MOST)
		status = fail(ST_RANGE,
		        "loader: workers=%d prefetch=%d ask for %d micro-batches ahead, and %d are the most: "
		        "prefetch=%d",
		        (int)workers, (int)prefetch, (int)(workers * prefetch), AHEAD_MOST,
		        (int)(AHEAD_MOST / workers));
	if (status == ST_OK)
		status = call_option(call, "read", COMMON, &read);
	if (status == ST_OK && call_has(call, "read") && !(read.value >= 1 && read.value <= 1e18))
		status = fail(ST_RANGE, "loader: read= is the disk's rate, from 1B/s on: read=2GB/s");
	if (status == ST_OK)
		status = call_option(call, "decode", COMMON, &decode);
	if (status == ST_OK)
		status = duration_check("loader: decode", decode);
	*loader = (struct loader){(int)workers, (int)prefetch, read.value, decode.value};
	return status;
}

static enum status loader_run(struct call *call)
{
	struct plan *plan = &call->shell->training->now;
	struct loader loader = {.workers = 1, .prefetch = 2};
	struct text text = {0};
	bool off = strcmp(call_argument_text(call, 0, 0), "off") == 0,
	     on = call->statement->options || strcmp(call_argument_text(call, 0, 0), "on") == 0;
	enum status status = ST_OK;
	if (off && call->statement->options)
		return fail(ST_ARGUMENT, "write: loader workers=4 decode=3ms, or loader off");
	if (on)
		status = loader_read_options(call, &loader);
	if (status != ST_OK)
		return status;
	if (on || off)
		plan->loader = on ? loader : (struct loader){0};
	loader_text(&plan->loader, &text);
	out_say(call->shell->out, "   %s%s\n", text_string(&text),
	        on || off ? "; the next `strategy` uses it" : "");
	text_release(&text);
	return ST_OK;
}

const struct command command_loader = {
        .name = "loader",
        .topic = "learn",
        .usage = "loader workers=N [prefetch=N] [read=RATE] [decode=TIME] | loader on|off",
        .help = "sets how each rank gets its batches: host threads (workers) read micro-batches from disk "
                "and decode them, each `prefetch` micro-batches ahead of the training. Applies to the next"
                " `strategy`. on: one worker; off (the default): all data is in pinned memory. `loader` "
                "alone shows the setting",
        .example = "loader workers=2 decode=200us\nmodel mlp layers=2 hidden=64 batch=64\nstrategy ddp\nrun "
                   "2\nstalls",
        .torch = "DataLoader(data, num_workers=N, prefetch_factor=N, pin_memory=True)",
        .for_all = "training",
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_STEER},
        .argument = {{ARG_WORD, ARG_OPTIONAL, "on off", "on|off"}},
        .option = {{"workers", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                           "threads of a rank's host, 1 to 64 (1; there is no 0, with which PyTorch reads in "
                           "the main process)"},
                {"prefetch", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "micro-batches that a worker reads ahead of training (2)"},
                {"read", ARG_EXPRESSION, UNIT_BYTE_RATE, NULL,
                        "the read rate of the data's disk (the machine's disk_read)"},
                {"decode", ARG_EXPRESSION, UNIT_TIME, NULL,
                        "the time in which a worker decodes a micro-batch (0)"}},
        .run = loader_run,
};
