/* world.h -- the books: what all ranks have been told, kept by everyone.
 *
 * Every process applies every line to the same books for all ranks: names, tensors, streams, events, groups,
 * the allocator's map, the program order of every operation, matches, vector clocks. They are functions of
 * each rank's program order ONLY: no time, no wall clock, no real addresses, no unseeded randomness, no
 * unordered iteration. Every change folds into `digest`; processes compare digests. Only the fields of
 * `struct op` marked "backend's" know time, and they are in no digest.
 *
 * Files: world.c (life, marks)  bindings.c (names)  tensors.c  streams.c (streams, events)  groups.c  queue.c
 * (program order)  pending.c (free x on S)  match.c (meetings)  crossing.c (groups used in opposite
 * orders)  allocator.c memory.c (caching allocator)  graph.c  labels.c. books.h is what they share.
 * To add a kind of thing: enum thing_kind, an array here, a make function that checks first and changes last.
 *
 * May call: machine/ base/. Functions check nothing that a command's row has checked, but keep the books
 * whole: on any failure status the books are as before the call. */
#ifndef RANKSH_WORLD_H
#define RANKSH_WORLD_H

#include "base/dtype.h"
#include "base/names.h"
#include "base/ranks.h"
#include "base/status.h"
#include "machine/machine.h"

/* ---- things with names ---- */

enum thing_kind {
	THING_NONE,
	THING_TENSOR,
	THING_STREAM,
	THING_EVENT,
	THING_GROUP,
	THING_VARIABLE,
	THING_GRAPH
};
const char *thing_kind_name(enum thing_kind kind);
struct thing {
	enum thing_kind kind;
	int index;
}; /* index into the array of its kind */

/* X(symbol, name) */
#define SPACES(X)           \
	X(HOST, "host")     \
	X(PINNED, "pinned") \
	X(DEVICE, "device")
enum space {
#define X(symbol, name) SPACE_##symbol,
	SPACES(X)
#undef X
	        SPACE_COUNT
};
const char *space_name(enum space space);

typedef uint32_t op_id;          /* index into world.ops; 0 is none */
#define OP_EVERYTHING UINT32_MAX /* as a sync's target: all that the rank has queued */

struct tensor {
	name_id name;
	uint16_t rank;
	uint8_t space;
	bool view;       /* names a part of `base` */
	bool used;       /* this slot of the array holds a tensor */
	int base;        /* index of the tensor that owns the memory; itself when not a view */
	int views;       /* of an owner: how many named views it has */
	int next_view;   /* of an owner: its first named view; of a view: the next one; -1 behind the last */
	int64_t address; /* of the first element, in the rank's space */
	struct layout layout;
	op_id poisoned;    /* the operation whose abort or failure spoiled it, or 0 */
	op_id last_writer; /* for `why y`; 0: initial data */
};

/* world.streams holds the host lane of every rank too (number 0, named "host", bound to no name). */
struct stream {
	name_id name; /* world.default_name for the default stream */
	uint16_t rank;
	uint8_t number;   /* on its rank: STREAM_HOST, STREAM_DEFAULT, then 2 ... */
	bool blocking;    /* the legacy default stream waits for it and holds it back */
	int8_t priority;  /* 0, or 1 for high */
	op_id head, tail; /* first and last operation queued: op.next_stream leads from one to the other */
	uint32_t count;
};
enum {
	STREAM_HOST = 0,
	STREAM_DEFAULT = 1,
	STREAMS_MAX = 250
}; /* numbers on a rank; HOST is the host's own lane */

struct event {
	name_id name;
	uint16_t rank;
	op_id record; /* the last OP_RECORD in program order, or 0: made and never recorded */
};

/* A group by name ("world", "tp", a user's) is a set of disjoint instances; each rank is in at most one. */
struct group_instance {
	int n;
	int *ranks;       /* ranks[i]: the world rank of place i */
	uint32_t *issued; /* issued[i]: collectives that place i has queued since the last abort */
	uint32_t epoch;   /* aborts so far */
	uint32_t *at;     /* at[i]: the meet that place i joined last, 0 none since the last abort */
	uint32_t first_meet, last_meet; /* of this epoch; meet.next leads on */
};
struct group {
	name_id name;
	bool axis; /* made by `mesh`: may stand in expressions and in @AXIS=n */
	int instances;
	struct group_instance *instance;
	int16_t *instance_of; /* by world rank: which instance, or -1 */
	int16_t *place_of;    /* by world rank: place in it, or -1 */
};
/* The instance of a rank that is in the group: on any other its name is not bound. */
static inline struct group_instance *group_part(const struct group *group, int rank)
{
	return &group->instance[group->instance_of[rank]];
}

