/* books.h -- what the files of world/ share and nobody else sees.
 *
 * A function that can be refused (a name in use, no room on the device) checks all of it first and then
 * changes the books. Arrays grow where something is put into them: no pointer into one is kept over such a
 * call. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_BOOKS_H
#define RANKSH_BOOKS_H

#include "base/memory.h"
#include "world/world.h"
#include "world/bytes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the parts of struct world that nobody else reads */

struct bound {
	struct thing *on; /* by rank; NULL: it was never bound */
	uint32_t turn;    /* how many names of this world were bound before it */
};
/* The lanes of a rank: its host, the default stream, and those that were made */
struct rank_lanes {
	int *stream; /* stream[number]: index into world.streams */
	size_t count;
	uint32_t seen_all; /* the host knows the end of all operations with numbers up to this */
};
/* Memory freed with `free x on S`: who uses these bytes next waits for `op` first. */
struct pending_free {
	int64_t address, bytes;
	op_id op;
	uint8_t space;
};
struct rank_memory {
	struct heap heap[SPACE_COUNT];
	struct pending_free *pending;
	size_t pending_count;
	struct memory_change *change;
	size_t change_count;
};
/* The transfers of a group from one rank to another, matched like the collectives of an instance of two: the
 * sender has place 0. */
struct channel {
	struct group_instance ends;
	int group;
	struct channel *next; /* of its bucket */
};
struct crossing {
	struct crossing *next;
	uint32_t earlier;
	int rank;
};
struct order_warning {
	char text[200];
};
/* Operands that records of late had, to be shared by the next one alike: scripts repeat their lines. */
struct kept_operands {
	struct operand *operand;
	int count;
};
enum { BUCKETS = 1 << 12, OPERANDS_KEPT = 256 };

struct world_inner {
	struct arena *arena; /* what lives as long as the world and never grows */
	struct bound *bound; /* by name */
	size_t bound_room;
	uint32_t turns;  /* names that were ever bound */
	int free_tensor; /* first unused slot of world.tensors, -1 none */
	struct rank_lanes *lanes;
	struct kept_operands kept[OPERANDS_KEPT]; /* by hash */

	struct rank_memory *memory;
	struct segment_calls calls;
	struct segment
	        *leaving; /* segments of rank `me` that were given back and whose bytes are still there */
	size_t leaving_count;
	op_id *gets; /* world_gets */
	size_t get_count;
	struct handout *handouts;
	size_t handout_count;

	struct numbered {
		op_id id; /* 0: none yet */
		int count;
	} numbered; /* labels.c: the operation that op_text named last, and its number */

	struct channel *bucket[BUCKETS]; /* by hash */
	uint32_t *last_collective;       /* by rank: the match it joined last */
	struct order_warning *warnings;
	size_t warning_count;
	struct swapped *swapped;
	size_t swapped_count;
	struct graph *graphs;
	size_t graph_count;
	struct launch *launches; /* by first; each has operations */
	size_t launch_count;
	int *capturing; /* by rank: graph + 1, or 0 */
};

/* ---- arena.c */
void *arena_take(struct arena **arena, size_t bytes);
void arena_free(struct arena *arena);
static inline void *world_take(struct world *world, size_t count, size_t bytes)
{
	return arena_take(&world->inner->arena, count * bytes);
}

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
	CHANGE_ITERATION,
	CHANGE_RECORD,
	CHANGE_CAPTURE,
	CHANGE_CAPTURED,
	CHANGE_LAUNCH,
	CHANGE_ABORT,
	CHANGE_TRIM
};
static inline void digest_change(struct world *world, enum change change, int rank, int64_t value)
{
	digest_add(world, (uint64_t)change << 32 | (uint32_t)rank);
	digest_add(world, value);
}
void digest_layout(struct world *world, const struct layout *layout);

/* ---- bindings.c */
void bind_set(struct world *world, int rank, name_id name, struct thing thing); /* name 0: nothing */

