/* control.h -- what the files of the backend share: cuda.h says what it is. An umbrella header: it brings along what it
 * includes.
 *
 *      queued      shadow.queued                     the simulator, over the same books, without data
 *                  of this rank: an order, held      orders.c
 *      reach ...   shadow.reach: the verdict         who is missing is known before anything real is waited for
 *                  publish: all hosts begin at once  wait.c; communicators, a common now, orders -> host/
 *                  rounds until it is over           wait.c rounds.c; news of all ranks -> measured; Ctrl-C ends it
 *                  done, in the shadow's order       wait.c; what it told meanwhile
 *      times       measured, else the shadow's       told.c
 *
 * Files: control.c (functions, life)  orders.c (an operation as an order)  spares.c (backup=)  parties.c (communicators)
 * publish.c (orders to hosts)  wait.c (rounds)  told.c (times, clocks, blame)  clocks.c rounds.c (headers of their own).
 * Before it starts: open.c (the job's GPUs)  gather.c (what each rank tells all)  placement.c (which rank has which GPU)
 * offset.c (hosts' clocks).
 * Everything here is the same on all processes but what is marked `own`. */
#ifndef RANKSH_CUDA_CONTROL_H
#define RANKSH_CUDA_CONTROL_H

#include "backend/backend.h"
#include "cuda/cuda.h"
#include "cuda/exchange/shared_gpu/board.h"
#include "cuda/exchange/nccl/nccl.h"
#include "cuda/host/host.h"
#include "cuda/host/measured.h"
#include "cuda/host/order.h"
#include "cuda/library/library.h"
#include "cuda/offset.h"
#include "cuda/placement.h"
#include "cuda/rounds.h"
#include "mpi/transport.h"
#include "world/op.h"
#include "world/world.h"

/* Of each part of a group */
struct part_turns {
	uint32_t base; /* turns of what came before the last abort */
	uint32_t most; /* the largest turn that was given out */
	uint32_t
	        lost; /* matches of the books below this one come to nothing: somebody's share of them failed */
};

/* A communicator that NCCL is to make */
struct party_wanted {
	int group, instance;
	enum nccl_kind kind;
	int ends[2]; /* not of NCCL_PART: ranks, the sender, or who reaches, first */
};

/* Another rank's put, get or add, for which something is to be done here */
struct service_owed {
	op_id id;
	struct exchange_one_sided call;
};

struct open_op {
	op_id id;
	bool over, cancelled;
};

struct control {
	struct backend backend; /* first: a backend is a control */
	struct world *world;
	struct transport *transport;
	struct backend_hooks hooks;
	struct cuda_setup setup;
	struct backend *shadow;
	struct board *board;
	struct host *host;
	/* -- orders.c */
	struct host_order *held; /* own: not given to the host yet */
	size_t held_count, held_room;
	op_id *queued; /* operations of all ranks that are not published, in their order */
	size_t queued_count, queued_room;
	struct service_owed *services; /* own: of those */
	size_t service_count;
	int64_t *known[SPACE_COUNT]; /* own: segments that the host knows, by address */
	size_t known_count[SPACE_COUNT];
	/* so many segments there had ever been when `known` was brought up to date */
	size_t stretches[SPACE_COUNT];
	struct part_turns *parts;
	size_t part_count, group_count; /* groups whose parts the host knows */
	bool *slowed;                   /* by rank: under `slow` */
	/* -- parties.c */
	struct exchange *exchange; /* the host's */
	struct party_wanted *wanted;
	size_t wanted_count, met; /* those before `met` have met */
	/* -- wait.c */
	struct rounds rounds;
	struct measurements measured;
	struct open_op *open; /* own: published, and not measured */
	size_t open_count;
	size_t published;           /* operations of all ranks that hosts were given */
	int64_t shift;              /* own: session's time is the host's clock less it */
	struct clock_offset offset; /* own: of rank 0's clock */
	double uncertainty;         /* of measured times: the largest of all ranks, ns */
	int64_t compared;           /* rank 0's clock when clocks were compared */
	int64_t own_end;            /* own: of all that this rank's host has reported */
	int64_t paced;              /* nothing is issued before that time of the session */
	bool paces;                 /* the line at hand is issued as it is typed */
	op_id *done;                /* told by the shadow, and not told on yet */
	size_t done_count;
	bool owed; /* an OP_SYNC among them: somebody waits for an answer */
	int *lost; /* own: parts in which an operation has failed, and others wait for it */
	size_t lost_count;
	int losing; /* one of them of any rank, + 1, from the round in which all heard of it to the next; 0: none */
	enum status failed; /* own: the first failure that nobody has asked for */
	op_id looked_up;    /* if `failed` is a number out of range: the operation that read it; else 0 */
	char why[1024];
	/* -- told.c */
	int64_t latest;   /* end of all that is measured */
	int64_t *clock;   /* by rank: its host's, as far as it is measured */
	op_id *lane_last; /* by rank and stream: the last that is measured */
	size_t told;      /* measurements in `latest`, `clock`, `lane_last` */
	int64_t ahead;    /* predictions come so much later than the shadow has them */
	size_t ahead_of;  /* as of so many measurements, and so many operations */
	size_t ahead_ops;
};

