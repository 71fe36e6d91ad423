/* barrier.c -- barrier: every host of a group waits until all of them have come to the line.
 *
 * As in PyTorch over NCCL, a barrier is a collective of one element on a stream, and the host then waits
 * for that stream. So it also waits for what the stream held before, and a rank that does not come makes
 * the others stuck, as with any collective. */
#include "collectives/collective.h"
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

/* Each rank needs only its stream and its group; there are no operands to look at, and nothing to complete: all ranks
 * of one part share a record. */
static enum status barrier_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	plan->record.collective = &collective_barrier;
	return call_group(call, rank, &plan->record.group);
}

static enum status barrier_run(struct call *call)
{
	return plans_meet(call, barrier_resolve, NULL);
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
