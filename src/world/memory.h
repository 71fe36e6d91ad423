/* memory.h -- the memory of all ranks, as the books know it: heaps of segments and blocks, one for each space
 * of each rank
 *
 *     segment |<------------------------ 20 MiB ------------------------>|    got and given back whole
 *     blocks  | w1 | free | x | y |           free                       |    split and merged: allocator.c
 *
 * Tensors take and free memory (world_tensor_make, world_tensor_free); here it is looked at, and its real
 * bytes are tied to it. */
#ifndef RANKSH_WORLD_MEMORY_H
#define RANKSH_WORLD_MEMORY_H

#include "world/op.h"

struct world;

enum { MEMORY_KINDS = 8, MEMORY_RESERVED = MEMORY_KINDS /* of a memory_change: the segments */ };
/* A pool: the free lists of a stream. Each captured graph has pools of its own. graph: its number + 1; 0: the ordinary
 * pools. */
static inline uint32_t pool_of(int stream, uint32_t graph)
{
	return graph << 8 | (uint32_t)stream;
}
static inline int pool_stream(uint32_t pool)
{
	return pool & 255;
}
static inline uint32_t pool_graph(uint32_t pool)
{
	return pool >> 8;
}
struct memory_block {
	int64_t address, bytes;
	int tensor; /* that owns it; -1 when free */
	name_id owner;
	uint32_t freed_at; /* the rank's last operation when it was freed */
	uint32_t handout;  /* of one in use: its place in world_handouts */
	uint32_t pool;
	uint8_t kind;
	bool free : 1, first : 1 /* of its segment */, small : 1;
};
struct segment {
	int64_t address, bytes;
	void *data;    /* real bytes, of rank `me` only */
	op_id leaving; /* of one that was given back: the OP_SEGMENT that did it */
	uint32_t pool;
	uint8_t space;
};
/* Where a segment lies, or lay */
struct stretch {
	int64_t address, bytes;
};
struct free_block {
	int64_t bytes, address;
	uint32_t freed_at, pool;
	bool small;
};
struct heap {
	struct memory_block *blocks; /* by address, without gaps inside a segment */
	size_t count;
	struct free_block *vacant; /* the free ones among them, by size, of equals by address */
	size_t vacant_count;
	struct segment *segments; /* by address */
	size_t segment_count;
	struct stretch *stretches; /* of all segments that ever were, by address */
	size_t stretch_count;
	int64_t end; /* of the last segment ever: addresses are never used twice */
	int64_t allocated, reserved, peak_allocated, peak_reserved;
	int64_t kind[MEMORY_KINDS], peak_kind[MEMORY_KINDS]; /* they add up to allocated, peak_allocated */
};
const struct heap *world_heap(const struct world *world, int rank, enum space space);
/* The segment of any rank that an address lies in, or lay in: addresses are never used twice, and what is queued may name a
 * segment that has been given back since. false: there was none. */
bool world_segment(
        const struct world *world, int rank, enum space space, int64_t address, struct stretch *stretch);
/* The largest blocks in use, up to `most`, by falling size, then by address; how many there are. */
int heap_largest(const struct heap *heap, const struct memory_block **largest, int most);
int64_t heap_largest_free(const struct heap *heap); /* bytes of the block, which is in no graph's segment */
int64_t heap_of_graphs(const struct heap *heap);    /* bytes of the segments that graphs keep */
int world_memory_kind(const struct world *world, int tensor); /* its memory's; a view's is its owner's */
/* Gives back free segments that no graph keeps; queues OP_SEGMENT with target OP_EVERYTHING. */
enum status world_trim(struct world *world, int rank);

/* A block of a rank's device memory was taken, or given (bytes below 0); or a segment */
struct memory_change {
	int64_t bytes;
	op_id after; /* the rank's last operation then; 0: none */
	int section;
	uint8_t kind;
};
/* In program order; their sums are heap.kind and heap.reserved */
const struct memory_change *world_memory_changes(const struct world *world, int rank, size_t *count);

/* Blocks that were handed out, in order, each with the line that freed it: their bytes are unwritten for what is
 * queued behind operation `after` (of all ranks). */
struct handout {
	int64_t address, bytes;
	op_id after;
	op_id freed_after; /* likewise, of a block that was freed */
	name_id owner;     /* the tensor's name; 0: it had none */
	name_id file;      /* of the line that freed it; 0: the text at hand */
	int line;
	uint16_t rank;
	uint8_t space;
	bool freed;
};
const struct handout *world_handouts(const struct world *world, size_t *count);
/* The tensor's name; "scratch" if it had none */
const char *memory_owner_text(const struct world *world, name_id owner);
/* Appends "x, which was freed in line 10". */
void memory_freed_text(const struct world *world, const struct handout *freed, struct text *out);
/* The freed block that operation `before` still had at an address and operation `after`, of the same rank, had no
 * longer; NULL: none. */
const struct handout *world_freed_between(
        const struct world *world, op_id before, op_id after, enum space space, int64_t address);

#endif