/* ---- streams.c */
void lanes_make(struct world *world);
/* A SYNC of the host for `target` was queued; its number on the rank. */
void lanes_synced(struct world *world, int rank, op_id target, uint32_t number);
/* Memory freed before or at this number was last used by work whose end the host knows. */
uint32_t lanes_clean_limit(const struct world *world, int rank);
static inline struct stream *lane_stream(const struct world *world, int rank, int number)
{
	return &world->streams[world->inner->lanes[rank].stream[number]];
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
	uint32_t like; /* a record to share; 0: `record` becomes a new one */
	op_id target;
};
/* ST_LIMIT: operations have no numbers left for so many more. */
enum status ops_fit(const struct world *world, size_t more);
uint32_t record_store(struct world *world, const struct record *record); /* a copy; its index */
/* The same under another mark */
uint32_t record_in_section(struct world *world, uint32_t index, int section);
/* world_queue, whether the rank captures a graph or not */
enum status queue_draft(struct world *world, struct draft *draft, op_id *id);
/* Queues a wait that no line asks for: the stream waits for the operation. Requires ops_fit. */
void queue_wait(struct world *world, int rank, int stream, op_id target);
/* An OP_SEGMENT of the rank's host. */
op_id segment_queue(struct world *world, int rank, op_id target, int64_t ns);

/* ---- match.c: the operation joins its matches; its rank is a member of the group */
void matches_join(struct world *world, op_id id);
/* What a member brings to a match, by aspect: all of it must be equal. The most telling comes first: another
 * collective explains another size. */
enum aspect {
	ASPECT_TITLE,
	ASPECT_OBJECT, /* of a window */
	ASPECT_DTYPE,
	ASPECT_SPLIT, /* are there counts? */
	ASPECT_BYTES, /* with counts: of a row */
	ASPECT_ROOT,
	ASPECT_OP,
	ASPECT_BACKUP,
	ASPECT_ALGO,
	ASPECTS
};
struct share {
	int64_t aspect[ASPECTS];
};
struct share member_share(const struct world *world, const struct match *match, int place);
enum aspect differing(const struct share *a, const struct share *b); /* the first; ASPECTS: none */
/* Of two places whose shares are equal: does one expect other rows than the other sends it? *rows: sent by `from`,
 * expected by `to` */
struct unmatched {
	int from, to;
	int64_t sent, expected;
};
bool rows_differ(const struct world *world, const struct match *match, int a, int b, struct unmatched *rows);

/* ---- crossing.c */
void crossing_join(struct world *world, op_id id, uint32_t match);

/* ---- swapped.c: a member of a collective has joined */
void swapped_join(struct world *world, uint32_t match);

/* ---- allocator.c: one space of one rank */
/* How a request is going to be served. */
struct block_plan {
	int64_t bytes;         /* rounded */
	int64_t segment_bytes; /* 0: no new one */
	int64_t shared_below; /* the new segment serves requests of fewer bytes, small ones of as many, too; 0: this one alone */
	int64_t small_limit;
	size_t block;
	uint32_t handout, pool;
	uint8_t kind;
	bool small;
	bool spare; /* free segments are given back first */
	bool moves; /* the block is a free segment of the stream's ordinary pool, which moves to the graph's */
};
/* unit: 1 for a GPU of 4 GB and more, 8 where sizes are an eighth (memory.c says why), 0 for a disk, which has no
 * sizes of its own. capacity: of the heap, INT64_MAX: any. false: it does not fit even when all free segments are
 * given back. */
bool heap_plan(const struct heap *heap, int64_t bytes, uint32_t pool, uint32_t clean_limit, int unit,
        int64_t capacity, struct block_plan *plan);
const struct memory_block *heap_take(
        struct heap *heap, const struct block_plan *plan, int tensor, name_id owner);
/* A segment for the plan, whose block is then in it; data: real bytes, or NULL */
void heap_grow(struct heap *heap, struct block_plan *plan, enum space space, void *data);
/* Moves a segment to another pool. Its free blocks count as freed at `freed_at`. */
void heap_move(struct heap *heap, size_t segment, uint32_t pool, uint32_t freed_at);
#define FREED_IN_GRAPH UINT32_MAX /* as freed_at: no request gets the block until its segment moves */
void heap_give(struct heap *heap, size_t block, uint32_t freed_at); /* frees and merges */
size_t heap_find(const struct heap *heap, int64_t address);    /* block that holds it; heap->count: none */
size_t heap_segment(const struct heap *heap, int64_t address); /* the segment of an address in a block */
bool heap_is_spare(
        const struct heap *heap, size_t segment);  /* nothing of it is in use, and no graph keeps it */