static inline struct control *control_of(struct backend *backend)
{
	return (struct control *)backend;
}

/* orders.c. An operation of any rank is new in the books: counts its turns; of this rank it becomes an order. */
void order_operation(struct control *control, op_id id);
void order_part(struct control *control, int group); /* its host opens what is new in its part of the group */
void order_parts(
        struct control *control); /* groups that are new in the books, at their place in the orders */
void orders_restart(
        struct control *control, int group, int instance); /* it was aborted: its turns go on anew */
/* What has been queued in the part comes to nothing, on all of its members; what is queued from here on does. The books are
 * as they were: what became of data steers nothing. */
void orders_lose(struct control *control, int part);
/* The number of the part of the group that the rank is in */
int order_part_of(const struct world *world, int group, int rank);
bool order_is_lost(struct control *control, op_id id); /* by that */
void orders_release(struct control *control);

/* spares.c: collectives with backup= */
/* Of control->queued, what hosts cannot be given yet, as nobody knows who counts, the same on all processes; the caller frees it. NULL:
 * nothing. The shadow carries out what it can. */
bool *spares_withheld(struct control *control);
/* Who counts, whether this rank waits in vain, and how long a late one lasts. The order is given next. */
void spares_decide(struct control *control, struct host_order *order);
/* The lowest place of those that count, once that is decided */
int spares_first(const struct control *control, const struct match *match);
bool spares_counts(const struct control *control, op_id id); /* 0: not queued */

/* parties.c: nothing, where ranks meet at the board */
void parties_group(struct control *control, int group);                   /* it is new */
void parties_channel(struct control *control, const struct match *match); /* a transfer's */
/* A collective's with backup=: between the first that counts and each late one */
void parties_late(struct control *control, const struct match *match);
void parties_reach(struct control *control, op_id id);               /* a put's, get's, add's */
void parties_anew(struct control *control, int group, int instance); /* it was released; -1: all its parts */
/* Those that are new meet. By all, before orders are given. ST_GPU, ST_MPI */
enum status parties_meet(struct control *control);

/* publish.c: gives what is held to the hosts, but for what is withheld: they begin at one time, and the time in which all was idle is
 * cut out. ST_GPU, ST_MPI */
enum status control_publish(struct control *control);

/* wait.c */
enum control_wait {
	WAIT_FINAL,    /* for what the shadow has carried out for good */
	WAIT_PROJECTED /* for all that will end by its projection */
};
/* Rounds until it is over, then the hooks. ST_INTERRUPTED; ST_WAITS: budget->waits is NULL, and it is not over; ST_GPU: some
 * rank's device is lost. */
enum status control_wait(struct control *control, enum control_wait what, struct budget *budget);
/* The operations that the shadow has ended undone end on the device, too. */
void control_cancel(struct control *control);
void control_done(void *self, op_id id); /* the shadow's hook */

/* told.c */
void told_times(struct backend *backend, op_id id, struct times *times);
void told_host(struct backend *backend, int rank, struct host_now *now);
bool told_predicted(struct backend *backend, op_id id, struct times *times);
void told_news(struct control *control); /* of what has been measured since */

#endif
