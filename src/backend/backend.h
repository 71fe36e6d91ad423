/* backend.h -- the contract between the replicated state of world/ and the backend that carries
 * it out: sim/ or cuda/
 *
 * Every backend obeys these rules, numbered as in docs/internals/time.md. sim/ checks them with
 * sim_rule().
 *   1 operations on one stream run in issue order, one at a time
 *   2 an operation does not start before its host issued it; each issue costs the host its launch
 *     (OPF_FREE_LAUNCH: nothing)
 *   3 OP_WAIT holds later work on its stream until op.target is done (0: holds nothing)
 *   4 OP_SYNC blocks the host, not the device
 *   5 a `print` is an OP_COPY to the host on the current stream and an OP_SYNC on it
 *   6 copies: one engine per direction; the shell queues an OP_SYNC after a pageable copy
 *   7 the default stream waits for, and holds back, its device's blocking streams
 *   8 kernels share multiprocessors and memory bandwidth; transfers share the links on their path
 *   9 collectives on a group instance run one at a time in issue order; a transfer needs both
 *     sides; a collective starts when its last participant arrives; each participant holds its
 *     multiprocessors from its own arrival
 *  10 the allocator is in world/: OP_SEGMENT only takes host time
 *  11 making a group takes no time
 *  12 a window opens and closes by a collective (record.window); an OP_ONE_SIDED between the two
 *     needs no operation by the other rank
 *  13 a collective that reaches its group's timeout is aborted, with all operations on its
 *     instance
 *  14 a collective with record.backup begins when all members but that many have arrived
 *  15 a graph launch queues its operations; only the first costs a launch
 * Data: inputs are read at start, outputs appear at end, in virtual-time order (ties: rank,
 * stream, number).
 *
 * May call: collectives/ kernels/ world/ machine/ base/. An umbrella header. */
#ifndef RANKSH_BACKEND_H
#define RANKSH_BACKEND_H

#include "world/world.h"

/* Limits a call's work. A backend subtracts its work from `steps` (1 is about 10 us) and calls
 * more() when none is left. If more() returns false, the call stops between two operations with
 * ST_INTERRUPTED; the next call continues. Steps depend only on the replicated state, so all
 * processes stop at the same place. Without a budget, or if `more` is NULL, the call never stops;
 * without a budget it also waits for devices for ever. */
struct budget {
	int64_t steps;
	bool (*more)(struct budget *budget);
	/* All processes call it in each round of a wait for a device, and all get the same answer.
	 * If false, the wait ends with ST_INTERRUPTED and its operations remain queued. It counts
	 * no steps. If NULL, the call returns ST_WAITS instead of waiting. */
	bool (*waits)(struct budget *budget);
	void *self;
};

enum host_state { HOST_IDLE /* program done */, HOST_BLOCKED /* in a SYNC */, HOST_CRASHED };
struct host_now {
	int64_t clock;
	enum host_state state;
	op_id on; /* the SYNC that blocks it */
};

/* An operation's cost, known when it is queued */
struct op_cost {
	int64_t launch; /* host time, if issued by itself */
	/* duration without contention, for a kernel times the rank's `slow`; 0: unknown */
	int64_t alone;
};

struct times {
	int64_t issue, ready, start, end;
	int64_t launch; /* host time of the issue; 0 if issued with the one before */
	int64_t alone;  /* as in op_cost */
	op_id blame;
	bool projected; /* not all times are final: drawn dimmed */
	/* only its graph's launch is measured; its share is predicted: drawn dimmed */
	bool divided;
	/* this rank sent nothing: aborted, timed out, or left out of its collective */
	bool sent_nothing;
	/* Explains time between issue and ready that has no other cause. True: an answer had made
	 * that time final (see answer()). False: the launch was on its way to the device. */
	bool answered;
};

/* A collective that timed out, and when */
struct expiry {
	uint32_t match;
	int64_t time;
};

/* A change to an operation for a what-if run */
struct op_otherwise {
	op_id id;
	int64_t ns;     /* it takes exactly this long; -1: no change */
	bool alone;     /* it has its device, copy engine and links to itself */
	bool no_launch; /* its issue takes no host time */
	bool not_held;  /* a SYNC or SEGMENT: does not block the host */
};

