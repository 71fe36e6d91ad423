/* memory.c -- the memory of all ranks: a caching allocator for each space
 *
 * Host and pinned memory costs no time, has one pool, and is limited only by world.host_most. A
 * disk has one pool, a capacity, and segments of the size requested. GPUs below 4 GB use an eighth
 * of PyTorch's segment sizes, so that `classroom` with 256 MB also holds about a hundred. */
#include "world/books.h"
#include "base/number.h"
#include "base/search.h"

enum { OWNERS_NAMED = 3 };
static const double GB = 1073741824.0;

static void segment_give_bytes(struct world *world, const struct segment *segment)
{
	const struct segment_calls *calls = &world->inner->calls;

	if (segment->data && calls->give)
		calls->give(calls->self, segment->space, segment->data, segment->bytes);
}

void memory_free(struct world *world)
{
	struct world_inner *inner = world->inner;

	for (int r = 0; r < world->n; r++) {
		for (int space = 0; space < SPACE_COUNT; space++) {
			struct heap *heap = &inner->memory[r].heap[space];
			for (size_t i = 0; i < heap->segment_count; i++)
				segment_give_bytes(world, &heap->segments[i]);
			mem_free(heap->blocks);
			mem_free(heap->vacant);
			mem_free(heap->segments);
		}
		mem_free(inner->memory[r].pending);
		mem_free(inner->memory[r].change);
	}
	for (size_t i = 0; i < inner->leaving_count; i++)
		segment_give_bytes(world, &inner->leaving[i]);
	mem_free(inner->leaving);
}

void world_segment_calls(struct world *world, struct segment_calls calls)
{
	world->inner->calls = calls;
}

/* ---- taking */

static enum status disk_full(const struct world *world, int rank, int64_t bytes)
{
	return fail(ST_DEVICE_MEMORY,
	        "rank %d: the disk is full: no room for %s on its part of %s; %s are taken", rank,
	        bytes_words(bytes).text, bytes_words((int64_t)world->machine->disk).text,
	        bytes_words(world_heap(world, rank, SPACE_DISK)->allocated).text);
}

static enum status host_full(const struct world *world, int rank, int64_t bytes)
{
	return fail(ST_DEVICE_MEMORY, "rank %d: no room for %s of host memory: the host has %s", rank,
	        bytes_words(bytes).text, bytes_words(world->host_most).text);
}

enum status world_text_fits(const struct world *world, int rank, size_t bytes)
{
	int64_t total = (int64_t)(names_bytes(world->names) + bytes);
	return world->host_most && total > world->host_most ? host_full(world, rank, (int64_t)bytes) : ST_OK;
}

static enum status out_of_memory(const struct world *world, int rank, const struct block_plan *plan)
{
	const struct heap *heap = world_heap(world, rank, SPACE_DEVICE);
	const struct memory_block *owner[OWNERS_NAMED];
	int owners = heap_largest(heap, owner, OWNERS_NAMED);
	struct text why = {0};

	text_add(&why, "rank %d: no room for %s on a GPU of %s: the allocator needs a new segment of %s",
	        rank, bytes_words(plan->bytes).text, bytes_words((int64_t)world->machine->memory).text,
	        bytes_words(plan->segment_bytes).text);
	if (plan->shared_below)
		text_add(&why, ", which tensors %s %s share", plan->small ? "of up to" : "below",
		        bytes_words(plan->shared_below).text);
	text_add(&why, "; reserved %s", bytes_words(heap->reserved).text);
	if (heap_of_graphs(heap))
		text_add(&why, ", of which graphs keep %s", bytes_words(heap_of_graphs(heap)).text);
	text_add(&why, ", allocated %s, largest free block %s", bytes_words(heap->allocated).text,
	        bytes_words(heap_largest_free(heap)).text);
	for (int k = 0; k < owners; k++)
		text_add(&why, "%s %s %s", k ? "," : "; largest:", memory_owner_text(world, owner[k]->owner),
		        bytes_words(owner[k]->bytes).text);
	enum status status = fail(ST_DEVICE_MEMORY, "%s", text_string(&why));
	text_release(&why);
	return status;
}

static void note_change(struct world *world, int rank, enum space space, int kind, int64_t bytes)
{
	struct rank_memory *memory = &world->inner->memory[rank];
	if (space == SPACE_DEVICE && bytes)
		*MEM_ADD(&memory->change, &memory->change_count) = (struct memory_change){.bytes = bytes,
		        .after = world->last[rank],
		        .section = (int)world->section_count - 1,
		        .kind = (uint8_t)kind};
}

