/* memory.c -- the memory of all ranks: device, pinned and host, each by the caching allocator
 *
 * Host and pinned memory is without limit, costs no time, and has one pool. On GPUs with less than 4 GB
 * (`classroom` has 256 MB) the allocator's sizes are an eighth of PyTorch's (segments of 256 KiB and 2.5 MiB
 * instead of 2 and 20 MiB), so that a GPU holds about a hundred segments there too and lessons on
 * fragmentation fit it.
 *
 * The map (blocks, addresses) is in the books of every process for all ranks; real bytes exist only for the
 * process's own rank, got and given through segment_calls. Bytes of a segment that goes stay until the
 * operation that gave it back has ended (`leaving`): work queued before may still read them. */
#include "world/books.h"
#include "base/search.h"

enum { OWNERS_NAMED = 3 };
static const double GB = 1073741824.0;

void memory_create(struct world *world)
{
	world->memory = mem_alloc(sizeof *world->memory);
	world->memory->rank = mem_alloc((size_t)world->n * sizeof *world->memory->rank);
}

static void give_bytes(struct world *world, const struct segment *segment, enum space space)
{
	struct segment_calls *calls = &world->memory->calls;

	if (segment->data && calls->give)
		calls->give(calls->self, space, segment->data, segment->bytes);
}

void memory_free(struct world *world)
{
	struct world_memory *memory = world->memory;

	for (int r = 0; r < world->n; r++) {
		for (int space = 0; space < SPACE_COUNT; space++) {
			struct heap *heap = &memory->rank[r].heap[space];
			for (size_t i = 0; i < heap->segment_count; i++)
				give_bytes(world, &heap->segments[i], (enum space)space);
			mem_free(heap->blocks);
			mem_free(heap->segments);
		}
		mem_free(memory->rank[r].pending);
	}
	for (size_t i = 0; i < memory->leaving_count; i++)
		give_bytes(world, &memory->leaving[i], memory->leaving_space[i]);
	mem_free(memory->leaving);
	mem_free(memory->leaving_space);
	mem_free(memory->handouts);
	mem_free(memory->rank);
	mem_free(memory);
}

void world_segment_calls(struct world *world, struct segment_calls calls)
{
	world->memory->calls = calls;
}

/* ---- taking */

static void put_bytes(struct text *out, const char *before, int64_t bytes)
{
	text_add(out, "%s", before);
	bytes_text(bytes, out);
}

/* ST_DEVICE_MEMORY in words, with the three largest blocks in use: who reads it wants to know what to
 * free. */
static enum status out_of_memory(const struct world *world, int rank, int64_t bytes)
{
	const struct heap *heap = &world->memory->rank[rank].heap[SPACE_DEVICE];
	struct memory_counts counts;
	const struct memory_block *owner[OWNERS_NAMED] = {NULL};
	struct text why = {0};

	for (size_t i = 0; i < heap->count; i++) {
		const struct memory_block *block = &heap->blocks[i];
		for (int k = 0; k < OWNERS_NAMED && !block->free; k++) {
			if (owner[k] && owner[k]->bytes >= block->bytes)
				continue;
			memmove(&owner[k + 1], &owner[k], (size_t)(OWNERS_NAMED - 1 - k) * sizeof owner[0]);
			owner[k] = block;
			break;
		}
	}
	world_memory_counts(world, rank, &counts);
	text_add(&why, "rank %d", rank);
	put_bytes(&why, ": no room for ", bytes);
	put_bytes(&why, " on a GPU of ", (int64_t)world->machine->memory);
	put_bytes(&why, ": reserved ", counts.reserved);
	put_bytes(&why, ", allocated ", counts.allocated);
	put_bytes(&why, ", largest free block ", counts.largest_free);
	for (int k = 0; k < OWNERS_NAMED && owner[k]; k++) {
		text_add(&why, "%s %s ", k ? "," : "; largest:",
		        owner[k]->owner ? names_text(world->names, owner[k]->owner) : "scratch");
		bytes_text(owner[k]->bytes, &why);
	}
	enum status status = fail(ST_DEVICE_MEMORY, "%s", text_string(&why));
	text_release(&why);
	return status;
}

