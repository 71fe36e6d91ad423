/* books.h -- what the files of world/ share and nobody else sees.
 *
 * A function that can be refused (a name in use, no room on the device) checks all of it first and then
 * changes the books. Arrays grow where something is put into them: no pointer into one is kept over such a
 * call. */
#ifndef RANKSH_BOOKS_H
#define RANKSH_BOOKS_H

#include "base/memory.h"
#include "world/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arena.c: memory that lives as long as the world */
void *arena_take(struct arena **arena, size_t bytes);
void arena_free(struct arena *arena);

static inline void digest_add(struct world *world, uint64_t value)
{
	uint64_t h = (world->digest ^ value) * 0x9e3779b97f4a7c15u;
	world->digest = (h << 31 | h >> 33) * 0xc2b2ae3d27d4eb4fu;
}
/* What changed, in the first word folded in for each change: equal digests mean the same changes in the same
 * order. */
enum change {
	CHANGE_BIND = 1,
	CHANGE_UNBIND,
	CHANGE_TENSOR,
	CHANGE_VIEW,
	CHANGE_FREE,
	CHANGE_STREAM,
	CHANGE_EVENT,
	CHANGE_RECORDED,
	CHANGE_GROUP,
	CHANGE_MARK,
	CHANGE_RECORD,
	CHANGE_OP,
	CHANGE_CAPTURE,
	CHANGE_CAPTURED,
	CHANGE_LAUNCH,
	CHANGE_ABORT,
	CHANGE_TRIM
};
static inline void digest_change(struct world *world, enum change change, int rank, int64_t value)
{
	digest_add(world, (uint64_t)change << 32 | (uint32_t)rank);
	digest_add(world, (uint64_t)value);
}
void digest_layout(struct world *world, const struct layout *layout);

/* ---- bindings.c */
void bindings_create(struct world *world);
void bindings_free(struct world *world);
void bind_set(struct world *world, int rank, name_id name, struct thing thing); /* name 0: nothing */

/* ---- streams.c: lanes of a rank by number */
struct stream_seen {
	int stream;    /* index into world.streams */
	uint32_t seen; /* the host knows the end of the lane's operations with numbers up to this */
};
struct rank_lanes {
	struct stream_seen *lane;
	size_t count, room;
	uint32_t seen_all;
};
struct world_lanes {
	struct rank_lanes *rank;
};
void lanes_create(struct world *world);
void lanes_free(struct world *world);
void lanes_synced(struct world *world, int rank, op_id target,
        uint32_t number); /* a SYNC with that number was queued */
/* Memory freed before or at this number was last used by work whose end the host knows. */
uint32_t lanes_clean_limit(const struct world *world, int rank);
static inline struct stream *lane_stream(const struct world *world, int rank, int number)
{
	return &world->streams[world->lanes->rank[rank].lane[number].stream];
}
static inline uint32_t rank_number(const struct world *world, int rank) /* operations queued so far */
{
	op_id last = world->last[rank];
	return last ? world->ops[last].number : 0;
}

/* ---- queue.c */
/* An operation on its way into the books. */
struct draft {
	int rank, stream, flags;
	const struct record *record;
	uint32_t record_index; /* 0: a new record */
	op_id target;
	int waits; /* implicit waits queued before it, in world_memory's scratch */
};
/* ST_LIMIT: operations have no numbers left for so many more. */
enum status ops_fit(const struct world *world, size_t more);
op_id op_append(struct world *world, int rank, int stream, uint32_t record, op_id target, int flags);
uint32_t record_store(struct world *world, const struct record *record); /* a copy; its index */
uint32_t record_in_section(
        struct world *world, uint32_t index, int section); /* the same under another mark */
enum status queue_draft(
        struct world *world, struct draft *draft, op_id *id); /* past the question of capture */
/* An OP_SEGMENT of the rank's host. */
op_id segment_queue(struct world *world, int rank, op_id target, int64_t ns);

/* ---- match.c: where operations meet */
struct channel {
	int group, source, destination;
	uint32_t first_meet, last_meet, sent_at, received_at, sequence;
};
struct crossing {
	uint32_t earlier, next;
	int rank;
};
struct order_warning {
	int group[2];
	char text[200];
};
struct world_matching {
	struct channel *channels;
	size_t channel_count, channel_room;
	uint32_t *table;
	size_t slots;              /* open addressing: channel number + 1, 0 empty */
	uint32_t *last_collective; /* by rank: the meet it joined last */
	struct crossing *crossings;
	size_t crossing_count, crossing_room; /* [1 ..] */
	struct order_warning *warnings;
	size_t warning_count, warning_room;
	uint8_t *overlap;
	/* [a * groups + b]: 0 not looked at, 1 no, 2 instances share two or more ranks */
	size_t overlap_groups;
};
void matching_create(struct world *world);
void matching_free(struct world *world);
/* The operation joins its meetings; its rank is a member of the group. */
void meets_join(struct world *world, op_id id);

