/* world.h -- the books: what all ranks have been told, kept by everyone.
 *
 * Every process applies every line to the same books for all ranks: names, tensors, streams, events, groups,
 * the allocator's map, the program order of every operation, matches, vector clocks. They are functions of
 * each rank's program order ONLY: no time, no wall clock, no real addresses, no unseeded randomness, no
 * unordered iteration. Every change folds into `digest`; processes compare digests. Only the fields of
 * `struct op` marked "backend's" know time, and they are in no digest.
 *
 * Files: world.c (life, marks)  bindings.c (names)  tensors.c  streams.c (streams, events)  groups.c  queue.c
 * (program order)  pending.c (free x on S)  match.c (rendezvous)  mismatch.c (words for those that do not
 * agree)  windows.c  crossing.c (groups used in opposite orders)  swapped.c (collectives of one group in opposite orders)  allocator.c memory.c (caching allocator)  graph.c  graph_memory.c
 * labels.c  arena.c (memory that lives as long as the world)  tensor_kind.c (what a tensor's memory is for). op.h: operations; memory.h: the allocator's map; books.h: what the files share.
 * To add a kind of thing: enum thing_kind, an array here, a make function that checks first and changes last.
 *
 * May call: machine/ base/. Functions check nothing that a command's row has checked, but keep the books
 * whole: on any failure status the books are as before the call.
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_WORLD_H
#define RANKSH_WORLD_H

#include "machine/machine.h"
#include "world/memory.h"
#include "world/op.h"

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
	op_id invalid;     /* the operation whose abort or failure left its contents undefined, or 0 */
	op_id last_writer; /* for `why y`; 0: initial data */
	op_id window; /* of an owner: the collective that opened a window on it, in program order; 0: it is in none */
};

/* world.streams holds the host lane of every rank too (number 0, named "host", bound to no name). */
struct stream {
	name_id name; /* world.default_name for the default stream */
	uint16_t rank;
	uint8_t number;  /* on its rank: STREAM_HOST, STREAM_DEFAULT, then 2 ... */
	bool blocking;   /* the legacy default stream waits for it and holds it back */
	bool host;       /* a thread of the host, as a data loader's worker: no queue of the device */
	int8_t priority; /* 0, or 1 for high */
	op_id tail;      /* the last operation queued */
	uint32_t count;  /* operations queued */
	uint32_t seen;   /* the rank's host knows the end of those with numbers up to this */
	op_id one_sided; /* the last OP_ONE_SIDED queued; 0: none */
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
	int like;     /* world_group_like */
	int *ranks;   /* ranks[i]: the world rank of place i */
	uint32_t *at; /* at[i]: the match that place i joined last, 0: none since the last abort */
	uint32_t first_match, last_match; /* since then; match.next leads from one to the other */
	uint32_t swapped;                 /* swapped.c: the last match that was out of order */
};
struct group {
	name_id name;
	bool axis;       /* made by `mesh`: may stand in expressions and in @AXIS=n */
	int64_t timeout; /* ns that a collective may wait for its members; 0: for ever */
	int first;       /* how many instances the groups made before it have in all */
	int instances;
	unsigned compared; /* 1 + machine.changes when the parts were compared (world_group_like); 0: never */
	struct group_instance *instance;
	int16_t *instance_of; /* by world rank: which instance, or -1 */
	int16_t *place_of;    /* by world rank: place in it, or -1 */
	uint8_t *crosses;     /* crossing.c: by group made before it */
};
/* The instance of a rank that is in the group: on any other its name is not bound. */
static inline struct group_instance *group_part(const struct group *group, int rank)
{
	return &group->instance[group->instance_of[rank]];
}

struct section {
	name_id name;
	int line;
};
/* An iteration of a program that is played: operations first .. end-1, what was typed between its steps among them.
 * Operations before the first one are the setup's or none's, those behind an `end` up to the next `first` are nobody's. */
struct iteration {
	int number; /* as the program counts them: from 0, or on from a checkpoint */
	op_id first, end /* 0: it is under way */;
};

/* Kernels of the rank behind operation `after` take `factor` times as long. line 0: it was so before this world */
struct slowness {
	int rank, line;
	name_id file;
	op_id after;
	double factor;
};

struct ranks;
struct races;       /* races/: what that folder has found in these books so far */
struct circles;     /* waits/: orders of issue that form a circle */
struct world_inner; /* what only the files of this folder read: books.h */