/* Removes the space's spare segments; the bytes of rank `me` stay until `op` is done. */
static void segments_give_back(struct world *world, int rank, enum space space, op_id op)
{
	struct world_inner *inner = world->inner;
	struct heap *heap = &inner->memory[rank].heap[space];

	for (size_t i = heap->segment_count; i-- > 0;) {
		if (!heap_is_spare(heap, i))
			continue;
		if (rank == world->me) {
			struct segment *leaving = MEM_ADD(&inner->leaving, &inner->leaving_count);
			*leaving = heap->segments[i];
			leaving->leaving = op;
		}
		note_change(world, rank, space, MEMORY_RESERVED, -heap->segments[i].bytes);
		heap_drop(heap, i);
	}
}

static void memory_grow(struct world *world, int rank, enum space space, struct block_plan *plan, int64_t ns)
{
	const struct segment_calls *calls = &world->inner->calls;
	bool real = rank == world->me && calls->get;

	if (space == SPACE_DEVICE)
		segment_queue(world, rank, 0, ns);
	note_change(world, rank, space, MEMORY_RESERVED, plan->segment_bytes);
	heap_grow(&world->inner->memory[rank].heap[space], plan, space,
	        real ? calls->get(calls->self, space, plan->segment_bytes) : NULL);
}

/* An OP_SEGMENT that returns segments waits for all of the rank's work, as cudaFree does. One that
 * gets a segment waits for nothing. */
enum status memory_take(struct world *world, const struct tensor *tensor, int pool, enum tensor_use use,
        int kind, int64_t *address)
{
	struct world_inner *inner = world->inner;
	enum space space = tensor->space;
	bool device = space == SPACE_DEVICE;
	int rank = tensor->rank, unit = space == SPACE_DISK ? 0 : world->machine->memory < 4 * GB ? 8 : 1;
	struct heap *heap = &inner->memory[rank].heap[space];
	uint32_t limit = use == TENSOR_FILLED || !device ? lanes_clean_limit(world, rank) : UINT32_MAX;
	int64_t capacity = device     ? (int64_t)world->machine->memory
	        : space == SPACE_DISK ? (int64_t)world->machine->disk
	        : world->host_most    ? world->host_most
	                              : INT64_MAX,
	        ns = use == TENSOR_RESULT ? world->machine->segment : 0;
	struct block_plan plan;

	if (!heap_plan(heap, layout_bytes(&tensor->layout), device ? graph_pool(world, rank, pool) : 0, limit,
	            unit, capacity, &plan))
		return device                 ? out_of_memory(world, rank, &plan)
		        : space == SPACE_DISK ? disk_full(world, rank, plan.bytes)
		                              : host_full(world, rank, plan.bytes);
	enum status status = ops_fit(world, 2);
	if (status != ST_OK)
		return status;
	plan.kind = kind;
	plan.handout = (uint32_t)world->handout_count;
	if (plan.spare)
		segments_give_back(world, rank, space, segment_queue(world, rank, OP_EVERYTHING, ns));
	if (plan.segment_bytes)
		memory_grow(world, rank, space, &plan, ns);
	if (plan.moves)
		memory_to_graph(world, rank, &plan);
	const struct memory_block *block = heap_take(heap, &plan, tensor->base, tensor->name);
	*MEM_ADD(&world->handouts, &world->handout_count) = (struct handout){.address = block->address,
	        .bytes = block->bytes,
	        .after = world->op_count,
	        .owner = tensor->name,
	        .rank = tensor->rank,
	        .space = tensor->space};
	note_change(world, rank, space, kind, block->bytes);
	*address = block->address;
	return ST_OK;
}

/* ---- giving */

/* The block's next user waits for after_stream (STREAM_HOST: for nothing), unless the block's pool
 * is that stream's own. A graph under capture cannot contain such a wait, so its block then serves
 * no request of the capture. */
void memory_give(struct world *world, int rank, enum space space, int64_t address, int after_stream)
{
	struct rank_memory *memory = &world->inner->memory[rank];
	struct heap *heap = &memory->heap[space];
	size_t at = heap_find(heap, address);
	uint32_t pool = heap->blocks[at].pool, freed_at = rank_number(world, rank);
	bool own = space == SPACE_DEVICE && pool == graph_pool(world, rank, after_stream);
	op_id after = after_stream == STREAM_HOST || own ? 0 : lane_stream(world, rank, after_stream)->tail;

	if (after_stream != STREAM_HOST && !own && pool_graph(pool) &&
	        pool_graph(pool) == (uint32_t)world->inner->capturing[rank]) {
		freed_at = FREED_IN_GRAPH;
	} else if (after) {
		*MEM_ADD(&memory->pending, &memory->pending_count) = (struct pending_free){
		        .address = address, .bytes = heap->blocks[at].bytes, .op = after, .space = space};
	}
	struct handout *handout = &world->handouts[heap->blocks[at].handout];
	handout->freed = true;
	handout->freed_after = (op_id)world->op_count;
	handout->line = world->line;
	handout->file = world->file;
	note_change(world, rank, space, heap->blocks[at].kind, -heap->blocks[at].bytes);
	heap_give(heap, at, freed_at);
}

