/* arrays.h -- what the arrays of the machine hold: ranks, streams, events, meetings, transfers, links. Part of engine.h. */
#ifndef RANKSH_SIM_ARRAYS_H
#define RANKSH_SIM_ARRAYS_H

#include "backend/cost.h"
#include "world/world.h"

#define NOWHERE UINT32_MAX /* no index */

/* What moves a work on: its owner tells which of the arrays `index` counts in. */
enum owner {
	OWNER_LANE,
	OWNER_GROUP,
	OWNER_TRANSFER,
	OWNER_RANK /* an idle host's clock is reached: the rank stops */,
	OWNER_FILL /* this process's host writes a tensor */
};
enum work_phase {
	PHASE_NONE,
	PHASE_ARRIVE /* the head of a lane may begin */,
	PHASE_FIXED /* nothing disturbs it */,
	PHASE_KERNEL /* shares the multiprocessors */,
	PHASE_LATENCY /* of a flow */,
	PHASE_FLOW /* shares links */,
	PHASE_TIMEOUT /* a group's collective has waited as long as it may */,
	PHASE_QUORUM /* as many have come to a group's collective as it waits for */
};

struct activity {
	double left;  /* ns that it would still take alone, as of `since` */
	double share; /* of the speed alone, since then */
	int64_t since;
	/* whose rank, stream and number order it: of a collective, place 0's; of a transfer, the sender's */
	op_id op;
	uint32_t index;   /* of the lane, group instance, transfer or rank */
	uint32_t at;      /* place in the heap, NOWHERE if it has no event */
	uint32_t next;    /* the next kernel of the device */
	uint32_t touched; /* link.c: the round that looked at it last */
	uint8_t owner, phase;
};
struct due {
	int64_t time;
	uint64_t order;
	uint32_t work;
};

enum lane_state {
	LANE_QUIET /* no head, or its arrival is due, or it is not issued */,
	LANE_EVENT /* a wait unresolved */,
	LANE_DEFAULT /* rule 7 */,
	LANE_ENGINE /* for a copy engine */,
	LANE_TURN /* the group's earlier collective */,
	LANE_MATCH /* reached its meeting */,
	LANE_RUN
};
struct stream_queue {
	op_id head; /* the first operation of the stream that is not done */
	uint32_t rank, work;
	uint32_t next_poked; /* the next lane to look at */
	uint16_t left;       /* of a P2P at its match: parts not done */
	uint8_t next;        /* the next stream in line for a copy engine, 0 none */
	uint8_t state, stream;
	bool blocking, poked;
	bool high; /* its kernels go first */
};

/* Which streams of the rank a copy engine works for, and which wait in line; 0: none */
struct engine_line {
	uint8_t running, first, last;
};

enum rank_state {
	RANK_RUN /* between two lines of the host's program: only inside host.c */,
	RANK_IDLE,
	RANK_BLOCKED,
	RANK_CRASHED
};
struct rank {
	int64_t clock; /* the host's */
	/* an answer made the device's past final up to here: later lines reach it no earlier */
	int64_t settled;
	int64_t seen;                          /* time of its latest event */
	op_id next;                            /* of the host's program */
	op_id on;                              /* the SYNC or SEGMENT that blocks it */
	op_id last_done;                       /* of its device */
	uint32_t lanes, lane_count, lane_room; /* its lanes are lanes[lanes + stream] */
	uint32_t unfinished;                   /* issued to the device, not done */
	uint32_t kernels;                      /* list of works */
	uint32_t held;                         /* collectives that hold multiprocessors ... */
	double held_part;                      /* ... and how much of them together */
	uint32_t waiting;                      /* lanes in LANE_EVENT, LANE_DEFAULT or LANE_TURN */
	uint32_t awaited;                      /* transfers that wait for this rank's side */
	uint32_t one_sided;                    /* its own one-sided operations that are queued, not done */
	uint32_t reached;                      /* others', that it is the target of */
	uint32_t stop, stopped;                /* work of the stop event; the pass that stopped it */
	uint32_t spreads_next;                 /* run.c: whose stop spreads after its own */
	/* by the way of their copies */
	struct engine_line engine[COPY_ENGINES];
	uint8_t state;
	bool blocking; /* has blocking streams: rule 7 applies */
};

/* Of a group: its collectives take turns. */
struct instance {
	uint32_t work;
	uint32_t match; /* whose turn it is; 0: nobody has arrived */
	uint32_t turn;  /* its sequence number */
	uint32_t arrived;
	uint32_t members; /* on whose links it flows */
	op_id last;       /* the latest to arrive, and when */
	int64_t first_time, last_time, expired_at;
	uint32_t stopped; /* the latest pass that stopped a member */
	uint32_t expired; /* the match that waited too long, until the books know; 0: none */
	uint32_t windows; /* that are open: its members stop together */
	uint8_t kinds;    /* bit k: it flows over every member's link of kind k */
	bool running;
};

struct transfer {
	uint32_t work, next;
	op_id send, receive;
	uint16_t send_part, receive_part;
	struct path path;
};
/* A rank's link of one kind: how many flows are on it, and the first of their ties */
struct link {
	uint32_t count, first;
};
/* A flow on a link */
struct tie {
	uint32_t work, next;
};

/* Arrays whose content is the machine's state; one row each, so that a copy forgets none. */
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
