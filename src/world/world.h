/* world.h -- the replicated state (the books): every process applies every line for all ranks
 *
 * The state depends ONLY on each rank's program order, never on virtual time, the wall clock, real
 * addresses, unseeded randomness or unordered iteration. Every change goes into `digest`, which
 * the processes compare. Only the fields of `struct op` marked "backend's" are exempt.
 *
 *     world.c      creation, marks               match.c        matching
 *     bindings.c   names                         mismatch.c     messages about members that differ
 *     tensors.c    tensors, views                orders.c       opposite orders of two ranks
 *     streams.c    streams, events               windows.c      windows
 *     groups.c     groups                        graph.c        captured graphs
 *     queue.c      program order, records        graph_memory.c   and their memory
 *     pending.c    `free x on S`                 allocator.c    one space of one rank
 *     labels.c     "allreduce#3", "F3"           memory.c       the spaces of all ranks
 *     op.h         operations                    memory.h       the allocator's map
 *     books.h      private to this folder        tensor_kind.h  purposes of memory
 *
 * To add a kind of thing, extend enum thing_kind and struct world, and write a make function that
 * checks everything before it changes anything.
 *
 * May call: machine/ base/. An umbrella header. Functions do not repeat the checks that a row of
 * the command table makes. After any failure the state is as before the call. */
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
}; /* index: into the array for that kind */

struct tensor {
	name_id name;
	uint16_t rank;
	uint8_t space;
	bool view;       /* a named part of `base` */
	bool used;       /* the slot holds a tensor */
	int base;        /* the memory's owner; itself if not a view */
	int views;       /* owner: number of named views */
	int next_view;   /* owner: its first view; view: the next one; -1: none */
	int64_t address; /* the first element's address */
	struct layout layout;
	/* the operation whose abort or failure left the contents undefined; 0: valid */
	op_id invalid;
	op_id last_writer; /* for `why y`; 0: initial data */
	/* owner: the collective that opened its window; 0: none open in program order */
	op_id window;
};

/* A stream, or a rank's host lane: number 0, called "host", with no name bound to it */
struct stream {
	name_id name; /* default stream: world.default_name */
	uint16_t rank;
	uint8_t number;  /* STREAM_HOST, STREAM_DEFAULT, then 2 ... */
	bool blocking;   /* synchronizes with the legacy default stream */
	bool host;       /* a host thread, such as a data loader's worker */
	int8_t priority; /* 1: high */
	op_id tail;
	uint32_t count;
	uint32_t seen;   /* the host has waited for its operations up to this op.number */
	op_id one_sided; /* last OP_ONE_SIDED; 0: none */
};
enum { STREAM_HOST = 0, STREAM_DEFAULT = 1, STREAMS_MAX = 250 }; /* HOST is the host's own lane */

struct event {
	name_id name;
	uint16_t rank;
	op_id record; /* last OP_RECORD in program order; 0: never recorded */
};

/* A named group ("world", "tp", a user's): disjoint instances; a rank is in at most one. */
struct group_instance {
	int n;
	int like;   /* world_group_like */
	int *ranks; /* world rank by group rank */
	/* by group rank: the last match that it joined; 0: none since an abort */
	uint32_t *at;
	uint32_t first_match, last_match; /* since the last abort, linked by match.next */
	uint32_t swapped;                 /* orders.c: last match out of order */
};
struct group {
	name_id name;
	bool axis;       /* an axis of a `mesh`: expressions and @AXIS=n accept it */
	int64_t timeout; /* ns to wait for members; 0: for ever */
	int first;       /* number of instances in all earlier groups */
	int instances;
	/* 1 + machine.changes at the last comparison (world_group_like); 0: never */
	unsigned compared;
	struct group_instance *instance;
	int16_t *instance_of; /* by world rank, or -1 */
	int16_t *place_of;    /* by world rank, or -1 */
	uint8_t *crosses;     /* by earlier group: the state of the pair (orders.c) */
};
/* Returns a member rank's instance. */
static inline struct group_instance *group_part(const struct group *group, int rank)
{
	return &group->instance[group->instance_of[rank]];
}

