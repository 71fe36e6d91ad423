/* books.h -- private to the files of world/
 *
 * Functions that can fail check everything first, then change the state. Arrays grow: keep no
 * pointer into one across a call that adds to it. An umbrella header. */
#ifndef RANKSH_BOOKS_H
#define RANKSH_BOOKS_H

#include "base/memory.h"
#include "world/world.h"
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the private parts of struct world */

struct bound {
	struct thing *on; /* by rank; NULL: never bound */
	uint32_t turn;    /* number of names bound before it */
};
/* Lanes of a rank: host, default stream, others */
struct rank_lanes {
	int *stream; /* stream[number]: index into world.streams */
	size_t count;
	uint32_t seen_all; /* the host has waited for all operations up to this op.number */
};
/* The next user of these bytes waits for `op`. */
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
/* The transfers of a group from one rank to another: an instance of two places; place 0 sends. */
struct channel {
	struct group_instance ends;
	int group;
	struct channel *next; /* in its bucket */
};
struct crossing {
	struct crossing *next;
	uint32_t earlier; /* a match */
	int rank;         /* joined `earlier` just before this match */
};
struct order_warning {
	char text[200];
};
/* Recent operands, shared by records with equal operands */
struct kept_operands {
	struct operand *operand;
	int count;
};
enum { BUCKETS = 1 << 12, OPERANDS_KEPT = 256 };

struct world_inner {
	struct obstack arena; /* memory that lives as long as the world; pieces never grow */
	struct bound *bound;  /* by name */
	size_t bound_room;
	uint32_t turns;  /* names that were ever bound */
	int free_tensor; /* of world.tensors; -1: none */
	struct rank_lanes *lanes;
	struct kept_operands kept[OPERANDS_KEPT]; /* by hash */

	struct rank_memory *memory;
	struct segment_calls calls;
	struct segment *leaving; /* returned segments of rank `me` whose bytes are not freed yet */
	size_t leaving_count;

	struct numbered {
		op_id id; /* 0: none */
		int count;
	} numbered; /* labels.c: op_text's last operation and its number */

	struct channel *bucket[BUCKETS]; /* by hash */
	uint32_t *last_collective;       /* by rank: the match that it joined last */
	struct order_warning *warnings;
	size_t warning_count;
	struct swapped *swapped;
	size_t swapped_count;
	struct graph *graphs;
	size_t graph_count;
	struct launch *launches; /* ascending by `first`; each has at least one operation */
	size_t launch_count;
	int *capturing; /* by rank: graph + 1, or 0 */
};

/* ---- world.c. Returns zeroed memory of the arena. */
void *world_take(struct world *world, size_t count, size_t bytes);

static inline void digest_add(struct world *world, uint64_t value)
{
	uint64_t h = (world->digest ^ value) * 0x9e3779b97f4a7c15u;
	world->digest = (h << 31 | h >> 33) * 0xc2b2ae3d27d4eb4fu;
}
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
/* Binds the name on the rank; name 0: does nothing. */
void bind_set(struct world *world, int rank, name_id name, struct thing thing);

/* ---- streams.c */
void lanes_make(struct world *world);
/* Notes that operation `number` of the rank, an OP_SYNC or OP_SEGMENT, waits for `target`;
 * OP_EVERYTHING: for all lanes; 0: for nothing. */
void lanes_synced(struct world *world, int rank, op_id target, uint32_t number);
/* Returns the op.number up to which freed memory is clean: the host has waited for its last
 * use. */
uint32_t lanes_clean_limit(const struct world *world, int rank);
static inline struct stream *lane_stream(const struct world *world, int rank, int number)
{
	return &world->streams[world->inner->lanes[rank].stream[number]];
}
static inline uint32_t rank_number(const struct world *world, int rank)
{
	op_id last = world->last[rank];
	return last ? world->ops[last].number : 0;
}

/* ---- queue.c */
struct draft {
	int rank, stream, flags;
	const struct record *record;
	uint32_t like; /* a record to share; 0: store `record` */
	op_id target;
};
/* Fails with ST_LIMIT if there are no ids for `more` operations. */
enum status ops_fit(const struct world *world, size_t more);
/* Stores a copy; returns its index. */
uint32_t record_store(struct world *world, const struct record *record);
/* Stores a copy of the record for that section and the machine's present values; returns its
 * index. */
