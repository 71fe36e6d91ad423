/* allocator.c -- a caching allocator over one space of one rank, after PyTorch's
 * (c10/cuda/CUDACachingAllocator.cpp)
 *
 *     segment |<------------------------ 20 MiB ------------------------>|    got from the device, given back
 *     whole
 *     blocks  | w1 | free | x | y |           free                       |    split and merged
 *
 * Invariants:
 *   1. the blocks of a segment cover it without gaps, and heap.blocks holds all segments' blocks by address;
 *   2. no two free neighbours in a segment: heap_give merges to both sides at once; heap.vacant has each free block once;
 *   3. a block serves only requests of its pool (a stream's, small or large), and all blocks of a segment are in one pool;
 *   4. addresses of a segment that went are never used again, so an old address is never another's memory.
 *
 * A request takes the smallest block that holds it, and what it does not need is split off:
 *
 *     before  | w1 |      free 6 MB       | y |          request of 2 MB, of the same pool
 *     after   | w1 | new 2 MB | free 4 MB | y |
 *     and when y and the new one are freed:  | w1 |            free                |
 *
 * The pool of a graph that is captured has blocks of its own. If none holds the request, the pool gets a free segment of the
 * stream's ordinary pool, and keeps it until the graph is gone.
 *
 * Only without such a block does a segment come from the device, which costs the host time; and only when the
 * device has no room for one are the wholly free segments given back first. All of this is a function of the
 * requests' order: every process finds the same addresses for every rank without asking. */
#include "world/books.h"
#include "base/arithmetic.h"
#include "base/search.h"

#include <string.h>

enum { ROUND = 512, MIB = 1 << 20 };

/* Requests of up to 1 MiB come from 2 MiB segments; of less than 10 MiB from 20 MiB ones; larger get their
 * own, in 2 MiB steps. */
static void plan_segment(struct block_plan *plan, int unit)
{
	int64_t step = 2 * MIB / unit, large = 10 * MIB / unit;

	if (plan->small) {
		plan->segment_bytes = step;
		plan->shared_below = plan->small_limit;
	} else if (plan->bytes < large) {
		plan->segment_bytes = 20 * MIB / unit;
		plan->shared_below = large;
	} else {
		plan->segment_bytes = (plan->bytes + step - 1) / step * step;
	}
}

/* ---- heap.vacant */

static size_t vacant_place(const struct heap *heap, int64_t bytes, int64_t address)
{
	size_t i;
	SEARCH(i, heap->vacant_count,
	        heap->vacant[i].bytes > bytes ||
	                (heap->vacant[i].bytes == bytes && heap->vacant[i].address >= address));
	return i;
}

static void vacant_add(struct heap *heap, const struct memory_block *block)
{
	size_t at = vacant_place(heap, block->bytes, block->address);
	MEM_ADD(&heap->vacant, &heap->vacant_count);
	memmove(&heap->vacant[at + 1], &heap->vacant[at],
	        (heap->vacant_count - 1 - at) * sizeof *heap->vacant);
	heap->vacant[at] =
	        (struct free_block){block->bytes, block->address, block->freed_at, block->pool, block->small};
}

static void vacant_drop(struct heap *heap, const struct memory_block *block)
{
	size_t at = vacant_place(heap, block->bytes, block->address);
	heap->vacant_count--;
	memmove(&heap->vacant[at], &heap->vacant[at + 1], (heap->vacant_count - at) * sizeof *heap->vacant);
}

static bool is_segment(const struct heap *heap, size_t block)
{
	return heap->blocks[block].first && (block + 1 == heap->count || heap->blocks[block + 1].first);
}

/* Returns the smallest free block of a pool that holds the request, the lowest address among equals; heap->count: there is none.
 * clean_limit: only memory freed at or before that operation counts. Of a pool other than the plan's only whole segments count. */
static size_t best_fit(
        const struct heap *heap, const struct block_plan *plan, uint32_t pool, uint32_t clean_limit)
{
	for (size_t i = vacant_place(heap, plan->bytes, 0); i < heap->vacant_count; i++) {
		const struct free_block *vacant = &heap->vacant[i];
		if (vacant->pool != pool || vacant->small != plan->small ||
		        vacant->freed_at == FREED_IN_GRAPH || vacant->freed_at > clean_limit)
			continue;
		size_t block = heap_find(heap, vacant->address);
		if (pool == plan->pool || is_segment(heap, block))
			return block;
	}
	return heap->count;
}

