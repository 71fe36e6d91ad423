/* engine.h -- the state of the simulated machine, shared by the files of this folder and by nobody else.
 *
 * A discrete-event engine in virtual nanoseconds. Each rank has a host, which runs ahead through its program
 * until a SYNC blocks it, and a device: one lane for each stream, whose head is the operation that it works
 * on. Everything that will happen at a known time is a `work` in one heap, in the order (time, rank, stream,
 * operation number). All links between the parts are indices, so that a copy of the arrays is a copy of the
 * machine: that is how the future is tried out (project.c, reach.c).
 *
 * Files: sim.c (the backend's functions)  arrays.h state.c (arrays, copies)  agenda.c  log.c  otherwise.c  host.c  lane.c
 * (streams)  device.c (kernels, copy engines)  link.c (flows)  collective.c backup.c transfer.c (rendezvous)
 * one_sided.c  run.c (one pass, finality)  reach.c (answers owed)  project.c (what would be)  part.c (ends before
 * their time)  abort.c  rule.c (the checks of the backend's rules)  fill.c (when the host's own writing of a tensor is due)
 *
 * May call: waits/ data/ collectives/ kernels/ world/ machine/ base/. To add a kind of operation: a row of
 * OP_KINDS (world/op.h), its cost in backend/cost.c, a case in lane.c (device) or host.c (host's lane), and what
 * becomes of data in numerics/rank_data.c (alone) or numerics/messages.c (with another rank).
 *
 * Finality. A host that has done its program is idle and may yet issue work at its clock or later. In a pass
 * an idle rank with work on its device is `stopped` at its clock: none of its later events is carried out.
 * Whoever meets a stopped rank is stopped too, from that time on. Ranks that meet nobody stopped do not
 * depend on it, and the order between them means nothing.
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_ENGINE_H
#define RANKSH_ENGINE_H

#include "sim/arrays.h"
#include "collectives/collective.h"
#include "backend/backend.h"
#include "backend/cost.h"
#include "base/arithmetic.h"

/* Everything but the arrays */
struct engine_scalars {
	uint32_t free_transfer, free_tie;
	uint32_t round; /* of link.c */
	uint32_t pass;
	uint32_t fill;                    /* work of OWNER_FILL */
	uint32_t expired;                 /* instances of which the books do not know it yet */
	uint32_t first_poked, last_poked; /* lanes to look at */
	int64_t fixed;                    /* lines queued later join links and groups no earlier */
	int64_t least_clock;              /* pace */
	int64_t now;
};

/* Lines from operation `first` on join links and groups no earlier than `time`. */
struct floor {
	op_id first;
	int64_t time;
};
/* The past of some ranks up to `time` was made final, for `by` (of an abort what it ended, 0: nothing), before the lines from `first` on. */
struct answer {
	op_id first, by;
	int64_t time;
};
/* Operations from `first` on were queued when the machine was this one. */
struct machine_then {
	op_id first;
	struct machine machine;
};
struct slow {
	int rank;
	op_id after;
	double factor;
};

/* What a pass only reads, and lines only add to. A copy points to it and so sees it where it has grown to:
 * were the arrays themselves lent, a copy kept over the next `group` would read memory that has been freed. */
struct engine_log {
	struct floor *floors; /* by first */
	size_t floor_count;
	struct answer *answers; /* by first */
	size_t answer_count;
	struct slow *slows; /* in the order of the lines */
	size_t slow_count;
	struct machine_then *machines; /* by first; of those that a collective or a transfer was queued on */
	size_t machine_count;
	const struct op_otherwise *otherwise; /* by id; the shell's */
	size_t otherwise_count;
};

struct rank_data;            /* of this process's rank: numerics/rank_data.h */
enum { EVENTS_A_STEP = 20 }; /* of a budget */