/* clean: the host itself is going to write it, so only memory whose users it has seen the end of will do. */
enum status memory_plan(struct world *world, int rank, enum space space, int64_t bytes, int pool, bool clean,
        struct grant *grant)
{
	bool device = space == SPACE_DEVICE;
	struct heap *heap = &world->memory->rank[rank].heap[space];
	uint32_t limit = clean || !device ? lanes_clean_limit(world, rank) : UINT32_MAX;
	int64_t capacity = device ? (int64_t)world->machine->memory : INT64_MAX;

	*grant = (struct grant){.rank = rank, .space = space};
	int unit = world->machine->memory < 4 * GB ? 8 : 1;
	if (!heap_plan(heap, bytes, device ? pool : 0, limit, unit, capacity, &grant->plan))
		return out_of_memory(world, rank, grant->plan.bytes);
	return ops_fit(world, 2); /* segments that are given back, one that is got */
}

/* The whole free segments of a space go; the bytes of our own stay until `op` is done. */
static void give_back(struct world *world, int rank, enum space space, op_id op)
{
	struct world_memory *memory = world->memory;
	struct heap *heap = &memory->rank[rank].heap[space];

	for (size_t i = heap->segment_count; i-- > 0;) {
		if (!heap_whole_free(heap, i))
			continue;
		if (rank == world->me) {
			MEM_GROW(&memory->leaving, memory->leaving_count, &memory->leaving_room);
			MEM_GROW(&memory->leaving_space, memory->leaving_count, &memory->leaving_space_room);
			memory->leaving[memory->leaving_count] = heap->segments[i];
			memory->leaving[memory->leaving_count].leaving = op;
			memory->leaving_space[memory->leaving_count++] = (uint8_t)space;
		}
		heap_drop(heap, i);
	}
}

/* Carries out a plan: segments first, each of which costs the host time, then the block. */
int64_t memory_take(struct world *world, const struct grant *grant, int tensor, name_id owner)
{
	struct world_memory *memory = world->memory;
	struct heap *heap = &memory->rank[grant->rank].heap[grant->space];
	struct block_plan plan = grant->plan;
	enum space space = (enum space)grant->space;
	int64_t ns = grant->initial ? 0 : (int64_t)world->machine->segment;

	if (plan.spare)
		give_back(world, grant->rank, space, segment_queue(world, grant->rank, OP_EVERYTHING, ns));
	if (plan.segment_bytes) {
		if (space == SPACE_DEVICE)
			segment_queue(world, grant->rank, 0, ns);
		bool real = grant->rank == world->me && memory->calls.get; /* others' bytes exist elsewhere */
		heap_grow(heap, &plan,
		        real ? memory->calls.get(memory->calls.self, space, plan.segment_bytes) : NULL);
	}
	size_t taken = heap_take(heap, &plan, tensor, owner); /* the blocks may have moved */
	const struct memory_block *block = &heap->blocks[taken];
	MEM_GROW(&memory->handouts, memory->handout_count, &memory->handout_room);
	memory->handouts[memory->handout_count++] = (struct handout){.address = block->address,
	        .bytes = block->bytes,
	        .after = (op_id)world->op_count,
	        .rank = (uint16_t)grant->rank,
	        .space = (uint8_t)space};
	return block->address;
}

/* ---- giving */

/* The block is free at once; whoever gets it next waits for the stream's work of now, if one is given. */
void memory_give(struct world *world, int rank, enum space space, int64_t address, int after_stream)
{
	struct rank_memory *memory = &world->memory->rank[rank];
	struct heap *heap = &memory->heap[space];
	size_t at = heap_find(heap, address);
	op_id after = after_stream == STREAM_HOST ? 0 : lane_stream(world, rank, after_stream)->tail;

	if (after) {
		MEM_GROW(&memory->pending, memory->pending_count, &memory->pending_room);
		memory->pending[memory->pending_count++] = (struct pending_free){.address = address,
		        .bytes = heap->blocks[at].bytes,
		        .op = after,
		        .space = (uint8_t)space};
	}
	heap_give(heap, at, rank_number(world, rank));
}

enum status world_trim(struct world *world, int rank)
{
	int64_t spare = 0;
	for (int space = 0; space < SPACE_COUNT; space++)
		spare += heap_spare(&world->memory->rank[rank].heap[space]);
	if (!spare)
		return ST_OK;
	enum status status = ops_fit(world, 1);
	if (status != ST_OK)
		return status;
	op_id op = segment_queue(world, rank, OP_EVERYTHING, (int64_t)world->machine->segment);
	for (int space = 0; space < SPACE_COUNT; space++)
		give_back(world, rank, (enum space)space, op);
	digest_change(world, CHANGE_TRIM, rank, op);
	return ST_OK;
}

