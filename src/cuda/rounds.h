/* rounds.h -- measured times made known to all processes, in rounds.
 *
 * A time that a GPU took is known to one process. All processes call rounds_hold at the same place; behind it each has
 * what any of them had to tell. Who waits for a device waits in rounds: each says whether what it waits for is over, so that
 * all go on together.
 *
 *      rank 1   times, over? ---.                          .---> all times, over by all?
 *      rank 2   times, over? ---+--> rank 0, with its own --+---> all times, over by all?, stop?
 *
 * A round is two messages a process and no more, whatever has happened. A process that waits for the others naps
 * (mpi/nap.c). May call: mpi/ base/. */
#ifndef RANKSH_CUDA_ROUNDS_H
#define RANKSH_CUDA_ROUNDS_H

#include "cuda/host/measured.h"
#include "mpi/transport.h"

/* What this process says in a round, and behind it what all have said */
struct vote {
	bool over; /* what it waits for is done; of all: everybody's is */
	bool full; /* host_is_full; of all: that of any process */
	int lost; /* a part in which its operation failed, + 1; 0: none. Of all: the lowest rank's that has one */
};

/* The times of this process that the others do not know yet; a zeroed one is empty. */
struct rounds {
	struct transport *transport; /* the caller's */
	struct measured *news;
	size_t count;
};
void rounds_release(struct rounds *rounds);
/* To be told in the next round */
void rounds_tell(struct rounds *rounds, const struct measured *one);
/* Everybody's news go into `all`, this process's too; *vote becomes everybody's. ST_MPI: a message failed, and this process
 * is not where the others are. ST_BUG */
enum status rounds_hold(struct rounds *rounds, struct measurements *all, struct vote *vote);

#endif
