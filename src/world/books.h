/* books.h -- what the files of world/ share and nobody else sees.
 *
 * Every change is made in two steps: first all memory that it may need is reserved (this may fail, and
 * nothing is changed), then the books are changed (this cannot fail). Functions named *_reserve belong to the
 * first step. */
#ifndef RANKSH_BOOKS_H
#define RANKSH_BOOKS_H

#include "base/memory.h"
#include "world/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arena.c: memory that lives as long as the world */
void *arena_take(struct arena **arena, size_t bytes); /* NULL: ST_MEMORY is worded */
void arena_free(struct arena *arena);
/* Room for `more` elements behind `count`. */
enum status books_reserve(void **items, size_t count, size_t more, size_t *room, size_t element_bytes);
#define RESERVE(items, count, more, room) \
	books_reserve((void **)(items), (count), (more), (room), sizeof **(items))

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
enum status bindings_create(struct world *world);
void bindings_free(struct world *world);
enum status bind_reserve(struct world *world, int rank, name_id name,
        enum thing_kind kind); /* ST_NAME: used for another kind */
void bind_set(struct world *world, int rank, name_id name,
        struct thing thing); /* reserved before; name 0: nothing */

/* ---- streams.c: lanes of a rank by number */
struct lane {
	int stream;    /* index into world.streams */
	uint32_t seen; /* the host knows the end of the lane's operations with numbers up to this */
};
struct rank_lanes {
	struct lane *lane;
	size_t count, room;
	uint32_t seen_all;
};
struct world_lanes {
	struct rank_lanes *rank;
};
enum status lanes_create(struct world *world);
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
	int waits;       /* implicit waits queued before it, in world_memory's scratch */
	uint32_t number; /* in a replay: its number; else 0 */
};
enum status ops_reserve(struct world *world, size_t ops, size_t records);
/* A record of the books' own (OP_SEGMENT, implicit OP_WAIT); reserved before. */
uint32_t record_own(
        struct world *world, enum op_kind kind, name_id title, name_id reason, int64_t duration_ns);
op_id op_append(struct world *world, int rank, int stream, uint32_t record, op_id target, int flags);
uint32_t record_in_section(
        struct world *world, uint32_t index, int section); /* the same under another mark; room is there */
enum status record_store(
        struct world *world, const struct record *record, uint32_t *index); /* a copy; reserves by itself */
/* As world_queue, past the question of capture. sure: ops, records and meetings were reserved before; cannot
 * fail. */
enum status queue_draft(struct world *world, struct draft *draft, bool sure, op_id *id);
/* A host-lane OP_SEGMENT; two may have been reserved by segment_reserve. */
enum status segment_reserve(struct world *world, int rank, int count);
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
enum status matching_create(struct world *world);
void matching_free(struct world *world);
/* meets and places (sum of their n) that are going to be joined; parts of transfers */
enum status meets_reserve(struct world *world, size_t meets, size_t places, size_t parts);
enum status meets_reserve_for(struct world *world, const struct record *record, int rank);
void meets_join(struct world *world, op_id id);
static inline bool meet_complete(const struct meet *meet)
{
	return meet->count == meet->n;
}
/* The meets of an operation: meets_of(...)[0 .. count-1]. */
const uint32_t *meets_of(const struct world *world, op_id id, int *count);

/* ---- crossing.c */
enum status crossing_reserve(struct world *world, size_t more);
void crossing_join(struct world *world, op_id id, uint32_t meet);

/* ---- allocator.c: one space of one rank */
struct block {
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
	struct block *blocks;
	size_t count, room; /* by address, without gaps inside a segment */
	struct segment *segments;
	size_t segment_count, segment_room; /* by address */
	int64_t end;                        /* of the last segment ever: addresses are never used twice */
	int64_t allocated, reserved, peak_allocated, peak_reserved;
	int64_t kind[MEMORY_KINDS], peak_kind[MEMORY_KINDS]; /* of allocated; of peak_allocated */
};
/* How a request is going to be served. */
struct plan {
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
        int64_t capacity, struct plan *plan);