struct backend {
	const char *name;
	/* its times are measured: two looks may differ without a line between them */
	bool measures;
	/* Streams of a rank, with the default one, that get a device queue each; 0: no limit. More
	 * streams share queues; streams_refused: they are refused, because they could deadlock. */
	int streams_most;
	bool streams_refused;
	/* Accepts an operation that was added to world.ops: computes its record's costs and
	 * appends it to its rank's host program. */
	enum status (*queued)(struct backend *backend, op_id id);
	/* All processes call advance, reach, project and finish at the same place, because these
	 * exchange measured times. In between, every process computes the same answers by itself.
	 *
	 * Carries out all events that no later line can change. Returns ST_OK or ST_INTERRUPTED;
	 * failure() returns data failures. */
	enum status (*advance)(struct backend *backend, struct budget *budget);
	/* Completes the operations `ids`; if necessary it assumes that idle hosts issue nothing
	 * more. Fails with ST_WAITS, naming the rank whose line is missing, or with ST_STUCK if no
	 * line can help; then it has done no more than advance(). */
	enum status (*reach)(struct backend *backend, const op_id *ids, int count, struct budget *budget);
	/* Makes the projection for times(), host() and waiting(), within the budget. Without this
	 * call they make it themselves, from the times exchanged so far, and never block. */
	enum status (*project)(struct backend *backend, struct budget *budget);
	/* Ends a script: each host runs to the end of its lines, or until it waits for more lines,
	 * which may still follow. */
	enum status (*finish)(struct backend *backend, struct budget *budget);
	/* Gives the times that `timeline` draws: final, or projected until the next queued().
	 * issue <= ready <= start <= end; ends do not decrease along a stream. */
	void (*times)(struct backend *backend, op_id id, struct times *times);
	/* Gives the simulator's times for an operation, on its own clock, to compare with measured
	 * ones. Returns false if it has none. NULL: times() are the simulator's. */
	bool (*predicted)(struct backend *backend, op_id id, struct times *times);
	/* For an operation whose line followed an answer or an abort, returns the operation whose
	 * end the answer needed, or one that the abort ended (0: none). NULL: this backend's
	 * answers make no future time final. */
	op_id (*answer)(struct backend *backend, op_id id);
	/* Returns the largest error in times() against a common clock, in ns. NULL: exact. */
	double (*uncertainty)(struct backend *backend);
	/* Gives the cost without a projection */
	void (*cost)(struct backend *backend, op_id id, struct op_cost *cost);
	void (*host)(struct backend *backend, int rank, struct host_now *now);
	/* Returns true if, in the projection, a host or stream of the rank needs more lines, and
	 * sets *on to the operation at which it stops. */
	bool (*waiting)(struct backend *backend, int rank, op_id *on);
	/* Changes operations that will be queued. list: ascending ids, borrowed for the backend's
	 * life. A change of one member applies to the whole collective or transfer. NULL: not
	 * supported. */
	void (*otherwise)(struct backend *backend, const struct op_otherwise *list, size_t count);
	/* Ignores changes of data after that time. Call it before any queued(). NULL: not
	 * supported. */
	void (*data_until)(struct backend *backend, int64_t time);
	/* Raises the clocks of idle hosts to at least `ns` (`pace`). */
	void (*clock_at_least)(struct backend *backend, int64_t ns);
	/* Ends every unfinished operation of the group, at the latest clock or event of its ranks;
	 * marks outputs invalid and resumes the hosts. Call before world_abort. */
	enum status (*abort)(struct backend *backend, int group);
	/* Returns true and the collective if one timed out, and aborts all operations queued so
	 * far in its group instance. Reports each once; the caller then calls world_expire. */
	bool (*expired)(struct backend *backend, struct expiry *expiry);
	/* Reads a tensor on this process's rank into `packed`. by: a completed operation on the
	 * tensor (an OP_COPY without target or a `noted` record), whose value is read; valid from
	 * its done(), or the reach() for it, until more is queued. 0: reads memory as it is now.
	 * Fails with ST_ARGUMENT if there is no such memory. */
	enum status (*read)(struct backend *backend, op_id by, enum space space, int64_t address,
	        const struct layout *layout, void *packed);
	/* Writes memory as it is now, after the OP_FILL for it was reached. */
	enum status (*write)(struct backend *backend, enum space space, int64_t address,
	        const struct layout *layout, const void *packed);
	/* Returns this process's first data failure since the last call, or ST_OK. The outputs
	 * concerned are marked invalid; messages were exchanged regardless. */
	enum status (*failure)(struct backend *backend);
	void (*stop)(struct backend *backend); /* frees the backend */
};

static inline struct times backend_times(struct backend *backend, op_id id)
{
	struct times times;
	backend->times(backend, id, &times);
	return times;
}

static inline double backend_uncertainty(struct backend *backend)
{
	return backend->uncertainty ? backend->uncertainty(backend) : 0;
}

/* Returns the clock plus the uncertainty of times: for a host at `clock`, operations that end by
 * then have completed. */
static inline int64_t backend_over_by(struct backend *backend, int64_t clock)
{
	return clock + (int64_t)backend_uncertainty(backend);
}

static inline bool backend_is_over(struct backend *backend, const struct times *times, int64_t clock)
{
	return times->end != TIME_UNKNOWN && times->end <= backend_over_by(backend, clock);
}

static inline struct op_cost backend_cost(struct backend *backend, op_id id)
{
	struct op_cost cost;
	backend->cost(backend, id, &cost);
	return cost;
}

static inline struct host_now backend_host(struct backend *backend, int rank)
{
	struct host_now now;
	backend->host(backend, rank, &now);
	return now;
}

/* done: called once for each final OP_SYNC, and on the rank's process for each completed `noted`
 * operation, in the simulator's order. It may ask for final times; it must not queue. */
struct backend_hooks {
	void *self;
	void (*done)(void *self, op_id id);
};

#endif
