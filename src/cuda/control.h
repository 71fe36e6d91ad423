/* control.h -- what the files of the backend share. An umbrella header.
 *
 *      queued      shadow.queued                     the simulator: same world, no data
 *                  of this rank: an order, held      orders.c
 *      reach ...   shadow.reach: the verdict         before a device is waited for
 *                  publish: all hosts start          publish.c; communicators, orders -> host/
 *                  rounds until it is over           wait.c rounds.c; times of all ranks
 *                  done, in the shadow's order       wait.c
 *      times       measured, else the shadow's       times.c
 *
 * The shadow decides which operations complete, and in which order. Everything here is the same on
 * all processes unless marked `own`. */
#ifndef RANKSH_CUDA_CONTROL_H
#define RANKSH_CUDA_CONTROL_H

#include "backend/backend.h"
#include "cuda/clocks.h"
#include "cuda/cuda.h"
#include "cuda/exchange/shared_gpu/shared_gpu.h"
#include "cuda/exchange/nccl/nccl.h"
#include "cuda/host/host.h"
#include "cuda/host/order.h"
#include "cuda/library/library.h"
#include "cuda/placement.h"
#include "cuda/rounds.h"
#include "mpi/transport.h"
#include "world/op.h"
#include "world/world.h"

/* the sequence numbers of a part of a group */
struct part_seqs {
	uint32_t base; /* numbers start above it; an abort raises it to `most` */
	uint32_t most; /* the largest in use */
	/* matches below this index have no result, because a member's operation failed */
	uint32_t lost;
};

struct party_wanted {
	int group, instance;
	enum nccl_kind kind;
	int ends[2]; /* not for NCCL_PART: two ranks, the sender or origin first */
};

/* another rank's put, get or add that this rank serves */
struct service_owed {
	op_id id;
	struct exchange_one_sided call;
};

struct open_op {
	op_id id;
	bool over, cancelled;
};

struct control {
	struct backend backend; /* first: a backend is the beginning of its control */
	struct world *world;
	struct transport *transport;
	struct backend_hooks hooks;
	struct cuda_setup setup;
	struct backend *shadow;
	struct shared_gpu *gpu;
	struct host *host;
	/* orders.c */
	struct {
		struct host_order *held; /* own: not given to the host yet */
		size_t held_count, held_room;
		op_id *queued; /* operations of all ranks, not published */
		size_t queued_count, queued_room;
		struct service_owed *services; /* own: of the queued operations */
		size_t service_count;
	} orders;
	/* orders.c: segments, parts and groups that this rank's host knows */
	struct {
		int64_t *segments[SPACE_COUNT]; /* own: segments that the host knows, by address */
		size_t segment_count[SPACE_COUNT];
		/* stretch_count of the world when `segments` was updated */
		size_t stretches[SPACE_COUNT];
		struct part_seqs *parts;
		size_t part_count, group_count; /* groups whose parts the host knows */
	} known;
	/* -- parties.c */
	struct exchange *exchange; /* the host's */
	/* parties.c: communicators to be made */
	struct {
		struct party_wanted *wanted;
		size_t wanted_count, met; /* communicators [0, met) have been made */
	} parties;
	/* -- wait.c */
	struct rounds rounds;
	struct measurements measured;
	struct open_op *open; /* own: published and not measured */
	size_t open_count;
	size_t published; /* operations of all ranks given to hosts */
	/* wait.c: the hosts' clocks */
	struct {
		int64_t shift;              /* own: session time = host clock - shift */
		struct clock_offset offset; /* own: to rank 0's clock */
		double uncertainty;         /* the largest of all ranks, ns */
		int64_t compared;           /* rank 0's clock at the last comparison */
		int64_t own_end;            /* own: latest end that the host has reported */
		int64_t paced;              /* session time before which nothing is issued */
		/* `pace`: the line is published as soon as it is typed */
		bool paces;
	} clocks;
	op_id *done; /* completed in the shadow; the hook has not been called */
	size_t done_count;
	bool owed; /* an OP_SYNC or a reach() needs measured times, which have to be waited for */
	/* wait.c: operations that have failed */
	struct {
		/* own: parts in which an operation has failed, not yet announced to all */
		int *lost;
		size_t lost_count;
		/* the part, + 1, that the last round announced; the next round releases it; 0:
		 * none */
		int losing;
		enum status status; /* own: the first failure not reported to the user yet */
		/* the operation that read an index out of range, if that is `status`; else 0 */
		op_id looked_up;
		char words[1024];
	} failure;
	/* times.c: what is measured, and what is predicted from it */
	struct {
		int64_t latest;   /* latest end of a measured operation */
		int64_t *clock;   /* by rank: its host's clock, as far as measured */
		op_id *lane_last; /* by rank and stream: the last measured operation */
		size_t measured;  /* measurements included in the above */
		int64_t ahead;    /* added to the shadow's times to predict, ns */
		size_t ahead_of;  /* measurements, and operations, when `ahead` was computed */
		size_t ahead_ops;
	} times;
};

