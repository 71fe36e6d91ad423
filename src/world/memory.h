/* memory.h -- the memory map of all ranks: a heap of segments and blocks for each space of each
 * rank (allocator.c). world_tensor_make and world_tensor_free take and free memory. */
#ifndef RANKSH_WORLD_MEMORY_H
#define RANKSH_WORLD_MEMORY_H

#include "world/op.h"

struct world;

/* MEMORY_RESERVED: the kind of a memory_change that counts segments, not blocks */
enum { MEMORY_KINDS = 8, MEMORY_RESERVED = MEMORY_KINDS };
/* A pool is the free lists of one stream; a captured graph has pools of its own. graph: the
 * graph's number + 1; 0: an ordinary pool. */
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
	int tensor; /* owner; -1: free */
	name_id owner;
	uint32_t freed_at; /* op.number of the rank's last operation when it was freed */
	uint32_t handout;  /* in use: index in world.handouts */
	uint32_t pool;
	uint8_t kind;
	bool free : 1, first : 1 /* of its segment */, small : 1;
};
struct segment {
	int64_t address, bytes;
	void *data;    /* rank `me` only */
	op_id leaving; /* if returned: the OP_SEGMENT that did it */
	uint32_t pool;
	uint8_t space;
};
struct free_block {
	int64_t bytes, address;
	uint32_t freed_at, pool;
	bool small;
};
struct heap {
	struct memory_block *blocks; /* by address, without gaps in a segment */
	size_t count;
	struct free_block *vacant; /* free ones by size, then address */
	size_t vacant_count;
	struct segment *segments; /* by address */
	size_t segment_count;
	size_t stretch_count; /* segments ever reserved */
	int64_t end;          /* of the last segment; the next one begins there */
	int64_t allocated, reserved, peak_allocated, peak_reserved;
	/* the parts of allocated and of peak_allocated, by kind */
	int64_t kind[MEMORY_KINDS], peak_kind[MEMORY_KINDS];
};
const struct heap *world_heap(const struct world *world, int rank, enum space space);
/* Lists up to `most` largest blocks in use, by falling size, then address. Returns how many. */
int heap_largest(const struct heap *heap, const struct memory_block **largest, int most);
int64_t heap_largest_free(const struct heap *heap); /* bytes; graphs' pools do not count */
int64_t heap_of_graphs(const struct heap *heap);    /* bytes of segments in graphs' pools */
/* Returns the kind of the memory in which the tensor or view lies. */
int world_memory_kind(const struct world *world, int tensor);
/* Gives all free segments except those of graphs back to the device. Queues an OP_SEGMENT for it,
 * which waits for all of the rank's work. Fails with ST_LIMIT. */
enum status world_trim(struct world *world, int rank);

/* A device block or segment that was taken, or given back (negative bytes) */
struct memory_change {
	int64_t bytes;
	op_id after; /* the rank's last operation at that time; 0: none */
	int section;
	uint8_t kind;
};
/* Returns the changes in program order. Their bytes, added up by kind, give heap.kind and
 * heap.reserved. */
const struct memory_change *world_memory_changes(const struct world *world, int rank, size_t *count);

/* One use of a block, from its allocation to the line that freed it. Operations with ids above
 * `after` find its bytes unwritten. */
struct handout {
	int64_t address, bytes;
	op_id after;
	op_id freed_after; /* the world's last operation when it was freed */
	name_id owner;     /* the tensor's name; 0: none */
	name_id file;      /* of the freeing line; 0: none */
	int line;
	uint16_t rank;
	uint8_t space;
	bool freed;
};
/* Returns the tensor's name, or "scratch". */
const char *memory_owner_text(const struct world *world, name_id owner);
/* Appends "x, which was freed in line 10". */
void memory_freed_text(const struct world *world, const struct handout *freed, struct text *out);
/* Returns the block at the address that the rank of `before` freed between the two operations;
 * NULL if none. */
const struct handout *world_freed_between(
        const struct world *world, op_id before, op_id after, enum space space, int64_t address);

/* ---- the real bytes of rank `me`, for a backend that keeps them in this process */

/* Set by the backend, called for the segments of rank `me` */
struct segment_calls {
	void *self;
	void *(*get)(void *self, enum space space, int64_t bytes); /* never NULL */
	void (*give)(void *self, enum space space, void *base, int64_t bytes);
};
void world_segment_calls(struct world *world, struct segment_calls calls);
/* Returns the bytes at an address of rank `me`; NULL if there are none. */
void *world_data(const struct world *world, enum space space, int64_t address);
/* Frees the bytes of the segments that this OP_SEGMENT of rank `me` gave back. Call it when the
 * operation has ended. */
void world_segment_done(struct world *world, op_id segment_op);

#endif