struct section {
	name_id name;
	int line;
};
/* A program's iteration: operations first .. end-1, including those typed between its steps. Other
 * operations belong to no iteration. */
struct iteration {
	int number; /* from 0, or from a checkpoint's */
	op_id first, end /* 0: running */;
};

/* Kernels after operation `after` take `factor` times as long. line 0: set before a reset made
 * this world */
struct slowness {
	int rank, line;
	name_id file;
	op_id after;
	double factor;
};

struct ranks;
struct races;
struct circles;
struct world_inner; /* books.h */

struct world {
	int n;                   /* ranks */
	int me;                  /* the rank whose data this process holds; -1: none (--dry) */
	struct machine *machine; /* current one, owned by the shell */
	/* bytes that a rank may use of host memory, and again of pinned memory; 0: no limit */
	int64_t host_most;
	struct names *names;
	name_id default_name, segment_name, wait_name;
	struct op *ops; /* [1 .. op_count] */
	size_t op_count, op_room;
	struct record *records; /* [1 .. record_count] */
	size_t record_count, record_room;
	struct match *matches; /* [1 .. match_count] */
	size_t match_count, match_room;
	/* one match per part of a P2P: op.match is the first one's index */
	uint32_t *part_matches;
	size_t part_match_count, part_match_room;
	op_id *first, *last; /* by rank: program order */
	struct tensor *tensors;
	size_t tensor_count;
	struct stream *streams;
	size_t stream_count;
	struct event *events;
	size_t event_count;
	struct group *groups; /* [0]: "world" */
	size_t group_count;
	struct section *sections; /* [0]: "" */
	size_t section_count;
	struct iteration *iterations;
	size_t iteration_count;
	struct races *races;     /* made on demand; freed by races_free */
	struct circles *circles; /* made on demand; freed by circles_free */
	/* all one-sided gets, in queue order: the target sends their bytes */
	op_id *gets;
	size_t get_count;
	struct handout *handouts; /* of all spaces and ranks, in order */
	size_t handout_count;
	uint32_t *aborted; /* matches, in abort order */
	size_t aborted_count;
	struct slowness *slowness;
	size_t slowness_count;
	int line; /* current line, set by the shell, for implicit operations */
	name_id file;
	struct world_inner *inner;
	uint64_t digest;
};

/* Creates a world with n ranks, the streams "default" and the group "world". Borrows machine. */
struct world *world_create(int n, int me, struct machine *machine);
/* Frees world->names, too, unless the caller has moved them to a new world and set NULL here. */
void world_free(struct world *world);

/* -- names. world_find returns THING_NONE if the name is bound to nothing on the rank. */
struct thing world_find(const struct world *world, int rank, name_id name);
/* Fails with ST_NAME if the rank uses the name for another kind (THING_NONE: for anything). */
enum status world_name_fits(const struct world *world, int rank, name_id name, enum thing_kind kind);
/* Fails with ST_NAME if the rank uses the name for another kind. */
enum status world_bind(struct world *world, int rank, name_id name, struct thing thing);
void world_unbind(struct world *world, int rank, name_id name);
/* Returns a bound name's position in the order of first binding on any rank. */
uint32_t world_name_turn(const struct world *world, name_id name);
/* Returns the rank's nearest name for that kind (THING_NONE: any); NULL if none is near. */
const char *world_nearest(const struct world *world, int rank, const char *name, enum thing_kind kind);
/* Fails with ST_DEVICE_MEMORY if the texts of all names, which are never freed, and `bytes` more
 * exceed host_most. */
enum status world_text_fits(const struct world *world, int rank, size_t bytes);
/* Returns the rank's stream with that number; NULL if none. */
struct stream *world_stream(const struct world *world, int rank, int number);

