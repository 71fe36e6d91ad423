/* together.c -- together { }: ncclGroupStart and ncclGroupEnd.
 *
 * The block's sends and receives become one OP_P2P for each rank, stream and group, queued at its end:
 * they start together, so a cycle of sends among the ranks cannot deadlock. Its collectives are queued
 * where they stand; only the first of a rank pays for a launch. */
#include "shell/language/run/command.h"
#include "shell/submit/together.h"

#include <string.h>

static enum status together_run(struct call *call)
{
	/* a block in a block counts as the outermost, as NCCL's do */
	if (call->shell->together) /* a block in a block counts as the outermost, as NCCL's do */
		return call_block(call);
	together_begin(call->shell);
	enum status status = call_block(call);
	enum status queued = together_end(call->shell, status == ST_OK ? call->set : NULL);
	return status == ST_OK ? queued : status;
}

const struct command command_together = {
        .name = "together",
        .topic = "order",
        .usage = "together [on STREAM] { LINES }",
        .help = "starts the block's sends, receives and collectives as one, so that none of them waits for "
                "another of the block",
        .example = "tensor x[4] y[4] = rank\ntogether {\nsend x to=(rank+1)%world\nrecv y "
                   "from=(rank-1)%world\n}\nsync",
        .torch = "dist.batch_isend_irecv([...])",
        .cuda = "ncclGroupStart(); ... ncclGroupEnd()",
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_BLOCK, 0, NULL, "{ LINES }"}},
        .run = together_run,
};