/* ---- operations ---- */

/* X(symbol, name, lane is the host's) */
#define OP_KINDS(X)                                                                                     \
	X(KERNEL, "kernel", 0)                                                                          \
	X(COPY, "copy", 0)                                                                              \
	X(COLLECTIVE, "collective", 0)                                                                  \
	X(P2P, "p2p", 0)                                                                                \
	X(RECORD, "record", 0)                                                                          \
	X(WAIT, "wait", 0)                                                                              \
	X(HOST, "host", 1) /* the host computes for duration_ns */                                      \
	X(FILL, "fill", 1) /* initial data: the host writes a tensor; takes no time */                  \
	X(SYNC, "sync", 1) /* the host is blocked until `target` is done: record.reason says by what */ \
	X(SEGMENT, "segment", 1) /* the allocator gets or gives back a segment */                       \
	X(CRASH, "crash", 1)     /* the rank does nothing from here on */
enum op_kind {
#define X(symbol, name, host) OP_##symbol,
	OP_KINDS(X)
#undef X
	        OP_KIND_COUNT
};
const char *op_kind_name(enum op_kind kind);
bool op_kind_is_host(enum op_kind kind);

enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ADD = 4 /* += : reads and writes */ };
/* A tensor as an operation uses it: where, how laid out, and what is done to it. */
struct operand {
	int64_t address; /* bytes, in the rank's space */
	uint8_t space, access;
	bool transposed; /* for wording only; the layout has it done already */
	int tensor;      /* index at the time of queueing (one rank's; for names in messages), -1 if none */
	name_id name;    /* "y", or "g[0:512]" */
	struct layout layout;
};

enum reduction { REDUCE_SUM, REDUCE_AVG, REDUCE_MAX, REDUCE_MIN };
enum p2p_direction { P2P_SEND, P2P_RECV };
/* One transfer of an OP_P2P; a send has its operand's index among the record's operands. */
struct part {
	uint8_t direction;
	int peer /* world rank */;
	int operand;
};

enum { PARAMETERS_MAX = 6 };
/* What one line asked of one or more ranks in the same way (same shapes, addresses, parameters): stored
 * once. */
struct record {
	uint8_t kind;                        /* enum op_kind */
	char colour;                         /* 'F' 'R' 'B' 'W' 'O' 'C' from `phase`, or 0 */
	int16_t microbatch;                  /* from `phase F3`, or -1 */
	name_id title;                       /* "matmul", "allreduce", "copy" ... */
	name_id object;                      /* what it makes or moves, for labels: "y" */
	name_id phase;                       /* "F3" or 0 */
	name_id reason;                      /* of a SYNC: "sync" "print" "barrier" "copy" "let" ... */
	int section;                         /* number of the `mark` it stands under; 0 before the first */
	int line;                            /* number of the journal's line (looks like: who typed this) */
	const struct kernel *kernel;         /* OP_KERNEL, OP_FILL */
	const struct collective *collective; /* OP_COLLECTIVE */
	int group;                           /* COLLECTIVE, P2P: index into world.groups; else -1 */
	int root;                            /* place in the group, or -1 */
	uint8_t reduction, algorithm;        /* enum reduction; enum algorithm of collectives/collective.h */
	uint8_t operands, parts;
	struct operand
	        *operand; /* the world's arena's, never changed: equal ones are shared by many records */
	struct part *part;
	double parameter[PARAMETERS_MAX]; /* the kernel's options, in its row's order */
	double flops;                     /* of one rank */
	int64_t bytes; /* kernels: memory traffic; copies, collectives: the message (the tensor's bytes) */
	uint8_t dtype; /* enum dtype that decides the peak */
	int64_t duration_ns; /* host, spin, segment: asked for; -1: the cost model says */
	/* The cost on the machine of then, set by the backend when the record is first queued (so that `set`
	 * changes later lines only); in no digest. */
	int64_t alone_ns;        /* the duration undisturbed; -1 not yet known */
	double latency_ns, rate; /* of a copy, transfer or collective: fixed part; bytes/s of the rest */
	double flow_bytes;       /* ... and what the rest moves */
	double sent_bytes;       /* COLLECTIVE: what each rank sends in all */
	int64_t launch_ns;       /* host time to issue it */
};