static inline struct control *control_of(struct backend *backend)
{
	return (struct control *)backend;
}

/* orders.c. Counts a new operation's sequence numbers; if it is this rank's, makes an order. */
void order_operation(struct control *control, op_id id);
/* orders the host to open its part of the group, also if only a communicator is new */
void order_part(struct control *control, int group);
/* After an abort: releases the instance (-1: all); sequence numbers continue above all used
 * ones. */
void orders_restart(struct control *control, int group, int instance);
/* Called by all: ends what is queued in the part without a result; later operations run. */
void orders_lose(struct control *control, int part);
/* Returns the number of the rank's part of the group. */
int order_part_of(const struct world *world, int group, int rank);
/* true if orders_lose applies to it */
bool order_is_lost(struct control *control, op_id id);
void orders_release(struct control *control);

/* spares.c: collectives with backup= */
/* Returns for each of control->orders.queued whether it is withheld until the members that count
 * are known; NULL if none is. The same on all processes; the caller frees it. */
bool *spares_withheld(struct control *control);
/* Sets in an order that is about to be given the members that count, whether it never completes,
 * and a late member's duration. */
void spares_decide(struct control *control, struct host_order *order);
/* Returns the first place that counts, once decided. */
int spares_first(const struct control *control, const struct match *match);
bool spares_counts(const struct world *world, op_id id); /* 0: not queued */

/* parties.c: requests communicators; without NCCL these functions do nothing */
void parties_group(struct control *control, int group);                   /* a new group */
void parties_channel(struct control *control, const struct match *match); /* of a transfer */
/* requests those between the first member that counts and each late one (backup=) */
void parties_late(struct control *control, const struct match *match);
void parties_reach(struct control *control, op_id id); /* of a put, get or add */
/* after a release: forgets the instance's communicators (-1: all), requests the part's again */
void parties_anew(struct control *control, int group, int instance);
/* Makes the new communicators. Called by all before orders are given. Fails with ST_GPU,
 * ST_MPI. */
enum status parties_meet(struct control *control);

/* publish.c: gives the hosts all held orders that are not withheld. Hosts start at one session
 * time, which skips time in which all were idle. Fails with ST_GPU, ST_MPI. */
enum status control_publish(struct control *control);

/* wait.c */
enum control_wait {
	WAIT_FINAL,    /* for operations that the shadow has completed */
	WAIT_PROJECTED /* also for those with a projected end */
};
/* Waits in rounds, then calls the hooks. Fails with ST_INTERRUPTED; with ST_WAITS if
 * budget->waits is NULL and the wait is not over; as rounds_hold. */
enum status control_wait(struct control *control, enum control_wait what, struct budget *budget);
/* cancels on the device what the shadow has aborted */
void control_cancel(struct control *control);
void control_done(void *self, op_id id); /* the shadow's hook */

/* times.c */
void control_times(struct backend *backend, op_id id, struct times *times);
void control_host(struct backend *backend, int rank, struct host_now *now);
bool control_predicted(struct backend *backend, op_id id, struct times *times);
void control_note_news(struct control *control);

#endif
