/* together.c -- together { }: the block's sends and receives become one OP_P2P a rank (and stream and group),
 * queued at its end; its collectives are queued where they stand, without a launch of their own */
#include "shell/commands/together.h"

#include "base/memory.h"

#include <string.h>

/* A send or receive kept for the end of the block; each rank's are linked in the order of their lines. */
struct kept {
	struct record record;
	struct operand operand;
	struct part part;
	int rank, stream, next; /* next: index, -1 behind the last */
	bool queued;
};
/* Blocks in blocks count as the outermost, as NCCL's do. */
struct together {
	bool *launched;    /* by rank */
	int *first, *last; /* by rank: indices into kept, -1: none */
	struct kept *kept;
	size_t count, room;
};

int together_flags(struct shell *shell, int rank)
{
	struct together *together = shell->together;
	if (!together)
		return 0;
	bool again = together->launched[rank];
	together->launched[rank] = true;
	return again ? OPF_FREE_LAUNCH : 0;
}

enum status together_add(struct shell *shell, int rank, const struct plan *plan)
{
	struct together *together = shell->together;
	for (int i = 0; i < plan->parts; i++) {
		if (MEM_GROW(&together->kept, together->count, &together->room) != ST_OK)
			return ST_MEMORY;
		int k = (int)together->count++;
		struct kept *kept = &together->kept[k];
		*kept = (struct kept){.record = plan->record,
		        .part = plan->part[i],
		        .rank = rank,
		        .stream = plan->stream,
		        .next = -1};
		kept->operand = plan->operand[plan->part[i].operand];
		if (together->first[rank] < 0)
			together->first[rank] = k;
		else
			together->kept[together->last[rank]].next = k;
		together->last[rank] = k;
	}
	return ST_OK;
}

static void together_free(struct together *together)
{
	if (!together)
		return;
	mem_free(together->launched);
	mem_free(together->first);
	mem_free(together->last);
	mem_free(together->kept);
	mem_free(together);
}

static struct together *together_create(int n)
{
	struct together *together = mem_alloc(sizeof *together);
	if (!together)
		return NULL;
	together->launched = mem_alloc((size_t)n * sizeof *together->launched);
	together->first = mem_alloc((size_t)n * sizeof *together->first);
	together->last = mem_alloc((size_t)n * sizeof *together->last);
	if (!together->launched || !together->first || !together->last) {
		together_free(together);
		return NULL;
	}
	for (int i = 0; i < n; i++)
		together->first[i] = together->last[i] = -1;
	return together;
}

enum { MOST_PARTS = 250 }; /* what a record can count */

/* The parts of one rank that go over one stream and group, from `from` on, as one operation. */
static enum status queue_from(
        struct shell *shell, struct together *together, int from, struct operand *operand, struct part *part)
{
	struct kept *first = &together->kept[from];
	struct record record = first->record;
	int count = 0;
	for (int k = from; k >= 0 && count < MOST_PARTS; k = together->kept[k].next) {
		struct kept *kept = &together->kept[k];
		if (kept->queued || kept->stream != first->stream || kept->record.group != record.group)
			continue;
		operand[count] = kept->operand;
		part[count] = kept->part;
		part[count].operand = count;
		int64_t bytes = layout_bytes(&kept->operand.layout);
		record.bytes = bytes > record.bytes ? bytes : record.bytes;
		kept->queued = true;
		count++;
	}
	record.operand = operand;
	record.part = part;
	record.operands = record.parts = (uint8_t)count;
	return shell_queue(
	        shell, first->rank, first->stream, &record, 0, 0, together_flags(shell, first->rank), NULL);
}

static enum status queue_kept(struct shell *shell, struct together *together, const struct ranks *set)
{
	struct operand *operand = mem_alloc(MOST_PARTS * sizeof *operand);
	struct part *part = mem_alloc(MOST_PARTS * sizeof *part);
	enum status status = operand && part ? ST_OK : ST_MEMORY;
	FOR_RANKS (rank, set)
		for (int k = together->first[rank]; k >= 0 && status == ST_OK; k = together->kept[k].next)
			if (!together->kept[k].queued)
				status = queue_from(shell, together, k, operand, part);
	mem_free(operand);
	mem_free(part);
	return status;
}

static enum status together_run(struct shell *shell, struct call *call)
{
	struct together *outer = shell->together;
	if (outer)
		return call_block(call);
	struct together *together = together_create(shell->world->n);
	if (!together)
		return ST_MEMORY;
	shell->together = together;
	enum status status = call_block(call);
	if (status == ST_OK)
		status = queue_kept(shell, together, call_ranks(call));
	shell->together = NULL;
	together_free(together);
	return status;
}

const struct command command_together = {
        .name = "together",
        .topic = "order",
        .usage = "together [on STREAM] { LINES }",
        .help = "the block's sends, receives and collectives start as one, so that none of them waits for "
                "another of the block",
        .example = "tensor x[4] y[4] = rank\ntogether {\nsend x to=(rank+1)%world\nrecv y "
                   "from=(rank-1)%world\n}\nsync",
        .torch = "dist.batch_isend_irecv([...])",
        .cuda = "ncclGroupStart(); ... ncclGroupEnd()",
        .class = COMMAND_PROGRAM,
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_BLOCK, 0, NULL, "{ LINES }"}},
        .run = together_run,
};