enum op_flags {
	OPF_FREE_LAUNCH = 1, /* issued with the operation before it, for no launch time of its own (graphs,
	                      * together, implicit waits) */
	OPF_ABORTED = 2,     /* backend's */
	OPF_STARTED = 4,
	OPF_DONE = 8,    /* backend's: start / end are final */
	OPF_ISSUED = 16, /* backend's: issue is final */
};
#define TIME_UNKNOWN INT64_MAX
struct op {
	uint32_t record;
	op_id next_program; /* the rank's next in program order */
	op_id next_stream;  /* the next on its stream */
	op_id target;       /* WAIT, SYNC: what is waited for; 0 nothing; OP_EVERYTHING */
	uint32_t meet; /* COLLECTIVE: index into world.meets; P2P: into world.part_meets, one each; 0 none */
	/* backend's: the operation that made it start as late as it did (last to arrive, engine's holder) */
	op_id blame;
	uint16_t rank;
	uint8_t stream, flags;
	uint32_t number;                  /* 1, 2 ... on its rank */
	int64_t issue, ready, start, end; /* backend's, virtual ns; TIME_UNKNOWN until final */
};
_Static_assert(sizeof(struct op) == 64, "an operation is one cache line");

/* A rendezvous, where operations of several ranks meet: a collective (n = group size) or a transfer (n = 2:
 * sender, receiver). Made when the first member queues its part; `count` members have; mismatch is settled in
 * program order, at once. */
struct meet {
	int group, instance;
	uint32_t sequence; /* in the group instance, or in the (source, destination) channel */
	int n, count;
	uint32_t
	        first_op; /* index into world.meet_ops: n op_ids by place (p2p: [0] sender, [1] receiver); 0 =
	                    * not queued */
	bool p2p;
	uint32_t next;      /* the next meet of the same group instance or channel, 0 none */
	op_id opener;       /* the member that was queued first */
	uint32_t crossings; /* crossing.c: meets of other groups that some rank queued just before this one */
	bool mismatch;      /* kind, size, type, root or reduction differ: nobody will ever leave it */
	bool aborted;
};

struct section {
	name_id name;
	int line;
};

/* Operands that records of late had, to be shared by the next one alike: scripts repeat their lines. */
enum { OPERANDS_KEPT = 256 };
struct kept_operands {
	struct operand *operand;
	int count;
};

/* A block of memory was handed out: its bytes are unwritten for what is queued behind operation `after` (of
 * all ranks). */
struct handout {
	int64_t address, bytes;
	op_id after;
	uint16_t rank;
	uint8_t space;
};

struct world;
struct races;        /* races/: what that folder has found in these books so far */
struct world_memory; /* allocator: segments and blocks of all ranks (allocator.c) */

struct world {
	int n;                   /* ranks */
	int me;                  /* the rank whose data this process holds; -1: none (--dry) */
	struct machine *machine; /* the one in force; owned by the shell */
	struct names *names;
	name_id default_name, world_name, segment_name, wait_name;
	struct op *ops; /* [1 .. op_count] */
	size_t op_count, op_room;
	struct record *records; /* [1 .. record_count] */
	size_t record_count, record_room;
	struct meet *meets;
	size_t meet_count, meet_room; /* [1 ..] */
	op_id *meet_ops;
	size_t meet_op_count, meet_op_room;
	uint32_t *part_meets;
	size_t part_meet_count, part_meet_room; /* op.meet of a P2P indexes this: one meet a part */
	op_id *first, *last;                    /* by rank: program order */
	struct tensor *tensors;
	size_t tensor_count, tensor_room;
	int free_tensor; /* first unused slot, -1 none */
	struct stream *streams;
	size_t stream_count, stream_room;
	struct event *events;
	size_t event_count, event_room;
	struct group *groups;
	size_t group_count, group_room; /* [0] is "world" */
	struct section *sections;
	size_t section_count, section_room; /* [0] is "" */
	struct races *races;                /* NULL until asked for; freed by races_free */
	size_t aborts;                      /* so many calls of world_abort */
	size_t mismatch_count;              /* mismatched meets that no abort has ended yet */
	int line; /* the line being applied: set by the shell, for operations the books queue by themselves */
	struct world_memory *memory;
	struct world_names *bindings; /* (name, rank) -> thing */
	struct world_lanes
	        *lanes; /* (rank, number) -> stream, and what the rank's host has seen the end of */
	struct world_matching *matching; /* channels of transfers, crossings of groups */
	struct world_graphs *graphs;
	struct arena *arena;                      /* operands, parts */
	struct kept_operands kept[OPERANDS_KEPT]; /* by hash */
	uint64_t digest;
};

