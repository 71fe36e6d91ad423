/* engine.h -- the state of the simulated machine, private to this folder
 *
 * A discrete-event engine in virtual nanoseconds. A rank has a host, which runs ahead until a SYNC
 * blocks it, and a device with a lane for each stream; the lane's head is its current operation.
 * Each activity is a `work` with at most one future event; one heap holds these. Parts refer to
 * each other by index, so that a copy of the arrays is a copy of the machine (sim.c, reach.c).
 *
 * May call: waits/ numerics/ collectives/ kernels/ world/ machine/ base/. To add a kind of
 * operation: a row of OP_KINDS (world/op.h), a cost in backend/cost.c, a case in lane.c (device)
 * or host.c, and its data in numerics/.
 *
 * Finality: run.c. An umbrella header. */
#ifndef RANKSH_ENGINE_H
#define RANKSH_ENGINE_H

#include "sim/arrays.h"
#include "collectives/collective.h"
#include "backend/backend.h"
#include "backend/cost.h"
#include "base/arithmetic.h"

/* The machine's state besides the arrays */
struct engine_scalars {
	uint32_t free_transfer, free_tie;
	uint32_t round; /* of link.c */
	uint32_t pass;
	uint32_t fill;                    /* work of OWNER_FILL */
	uint32_t expired;                 /* instances not yet reported to world/ */
	uint32_t first_poked, last_poked; /* lanes to step */
	int64_t fixed;                    /* later lines use no link or group before this time */
	int64_t least_clock;              /* no host's clock is below it (`pace`) */
	int64_t now;
};

/* An answer, or an abort, which made the past of some ranks final up to `time` */
struct answer {
	/* first: the first operation queued after it. by: the last operation that the answer
	 * needed, or the first that the abort ended; 0: none */
	op_id first, by;
	int64_t time, floor; /* operations from `first` on use links and groups from `floor` on */
};
/* The machine as it was when operations from `first` on were queued */
struct machine_then {
	op_id first;
	struct machine machine;
};

/* Only lines add to the log; a copy of the simulated machine shares it. */
struct engine_log {
	struct answer *answers; /* by first */
	size_t answer_count;
	struct machine_then *machines; /* by first; for collectives and transfers */
	size_t machine_count;
	const struct op_otherwise *otherwise; /* by id; the shell's */
	size_t otherwise_count;
};

struct rank_data;            /* of this process's rank: numerics/rank_data.h */
enum { EVENTS_A_STEP = 20 }; /* of a budget */

struct engine {
	struct world *world;
	struct rank_data *data; /* NULL in a copy, and with --dry */
	int64_t data_until;     /* later events change no data */
	struct backend_hooks hooks;
	struct engine_scalars s;
#define X(type, name) \
	type *name;   \
	size_t name##_count, name##_room;
	ENGINE_ARRAYS(X)
#undef X
	struct engine_log *log; /* shared with copies */
	op_id *fills;           /* waiting for earlier work on their memory */
	size_t fill_count;
	struct due *held;
	size_t held_count, held_room; /* events postponed to the next pass */
	/* a copy has times of its own for operations from `base` on; else UINT32_MAX */
	op_id base;
	struct op *overlay;
	size_t overlay_room;
	/* By rank: hosts that issue nothing more (NULL: none), and ranks that they depend on */
	bool *quiet, *needed;
	bool everybody_quiet;
	op_id over; /* abort.c, not in a copy: operations up to this one are done */
	/* Goal of a pass */
	size_t goal_left; /* unfinished operations with OPF_GOAL; SIZE_MAX: no goal */
	int64_t until;    /* only events before it; TIME_UNKNOWN: all */
	size_t stopped_count;
	enum status status;       /* ST_BUG, with a message, after a failed sim_rule() */
	int64_t ticks, ticks_all; /* events since the budget's last step, and since copying */
	int64_t latest;           /* of the pass's events */
	bool in_pass;
	bool any_invalid; /* a tensor was marked invalid; writes clear that */
};