/* ---- requests */

bool heap_is_spare(const struct heap *heap, size_t segment)
{
	size_t i = heap_find(heap, heap->segments[segment].address);
	return heap->blocks[i].free && is_segment(heap, i) && !pool_graph(heap->blocks[i].pool);
}

int64_t heap_spare(const struct heap *heap)
{
	int64_t spare = 0;

	for (size_t i = 0; i < heap->segment_count; i++)
		spare += heap_is_spare(heap, i) ? heap->segments[i].bytes : 0;
	return spare;
}

int64_t heap_of_graphs(const struct heap *heap)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < heap->segment_count; i++)
		bytes += pool_graph(heap->segments[i].pool) ? heap->segments[i].bytes : 0;
	return bytes;
}

/* A disk gives each request what it asks for: of what is free any part serves, and what lies scattered is as good
 * as what lies together. */
static bool plan_on_disk(
        const struct heap *heap, uint32_t clean_limit, int64_t capacity, struct block_plan *plan)
{
	plan->small = true; /* any rest is split off */
	plan->block = best_fit(heap, plan, plan->pool, clean_limit);
	if (plan->block == heap->count)
		plan->segment_bytes = plan->bytes;
	return plan->bytes <= capacity - heap->allocated;
}

/* A plan is carried out by heap_grow (if it has segment_bytes) and heap_take, with nothing in between: it
 * holds an index into the blocks as they are now. */
bool heap_plan(const struct heap *heap, int64_t bytes, uint32_t pool, uint32_t clean_limit, int unit,
        int64_t capacity, struct block_plan *plan)
{
	*plan = (struct block_plan){.bytes = (most_of(bytes, 1) + ROUND - 1) / ROUND * ROUND, .pool = pool};
	if (!unit)
		return plan_on_disk(heap, clean_limit, capacity, plan);
	plan->small_limit = MIB / unit;
	plan->small = plan->bytes <= plan->small_limit;
	plan->block = best_fit(heap, plan, pool, clean_limit);
	if (plan->block == heap->count && pool_graph(pool)) {
		plan->block = best_fit(heap, plan, pool_of(pool_stream(pool), 0), clean_limit);
		plan->moves = plan->block < heap->count;
	}
	if (plan->block < heap->count)
		return true;
	plan_segment(plan, unit);
	if (plan->segment_bytes <= capacity - heap->reserved)
		return true;
	plan->spare = true;
	return plan->segment_bytes <= capacity - heap->reserved + heap_spare(heap);
}

size_t heap_find(const struct heap *heap, int64_t address)
{
	size_t i; /* behind the last block that begins at or before the address */

	SEARCH(i, heap->count, heap->blocks[i].address > address);
	if (i == 0 || address >= heap->blocks[i - 1].address + heap->blocks[i - 1].bytes)
		return heap->count;
	return i - 1;
}

size_t heap_segment(const struct heap *heap, int64_t address)
{
	size_t i;

	SEARCH(i, heap->segment_count, heap->segments[i].address > address);
	return i - 1;
}

void heap_move(struct heap *heap, size_t segment, uint32_t pool, uint32_t freed_at)
{
	int64_t address = heap->segments[segment].address, end = address + heap->segments[segment].bytes;

	heap->segments[segment].pool = pool;
	for (size_t i = heap_find(heap, address); i < heap->count && heap->blocks[i].address < end; i++) {
		struct memory_block *block = &heap->blocks[i];
		block->pool = pool;
		if (!block->free)
			continue;
		block->freed_at = freed_at;
		struct free_block *vacant = &heap->vacant[vacant_place(heap, block->bytes, block->address)];
		vacant->pool = pool;
		vacant->freed_at = freed_at;
	}
}