struct world {
	int n;                   /* ranks */
	int me;                  /* the rank whose data this process holds; -1: none (--dry) */
	struct machine *machine; /* the one in force; owned by the shell */
	int64_t host_most; /* bytes of host memory, and of pinned, that each rank may have; 0: any number */
	struct names *names;
	name_id default_name, segment_name, wait_name;
	struct op *ops; /* [1 .. op_count] */
	size_t op_count, op_room;
	struct record *records; /* [1 .. record_count] */
	size_t record_count, record_room;
	struct match *matches; /* [1 .. match_count] */
	size_t match_count, match_room;
	uint32_t *part_matches; /* op.match of a P2P leads here: one match a part */
	size_t part_match_count, part_match_room;
	op_id *first, *last; /* by rank: program order */
	struct tensor *tensors;
	size_t tensor_count;
	struct stream *streams;
	size_t stream_count;
	struct event *events;
	size_t event_count;
	struct group *groups; /* [0] is "world" */
	size_t group_count;
	struct section *sections; /* [0] is "" */
	size_t section_count;
	struct iteration *iterations; /* in their order */
	size_t iteration_count;
	struct races *races;     /* NULL until asked for; freed by races_free */
	struct circles *circles; /* NULL until asked for; freed by circles_free */
	uint32_t *aborted;       /* matches, in the order in which they were aborted */
	size_t aborted_count;
	struct slowness *slowness; /* in the order of the lines */
	size_t slowness_count;
	int line; /* the line being applied: set by the shell, for operations the books queue by themselves */
	name_id file; /* ... and its file's name, 0: the text at hand */
	struct world_inner *inner;
	uint64_t digest;
};

/* machine is borrowed. Streams "default" and group "world" exist from the start. */
struct world *world_create(int n, int me, struct machine *machine);
/* A world that goes hands its names to the new one that comes after it: ids mean the same in both. (The names that every
 * world begins with are the first of either table.) Between the two calls they are the caller's; the old world is good for
 * world_free alone. */
struct names *world_take_names(struct world *world);
void world_give_names(struct world *world, struct names *names);
void world_free(struct world *world);

/* -- names: never create */
struct thing world_find(const struct world *world, int rank, name_id name);
/* ST_NAME when the name means something on the rank that is not of that kind (THING_NONE: anything at
 * all). */
enum status world_name_fits(const struct world *world, int rank, name_id name, enum thing_kind kind);
/* ST_NAME when the rank uses the name for another kind. */
enum status world_bind(struct world *world, int rank, name_id name, struct thing thing);
void world_unbind(struct world *world, int rank, name_id name);
/* Its place in the order in which the names of this world were first bound, on any rank. It has been
 * bound. */
uint32_t world_name_turn(const struct world *world, name_id name);
/* The nearest name of that kind (THING_NONE: any) on that rank, or NULL when none is near. */
const char *world_nearest(const struct world *world, int rank, const char *name, enum thing_kind kind);
/* ST_DEVICE_MEMORY: with so many more bytes of text the names would take more than host_most. They are kept, and count whether or not
 * anything still has that text. */
enum status world_text_fits(const struct world *world, int rank, size_t bytes);
/* by number on the rank, NULL if none */
struct stream *world_stream(const struct world *world, int rank, int number);

/* -- tensors. pool: the stream (number on the rank) whose free lists serve it; while the stream is captured, device memory
 *    comes from the graph's. New segments queue OP_SEGMENT on the rank by themselves; initial data's takes no time.
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
/* Backend's: what operation `id` writes was spoiled by `by` (its output never came), or, with `by` 0, written
 * anew: tensors that overlap it are marked; the mark goes when all their bytes are written. In no digest. */
void world_mark_outputs(struct world *world, op_id id, op_id by);

/* -- streams, events, groups, sections */
enum status world_stream_make(
        struct world *world, int rank, name_id name, int priority, bool blocking, int *index);
void world_stream_on_host(struct world *world, int index); /* one just made becomes a thread of the host */
/* finds it when there */
enum status world_event_make(struct world *world, int rank, name_id name, int *index);
/* ranks[i] of instance k: starts[k] .. starts[k+1]-1. Binds the name on every member rank. */
enum status world_group_make(struct world *world, name_id name, bool axis, int instances, const int *starts,
        const int *ranks, int *index);
/* The first part of the group whose members share nodes as those of the rank's part do: a collective costs the same on
 * both, and on no other. */
int world_group_like(const struct world *world, int group, int rank);
/* Collectives of the group that have waited so long for a member end undone (backend.expired). */
void world_group_timeout(struct world *world, int group, int64_t ns);
/* The new section's number. The same name again: a section "name" anew, found last. */
int world_mark(struct world *world, name_id name, int line);
void world_iteration_begin(struct world *world, int number);
void world_iteration_end(struct world *world); /* of the one under way */
/* The line being applied makes the rank's kernels slower from here on, or as fast as others again. Words for it only: it
 * is the backend that makes them so, and it is in no digest. */
