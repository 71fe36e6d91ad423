/* collective.c -- each member's kernel. A reduction is cut into one piece per place; the piece's
 * owner adds it up from all inputs and writes it to all results. Pieces and order of addition are
 * those of collectives/data.c. Data that only moves is fetched by its receiver. */
#include "base/arithmetic.h"
#include "collectives/collective.h"
#include "cuda/exchange/shared_gpu/state.h"
#include "world/op.h"

enum { BLOCKS_MOST = 1056, LINE_BYTES = 16 };

static unsigned blocks_for(int64_t bytes)
{
	return (unsigned)most_of(1, least_of(parts_of(bytes, (int64_t)THREADS * LINE_BYTES), BLOCKS_MOST));
}

void share_members(const struct shared_gpu *gpu, struct match_share *share, uint64_t places)
{
	const struct slot_ring *ring = share->ring;
	struct exchange_members *all = &share->call.members;
	const struct exchange_slot *first = slot_ring_slot(ring, 0, share->seq);
	all->slots = (const void *)(uintptr_t)slot_ring_device(ring, first);
	all->apart = (long long)ring->seqs * (long long)sizeof *first;
	all->seq = share->seq;
	all->found = (struct exchange_found *)(uintptr_t)slot_ring_found(ring, share->seq);
	for (int p = 0; p < ring->n; p++) {
		if (!(places >> p & 1))
			continue;
		if (p == share->place)
			all->place = all->n;
		all->slot[all->n] = (unsigned char)p;
		all->pool[all->n++] = (char *)(uintptr_t)gpu->pool[ring->ranks[p]];
	}
}

static uint32_t numbers_digest(const int64_t *number, int count)
{
	uint32_t sum = 0x811c9dc5;
	for (int i = 0; i < count * 8; i++)
		sum = (sum ^ (uint32_t)((uint64_t)number[i / 8] >> i % 8 * 8 & 0xff)) * 0x01000193;
	return sum;
}

/* Members that disagree move no data. */
static uint32_t collective_digest(const struct exchange_collective *call)
{
	const struct collective *collective = call->collective;
	int kind = 0;
	while (collective_at(kind) && collective_at(kind) != collective)
		kind++;
	bool taken = collective->reduces || collective->root_gets || collective->result == RESULT_EXCHANGED;
	int64_t count = call->split ? -1 : taken ? call->in_count : call->out_count;
	return numbers_digest(
	        (const int64_t[]){kind, call->dtype, collective->reduces ? (int)call->reduction : 0,
	                collective->has_root ? call->root : 0, count},
	        5);
}

/* as data_reduce() */
static void share_plan_reduce(
        struct shared_gpu *gpu, const struct exchange_collective *call, struct match_share *share)
{
	enum { ALL = -1 };
	bool stays = call->collective->result == RESULT_SHARED;
	int to = call->collective->root_gets ? call->root : ALL, last = to == ALL ? call->place : to;
	struct exchange_reduce *reduce = &share->call.reduce;
	reduce->begin = stays ? part_at(call->in_count, call->chunk, call->place)
	                      : piece_at(call->in_count, call->n, call->place);
	reduce->end = stays ? part_at(call->in_count, call->chunk, call->place + 1)
	                    : piece_at(call->in_count, call->n, call->place + 1);
	reduce->earlier = stays ? reduce->begin : 0;
	reduce->dtype = call->dtype;
	reduce->reduction = call->reduction;
	reduce->first = stays || to != ALL ? (last + 1) % call->n : call->place;
	reduce->to = stays ? call->place : to;
	/* one rank's sum is its input: in place nothing remains, unless the result is staged in
	 * another place */
	bool done = call->n == 1 && call->in == call->out && (call->collective->in_place || !gpu->staged);
	if (reduce->end > reduce->begin && !done)
		share->function = gpu->reduce;
	share->blocks = blocks_for((reduce->end - reduce->begin) * dtype_bytes(call->dtype));
}

/* as data_move() */
static void share_plan_move(
        struct shared_gpu *gpu, const struct exchange_collective *call, struct match_share *share)
{
	const struct collective *collective = call->collective;
	bool parts = collective->result == RESULT_SHARED || collective->result == RESULT_EXCHANGED,
	     rooted = collective->has_root && !collective->root_gets;
	int64_t count = collective->result == RESULT_SAME ? call->out_count : call->chunk;
	struct exchange_move *move = &share->call.move;
	move->bytes = count * dtype_bytes(call->dtype);
	move->from = rooted ? call->root : 0;
	move->until = rooted ? call->root + 1 : call->n;
	move->in_at = parts ? call->place * move->bytes : 0;
	move->out_step = rooted ? 0 : move->bytes;
	bool gets = !collective->root_gets || call->place == call->root;
	if (gets && move->bytes > 0)
		share->function = gpu->move;
	share->blocks = blocks_for(move->bytes);
}

/* The offsets of this member's rows go to its table, in stream order. */
static enum status share_plan_rows(
        struct shared_gpu *gpu, const struct exchange_collective *call, struct match_share *share)
{
	int64_t size = dtype_bytes(call->dtype);
	const long long *tables = slot_ring_tables(share->ring, share->seq),
	                *mine = tables + call->place * (2 * call->n + 2);
	struct exchange_table table = {.table = (long long *)(uintptr_t)slot_ring_device(share->ring, mine),
	        .count = 2 * call->n + 2};
	int64_t sent = 0, received = 0;
	for (int p = 0; p < call->n; p++) {
		table.at[p] = sent;
		table.at[call->n + 1 + p] = received;
		if (call->split) {
			sent += rows_to(call->split, p) * call->split->row_bytes;
			received += rows_from(call->split, p) * call->split->row_bytes;
		} else {
			received = part_at(call->out_count, call->chunk, p + 1) * size;
		}
	}
	table.at[call->n] = sent;
	table.at[2 * call->n + 1] = received;
	share->call.members.tables = (const long long *)(uintptr_t)slot_ring_device(share->ring, tables);
	share->call.move.until = call->n;
	share->function = gpu->move;
	share->blocks = blocks_for(received);
	return cuda_launch(gpu->cuda, gpu->table, 1, THREADS, &table, share->stream);
}

enum status collective_plan(
        struct shared_gpu *gpu, const struct exchange_collective *call, struct match_share *share)
{
	/* in an allgather of unequal parts every member reads all of every input */
	bool unequal = call->collective == &collective_allgather && call->out_count != call->n * call->chunk;
	share->same = collective_digest(call);
	share->ends = !call->collective->bare;
	if (call->collective->bare)
		return ST_OK;
	if (call->collective->reduces)
		share_plan_reduce(gpu, call, share);
	else if (!call->split && !unequal)
		share_plan_move(gpu, call, share);
	else
		return share_plan_rows(gpu, call, share);
	return ST_OK;
}

uint32_t transfer_digest(int64_t bytes)
{
	return numbers_digest(&bytes, 1);
}

void transfer_plan(struct shared_gpu *gpu, const struct exchange_transfer *call, struct match_share *share)
{
	share->same = transfer_digest(call->bytes);
	share->ends = true;
	if (call->sends || call->bytes == 0)
		return;
	share->call.move.bytes = call->bytes;
	share->call.move.until = 1;
	share->function = gpu->move;
	share->blocks = blocks_for(call->bytes);
}
