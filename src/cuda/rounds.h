/* rounds.h -- distributes measured times to all processes, in rounds
 *
 * All processes call rounds_hold at the same place and then know what any of them had, and whether
 * all their waits for devices are over.
 *
 *      rank 1   times, over? ---.                          .---> all times, over for all?
 *      rank 2   times, over? ---+--> rank 0, with its own --+---> all times, over for all?
 *
 * A round takes two messages for each process except rank 0. */
#ifndef RANKSH_CUDA_ROUNDS_H
#define RANKSH_CUDA_ROUNDS_H

#include "cuda/host/order.h"
#include "mpi/transport.h"

/* ---- measured times of all ranks: this process's and those received from others */

/* A zeroed one is empty. */
struct measurements {
	struct measured *at; /* by op_id */
	size_t room;         /* ids below it have an entry */
	op_id *order;        /* known operations in order of arrival: the same on all processes */
	size_t known;
};
void measurements_release(struct measurements *all);
/* Fails with ST_BUG if the operation is known with other times. */
enum status measurements_add(struct measurements *all, const struct measured *one);
/* Returns NULL if the operation is unknown. */
const struct measured *measurements_find(const struct measurements *all, op_id id);

/* ---- rounds */

/* what a process says in a round, and then the result for all */
struct vote {
	bool over; /* its wait is over; for all: everyone's is */
	bool full; /* host_is_full; for all: of any process */
	/* a part in which its operation failed, + 1; 0: none. For all: of the lowest such rank */
	int lost;
};

/* times that the other processes do not have yet; a zeroed one is empty */
struct rounds {
	struct transport *transport; /* the caller's */
	struct measured *news;
	size_t count;
};
void rounds_release(struct rounds *rounds);
/* Adds a time to the next round. */
void rounds_tell(struct rounds *rounds, const struct measured *one);
/* Adds every process's times to `all` and makes *vote the result for all. Fails with ST_MPI
 * (this process is then out of step with the others), or with ST_BUG if a message is malformed or
 * an operation is known with other times. */
enum status rounds_hold(struct rounds *rounds, struct measurements *all, struct vote *vote);

#endif