void heap_grow(struct heap *heap, struct block_plan *plan, enum space space, void *data)
{
	int64_t address = heap->end ? heap->end : 2 * MIB; /* 0 is nowhere */

	*MEM_ADD(&heap->segments, &heap->segment_count) = (struct segment){.address = address,
	        .bytes = plan->segment_bytes,
	        .data = data,
	        .space = space,
	        .pool = plan->pool};
	*MEM_ADD(&heap->stretches, &heap->stretch_count) = (struct stretch){address, plan->segment_bytes};
	plan->block = heap->count;
	*MEM_ADD(&heap->blocks, &heap->count) = (struct memory_block){.address = address,
	        .bytes = plan->segment_bytes,
	        .tensor = -1,
	        .pool = plan->pool,
	        .free = true,
	        .first = true,
	        .small = plan->small};
	vacant_add(heap, &heap->blocks[plan->block]);
	heap->end = address + plan->segment_bytes;
	heap->reserved += plan->segment_bytes;
	if (heap->reserved > heap->peak_reserved)
		heap->peak_reserved = heap->reserved;
}

static void block_remove(struct heap *heap, size_t at)
{
	heap->count--;
	memmove(&heap->blocks[at], &heap->blocks[at + 1], (heap->count - at) * sizeof *heap->blocks);
}

const struct memory_block *heap_take(
        struct heap *heap, const struct block_plan *plan, int tensor, name_id owner)
{
	size_t at = plan->block;
	int64_t left = heap->blocks[at].bytes - plan->bytes;

	vacant_drop(heap, &heap->blocks[at]);
	/* small blocks split off any rest; large ones only a rest that a large request could use */
	if (plan->small ? left >= ROUND : left > plan->small_limit) {
		MEM_ADD(&heap->blocks, &heap->count);
		struct memory_block *block = &heap->blocks[at];
		memmove(block + 1, block, (heap->count - 1 - at) * sizeof *block);
		block[1].address += plan->bytes;
		block[1].bytes = left;
		block[1].first = false;
		block->bytes = plan->bytes;
		vacant_add(heap, &block[1]);
	}
	struct memory_block *block = &heap->blocks[at];
	block->free = false;
	block->tensor = tensor;
	block->owner = owner;
	block->kind = plan->kind;
	block->handout = plan->handout;
	heap->allocated += block->bytes;
	heap->kind[block->kind] += block->bytes;
	if (heap->allocated > heap->peak_allocated) {
		heap->peak_allocated = heap->allocated;
		memcpy(heap->peak_kind, heap->kind, sizeof heap->kind);
	}
	return block;
}

/* Are block `at` and the one behind it free, and of one segment? */
static bool can_merge(const struct heap *heap, size_t at)
{
	const struct memory_block *block = &heap->blocks[at];
	return at + 1 < heap->count && block[0].free && block[1].free && !block[1].first;
}

/* The later of the two times of freeing counts: the whole is clean when both are. */
static void merge(struct heap *heap, size_t at)
{
	struct memory_block *block = &heap->blocks[at];

	block->bytes += block[1].bytes;
	if (block[1].freed_at > block->freed_at)
		block->freed_at = block[1].freed_at;
	block_remove(heap, at + 1);
}

void heap_give(struct heap *heap, size_t at, uint32_t freed_at)
{
	struct memory_block *block = &heap->blocks[at];

	heap->allocated -= block->bytes;
	heap->kind[block->kind] -= block->bytes;
	block->free = true;
	block->tensor = -1;
	block->owner = 0;
	block->freed_at = freed_at;
	if (can_merge(heap, at)) {
		vacant_drop(heap, &heap->blocks[at + 1]);
		merge(heap, at);
	}
	if (at > 0 && can_merge(heap, at - 1)) {
		vacant_drop(heap, &heap->blocks[--at]);
		merge(heap, at);
	}
	vacant_add(heap, &heap->blocks[at]);
}

void heap_drop(struct heap *heap, size_t segment)
{
	size_t at = heap_find(heap, heap->segments[segment].address);
	vacant_drop(heap, &heap->blocks[at]);
	block_remove(heap, at);
	heap->reserved -= heap->segments[segment].bytes;
	heap->segment_count--;
	memmove(&heap->segments[segment], &heap->segments[segment + 1],
	        (heap->segment_count - segment) * sizeof *heap->segments);
}
