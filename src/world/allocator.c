/* allocator.c -- a caching allocator for one space of one rank, after PyTorch's
 * (c10/cuda/CUDACachingAllocator.cpp)
 *
 *     segment |<------------------------ 20 MiB ------------------------>|    got, returned whole
 *     blocks  | w1 | free | x | y |           free                       |    split and merged
 *
 * Invariants:
 *   1. a segment's blocks cover it; heap.blocks holds the blocks of all segments by address;
 *   2. a segment has no two free neighbours; heap.vacant has each free block once;
 *   3. a block serves requests of its pool only, and a segment's blocks are in one pool;
 *   4. addresses of returned segments are never reused.
 *
 * A request gets the smallest free block of its pool and class (small, large) that holds it and
 * was freed by clean_limit. A small block is split if 512 bytes remain, a large one if more than
 * small_limit remains, which another large request could use:
 *
 *     before  | w1 |      free 6 MB       | y |          request of 2 MB, of the same pool
 *     after   | w1 | new 2 MB | free 4 MB | y |
 *
 * If no block of a captured graph's pool fits, the pool takes a free segment of the stream's
 * ordinary pool. Failing that, the allocator gets a segment from the device, which costs host
 * time. If the device is full, it first returns the free segments that no graph's pool holds. */
#include "world/books.h"
#include "base/arithmetic.h"
#include "base/search.h"

enum { ROUND = 512, MIB = 1 << 20 };

/* Chooses a segment of PyTorch's size, divided by `unit`. */
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
	*MEM_INSERT(&heap->vacant, &heap->vacant_count, at) =
	        (struct free_block){block->bytes, block->address, block->freed_at, block->pool, block->small};
}

static void vacant_drop(struct heap *heap, const struct memory_block *block)
{
	size_t at = vacant_place(heap, block->bytes, block->address);
	MEM_REMOVE(heap->vacant, &heap->vacant_count, at);
}

static bool is_segment(const struct heap *heap, size_t block)
{
	return heap->blocks[block].first && (block + 1 == heap->count || heap->blocks[block + 1].first);
}

/* Returns the smallest fitting free block of a pool, at the lowest address; heap->count: none.
 * Considers blocks freed up to clean_limit, and only whole segments unless the pool is the
 * plan's. */
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

bool heap_plan(const struct heap *heap, int64_t bytes, uint32_t pool, uint32_t clean_limit, int unit,
        int64_t capacity, struct block_plan *plan)
{
	*plan = (struct block_plan){.bytes = (most_of(bytes, 1) + ROUND - 1) / ROUND * ROUND, .pool = pool};
	plan->small_limit = unit ? MIB / unit : 0;
	plan->small = !unit || plan->bytes <= plan->small_limit; /* a disk splits any rest off */
	plan->block = best_fit(heap, plan, pool, clean_limit);
	if (plan->block == heap->count && pool_graph(pool)) {
		plan->block = best_fit(heap, plan, pool_of(pool_stream(pool), 0), clean_limit);
		plan->moves = plan->block < heap->count;
	}
	if (!unit) {
		plan->segment_bytes = plan->block == heap->count ? plan->bytes : 0;
		return plan->bytes <= capacity - heap->allocated;
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
	size_t i; /* after the last block at or before the address */

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
	int64_t address = heap->end ? heap->end : 2 * MIB; /* no block is at address 0 */

	*MEM_ADD(&heap->segments, &heap->segment_count) = (struct segment){.address = address,
	        .bytes = plan->segment_bytes,
	        .data = data,
	        .space = space,
	        .pool = plan->pool};
	heap->stretch_count++;
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

const struct memory_block *heap_take(
        struct heap *heap, const struct block_plan *plan, int tensor, name_id owner)
{
	size_t at = plan->block;
	int64_t left = heap->blocks[at].bytes - plan->bytes;

	vacant_drop(heap, &heap->blocks[at]);
	if (plan->small ? left >= ROUND : left > plan->small_limit) {
		struct memory_block *block = MEM_INSERT(&heap->blocks, &heap->count, at);
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

static bool can_merge(const struct heap *heap, size_t at)
{
	const struct memory_block *block = &heap->blocks[at];
	return at + 1 < heap->count && block[0].free && block[1].free && !block[1].first;
}

static void merge(struct heap *heap, size_t at)
{
	struct memory_block *block = &heap->blocks[at];

	block->bytes += block[1].bytes;
	if (block[1].freed_at > block->freed_at)
		block->freed_at = block[1].freed_at;
	MEM_REMOVE(heap->blocks, &heap->count, at + 1);
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
	MEM_REMOVE(heap->blocks, &heap->count, at);
	heap->reserved -= heap->segments[segment].bytes;
	MEM_REMOVE(heap->segments, &heap->segment_count, segment);
}
