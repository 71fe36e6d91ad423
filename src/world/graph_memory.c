/* graph_memory.c -- memory of graphs: their own segments, and memory of others that they use
 *
 *      capture g { t = relu x;  y = scale t 2;  free t }
 *
 *      t, y     in a segment of graph g: launches write to both; no outside tensor gets t's
 *      x        outside: after `free x` a launch may read a new tensor in its memory */
#include "world/books.h"

/* ---- its own segments */

void memory_to_graph(struct world *world, int rank, const struct block_plan *plan)
{
	struct heap *heap = &world->inner->memory[rank].heap[SPACE_DEVICE];
	const struct memory_block *block = &heap->blocks[plan->block];
	op_id last = lane_stream(world, rank, pool_stream(plan->pool))->tail;

	heap_move(heap, heap_segment(heap, block->address), plan->pool, rank_number(world, rank));
	/* a launch may be on another stream than the memory's last user */
	if (last)
		pending_add(world, rank, block->address, block->bytes, last);
}

static void free_blocks_wait(struct world *world, int rank, const struct segment *segment, op_id op)
{
	const struct heap *heap = world_heap(world, rank, SPACE_DEVICE);
	int64_t end = segment->address + segment->bytes;
	size_t i = heap_find(heap, segment->address);

	for (; i < heap->count && heap->blocks[i].address < end; i++)
		if (heap->blocks[i].free)
			pending_add(world, rank, heap->blocks[i].address, heap->blocks[i].bytes, op);
}

void memory_graph_gone(
        struct world *world, int rank, uint32_t graph, const op_id *launched, size_t launched_count)
{
	struct heap *heap = &world->inner->memory[rank].heap[SPACE_DEVICE];

	for (size_t i = 0; i < heap->segment_count; i++) {
		const struct segment *segment = &heap->segments[i];
		int stream = pool_stream(segment->pool);
		if (pool_graph(segment->pool) != graph)
			continue;
		heap_move(heap, i, pool_of(stream, 0), rank_number(world, rank));
		for (size_t k = 0; k < launched_count; k++)
			if (world->ops[launched[k]].stream != stream)
				free_blocks_wait(world, rank, segment, launched[k]);
	}
}

/* ---- memory of others that it uses */

void uses_note(const struct world *world, int rank, const struct record *record, struct graph_uses *uses)
{
	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		const struct heap *heap = world_heap(world, rank, operand->space);
		size_t at = heap_find(heap, operand->address);
		if (at < heap->count && !heap->blocks[at].free &&
		        pool_graph(heap->blocks[at].pool) != (uint32_t)world->inner->capturing[rank])
			*MEM_ADD(&uses->use, &uses->count) = (struct graph_use){
			        .handout = heap->blocks[at].handout, .access = operand->access};
	}
}

static int by_handout(const void *a, const void *b)
{
	const struct graph_use *x = a, *y = b;
	return (x->handout > y->handout) - (x->handout < y->handout);
}

void uses_sort(struct graph_uses *uses)
{
	size_t kept = 0;

	if (uses->count)
		qsort(uses->use, uses->count, sizeof *uses->use, by_handout);
	for (size_t i = 0; i < uses->count; i++) {
		if (kept && uses->use[kept - 1].handout == uses->use[i].handout)
			uses->use[kept - 1].access |= uses->use[i].access;
		else
			uses->use[kept++] = uses->use[i];
	}
	uses->count = kept;
}

enum status uses_ready(const struct world *world, name_id graph, const struct graph_uses *uses)
{
	for (size_t i = 0; i < uses->count; i++) {
		const struct handout *handout = &world->handouts[uses->use[i].handout];
		const struct heap *heap = world_heap(world, handout->rank, handout->space);
		if (!handout->freed || heap_find(heap, handout->address) < heap->count)
			continue;
		struct text freed = {0};
		memory_freed_text(world, handout, &freed);
		enum status status = fail(ST_NAME,
		        "graph %s uses %s and whose segment was returned to the device "
		        "(cudaErrorIllegalAddress): "
		        "capture it again",
		        names_text(world->names, graph), text_string(&freed));
		text_release(&freed);
		return status;
	}
	return ST_OK;
}

bool uses_freed(const struct world *world, struct graph_uses *uses, size_t *from, struct freed_use *freed)
{
	while (*from < uses->count) {
		struct graph_use *use = &uses->use[(*from)++];
		const struct handout *handout = &world->handouts[use->handout];
		if (!handout->freed)
			continue;
		const struct heap *heap = world_heap(world, handout->rank, handout->space);
		size_t at = heap_find(heap, handout->address);
		bool taken = at < heap->count && !heap->blocks[at].free;
		if (use->reported > taken)
			continue;
		use->reported = 1 + taken;
		*freed = (struct freed_use){.freed = handout,
		        .access = use->access,
		        .taken = taken,
		        .now = taken ? heap->blocks[at].owner : 0};
		return true;
	}
	return false;
}