/* machine is borrowed. Streams "default" and group "world" exist from the start. */
struct world *world_create(int n, int me, struct machine *machine);
/* `world` is new and comes after `old`, which goes: ids of names mean the same in both. (The names that every
 * world begins with are the first of either table.) */
void world_keep_names(struct world *world, struct world *old);
void world_free(struct world *world);

/* -- names: never create */
struct thing world_find(const struct world *world, int rank, name_id name);
/* ST_NAME when the name means something on the rank that is not of that kind (THING_NONE: anything at all). */
enum status world_name_fits(const struct world *world, int rank, name_id name, enum thing_kind kind);
/* ST_NAME when the rank uses the name for another kind. */
enum status world_bind(struct world *world, int rank, name_id name, struct thing thing);
void world_unbind(struct world *world, int rank, name_id name);
/* Its place in the order in which the names of this world were first bound, on any rank. It has been bound. */
uint32_t world_name_turn(const struct world *world, name_id name);
/* The nearest name of that kind (THING_NONE: any) on that rank, or NULL when none is near. */
const char *world_nearest(const struct world *world, int rank, const char *name, enum thing_kind kind);
struct stream *world_stream(
        const struct world *world, int rank, int number); /* by number on the rank, NULL if none */

/* -- tensors. pool: the stream (number on the rank) whose free lists serve it. New segments queue OP_SEGMENT
 * on
 *    the rank by themselves; initial data's takes no time.
 *    kind: below MEMORY_KINDS, what the memory is for: counted, and nothing else. ST_DEVICE_MEMORY names
 *    reserved, allocated, the largest free block and the largest owners. */
enum tensor_use {
	TENSOR_RESULT, /* of work in stream order */
	/* initial data that is filled at once: only memory that the host has seen the end of */
	TENSOR_FILLED,
	TENSOR_BARE, /* initial data without content */
};
enum status world_tensor_make(struct world *world, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int kind, int *index);
enum status world_view_make(struct world *world, int rank, name_id name, int base_tensor, int64_t address,
        const struct layout *layout, int *index);
/* (Both: a name that means a tensor already is turned to the new one, and the old one stays until it is
 * freed; name 0 is bound to nothing. Host and pinned memory is always clean and has one pool.)
 * after_stream: STREAM_HOST (0) for none, or the stream whose work so far the next user of the memory waits
 * for. Frees the views of an owner too; a name is unbound only while it still means this tensor. */
void world_tensor_free(struct world *world, int index, int after_stream);

/* The tensor that owns the byte at `address`, or -1. */
int world_tensor_at(const struct world *world, int rank, enum space space, int64_t address);
/* Backend's: the bytes were spoiled by `op` (its output never came), or, with op 0, written anew: tensors
 * that overlap them are marked; the mark goes when all their bytes are written. In no digest. */
void world_poison(struct world *world, int rank, enum space space, int64_t address, int64_t bytes, op_id op);

/* -- streams, events, groups, sections */
enum status world_stream_make(
        struct world *world, int rank, name_id name, int priority, bool blocking, int *index);
enum status world_event_make(
        struct world *world, int rank, name_id name, int *index); /* finds it when there */
/* ranks[i] of instance k: starts[k] .. starts[k+1]-1. Binds the name on every member rank. */
enum status world_group_make(struct world *world, name_id name, bool axis, int instances, const int *starts,
        const int *ranks, int *index);
/* The new section's number. The same name again: a section "name" anew, found last. */
int world_mark(struct world *world, name_id name, int line);

/* -- queueing. The record is copied (operands and parts too) unless `like` > 0 names a record of this same
 * line with
 *    equal content, which is then shared. Does: program and stream order, matching, mismatch, race check,
 *    poisoning of nothing. *id is the new operation. Implicit waits (reused memory: rule 10) are queued
 *    before it by itself. */