/* -- tensors. Making one binds the name; a tensor that had the name stays until it is freed. Name
 * 0 binds nothing. pool: the number of the rank's stream whose free lists serve the request; for a
 * captured stream, the graph's. A new device segment queues an OP_SEGMENT, which takes no time for
 * initial data. kind: the memory's purpose, below MEMORY_KINDS. Outside the device, memory is
 * reused only after the host has waited for its last use. Fails with ST_NAME, ST_LIMIT or
 * ST_DEVICE_MEMORY. */
enum tensor_use {
	TENSOR_RESULT,
	/* initial data, written at once: only in memory whose last use the host has waited for */
	TENSOR_FILLED,
	TENSOR_BARE, /* initial data, no content */
};
enum status world_tensor_make(struct world *world, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int kind, int *index);
enum status world_view_make(struct world *world, int rank, name_id name, int base_tensor, int64_t address,
        const struct layout *layout, int *index);
/* Frees the tensor (an owner with its views) and unbinds the names still bound to it. The next
 * user of the memory waits for the work queued so far on after_stream; STREAM_HOST (0): for
 * nothing. */
void world_tensor_free(struct world *world, int index, int after_stream);

/* Returns the index of the owner whose memory holds `address`, or -1. */
int world_tensor_at(const struct world *world, int rank, enum space space, int64_t address);
/* Backend's: marks the tensors that overlap the outputs of operation `id` as left undefined by
 * `by`. With `by` 0, clears the mark of those that operation `id` has written completely. In no
 * digest. */
void world_mark_outputs(struct world *world, op_id id, op_id by);

/* -- streams, events, groups, sections. world_stream_make fails with ST_NAME or ST_LIMIT. */
enum status world_stream_make(
        struct world *world, int rank, name_id name, int priority, bool blocking, int *index);
void world_stream_on_host(struct world *world, int index); /* makes a new stream a host thread */
/* Makes an event, or returns the existing one. Fails with ST_NAME. */
enum status world_event_make(struct world *world, int rank, name_id name, int *index);
/* Instance k consists of ranks[starts[k]] .. ranks[starts[k+1] - 1]. Binds the name on all
 * members. Fails with ST_NAME. */
enum status world_group_make(struct world *world, name_id name, bool axis, int instances, const int *starts,
        const int *ranks, int *index);
/* Returns the first instance whose members are spread over nodes like those of the rank's
 * instance. Collectives cost the same in both. Requires a member rank. */
int world_group_like(const struct world *world, int group, int rank);
/* Sets the timeout: a collective that has waited `ns` for members ends undone
 * (backend.expired). */
void world_group_timeout(struct world *world, int group, int64_t ns);
/* Begins a section and returns its number. Lookups of a repeated name find the last section. */
int world_mark(struct world *world, name_id name, int line);
void world_iteration_begin(struct world *world, int number);
void world_iteration_end(struct world *world);
/* Multiplies the duration of the rank's later kernels (and spin) by `factor`. In no digest. */
void world_slow(struct world *world, int rank, double factor);
/* Returns the slowness in force for the operation; NULL if none or its factor is 1. */
const struct slowness *world_slow_at(const struct world *world, op_id id);
/* Returns the operation's index into world.iterations, or -1. */
int world_iteration_of(const struct world *world, op_id id);

/* -- queueing. Queues implicit waits for reused memory (rule 10), then the operation, and joins it
 * to its matches. Copies the record with its operands and parts; `like` > 0 is the index of an
 * equal record of the same line to share instead. target: the operation that a wait waits for, or
 * OP_EVERYTHING; 0: none. flags: enum op_flags. *id: an index into world.ops, or a captured id.
 * Fails with ST_LIMIT, or in a capture with ST_ARGUMENT. */