int64_t heap_spare(const struct heap *heap);       /* bytes of spare segments */
void heap_drop(struct heap *heap, size_t segment); /* a spare segment goes */

/* ---- memory.c: the spaces of all ranks */
/* Memory for a tensor whose slot, in `base`, is going to be taken; its address. What that costs the rank is
 * queued. pool, use, kind: as for world_tensor_make. ST_DEVICE_MEMORY, ST_LIMIT. */
enum status memory_take(struct world *world, const struct tensor *tensor, int pool, enum tensor_use use,
        int kind, int64_t *address);
void memory_give(struct world *world, int rank, enum space space, int64_t address, int after_stream);
void memory_free(struct world *world);

/* ---- graph_memory.c */
/* Moves the plan's block, a free segment, to the plan's pool. */
void memory_to_graph(struct world *world, int rank, const struct block_plan *plan);
/* Moves the segments of the graph (its number + 1) to the ordinary pools of their streams. launched: for each stream on which it was
 * launched, the last operation of its launches there; the next user of the free blocks waits for them. */
void memory_graph_gone(
        struct world *world, int rank, uint32_t graph, const op_id *launched, size_t launched_count);
/* Memory outside of the graph's pools that its operations use */
struct graph_use {
	uint32_t handout; /* place in world_handouts */
	uint8_t access;
	uint8_t reported; /* 1: reported that it was freed; 2: and that another tensor has it */
};
struct graph_uses {
	struct graph_use *use;
	size_t count;
};
/* Adds what a captured operation uses. */
void uses_note(const struct world *world, int rank, const struct record *record, struct graph_uses *uses);
void uses_sort(struct graph_uses *uses); /* by handout, each once; the others require it */
/* Fails with ST_NAME if some of it was freed and given back to the device (cudaErrorIllegalAddress). */
enum status uses_ready(const struct world *world, name_id graph, const struct graph_uses *uses);
/* As world_graph_freed. */
bool uses_freed(const struct world *world, struct graph_uses *uses, size_t *from, struct freed_use *freed);

/* ---- pending.c. Fills waits[STREAMS_MAX] with the operations that must be waited for before `draft` may
 * touch its memory; how many they are. */
int pending_find(const struct world *world, const struct draft *draft, op_id *waits);
void pending_cut(struct world *world, const struct draft *draft);
/* The next user of these bytes of device memory waits for `op`. Replaces pending waits for earlier operations of the same stream
 * within them. */
void pending_add(struct world *world, int rank, int64_t address, int64_t bytes, op_id op);
/* One wait a lane, for its latest operation; none for what is in order anyway. How many there are then. */
int wait_add(const struct world *world, const struct draft *draft, op_id op, op_id *waits, int count);

/* ---- windows.c */
/* What `close` waits for on its own rank, behind waits[count]; how many there are then. */
int window_find(const struct world *world, const struct draft *draft, op_id *waits, int count);
void window_step(struct world *world, op_id id);              /* a collective of a window has been queued */
void window_used(struct world *world, op_id id);              /* a one-sided operation has been queued */
void windows_abort(struct world *world, int group, int part); /* part -1: all */

/* ---- graph.c */
void graphs_free(struct world *world);
/* Returns the pool for what is made on the stream now: the graph's while one is captured and the stream takes part */
uint32_t graph_pool(const struct world *world, int rank, int stream);
/* Into the graph that the rank captures, or into the books where the stream takes no part. */
enum status graph_add(struct world *world, struct draft *draft, op_id *id);
/* An event is about to be recorded while the rank captures: by an operation of the graph, until the capture ends. */
void graph_event(struct world *world, int rank, int event, op_id record_op);

#endif