struct engine {
	struct world *world;
	struct rank_data *data; /* NULL in a copy, and with --dry */
	int64_t data_until;     /* behind this time nothing becomes of it: memory stays as it was then */
	struct backend_hooks hooks;
	struct engine_scalars s;
#define X(type, name) \
	type *name;   \
	size_t name##_count, name##_room;
	ENGINE_ARRAYS(X)
#undef X
	struct engine_log *log; /* the machine's; its copies point to the same one */
	struct due *held;
	size_t held_count, held_room; /* events put off to the end of the pass */
	/* A copy keeps the times of operations from `base` on to itself. In the machine itself base is
	 * UINT32_MAX. */
	op_id base;
	struct op *overlay;
	size_t overlay_room;
	/* The ranks whose hosts are taken to issue nothing more, by rank; NULL: none. And whom they hang
	 * on. */
	bool *quiet, *needed;
	bool everybody_quiet;
	op_id over; /* abort.c, in the machine: operations up to this one are done, for good */
	/* Goal of a pass */
	size_t goal_left; /* operations marked OPF_GOAL that are not done; SIZE_MAX: there is no goal */
	int64_t until;    /* events before it only; TIME_UNKNOWN: all */
	size_t stopped_count;
	enum status status;       /* ST_BUG, with a message, after a failed sim_rule() */
	int64_t ticks, ticks_all; /* events since the last step of the budget; since the copy was made */
	int64_t latest;           /* time of the latest event of this pass */
	bool in_pass;
	bool any_invalid; /* some tensor was marked invalid: writing clears that */
};

static inline struct op *op_at(const struct engine *e, op_id id)
{
	return id >= e->base ? &e->overlay[id - e->base] : &e->world->ops[id];
}
/* What the event at hand does to the data; NULL: nothing */
static inline struct rank_data *data_now(const struct engine *e)
{
	return e->s.now <= e->data_until ? e->data : NULL;
}
enum { OPF_GOAL = 32 }; /* a flag of struct op, set only during a pass */
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
/* Order of events at one time: rank, stream, number. */
static inline uint64_t op_order(const struct op *op)
{
	return (uint64_t)op->rank << 40 | (uint64_t)op->stream << 32 | op->number;
}

/* rule.c. Checks a rule of the backend (backend/backend.h, docs/time.md) in a function with an engine `e`. The pass ends with
 * ST_BUG, which names file, line and rule, if the condition is false. */