enum status world_queue(struct world *world, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* Returns true if the rank captures a graph. The graph's streams are the captured one, which a
 * launch replaces by its own stream, and those that have waited for captured work (forked).
 * world_queue adds work on them to the graph, queues work on other streams at once, and fails with
 * ST_ARGUMENT for host work, window collectives and a wait of the graph's streams for other work.
 * Captured ids are valid until the capture ends, as targets of waits and for
 * world_event_record. */
bool world_capturing(const struct world *world, int rank);
#define OP_CAPTURED 0x80000000u              /* first id for captured operations */
#define OP_CAPTURE_START (OP_EVERYTHING - 1) /* target: a graph stream without operations */
/* Starts a capture. Fails with ST_ARGUMENT if the rank captures already, or with ST_NAME. */
enum status world_capture_begin(struct world *world, int rank, name_id graph, int stream);
/* Fails with ST_ARGUMENT, naming the stream, if the captured stream does not wait for a forked
 * one. */
enum status world_capture_joined(const struct world *world, int rank);
/* Sets *stream (at first STREAM_HOST) to the next stream with work that was queued during the
 * capture and is not in the graph. Returns false if there is none. */
bool world_capture_apart(const struct world *world, int rank, int *stream);
/* Ends the capture. keep: keeps the graph and frees an older one of its name; not keep: frees the
 * captured work and restores the name. Fails with ST_ARGUMENT if the rank captures no graph. */
enum status world_capture_end(struct world *world, int rank, bool keep);
/* Returns the stream's last operation, as a wait's target; 0: none. For a graph's stream during
 * the capture: its last captured operation, or OP_CAPTURE_START. */
op_id world_tail(const struct world *world, int rank, int number);
/* A graph's launch: one rank's operations first .. last, in capture order, with implicit waits
 * (OPF_FREE_LAUNCH) */
struct launch {
	op_id first, last;
	uint32_t graph; /* unique per capture */
	name_id name;
	int stream; /* the launch's stream; operations may be on forked streams, too */
};
/* Returns the operation's launch, valid until the next one; NULL if none. */
const struct launch *world_launch(const struct world *world, op_id id);
/* Fails with ST_NAME if a window in the graph is closed, or memory that it uses was returned to
 * the device. Requires a graph's name. */
enum status world_graph_ready(const struct world *world, int rank, name_id graph);
/* Queues the graph's operations on `stream` and the forked streams, after its previous launch.
 * Fails with ST_NAME or ST_LIMIT, with nothing queued. */
enum status world_graph_launch(struct world *world, int rank, name_id graph, int stream, int section);
/* Returns the name of an existing or captured graph. graph: as in pool_graph. */
name_id world_graph_name(const struct world *world, uint32_t graph);
/* Freed memory that a launch uses */
struct freed_use {
	const struct handout *freed; /* valid until memory is taken */
	uint8_t access;
	bool taken;  /* a new tensor has it */
	name_id now; /* that tensor's name; 0: none */
};
/* Sets *use to the next freed block, from *from (at first 0) on, that the graph uses outside its
 * own pools. Returns false if there is none. A block is reported once, and once more when a new
 * tensor has it. Requires a graph's name. */
bool world_graph_freed(struct world *world, int rank, name_id graph, size_t *from, struct freed_use *use);
void world_event_record(struct world *world, int rank, int event, op_id record_op);
/* Ends the group's unfinished matches and restarts its numbering. Call backend.abort first. */
void world_abort(struct world *world, int group);
/* The same for the one instance whose collective `match` timed out: ends also its completed
 * collectives from `match` on. */
void world_expire(struct world *world, uint32_t match);

/* -- windows: tensors that other ranks in a group access by one-sided operations. Collectives
 * (record.window) open and close a window; an abort closes it, too. */
/* Sets *remote to a one-sided operation's operand on its target. Returns false if the target has
 * not queued the window yet, or if the opening collective is a mismatch. */
bool world_remote(const struct world *world, op_id id, struct operand *remote);
/* Fails with ST_NAME, "WHAT: ...", if the tensor is an owner in an open window, which must not be
 * freed or made anew. */
enum status world_window_closed(const struct world *world, const char *what, int tensor);
/* Returns true if the window that this collective opened is still open. */
bool world_window_open(const struct world *world, int rank, op_id window);

/* Returns the i-th warning of opposite orders in two groups, one for each pair of groups; NULL
 * after the last. */
const char *world_order_warning(const struct world *world, size_t i);
/* Returns true if there is such a warning for these two groups. */
bool world_order_reported(const struct world *world, int a, int b);

/* -- collectives whose members bring different tensors */
/* Returns the first match of the i-th pair of collectives that ranks issue in opposite orders; 0
 * after the last. The same two lines of a group are reported once. */
uint32_t world_swapped(const struct world *world, size_t i);
/* For an incomplete collective: returns the first match since which a joined member has been one
 * call ahead of a missing one; 0: none. */
uint32_t world_shifted(const struct world *world, uint32_t match);
/* Returns the name of a member's tensor; 0: none (a barrier). */
name_id world_brought(const struct world *world, const struct match *match, int place);
/* Groups the present members by tensor name and line: first[i] is a set's first place, ranks[i]
 * its ranks (zeroed by the caller, or NULL). Returns the number of sets; members of further sets
 * are left out. */
enum { BRINGS_MOST = 6 };
int world_brings(
        const struct world *world, const struct match *match, int first[BRINGS_MOST], struct ranks *ranks);
/* Returns true if present members bring tensors with different names. */
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
/* Iterates over the operation's matches: one for a collective, one per part for a transfer, none
 * for others. */
struct op_match {
	int part;
	uint32_t index; /* into world.matches */
	const struct match *match;
};
bool op_match_next(const struct world *world, op_id id, struct op_match *of);
#define FOR_MATCHES(of, world, id) for (struct op_match of = {.part = -1}; op_match_next(world, id, &of);)
/* Returns the match for one part in a queued transfer. */
static inline const struct match *part_match(const struct world *world, op_id id, int part)
{
	return &world->matches[world->part_matches[world->ops[id].match + part]];
}
/* Returns the index of the transfer's part that joined the match as sender or receiver. */
int match_part(const struct world *world, op_id id, const struct match *match, enum p2p_direction direction);
/* Returns true if the members at places a and b agree. */
bool world_agree(const struct world *world, const struct match *match, int a, int b);
/* Describes the operation's first mismatch: "rank 3 brings 2 kB, ranks 0-2 bring 4 kB".
 * algorithm_word: algorithm_name in collectives/algorithm.h */
void world_mismatch(
        const struct world *world, op_id id, const char *(*algorithm_word)(int), struct text *why);
/* Returns the operand for one part in a transfer. */
static inline const struct operand *part_operand(const struct record *record, int part)
{
	return &record->operand[record->part[part].operand];
}
/* Returns the first operand that a copy or collective reads, or writes; NULL if none. */
const struct operand *record_source(const struct record *record);
const struct operand *record_target(const struct record *record);
void op_text(const struct world *world, op_id id, struct text *out);  /* "allreduce#3" */
void op_label(const struct world *world, op_id id, struct text *out); /* "matmul y" */
/* Returns the title, or the kind, for a note on an access to a tensor. A message is "send" if it
 * reads, else "recv", because `together` gives both one title. */
const char *op_called(const struct world *world, op_id id, bool writes);
/* Appends "line 9" or "lab/model.rsh:9"; nothing for line 0. */
void source_line_text(const struct world *world, name_id file, int line, struct text *out);
/* Returns 3 and sets *title for "allreduce#3"; returns 0 for another form or an unknown title. */
long op_numbered(const struct world *world, const char *text, name_id *title);
/* Finds the last writer of tensor "y", else the operation "allreduce#3", else the last one in
 * phase "F3". Fails with ST_NAME, naming the nearest. */
enum status op_find(const struct world *world, int rank, const char *text, op_id *id);

#endif