enum status world_queue(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* While a graph is captured on a rank, world_queue adds to the graph instead. */
/* (Work of the host lane cannot be captured: ST_ARGUMENT. The ids that world_queue gives meanwhile are the
 * graph's own: good as targets of waits and for world_event_record while it is captured, and for nothing
 * else. The stream of the first captured operation stands for the one that a launch names; other streams keep
 * their numbers. Events recorded in the graph mean its operations from each launch on. The first operation of
 * a launch costs one launch, the others none.) */
bool world_capturing(const struct world *world, int rank);
#define OP_CAPTURED 0x80000000u /* ids of captured operations begin here; world.ops has none of them */
enum status world_capture_begin(struct world *world, int rank, name_id graph);
enum status world_capture_end(struct world *world, int rank);
/* The last operation queued on a stream (0: none): what a wait for the stream waits for. While a graph is
 * captured: the graph's last on it. */
op_id world_tail(const struct world *world, int rank, int number);
enum status world_graph_launch(struct world *world, int rank, name_id graph, int stream, int section);
void world_event_record(struct world *world, int rank, int event, op_id record_op);
/* Ends every unfinished meeting of the group: sequence numbers restart (the backend ends the operations
 * first). */
void world_abort(struct world *world, int group);

/* Collectives of two groups that two ranks queued in opposite orders: NCCL can hang. One a pair of groups;
 * NULL behind the last. */
const char *world_order_warning(const struct world *world, size_t i);

/* -- asking */
static inline bool meet_complete(const struct meet *meet)
{
	return meet->count == meet->n;
}
/* Where an operation meets others: op_meets(...)[0 .. *count-1], indices into world.meets. */
const uint32_t *op_meets(const struct world *world, op_id id, int *count);
const struct handout *world_handouts(const struct world *world, size_t *count); /* all so far, in order */
static inline const struct record *op_record(const struct world *world, op_id id)
{
	return &world->records[world->ops[id].record];
}
/* The first operand that is read, or written, of a copy or a collective; NULL if it has none. */
const struct operand *record_source(const struct record *record);
const struct operand *record_target(const struct record *record);
const struct record *world_mismatch(const struct world *world, const struct meet *meet,
        struct text *why); /* "rank 3 brings 2 kB, ranks 0-2 4 kB" */
void op_text(const struct world *world, op_id id,
        struct text *out); /* "allreduce#3" style name; see op_label for "matmul y" */
void op_label(const struct world *world, op_id id, struct text *out);
/* "y", "allreduce#3", "F3" on a rank -> the operation; ST_NAME names the nearest. */
enum status op_find(const struct world *world, int rank, const char *text, op_id *id);

/* -- memory: real bytes behind an address of rank `me`, NULL otherwise. Set by the backend per segment. */
void *world_data(const struct world *world, enum space space, int64_t address);
/* The backend calls it when an OP_SEGMENT of rank `me` ends: until then the bytes of segments that it gives
 * back stay, for the operations queued before it. */
void world_segment_done(struct world *world, op_id segment_op);
struct segment_view {
	int64_t address, bytes;
	int pool;
};
struct block_view {
	int64_t address, bytes;
	bool free;
	int pool;
	name_id owner;
	op_id after;
};
int world_segments(const struct world *world, int rank, struct segment_view *out,
        int room); /* returns how many there are */
int world_blocks(
        const struct world *world, int rank, struct block_view *out, int room); /* device, by address */
enum { MEMORY_KINDS = 8 };
struct memory_counts {
	int64_t allocated, reserved, peak_allocated, peak_reserved, largest_free, host, pinned;
	int64_t peak_kind[MEMORY_KINDS]; /* what peak_allocated was made of: they add up to it */
};
int world_memory_kind(const struct world *world, int tensor); /* its memory's; a view's is its owner's */
void world_memory_counts(const struct world *world, int rank, struct memory_counts *counts);
enum status world_trim(struct world *world,
        int rank); /* gives back free segments; queues OP_SEGMENT with target EVERYTHING */
/* Called by world when segments come and go on rank `me`; set by the backend. get returns the bytes' address
 * or NULL. */
struct segment_calls {
	void *self;
	void *(*get)(void *self, enum space space, int64_t bytes); /* never NULL */
	void (*give)(void *self, enum space space, void *base, int64_t bytes);
};
void world_segment_calls(struct world *world, struct segment_calls calls);

#endif