uint32_t record_in_section(struct world *world, uint32_t index, int section);
/* As world_queue, but never into a graph; sets draft->record to the stored one. Fails with
 * ST_LIMIT, or with ST_BUG if the rank is not in the group. */
enum status queue_draft(struct world *world, struct draft *draft, op_id *id);
/* Queues an implicit wait. Requires ops_fit. */
void queue_wait(struct world *world, int rank, int stream, op_id target);
/* Queues an OP_SEGMENT on the host. target: 0: waits for nothing; OP_EVERYTHING: for all of the
 * rank's work. Requires ops_fit. */
op_id segment_queue(struct world *world, int rank, op_id target, int64_t ns);

/* ---- match.c. Joins the operation to its match(es). Requires that its rank is in its group. */
void matches_join(struct world *world, op_id id);
/* Properties in which members must agree, the most informative first */
enum aspect {
	ASPECT_TITLE,
	ASPECT_OBJECT, /* of a window */
	ASPECT_DTYPE,
	ASPECT_SPLIT, /* with counts? */
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
/* Returns the first aspect that differs; ASPECTS: none. */
enum aspect differing(const struct share *a, const struct share *b);
/* Groups the present members by same(..., by): first[i] is a set's first place, ranks[i] its ranks
 * (zeroed by the caller, or NULL). Returns the number of sets, at most BRINGS_MOST; members of any
 * more sets are left out. */
typedef bool member_same(const struct world *world, const struct match *match, int a, int b, int by);
int member_sets(const struct world *world, const struct match *match, member_same *same, int by,
        int first[BRINGS_MOST], struct ranks *ranks);
struct unmatched {
	int from, to; /* places */
	int64_t sent, expected;
};
/* Returns true and sets *rows if a sends b, or b sends a, more or fewer rows than expected. */
bool rows_differ(const struct world *world, const struct match *match, int a, int b, struct unmatched *rows);

/* ---- orders.c */
void crossing_join(struct world *world, op_id id, uint32_t match);
/* Call after a member of a collective has joined. */
void swapped_join(struct world *world, uint32_t match);

/* ---- allocator.c: one space of one rank */
struct block_plan {
	int64_t bytes;         /* rounded */
	int64_t segment_bytes; /* 0: no new segment */
	/* for the message: smaller requests share such a segment; 0: its size is this request's */
	int64_t shared_below;
	int64_t small_limit;
	size_t block;
	uint32_t handout, pool;
	uint8_t kind;
	bool small;
	bool spare; /* return free segments first */
	bool moves; /* an ordinary free segment moves to the graph's pool */
};
/* Plans a block. pool: pool_of(stream, graph). clean_limit: takes only blocks freed up to this
 * op.number. unit: divides PyTorch's sizes: 1, or 8 for GPUs below 4 GB (memory.c); 0 for a disk.
 * capacity: INT64_MAX: any. Returns false if the request does not fit even after free segments are
 * returned. The plan has a block's index: carry it out at once, by heap_grow (if segment_bytes is
 * set) and heap_take. */
bool heap_plan(const struct heap *heap, int64_t bytes, uint32_t pool, uint32_t clean_limit, int unit,
        int64_t capacity, struct block_plan *plan);
const struct memory_block *heap_take(
        struct heap *heap, const struct block_plan *plan, int tensor, name_id owner);
/* Adds a segment of plan->segment_bytes; plan->block: its block. data: real bytes, or NULL. */
void heap_grow(struct heap *heap, struct block_plan *plan, enum space space, void *data);
/* Moves a segment to another pool; its free blocks get `freed_at`. */
void heap_move(struct heap *heap, size_t segment, uint32_t pool, uint32_t freed_at);
#define FREED_IN_GRAPH UINT32_MAX /* as freed_at: unavailable until the segment moves */
void heap_give(struct heap *heap, size_t block, uint32_t freed_at); /* frees and merges */
/* Returns the block that holds the address; heap->count: none. */
size_t heap_find(const struct heap *heap, int64_t address);
size_t heap_segment(const struct heap *heap, int64_t address); /* of an address in a block */
bool heap_is_spare(const struct heap *heap, size_t segment);   /* unused and not a graph's */
int64_t heap_spare(const struct heap *heap);                   /* in bytes */
void heap_drop(struct heap *heap, size_t segment);             /* removes a spare one */

/* ---- memory.c: the spaces of all ranks */
/* Takes memory for a tensor whose index will be tensor->base. Queues an OP_SEGMENT if it gets a
 * device segment or returns segments. pool (a stream number), use, kind: as for world_tensor_make.
 * Fails with ST_DEVICE_MEMORY or ST_LIMIT. */
enum status memory_take(struct world *world, const struct tensor *tensor, int pool, enum tensor_use use,
        int kind, int64_t *address);
void memory_give(struct world *world, int rank, enum space space, int64_t address, int after_stream);
void memory_free(struct world *world);

/* ---- graph_memory.c */
/* Moves the plan's free segment to the plan's pool. */
void memory_to_graph(struct world *world, int rank, const struct block_plan *plan);
/* Moves the graph's segments to the ordinary pools. graph: its number + 1; launched: the last
 * operation of its launches on each stream, which the next users wait for. */
void memory_graph_gone(
        struct world *world, int rank, uint32_t graph, const op_id *launched, size_t launched_count);
/* Memory that a graph uses outside its own pools */
struct graph_use {
	uint32_t handout; /* in world.handouts */
	uint8_t access;
	uint8_t reported; /* 0: nothing; 1: that it was freed; 2: also that a new tensor has it */
};
struct graph_uses {
	struct graph_use *use;
	size_t count;
};
/* Adds the memory outside the graph's own pools that a captured operation uses. */
void uses_note(const struct world *world, int rank, const struct record *record, struct graph_uses *uses);
void uses_sort(struct graph_uses *uses); /* by handout, unique; required by the following */
/* Fails with ST_NAME if freed memory was returned to the device (cudaErrorIllegalAddress). */
enum status uses_ready(const struct world *world, name_id graph, const struct graph_uses *uses);
/* As world_graph_freed. */
bool uses_freed(const struct world *world, struct graph_uses *uses, size_t *from, struct freed_use *freed);

/* ---- pending.c. Sets waits[STREAMS_MAX] to the operations that `draft` must wait for; returns
 * their number. */
int pending_find(const struct world *world, const struct draft *draft, op_id *waits);
/* Ends the pending waits for the bytes of the draft's operands. */
void pending_cut(struct world *world, const struct draft *draft);
/* Makes the next user of this device memory wait for `op`. Replaces pending waits within these
 * bytes for earlier operations of op's stream. */
void pending_add(struct world *world, int rank, int64_t address, int64_t bytes, op_id op);
/* Adds `op` unless the stream or a sync orders it already; keeps only the latest operation of each
 * stream. Returns the new count. */
int wait_add(const struct world *world, const struct draft *draft, op_id op, op_id *waits, int count);

/* ---- windows.c */
/* Adds to waits[count] the operations that a window's `close` waits for: the last one-sided one of
 * each stream. Returns the new count. */
int window_find(const struct world *world, const struct draft *draft, op_id *waits, int count);
/* Call after a collective on a window. */
void window_step(struct world *world, op_id id);
/* Call after a one-sided operation. */
void window_used(struct world *world, op_id id);
void windows_abort(struct world *world, int group, int part); /* part -1: all */

/* ---- graph.c */
void graphs_free(struct world *world);
/* Returns the pool of new tensors on the stream: the graph's if the stream is captured. */
uint32_t graph_pool(const struct world *world, int rank, int stream);
/* Adds the draft to the rank's graph (*id: OP_CAPTURED + its index), or queues it if the stream is
 * not captured. Fails with ST_ARGUMENT for host work, windows and a wait for work outside the
 * capture. */
enum status graph_add(struct world *world, struct draft *draft, op_id *id);
/* Notes an event that is recorded during a capture. Call before event.record changes. */
void graph_event(struct world *world, int rank, int event, op_id record_op);

#endif
