/* backend.h -- the contract between the books and what carries the work out. sim/ keeps it, and cuda/ beside it.
 *
 * Rules every backend keeps (numbered as in docs/time.md):
 *  1 operations of one stream run in issue order, one at a time
 *  2 an operation cannot start before its host issued it; each issue costs the host its launch
 *    (OPF_FREE_LAUNCH: nothing)
 *  3 OP_WAIT holds later work of its stream until op.target is done (0: nothing is held)
 *  4 OP_SYNC blocks the host, not the device
 *  5 a `print` is an OP_COPY to the host on the current stream and an OP_SYNC on it
 *  6 copies: pinned, one engine a direction; pageable, the shell queues an OP_SYNC behind it
 *  7 the default stream waits for, and holds back, the blocking streams of its device
 *  8 kernels share multiprocessors and memory bandwidth; transfers share links, the least along the path
 *  9 collectives of a group instance run one at a time in issue order; a transfer needs both sides; a
 *    collective starts when its last participant reaches it and holds its multiprocessors from its own arrival
 * 10 memory is the books' affair: OP_SEGMENT only takes host time
 * 11 making a group takes no time
 * 12 a window opens and closes by a collective (record.window); an OP_ONE_SIDED between the two needs no operation of
 *    the other rank
 * 13 a collective that has waited for its group's timeout ends undone, and with it all of its part of the group
 * 14 a collective with record.backup begins when all but so many have come
 * 15 a graph's launch is its operations on one stream or more, each after the first without a launch of its own
 * Data: inputs are read at start, outputs appear at end, in virtual-time order (ties: rank, stream, number).
 *
 * Beside the contract stands what all backends say alike: cost.h (what operations cost by the machine's model, and which
 * way copies go), traffic.h (bytes by link), call.h (a record as a kernel's call). Whoever asks a backend (trace/, waits/,
 * the shell) needs nothing of the one that answers.
 * May call: collectives/ kernels/ world/ machine/ base/. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_BACKEND_H
#define RANKSH_BACKEND_H

#include "world/world.h"

/* Work between two looks at "shall I stop?": a backend subtracts what it did (1 = about 10 us of wall time)
 * and, when none is left, calls more(); false: it stops at an operation's boundary with ST_INTERRUPTED,
 * whole, and goes on with the next call. The steps are a function of the books, so every process stops at the
 * same place. NULL: never stops. No budget at all: nor is a wait for a device ended. */
struct budget {
	int64_t steps;
	bool (*more)(struct budget *budget);
	/* Asked by all processes in each round of a wait for a device; no steps are counted there. False, on all alike: the
	 * wait ends with ST_INTERRUPTED, and what was to be waited for stands. NULL: no device is waited for, ST_WAITS in its
	 * place. */
	bool (*waits)(struct budget *budget);
	void *self;
};

enum host_state {
	HOST_IDLE /* its program is done: it awaits lines */,
	HOST_BLOCKED /* by a SYNC */,
	HOST_CRASHED
};
struct host_now {
	int64_t clock;
	enum host_state state;
	op_id on; /* the SYNC it is blocked in */
};

/* What an operation costs, known as soon as it is queued */
struct op_cost {
	int64_t launch; /* host time to issue it by itself */
	int64_t alone;  /* the duration undisturbed, of a kernel under its rank's `slow`; 0: not known */
};

struct times {
	int64_t issue, ready, start, end;
	int64_t launch; /* host time that it took to issue it: 0 of one that is issued with the one before it */
	int64_t alone; /* as in op_cost */
	op_id blame;
	bool projected; /* some of it is not final: drawn dimmed */
	bool divided; /* measured is the launch of its graph, and this is its part as predicted: drawn dimmed, too */
	/* nothing of this rank went out by it: an abort or a timeout ended it, or its collective went on without it */
	bool sent_nothing;
	/* What of the time from issue to ready nobody is to blame for lies behind an answer that had made it final (see
	 * answer()); false: it is the launch's own, on its way to the device. */
	bool answered;
};

/* When it ended, and which collective it was */
struct expiry {
	uint32_t match; /* index into world.matches */
	int64_t time;
};

/* What an operation would be without what made it late: of a world whose lines run again */
struct op_otherwise {
	op_id id;
	int64_t ns;     /* it takes so long, and shares nothing; -1: as long as it does */
	bool alone;     /* it has its device, its copy engine and its links to itself */
	bool no_launch; /* its host issues it in no time */
	bool not_held;  /* a SYNC or SEGMENT: the host goes on at once */
};