static inline struct op *op_at(const struct engine *e, op_id id)
{
	return id >= e->base ? &e->overlay[id - e->base] : &e->world->ops[id];
}
/* Returns the data that the current event may change; NULL: none. */
static inline struct rank_data *data_now(const struct engine *e)
{
	return e->s.now <= e->data_until ? e->data : NULL;
}
enum { OPF_GOAL = 32 }; /* a flag of struct op within a pass */
static inline void op_set_done(struct engine *e, struct op *op)
{
	e->goal_left -= (op->flags & OPF_GOAL) != 0;
	op->flags = (op->flags & ~OPF_GOAL) | OPF_DONE;
}
static inline bool op_done(const struct engine *e, op_id id)
{
	return id == 0 || op_at(e, id)->flags & OPF_DONE;
}
static inline const struct record *record_at(const struct engine *e, const struct op *op)
{
	return &e->world->records[op->record];
}
static inline bool rank_stopped(const struct engine *e, uint32_t rank)
{
	return e->ranks[rank].stopped == e->s.pass;
}
static inline bool rank_quiet(const struct engine *e, uint32_t rank)
{
	return e->everybody_quiet || (e->quiet && e->quiet[rank]);
}
static inline struct instance *instance_of(const struct engine *e, int group, uint32_t rank)
{
	const struct group *of = &e->world->groups[group];
	return &e->instances[of->first + of->instance_of[rank]];
}
static inline uint32_t lane_of(const struct engine *e, const struct op *op)
{
	return e->ranks[op->rank].lanes + op->stream;
}
/* Returns a key that orders events of equal time. */
static inline uint64_t op_order(const struct op *op)
{
	return (uint64_t)op->rank << 40 | (uint64_t)op->stream << 32 | op->number;
}

/* log.c. Checks a rule of the backend (docs/internals/time.md) in a function with an engine `e`.
 * If the condition is false, the pass ends with ST_BUG. */