enum status world_trim(struct world *world, int rank)
{
	int64_t spare = 0;
	for (int space = 0; space < SPACE_COUNT; space++)
		spare += heap_spare(world_heap(world, rank, space));
	if (!spare)
		return ST_OK;
	enum status status = ops_fit(world, 1);
	if (status != ST_OK)
		return status;
	op_id op = segment_queue(world, rank, OP_EVERYTHING, world->machine->segment);
	for (int space = 0; space < SPACE_COUNT; space++)
		segments_give_back(world, rank, space, op);
	digest_change(world, CHANGE_TRIM, rank, op);
	return ST_OK;
}

void world_segment_done(struct world *world, op_id segment_op)
{
	struct world_inner *inner = world->inner;
	size_t kept = 0;

	for (size_t i = 0; i < inner->leaving_count; i++) {
		if (inner->leaving[i].leaving == segment_op)
			segment_give_bytes(world, &inner->leaving[i]);
		else
			inner->leaving[kept++] = inner->leaving[i];
	}
	inner->leaving_count = kept;
}

/* ---- looking */

const char *memory_owner_text(const struct world *world, name_id owner)
{
	return owner ? names_text(world->names, owner) : "scratch";
}

void memory_freed_text(const struct world *world, const struct handout *freed, struct text *out)
{
	text_add(out, "%s, which was freed in ", memory_owner_text(world, freed->owner));
	source_line_text(world, freed->file, freed->line, out);
}

const struct handout *world_freed_between(
        const struct world *world, op_id before, op_id after, enum space space, int64_t address)
{
	size_t i;

	SEARCH(i, world->handout_count, world->handouts[i].after >= before);
	while (i-- > 0) {
		const struct handout *handout = &world->handouts[i];
		if (handout->rank != world->ops[before].rank || handout->space != space ||
		        handout->address > address || address >= handout->address + handout->bytes)
			continue;
		/* blocks handed out earlier at this address were freed earlier */
		bool freed = handout->freed && handout->freed_after >= before && handout->freed_after < after;
		return freed ? handout : NULL;
	}
	return NULL;
}

const struct memory_change *world_memory_changes(const struct world *world, int rank, size_t *count)
{
	*count = world->inner->memory[rank].change_count;
	return world->inner->memory[rank].change;
}

void *world_data(const struct world *world, enum space space, int64_t address)
{
	const struct world_inner *inner = world->inner;
	const struct segment *segment = NULL;

	if (world->me < 0)
		return NULL;
	const struct heap *heap = world_heap(world, world->me, space);
	if (heap_find(heap, address) < heap->count)
		segment = &heap->segments[heap_segment(heap, address)];
	for (size_t i = 0; i < inner->leaving_count && !segment; i++) {
		const struct segment *leaving = &inner->leaving[i];
		if (leaving->space == space && address >= leaving->address &&
		        address < leaving->address + leaving->bytes)
			segment = leaving;
	}
	return segment && segment->data ? (char *)segment->data + (address - segment->address) : NULL;
}

const struct heap *world_heap(const struct world *world, int rank, enum space space)
{
	return &world->inner->memory[rank].heap[space];
}

int heap_largest(const struct heap *heap, const struct memory_block **largest, int most)
{
	int count = 0;

	for (size_t i = 0; i < heap->count; i++) {
		const struct memory_block *block = &heap->blocks[i];
		int k = count;
		while (k > 0 && largest[k - 1]->bytes < block->bytes)
			k--;
		if (block->free || k == most)
			continue;
		count += count < most;
		memmove(&largest[k + 1], &largest[k], (count - 1 - k) * sizeof *largest);
		largest[k] = block;
	}
	return count;
}

int64_t heap_largest_free(const struct heap *heap)
{
	int64_t largest = 0;

	for (size_t i = 0; i < heap->count; i++)
		if (heap->blocks[i].free && !pool_graph(heap->blocks[i].pool) &&
		        heap->blocks[i].bytes > largest)
			largest = heap->blocks[i].bytes;
	return largest;
}

int world_memory_kind(const struct world *world, int tensor)
{
	const struct tensor *owner = &world->tensors[world->tensors[tensor].base];
	const struct heap *heap = world_heap(world, owner->rank, owner->space);

	return heap->blocks[heap_find(heap, owner->address)].kind;
}
