/* together.c -- together { }: ncclGroupStart and ncclGroupEnd
 *
 * The block's sends and receives become one OP_P2P for each rank, stream and group, queued at its
 * end. They start together, so a cycle of sends cannot deadlock. Collectives are queued where
 * they are; only a rank's first pays for a launch. */
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

static enum status together_run(struct call *call)
{
	if (call->shell->together) /* nested blocks belong to the outermost, as in NCCL */
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
        .help = "starts the block's sends, receives and collectives as one operation, so that none of them"
                " waits for another",
        .example = "tensor x[4] y[4] = rank\ntogether {\nsend x to=(rank+1)%world\nrecv y "
                   "from=(rank-1)%world\n}\nsync",
        .torch = "dist.batch_isend_irecv([...])",
        .cuda = "ncclGroupStart(); ... ncclGroupEnd()",
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_BLOCK, 0, NULL, "{ LINES }"}},
        .run = together_run,
};