#define sim_rule(number, condition) \
	((condition) ? (void)0 : rule_broken(e, (number), #condition, __FILE__, __LINE__))
void rule_broken(struct engine *e, int rule, const char *condition, const char *file, int line);

/* state.c */
struct engine *engine_create(struct world *world);
void engine_free(struct engine *engine); /* a copy does not own the log */
/* Make room for new groups and streams. Within a pass only transfers allocate: pointers to
 * anything but works and transfers stay valid. */
void make_instances(struct engine *e);
void make_streams(struct engine *e, uint32_t rank, uint32_t streams); /* total */
uint32_t make_transfer(struct engine *e);                             /* returns its index */
/* Copies the current state; the copy has an overlay. */
void engine_copy(struct engine *to, const struct engine *from);

/* agenda.c: at most one event per work */
void agenda_set(struct engine *e, uint32_t work, int64_t time, uint64_t order);
void agenda_drop(struct engine *e, uint32_t work);

/* log.c */
double slow_factor(const struct engine *e, op_id id); /* 1 for threads of the host */
/* Returns the machine as it was when the collective or transfer was queued. */
const struct machine *machine_then(const struct engine *e, op_id id);
void machine_note(struct engine *e, op_id id); /* call it when queued */

/* changes of a what-if run */
int64_t launch_of(const struct engine *e, op_id id, const struct record *record);
/* Returns true if the what-if replaces the operation's duration; it then shares nothing. alone:
 * its undisturbed duration; *ns: the new one */
bool otherwise_takes(const struct engine *e, op_id id, double alone, double *ns);
bool otherwise_not_held(const struct engine *e, op_id id);

/* host.c */
void host_run(struct engine *e, uint32_t rank);    /* until idle or blocked */
void host_resume(struct engine *e, uint32_t rank); /* an operation of its device is done */
void fill_due(struct engine *e);                   /* the first of `fills` */

/* lane.c */
void lane_begin(struct engine *e, uint32_t lane); /* its head is issued, and its arrival due */
void lane_poke(struct engine *e, uint32_t lane);  /* its head may continue: lanes_step tries it */
void lanes_step(struct engine *e);
void lane_begun(struct engine *e, op_id id);       /* marks the start */
void lane_finish(struct engine *e, uint32_t lane); /* its head is done */
void lane_schedule(struct engine *e, uint32_t lane, int64_t time, enum work_phase phase);

/* device.c */
void work_settle(struct engine *e, struct activity *work); /* counts its progress up to now */
/* sets the event at which the rest of the work ends, at that share of full speed */
void work_plan(struct engine *e, uint32_t work, double share);
void kernel_begin(struct engine *e, uint32_t lane, double ns);
void kernel_end(struct engine *e, uint32_t lane);
/* A collective takes (1) or releases (-1) its multiprocessors. */
void device_hold(struct engine *e, op_id id, int change);
void copy_arrive(struct engine *e, uint32_t lane, enum copy_way way);
void copy_end(struct engine *e, uint32_t lane, enum copy_way way);

/* link.c */
void flow_begin(struct engine *e, uint32_t work, double latency_ns, double bytes, double rate);
/* Handles the end of the latency: the flow joins its links. If flow_over() is true, the due event
 * is the flow's end instead. */
void flow_due(struct engine *e, uint32_t work);
bool flow_over(const struct engine *e, uint32_t work); /* true: the due event is its end */
void flow_leave(struct engine *e, uint32_t work);      /* removes it, in any phase */
/* Returns the place of the i-th member that counts in a begun collective; -1 if none. */
int flow_member(const struct engine *e, const struct match *match, int i);

/* collective.c */
bool collective_turn(const struct engine *e, const struct op *op);
/* Returns true if the collective has ended without this member (backup=). */
bool collective_over(const struct engine *e, const struct op *op);
void collective_arrive(struct engine *e, uint32_t lane);
void collective_due(struct engine *e, uint32_t instance);
void collective_begin(struct engine *e, struct instance *instance, const struct match *match);
void collective_timeout(struct engine *e, struct instance *instance); /* if the group has one */

/* backup.c: collectives with backup= */
/* handles a member's arrival: begins the collective if enough members have arrived */
void backup_arrived(struct engine *e, struct instance *instance);
/* chooses the members that count */
void backup_begin(struct engine *e, struct instance *instance);
/* computes the data; call it before the members end */
void backup_ends(struct engine *e, const struct match *match);
/* a member arrives while the collective runs */
void backup_join(struct engine *e, uint32_t lane);
void backup_fetch(struct engine *e, uint32_t lane); /* a member arrives after its end */
void backup_fetched(struct engine *e, uint32_t lane);
void collective_forget(struct engine *e, struct instance *instance);

/* transfer.c */
void transfers_arrive(struct engine *e, uint32_t lane);
void transfer_due(struct engine *e, uint32_t transfer);
void transfers_forget(struct engine *e, uint32_t lane);
/* Returns the other side's operation; 0: not queued. */
op_id part_other(const struct engine *e, op_id id, int part);
bool op_arrived(const struct engine *e, op_id id); /* true for a P2P that heads its stream */
/* one-sided operations */
void one_sided_queued(struct engine *e, op_id id);
void one_sided_begin(struct engine *e, uint32_t lane); /* after lane_begun */
void one_sided_end(struct engine *e, uint32_t lane);   /* its flow is over */
/* the operation ended or was aborted */
void one_sided_done(struct engine *e, const struct op *op, const struct record *record);
void one_sided_forget(struct engine *e, uint32_t lane);

/* abort.c */
/* marks the operation's outputs as invalid because of `by`; by 0: as valid */
void mark_outputs(struct engine *e, op_id id, op_id by);
bool of_group(const struct record *record, int group); /* true if it communicates there */
/* Aborts all operations that are at a meeting of the part or wait for their turn. */
void part_abort(struct engine *e, int group, int part);
/* Returns true if the lane's head is at a meeting of the group or waits for its turn. */
bool lane_meets(const struct engine *e, const struct stream_queue *lane, int group);

/* run.c */
enum status engine_run(struct engine *e, struct budget *budget);
void rank_idle(struct engine *e, uint32_t rank); /* may stop the rank */
/* Stops the lane's rank before its head arrives at a meeting; it arrives in a later pass. Returns
 * false if the rank is quiet and needs no stopped rank of the meeting. part: the meeting is this
 * whole part of a group with a timeout; NULL: it is the head's match. */
bool match_put_off(struct engine *e, uint32_t lane, const struct group_instance *part);

#endif