enum status heap_reserve(struct heap *heap);
size_t heap_take(struct heap *heap, const struct plan *plan, int tensor, name_id owner); /* the block */
void heap_grow(struct heap *heap, struct plan *plan, void *data);   /* plan->block is then in it */
void heap_give(struct heap *heap, size_t block, uint32_t freed_at); /* frees and merges */
size_t heap_find(
        const struct heap *heap, int64_t address); /* block that holds the address; heap->count when none */
bool heap_whole_free(const struct heap *heap, size_t segment); /* nothing of it is in use */
int64_t heap_spare(const struct heap *heap);                   /* bytes of whole free segments */
void heap_drop(struct heap *heap, size_t segment);             /* a whole free segment goes */

/* ---- memory.c: the spaces of all ranks */
/* Memory freed with `free x on S`: who uses these bytes next waits for `op` first. */
struct pending {
	int64_t address, bytes;
	op_id op;
	uint8_t space;
};
struct rank_memory {
	struct heap heap[SPACE_COUNT];
	struct pending *pending;
	size_t pending_count, pending_room;
};
struct world_memory {
	struct segment_calls calls;
	struct rank_memory *rank;
	struct segment *leaving;
	uint8_t *leaving_space; /* of rank `me`, given back */
	size_t leaving_count, leaving_room, leaving_space_room;
	op_id waits[STREAMS_MAX]; /* scratch of queue.c */
	/* Blocks handed out, in order: after which operation of all. For the replay of world_races_now. */
	struct fresh {
		int64_t address, bytes;
		op_id after;
		uint16_t rank;
		uint8_t space;
	} * fresh;
	size_t fresh_count, fresh_room;
};
enum status memory_create(struct world *world);
void memory_free(struct world *world);
struct grant {
	struct plan plan;
	int rank, space;
	bool scenery; /* until the caller says so, false */
};
enum status memory_reserve(struct world *world, int rank, enum space space, int64_t bytes, int pool,
        bool clean, struct grant *grant); /* grant->plan.kind is 0 until the caller says which */
int64_t memory_take(
        struct world *world, const struct grant *grant, int tensor, name_id owner); /* the address */
enum status memory_give_reserve(struct world *world, int rank);
void memory_give(struct world *world, int rank, enum space space, int64_t address, int after_stream);
/* -- pending.c. Fills waits[] with the operations that must be waited for before `draft` may touch its
 * memory. */
enum status pending_find(struct world *world, struct draft *draft);
/* For many operations with so many operands in all, `most` in one. */
enum status pending_reserve(struct world *world, int rank, size_t operands, size_t most);
void pending_cut(struct world *world, const struct draft *draft);

/* ---- order.h: happens-before, absent with --dry. These do nothing when world->order is NULL. */
enum status order_create(struct world *world);
void order_free(struct world_order *order);
enum status order_stream_reserve(
        struct world *world, int rank, int lanes); /* the rank is going to have so many lanes */
/* An operation that touches no memory and meets nobody, on the host lane. */
enum status order_plain_reserve(struct world *world, int rank, int count);
void order_plain(struct world *world, op_id id);
enum status order_prepare(struct world *world, const struct draft *draft);
void order_commit(struct world *world, const struct draft *draft,
        op_id id); /* of what was prepared last; meets are joined */
/* A block was handed out: its bytes are unwritten. */
enum status order_fresh_reserve(struct world *world, int rank, enum space space);
void order_fresh(struct world *world, int rank, enum space space, int64_t address, int64_t bytes);
/* races.c */
enum status races_reserve(
        struct world_order *order, size_t more); /* every undecided race may turn out to be one */
void races_met(const struct world *world, struct world_order *order,
        uint32_t meet); /* it is complete, or was aborted */

/* ---- graph.c */
enum status graphs_create(struct world *world);
void graphs_free(struct world *world);
enum status graph_add(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
enum status graph_event(struct world *world, int rank, int event, op_id record_op);

#endif