struct backend {
	const char *name;
	bool measures; /* its times come to pass while nobody types: a look at another moment shows others */
	/* Streams of a rank on its device, the default one too, up to which each has a queue of its own there; 0: any number.
	 * More of them wait for each other; refused: for ever, it may be. */
	int streams_most;
	bool streams_refused;
	/* An operation was added to the books (in world.ops): compute record costs, join the host program of
	 * its rank. */
	enum status (*queued)(struct backend *backend, op_id id);
	/* What is known of the times of other processes' devices is shared in these four, which all processes call at the same
	 * place: advance, reach, project, finish. Between two of them everybody's answers are the same and need nobody else, so
	 * that rank 0 may look alone.
	 *
	 * Carries out all that is final. ST_OK or ST_INTERRUPTED. What becomes of this process's data steers
	 * nothing: see failure. */
	enum status (*advance)(struct backend *backend, struct budget *budget);
	/* An answer is owed: the operations `ids` (any, of one rank or of many) must be done. Advances; if it
	 * is not final, tries on a copy, idle hosts issuing nothing, and commits when reached. ST_WAITS:
	 * names the rank whose line is missing (nothing was changed). ST_STUCK: no line can mend it. */
	enum status (*reach)(struct backend *backend, const op_id *ids, int count, struct budget *budget);
	/* Before a look at times(), host() and waiting(): makes the projection that they show, as long as the budget lasts.
	 * Without this they make it themselves, of what was shared until then; none of them ever waits. */
	enum status (*project)(struct backend *backend, struct budget *budget);
	/* A text is over: each host runs to the end of its lines, or to where it waits for lines. More may come. */
	enum status (*finish)(struct backend *backend, struct budget *budget);
	/* Times of an operation as `timeline` draws them: final, or projected (on a copy, kept until the next
	 * queued()). issue <= ready <= start <= end of each, and along a stream none ends before the one before it. */
	void (*times)(struct backend *backend, op_id id, struct times *times);
	/* The simulator's times of an operation, of its own clock: what `measures` is compared with. False: it has none for it.
	 * NULL: times() are the simulator's own. */
	bool (*predicted)(struct backend *backend, op_id id, struct times *times);
	/* Of an operation whose line came behind an answer: the operation that was asked for; behind an abort one that it
	 * ended, 0 where that was none.
	 * NULL: nothing is final before it has happened. */
	op_id (*answer)(struct backend *backend, op_id id);
	/* How far off a common clock times() may be, ns, of the ranks that are furthest off. NULL: they are exact. */
	double (*uncertainty)(struct backend *backend);
	/* Without a look at the future, as times() may need one */
	void (*cost)(struct backend *backend, op_id id, struct op_cost *cost);
	void (*host)(struct backend *backend, int rank, struct host_now *now);
	/* By the projection, run to its end: the operation that rank's host or a stream of it hangs on for ever,
	 * unless lines come; false: none */
	bool (*waiting)(struct backend *backend, int rank, op_id *on);
	/* Operations of the rank queued from now on take `factor` times as long (kernels and spin). */
	void (*slow)(struct backend *backend, int rank, double factor);
	/* Of operations that will be queued; by id, ascending. The list stays the caller's, and good as long as the backend. NULL: it
	 * can not. One member of a collective, or side of a transfer, stands for all. */
	void (*otherwise)(struct backend *backend, const struct op_otherwise *list, size_t count);
	/* Memory shall stay as it is at that time, whatever runs later; before anything is queued. NULL: it can not. */
	void (*data_until)(struct backend *backend, int64_t time);
	/* pace: no idle host's clock is below this; ranks' clocks rise to it */
	void (*clock_at_least)(struct backend *backend, int64_t ns);
	/* Ends every unfinished operation of the group's instance(s) at the latest of their clocks and
	 * processed events, marks outputs invalid, resumes the hosts. Call before world_abort. */
	enum status (*abort)(struct backend *backend, int group);
	/* A part of a group of which a collective waited for longer than the group's timeout, for good: what of it was
	 * queued so far is over, or will be as soon as it begins. Told once each, to call world_expire then; false:
	 * there is none. */
	bool (*expired)(struct backend *backend, struct expiry *expiry);
	/* The elements of a tensor of this process's rank, packed. by: an operation that is over and had the tensor as
	 * operand, an OP_COPY without a target or one whose record is `noted`: as that left them, which is known until
	 * something more is queued behind its `done` (or the reach that it ended). 0: memory as it is now, finished or
	 * not. ST_ARGUMENT: there is no such memory here. */
	enum status (*read)(struct backend *backend, op_id by, enum space space, int64_t address,
	        const struct layout *layout, void *packed);
	/* The other way: into memory as it is now. What is queued for it is over: an OP_FILL was reached. */
	enum status (*write)(struct backend *backend, enum space space, int64_t address,
	        const struct layout *layout, const void *packed);
	/* What became of this process's data since this was last asked: ST_OK, or the first failure. The same
	 * messages were exchanged all the same, and what it spoiled is marked. */
	enum status (*failure)(struct backend *backend);
	void (*stop)(struct backend *backend); /* frees it */
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

/* What has ended by then is over at that time of its host: as far as the clocks can tell, so that what a host has waited
 * for is over */
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

/* done: an OP_SYNC is final, or (on the process of its rank) an operation whose record is `noted`; told once each. In the
 * simulator's order on every backend and process, that of its passes and in each of virtual time: the shell then prints
 * what was asked for, or notes a loss, and texts are the same everywhere. It may read and ask for times that are final; it
 * must not queue. */
struct backend_hooks {
	void *self;
	void (*done)(void *self, op_id id);
};

#endif