#define sim_rule(number, condition) \
	((condition) ? (void)0 : rule_broken(e, (number), #condition, __FILE__, __LINE__))
void rule_broken(struct engine *e, int rule, const char *condition, const char *file, int line);

/* state.c */
struct engine *engine_create(struct world *world);
void engine_free(struct engine *engine); /* a copy leaves the log to the machine */
/* Places for the groups and the rank's streams that are new in the books. Within a pass nothing but transfers
 * takes memory: pointers to anything but works and transfers stay good. */
void make_instances(struct engine *e);
void make_streams(struct engine *e, uint32_t rank, uint32_t streams); /* so many in all */
uint32_t make_transfer(struct engine *e);                             /* a free one; its index */
void engine_copy(struct engine *to, const struct engine *from);       /* as it is now, with an overlay */

/* agenda.c: at most one event a work */
void agenda_set(struct engine *e, uint32_t work, int64_t time, uint64_t order);
void agenda_drop(struct engine *e, uint32_t work);
struct due agenda_take(struct engine *e);

/* log.c */
double slow_factor(const struct engine *e, op_id id); /* of the device: threads of the host keep their pace */
/* The machine that the collective or transfer was queued on: a later `set` is for later lines. */
const struct machine *machine_then(const struct engine *e, op_id id);
void machine_note(struct engine *e, op_id id); /* ... when it is queued */

/* otherwise.c: what `why` takes away */
int64_t launch_of(const struct engine *e, op_id id, const struct record *record);
/* Is the time that it takes another one, which it shares with nobody? alone: what it takes by itself */
bool otherwise_takes(const struct engine *e, op_id id, double alone, double *ns);
bool otherwise_not_held(const struct engine *e, op_id id);

/* host.c */
void host_run(struct engine *e, uint32_t rank);  /* until it is idle or blocked */
void host_told(struct engine *e, uint32_t rank); /* something of its device is done */

/* fill.c */
void fill_reached(struct engine *e, op_id id);
void fill_due(struct engine *e);

/* lane.c */
void lane_arrive(struct engine *e, uint32_t lane); /* its head's arrival is due */
void lane_poke(struct engine *e, uint32_t lane); /* its head may have got further: looked at by lanes_step */
void lanes_step(struct engine *e);
void lane_begun(struct engine *e, op_id id);       /* marks its start */
void lane_finish(struct engine *e, uint32_t lane); /* its head is done now */
void lane_schedule(struct engine *e, uint32_t lane, int64_t time, enum work_phase phase);

/* device.c */
void work_settle(struct engine *e, struct activity *work);     /* what was done until now */
void work_plan(struct engine *e, uint32_t work, double share); /* when the rest will be done at that share */
void kernel_begin(struct engine *e, uint32_t lane, double ns);
void kernel_end(struct engine *e, uint32_t lane);
/* A collective takes (1) or leaves (-1) its multiprocessors. */
void device_hold(struct engine *e, op_id id, int change);
void copy_arrive(struct engine *e, uint32_t lane, enum copy_way way);
void copy_end(struct engine *e, uint32_t lane, enum copy_way way);

/* link.c */
void flow_begin(struct engine *e, uint32_t work, double latency_ns, double bytes, double rate);
/* the latency is over: join the links; true end: see flow_over */
void flow_due(struct engine *e, uint32_t work);
bool flow_over(const struct engine *e, uint32_t work); /* the event now due is its end */
void flow_leave(struct engine *e, uint32_t work);      /* in any phase */
/* The place of the i-th that counts in a collective with backup=; -1: none */
int flow_member(const struct engine *e, const struct match *match, int i);

/* collective.c */
bool collective_turn(const struct engine *e, const struct op *op);
/* Did it take place without this member? */
bool collective_over(const struct engine *e, const struct op *op);
void collective_arrive(struct engine *e, uint32_t lane);
void collective_due(struct engine *e, uint32_t instance);
void collective_begin(struct engine *e, struct instance *instance, const struct match *match);
void collective_timeout(struct engine *e, struct instance *instance); /* sets the group's, if it has one */

/* backup.c: collectives that need not wait for all */
void backup_arrived(struct engine *e, struct instance *instance); /* a member; are enough there? */
void backup_begin(struct engine *e, struct instance *instance);   /* it is time to choose who counts */
void backup_ends(struct engine *e, const struct match *match);    /* its data, before its members' ends */
void backup_join(struct engine *e, uint32_t lane);                /* a member comes while it runs, */
void backup_fetch(struct engine *e, uint32_t lane);               /* ... or behind its end */
void backup_fetched(struct engine *e, uint32_t lane);
void collective_forget(struct engine *e, struct instance *instance);

/* transfer.c */
void transfers_arrive(struct engine *e, uint32_t lane);
void transfer_due(struct engine *e, uint32_t transfer);
void transfers_forget(struct engine *e, uint32_t lane);
/* The other side's operation, 0: not queued */
op_id part_other(const struct engine *e, op_id id, int part);
bool op_arrived(const struct engine *e, op_id id); /* a P2P that stands at the head of its stream */

/* one_sided.c */
void one_sided_queued(struct engine *e, op_id id);
void one_sided_begin(struct engine *e, uint32_t lane); /* its start is marked */
void one_sided_end(struct engine *e, uint32_t lane);   /* its flow is over */
void one_sided_done(
        struct engine *e, const struct op *op, const struct record *record); /* ended, or aborted */
void one_sided_forget(struct engine *e, uint32_t lane);

/* part.c */
void mark_outputs(struct engine *e, op_id id, op_id by); /* as spoiled, or (by 0) as new */
bool of_group(const struct record *record, int group);   /* does it meet others in that group? */
/* All that stands in the part of a group, or waits for its turn in it, ends now, undone. */
void part_abort(struct engine *e, int group, int part);
/* The lane's head has reached a rendezvous of the group, or waits for its turn. */
bool stands_in(const struct engine *e, const struct stream_queue *lane, int group);

/* run.c */
enum status engine_run(struct engine *e, struct budget *budget);
void rank_idle(struct engine *e, uint32_t rank); /* its host has just become idle: it may stop the rank */
/* the lane's rank stops instead of reaching it; false: it is quiet */
bool match_put_off(struct engine *e, uint32_t lane);
/* ... or the part of a group with a timeout */
bool part_put_off(struct engine *e, uint32_t lane, const struct group_instance *part);

#endif
