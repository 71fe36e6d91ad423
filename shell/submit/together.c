/* together.c -- sends and receives of a `together { }`, which are pending until it ends.
 *
 * At the end, those of one rank, stream and group become one operation, whose parts start
 * together. The parts of a pair (source, destination) match in their order.
 *
 *     together { send x to=1; recv y from=1; send z to=1 on io }  ->  default: [send x, recv y]
 *                                                                     io: [send z] */
#include "shell/submit/plan.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/session/queue.h"
#include "world/world.h"

#include <string.h>

/* A pending send or receive; each rank's are linked in order. */
struct pending_part {
	struct record record;
	struct operand operand;
	struct part part;
	int stream, next; /* next: index, -1 after the last */
	bool queued;
};
struct together {
	struct pending_list {
		bool launched;   /* one of the rank's operations has paid for the launch */
		int first, last; /* indices into pending, -1: none */
	} * rank;
	struct pending_part *pending;
	size_t count;
};

/* ncclGroupEnd launches once: only a rank's first operation has the cost of a launch. */
int together_flags(struct shell *shell, int rank)
{
	struct together *together = shell->together;
	if (!together)
		return 0;
	bool again = together->rank[rank].launched;
	together->rank[rank].launched = true;
	return again ? OPF_FREE_LAUNCH | OPF_TOGETHER : 0;
}

void together_add(struct shell *shell, int rank, const struct submit_plan *plan)
{
	struct together *together = shell->together;
	struct pending_list *list = &together->rank[rank];
	for (int i = 0; i < plan->parts; i++) {
		int k = (int)together->count;
		struct pending_part *pending = MEM_ADD(&together->pending, &together->count);
		*pending = (struct pending_part){
		        .record = plan->record, .part = plan->part[i], .stream = plan->stream, .next = -1};
		pending->operand = plan->operand[plan->part[i].operand];
		*(list->first < 0 ? &list->first : &together->pending[list->last].next) = k;
		list->last = k;
	}
}

enum { MOST_PARTS = 250 }; /* the most that a record can count */

/* Queues the rank's pending parts with the stream and group of part `from`, from it on, as one
 * operation. */
static enum status together_queue(struct shell *shell, struct together *together, int rank, int from)
{
	struct operand *operand = mem_alloc(MOST_PARTS * sizeof *operand);
	struct part *part = mem_alloc(MOST_PARTS * sizeof *part);
	struct pending_part *first = &together->pending[from];
	struct record record = first->record;
	int count = 0;
	for (int k = from; k >= 0 && count < MOST_PARTS; k = together->pending[k].next) {
		struct pending_part *pending = &together->pending[k];
		if (pending->queued || pending->stream != first->stream ||
		        pending->record.group != record.group)
			continue;
		operand[count] = pending->operand;
		part[count] = pending->part;
		part[count].operand = count;
		record.bytes = most_of(record.bytes, layout_bytes(&pending->operand.layout));
		pending->queued = true;
		count++;
	}
	record.operand = operand;
	record.part = part;
	record.operands = record.parts = (uint8_t)count;
	enum status status =
	        shell_queue(shell, rank, first->stream, &record, 0, 0, together_flags(shell, rank), NULL);
	mem_free(operand);
	mem_free(part);
	return status;
}

void together_begin(struct shell *shell)
{
	struct together *together = shell->together = mem_alloc(sizeof *together);
	together->rank = mem_alloc((size_t)shell->world->n * sizeof *together->rank);
	for (int i = 0; i < shell->world->n; i++)
		together->rank[i] = (struct pending_list){false, -1, -1};
}

/* A refused block (set NULL) drops its transfers; collectives are queued already. */
enum status together_end(struct shell *shell, const struct ranks *set)
{
	struct together *together = shell->together;
	enum status status = ST_OK;
	for (int rank = set ? ranks_first(set) : -1; rank >= 0; rank = ranks_next(set, rank))
		for (int k = together->rank[rank].first; k >= 0 && status == ST_OK;
		        k = together->pending[k].next)
			if (!together->pending[k].queued)
				status = together_queue(shell, together, rank, k);
	shell->together = NULL;
	mem_free(together->rank);
	mem_free(together->pending);
	mem_free(together);
	return status;
}