void world_segment_done(struct world *world, op_id segment_op)
{
	struct world_memory *memory = world->memory;
	size_t kept = 0;

	for (size_t i = 0; i < memory->leaving_count; i++) {
		if (memory->leaving[i].leaving == segment_op) {
			give_bytes(world, &memory->leaving[i], memory->leaving_space[i]);
			continue;
		}
		memory->leaving_space[kept] = memory->leaving_space[i];
		memory->leaving[kept++] = memory->leaving[i];
	}
	memory->leaving_count = kept;
}

/* ---- looking */

const struct handout *world_handouts(const struct world *world, size_t *count)
{
	*count = world->memory->handout_count;
	return world->memory->handouts;
}

/* An address in a segment of this rank, or in one that is on its way out. */
void *world_data(const struct world *world, enum space space, int64_t address)
{
	const struct world_memory *memory = world->memory;
	const struct segment *segment = NULL;
	size_t at;

	if (world->me < 0)
		return NULL;
	const struct heap *heap = &memory->rank[world->me].heap[space];
	SEARCH(at, heap->segment_count, heap->segments[at].address > address);
	if (at > 0 && address < heap->segments[at - 1].address + heap->segments[at - 1].bytes)
		segment = &heap->segments[at - 1];
	for (size_t i = 0; i < memory->leaving_count && !segment; i++) {
		const struct segment *leaving = &memory->leaving[i];
		if (memory->leaving_space[i] == space && address >= leaving->address &&
		        address < leaving->address + leaving->bytes)
			segment = leaving;
	}
	return segment && segment->data ? (char *)segment->data + (address - segment->address) : NULL;
}

int world_segments(const struct world *world, int rank, struct segment_view *out, int room)
{
	const struct heap *heap = &world->memory->rank[rank].heap[SPACE_DEVICE];

	for (size_t i = 0; i < heap->segment_count && (int)i < room; i++)
		out[i] = (struct segment_view){
		        heap->segments[i].address, heap->segments[i].bytes, heap->segments[i].pool};
	return (int)heap->segment_count;
}

/* The last operation that the next user of the block will wait for, 0 none */
static op_id after_of(const struct world *world, int rank, const struct memory_block *block)
{
	const struct rank_memory *memory = &world->memory->rank[rank];
	op_id after = 0;

	for (size_t i = 0; i < memory->pending_count; i++) {
		const struct pending_free *pending = &memory->pending[i];
		if (pending->space == SPACE_DEVICE && pending->address < block->address + block->bytes &&
		        block->address < pending->address + pending->bytes && pending->op > after)
			after = pending->op;
	}
	return after;
}

int world_blocks(const struct world *world, int rank, struct block_view *out, int room)
{
	const struct heap *heap = &world->memory->rank[rank].heap[SPACE_DEVICE];

	for (size_t i = 0; i < heap->count && (int)i < room; i++) {
		const struct memory_block *block = &heap->blocks[i];
		out[i] = (struct block_view){.address = block->address,
		        .bytes = block->bytes,
		        .free = block->free,
		        .pool = block->pool,
		        .owner = block->owner,
		        .after = after_of(world, rank, block)};
	}
	return (int)heap->count;
}

void world_memory_counts(const struct world *world, int rank, struct memory_counts *counts)
{
	const struct heap *heap = world->memory->rank[rank].heap, *device = &heap[SPACE_DEVICE];

	*counts = (struct memory_counts){.allocated = device->allocated,
	        .reserved = device->reserved,
	        .peak_allocated = device->peak_allocated,
	        .peak_reserved = device->peak_reserved,
	        .host = heap[SPACE_HOST].allocated,
	        .pinned = heap[SPACE_PINNED].allocated};
	memcpy(counts->peak_kind, device->peak_kind, sizeof counts->peak_kind);
	for (size_t i = 0; i < device->count; i++) {
		if (device->blocks[i].free && device->blocks[i].bytes > counts->largest_free)
			counts->largest_free = device->blocks[i].bytes;
	}
}

int world_memory_kind(const struct world *world, int tensor)
{
	const struct tensor *owner = &world->tensors[world->tensors[tensor].base];
	const struct heap *heap = &world->memory->rank[owner->rank].heap[owner->space];

	return heap->blocks[heap_find(heap, owner->address)].kind;
}
