/* arrays.h -- the elements of the machine's arrays. Part of engine.h. */
#ifndef RANKSH_SIM_ARRAYS_H
#define RANKSH_SIM_ARRAYS_H

#include "backend/cost.h"
#include "world/world.h"

#define NOWHERE UINT32_MAX /* no index */

/* The array that a work's `index` refers to */
enum owner {
	OWNER_LANE,
	OWNER_GROUP,
	OWNER_TRANSFER,
	OWNER_RANK /* an idle host's clock, at which the rank stops */,
	OWNER_FILL /* this process's rank: its host writes a tensor */
};
enum work_phase {
	PHASE_NONE,
	PHASE_ARRIVE /* the head may begin */,
	PHASE_FIXED /* undisturbed */,
	PHASE_KERNEL /* shares multiprocessors */,
	PHASE_LATENCY /* of a flow */,
	PHASE_FLOW /* shares links */,
	PHASE_TIMEOUT /* a group's collective times out */,
	PHASE_QUORUM /* enough members of a collective have arrived */
};

struct activity {
	double left;  /* ns alone, as of `since` */
	double share; /* of full speed, since then */
	int64_t since;
	/* orders its events: of a collective, the operation of place 0; of a transfer, the send */
	op_id op;
	uint32_t index;   /* lane, group instance, transfer or rank */
	uint32_t at;      /* place in the heap; NOWHERE: no event */
	uint32_t next;    /* next kernel of the device */
	uint32_t touched; /* link.c: last round */
	uint8_t owner, phase;
};
struct due {
	int64_t time;
	uint64_t order;
	uint32_t work;
};

enum lane_state {
	LANE_QUIET /* no head, not issued, or its arrival is due */,
	LANE_EVENT /* unresolved wait */,
	LANE_DEFAULT /* rule 7 */,
	LANE_ENGINE /* for a copy engine */,
	LANE_TURN /* for the group's turn */,
	LANE_MATCH /* at its meeting */,
	LANE_RUN
};
struct stream_queue {
	op_id head; /* first unfinished operation */
	uint32_t rank, work;
	uint32_t next_poked; /* next in the list of pokes */
	uint16_t left;       /* a P2P's unfinished parts */
	uint8_t next;        /* next stream waiting for the copy engine; 0: none */
	uint8_t state, stream;
	bool blocking, poked;
	bool high; /* priority of its kernels */
};

/* The streams at a copy engine: one that copies, and a queue; 0: none */
struct engine_line {
	uint8_t running, first, last;
};

enum rank_state {
	RANK_RUN /* between two lines, inside host.c only */,
	RANK_IDLE,
	RANK_BLOCKED,
	RANK_CRASHED
};
struct rank {
	int64_t clock; /* the host's */
	/* the device's past is final up to here: later operations arrive no earlier */
	int64_t settled;
	int64_t seen;                          /* time of its latest event */
	op_id next;                            /* next line of the host */
	op_id on;                              /* the SYNC or SEGMENT that blocks it */
	op_id last_done;                       /* last operation that ended on the device */
	uint32_t lanes, lane_count, lane_room; /* lanes[lanes + stream] */
	uint32_t unfinished;                   /* issued to the device, not done */
	uint32_t kernels;                      /* works, a list */
	uint32_t held;                         /* collectives that hold multiprocessors */
	double held_part;                      /* the share that they hold */
	uint32_t waiting;                      /* lanes in LANE_EVENT, LANE_DEFAULT or LANE_TURN */
	uint32_t awaited;                      /* transfers waiting for this rank */
	uint32_t one_sided;                    /* its one-sided operations, queued and not done */
	uint32_t reached;                      /* such operations with it as target */
	uint32_t stop, stopped;                /* stop event; pass that stopped it */
	uint32_t spreads_next;                 /* next in run.c's list */
	/* by enum copy_way */
	struct engine_line engine[COPY_ENGINES];
	uint8_t state;
	bool blocking; /* rule 7 applies */
};

/* A group instance: its collectives take turns. */
struct instance {
	uint32_t work;
	uint32_t match; /* the match whose turn it is; 0: no member has arrived */
	uint32_t turn;  /* sequence number */
	uint32_t arrived;
	uint32_t members; /* with links in the flow */
	op_id last;       /* last arrival */
	int64_t first_time, last_time, expired_at;
	uint32_t stopped; /* last pass in which a member stopped */
	uint32_t expired; /* match that timed out, not yet reported; 0: none */
	uint32_t windows; /* open windows; while there are any, members stop together */
	uint8_t kinds;    /* bit k: uses each member's link of kind k */
	bool running;
};

struct transfer {
	uint32_t work, next;
	op_id send, receive;
	uint16_t send_part, receive_part;
	struct path path;
};
/* A rank's link of one kind: number of flows, and the list of their ties */
struct link {
	uint32_t count, first;
};
/* A flow on a link */
struct tie {
	uint32_t work, next;
};

/* The machine's state, copied array by array. */
#define ENGINE_ARRAYS(X)              \
	X(struct rank, ranks)         \
	X(struct stream_queue, lanes) \
	X(struct activity, works)     \
	X(struct due, agenda)         \
	X(struct instance, instances) \
	X(struct transfer, transfers) \
	X(struct link, links)         \
	X(struct tie, ties)

#endif