/* ---- crossing.c */
void crossing_join(struct world *world, op_id id, uint32_t meet);

/* ---- allocator.c: one space of one rank */
struct memory_block {
	int64_t address, bytes;
	int tensor; /* that owns it; -1 when free */
	name_id owner;
	uint32_t freed_at; /* the rank's last operation when it was freed */
	uint8_t pool, kind;
	bool free : 1, first : 1 /* of its segment */, small : 1;
};
struct segment {
	int64_t address, bytes;
	void *data;
	op_id leaving;
	uint8_t pool;
	bool small;
};
struct heap {
	struct memory_block *blocks;
	size_t count, room; /* by address, without gaps inside a segment */
	struct segment *segments;
	size_t segment_count, segment_room; /* by address */
	int64_t end;                        /* of the last segment ever: addresses are never used twice */
	int64_t allocated, reserved, peak_allocated, peak_reserved;
	int64_t kind[MEMORY_KINDS], peak_kind[MEMORY_KINDS]; /* of allocated; of peak_allocated */
};
/* How a request is going to be served. */
struct block_plan {
	int64_t bytes;         /* rounded */
	int64_t segment_bytes; /* 0: no new one */
	int64_t spare;         /* free segments given back first */
	int64_t small_limit;
	size_t block;
	uint8_t pool, kind;
	bool small;
};
/* unit: 1 for a GPU of 4 GB and more, 8 where sizes are an eighth (memory.c says why). capacity: of the heap,
 * INT64_MAX: any. false: it does not fit even when all free segments are given back. */
bool heap_plan(const struct heap *heap, int64_t bytes, int pool, uint32_t clean_limit, int unit,
        int64_t capacity, struct block_plan *plan);
size_t heap_take(struct heap *heap, const struct block_plan *plan, int tensor, name_id owner); /* the block */
void heap_grow(struct heap *heap, struct block_plan *plan, void *data); /* plan->block is then in it */
void heap_give(struct heap *heap, size_t block, uint32_t freed_at);     /* frees and merges */
size_t heap_find(
        const struct heap *heap, int64_t address); /* block that holds the address; heap->count when none */
bool heap_whole_free(const struct heap *heap, size_t segment); /* nothing of it is in use */
int64_t heap_spare(const struct heap *heap);                   /* bytes of whole free segments */
void heap_drop(struct heap *heap, size_t segment);             /* a whole free segment goes */

/* ---- memory.c: the spaces of all ranks */
/* Memory freed with `free x on S`: who uses these bytes next waits for `op` first. */
struct pending_free {
	int64_t address, bytes;
	op_id op;
	uint8_t space;
};
struct rank_memory {
	struct heap heap[SPACE_COUNT];
	struct pending_free *pending;
	size_t pending_count, pending_room;
};
struct world_memory {
	struct segment_calls calls;
	struct rank_memory *rank;
	struct segment *leaving;
	uint8_t *leaving_space; /* of rank `me`, given back */
	size_t leaving_count, leaving_room, leaving_space_room;
	op_id waits[STREAMS_MAX]; /* scratch of queue.c */
	struct handout *handouts;
	size_t handout_count, handout_room;
};
void memory_create(struct world *world);
void memory_free(struct world *world);
struct grant {
	struct block_plan plan;
	int rank, space;
	bool initial; /* until the caller says so, false */
};
/* How a request is going to be served; nothing is changed. ST_DEVICE_MEMORY. */
enum status memory_plan(struct world *world, int rank, enum space space, int64_t bytes, int pool, bool clean,
        struct grant *grant); /* grant->plan.kind is 0 until the caller says which */
int64_t memory_take(
        struct world *world, const struct grant *grant, int tensor, name_id owner); /* the address */
void memory_give(struct world *world, int rank, enum space space, int64_t address, int after_stream);
/* -- pending.c. Fills waits[] with the operations that must be waited for before `draft` may touch its
 * memory. */
void pending_find(struct world *world, struct draft *draft);
void pending_cut(struct world *world, const struct draft *draft);

/* ---- graph.c */
void graphs_create(struct world *world);
void graphs_free(struct world *world);
enum status graph_add(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* An event is about to be recorded in the capture: its meaning of before comes back at the end. */
void graph_event(struct world *world, int rank, int event, op_id record_op);

#endif