void world_slow(struct world *world, int rank, double factor);
/* By which line its kernels were so slow when that operation was queued; NULL: none */
const struct slowness *world_slow_at(const struct world *world, op_id id);
/* Index into world.iterations; -1: it is in none */
int world_iteration_of(const struct world *world, op_id id);

/* -- queueing. The record is copied, with its operands and parts, unless `like` > 0 names a record of this same line with equal
 *    content, which is then shared. The operation takes its place in program and stream order, meets its partners, and is looked
 *    at for mismatches and races; *id is its number. Waits for memory that is used again (rule 10) are queued before it. */
enum status world_queue(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* While a graph is captured on a rank, world_queue adds to the graph what its streams get. */
/* (Work of the host lane cannot be captured: ST_ARGUMENT. The ids that world_queue gives meanwhile are the
 * graph's own: good as targets of waits and for world_event_record while it is captured, and for nothing
 * else. Events recorded in the graph mean its operations from each launch on. The first operation of
 * a launch costs one launch, the others none.
 * The streams of a graph are the one that is captured, in whose place a launch puts its own, and those that were forked
 * from it: they waited for an operation of the graph. A wait of theirs for anything else is refused, ST_ARGUMENT; work of
 * other streams is queued as if nothing was captured.) */
bool world_capturing(const struct world *world, int rank);
#define OP_CAPTURED 0x80000000u /* ids of captured operations begin here; world.ops has none of them */
#define OP_CAPTURE_START \
	(OP_EVERYTHING - 1) /* as a wait's target: a stream of the graph that has no operation yet */
enum status world_capture_begin(struct world *world, int rank, name_id graph, int stream);
/* ST_ARGUMENT, naming a stream that was forked and whose work the captured stream does not wait for */
enum status world_capture_joined(const struct world *world, int rank);
/* The next stream behind *stream with work that was queued during the capture and is not in the graph; *stream begins
 * as STREAM_HOST. false: there is none. */
bool world_capture_apart(const struct world *world, int rank, int *stream);
/* keep: binds the name to what was captured, and the graph that it meant before is gone. Else the name means what it meant
 * before the capture, and the captured work is gone. A graph that is gone keeps no memory. */
enum status world_capture_end(struct world *world, int rank, bool keep);
/* The last operation queued on a stream (0: none): what a wait for the stream waits for. While a graph is
 * captured, of a stream of the graph: the graph's last on it. */
op_id world_tail(const struct world *world, int rank, int number);
/* One launch: operations first .. last, all of one rank, in the order of the capture; among them the waits that their memory
 * needed (OPF_FREE_LAUNCH). */
struct launch {
	op_id first, last;
	uint32_t graph; /* each capture has a number of its own, also where it takes another one's name */
	name_id name;
	int stream; /* on which it was launched; other streams of its operations were forked in the capture */
};
/* The launch that the operation came with; NULL: none. Valid until the next one. */
const struct launch *world_launch(const struct world *world, op_id id);
/* ST_NAME when a launch is refused for what the graph uses: a window that is closed by now, memory that is gone. Requires
 * that the name is a graph's. */
enum status world_graph_ready(const struct world *world, int rank, name_id graph);
enum status world_graph_launch(struct world *world, int rank, name_id graph, int stream, int section);
/* Returns the name of a graph. graph: as pool_graph gives it. Requires that it is being captured, or was and is not gone. */
name_id world_graph_name(const struct world *world, uint32_t graph);
/* Memory that a launch uses though it was freed */
struct freed_use {
	const struct handout *freed; /* valid until memory is taken */
	uint8_t access;
	bool taken;  /* another tensor has it now, */
	name_id now; /* of this name; 0: it has none */
};
/* The next block after *from (at first 0) that operations of the graph use and that was freed, in the order in which the
 * blocks were handed out. Blocks of the graph's own pool are never among them: no other tensor gets them. Each is returned once
 * for a graph, and once more when another tensor has got it. false: no more. Requires that the name is a graph's. */
bool world_graph_freed(struct world *world, int rank, name_id graph, size_t *from, struct freed_use *use);
/* The communication that starts as one with this one and comes behind it, of a `together`; 0: this is the last, or alone. */
op_id world_together_next(const struct world *world, op_id id);
void world_event_record(struct world *world, int rank, int event, op_id record_op);
/* Ends every unfinished meeting of the group: sequence numbers restart (the backend ends the operations
 * first). */
void world_abort(struct world *world, int group);
/* The same for one part of a group: this collective of it waited too long, and whatever stood behind it went too. */
void world_expire(struct world *world, uint32_t match);

/* -- windows: memory that the other ranks of a group reach by one-sided operations. A tensor's window opens when the rank
 *    queues the collective that says so (record.window), and closes likewise, or with an abort of its group. */
/* Where a one-sided operation reaches: the operand as it is on the rank that it names. Returns false if that rank has queued
 * no window yet, or the collective in which the window was to open is a mismatch: nothing is reached then. */
bool world_remote(const struct world *world, op_id id, struct operand *remote);
/* ST_NAME, "what: y is in a window of ps: close y first", while the owner is in one: it is neither freed nor made anew. */
enum status world_window_closed(const struct world *world, const char *what, int tensor);
/* Is the window that this collective of the rank opened open, by what the rank has queued so far? */
bool world_window_open(const struct world *world, int rank, op_id window);

/* The gets of all ranks, in the order in which they were queued: their bytes are sent by the rank that has no operation */
const op_id *world_gets(const struct world *world, size_t *count);

/* Collectives of two groups that two ranks queued in opposite orders: NCCL can hang. One a pair of groups;
 * NULL behind the last. */
const char *world_order_warning(const struct world *world, size_t i);
/* Is one of them about these two groups? */
bool world_order_reported(const struct world *world, int a, int b);

/* -- collectives whose members bring tensors of other names */
/* The i-th match that is the first of several whose members came in opposite orders; 0 behind the last. Reported once for its
 * lines in a group. */
uint32_t world_swapped(const struct world *world, size_t i);
/* For a collective that lacks members: returns the first match from which on a rank that is in it is one call ahead of one that is
 * not, by the tensors and lines that they bring; 0: none. */
uint32_t world_shifted(const struct world *world, uint32_t match);
/* The tensor that the member at a place brings; 0: none (a barrier) */
name_id world_brought(const struct world *world, const struct match *match, int place);
/* Sorts the members that are there into sets that bring tensors of one name from one line: first[i] is the first place of the i-th
 * set, ranks[i] gets its ranks (zeroed by the caller; NULL: not asked for). Returns how many sets there are; members of more than
 * BRINGS_MOST are left out. */
enum { BRINGS_MOST = 6 };
int world_brings(
        const struct world *world, const struct match *match, int first[BRINGS_MOST], struct ranks *ranks);
/* Do members of the collective that are there bring tensors of other names? */
bool world_brings_differ(const struct world *world, const struct match *match);

/* -- asking */
static inline const struct record *op_record(const struct world *world, op_id id)
{
	return &world->records[world->ops[id].record];
}
static inline bool match_complete(const struct match *match)
{
	return match->count == match->n;
}
/* Where an operation meets others, by part of a transfer: op_matches(...)[0 .. *count-1], indices into
 * world.matches. */
const uint32_t *op_matches(const struct world *world, op_id id, int *count);
/* The match of one part of a transfer that has been queued. */
static inline const struct match *part_match(const struct world *world, op_id id, int part)
{
	return &world->matches[world->part_matches[world->ops[id].match + part]];
}
/* Which part of a transfer joined the match, as its sender or its receiver */
int match_part(const struct world *world, op_id id, const struct match *match, enum p2p_direction direction);
/* Do two members bring the same? */
bool world_agree(const struct world *world, const struct match *match, int a, int b);
/* What differs in the first match of the operation whose members do not agree: "rank 3 brings 2 kB, ranks 0-2
 * bring 4 kB". algorithm_word: algorithm_name of collectives/algorithm.h */
void world_mismatch(
        const struct world *world, op_id id, const char *(*algorithm_word)(int), struct text *why);
/* What one part of a transfer sends or receives */
static inline const struct operand *part_operand(const struct record *record, int part)
{
	return &record->operand[record->part[part].operand];
}
/* The first operand that is read, or written, of a copy or a collective; NULL if it has none. */
const struct operand *record_source(const struct record *record);
const struct operand *record_target(const struct record *record);
void op_text(const struct world *world, op_id id, struct text *out);  /* "allreduce#3" */
void op_label(const struct world *world, op_id id, struct text *out); /* "matmul y" */
/* What a note calls the operation, which reads or writes a tensor there: its title, or its kind where it has none. Messages that
 * `together` fuses have the title of the first one: what reads is "send", what writes "recv". */
const char *op_called(const struct world *world, op_id id, bool writes);
/* "line 9", "lab/model.rsh:9", the file as it was given; nothing of line 0 */
void source_line_text(const struct world *world, name_id file, int line, struct text *out);
/* "allreduce#3": the third of that title. 0: it is no such text, or nothing has that title */
long op_numbered(const struct world *world, const char *text, name_id *title);
/* "y", "allreduce#3", "F3" on a rank -> the operation; ST_NAME names the nearest. */
enum status op_find(const struct world *world, int rank, const char *text, op_id *id);

#endif
