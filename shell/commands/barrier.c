/* barrier.c -- barrier: every host of a group waits until all of them reach the line
 *
 * As in PyTorch over NCCL, a barrier is a collective of one element on a stream, for which the
 * host waits. So it also waits for earlier work of that stream. */
#include "collectives/collective.h"
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

static enum status barrier_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	plan->record.collective = &collective_barrier;
	plan->waits = true;
	return call_group(call, rank, &plan->record.group);
}

static enum status barrier_run(struct call *call)
{
	return plans_run(call, OP_COLLECTIVE, barrier_resolve, NULL);
}

const struct command command_barrier = {
        .name = "barrier",
        .topic = "order",
        .usage = "barrier [on STREAM] [in GROUP]",
        .help = "blocks every host of the group until all of them have reached this line",
        .example = "@0 host 2ms\nbarrier",
        .torch = "dist.barrier()",
        .cuda = "ncclAllReduce of one element; cudaStreamSynchronize(stream)",
        .stream_ok = true,
        .group_ok = true,
        .run = barrier_run,
};
