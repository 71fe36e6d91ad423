/* nccl.h -- ranks with a GPU each meet by NCCL
 *
 * A part has a communicator for its collectives, and one for each channel from one of its ranks to another: what is given to
 * a communicator runs in that order, and only of a channel do both ends know the same order. Where a collective goes on
 * without its latest members, each of these gets the result on a communicator of its own with the lowest place that counts.
 *
 * NCCL has no put, get and add: the rank that is reached serves them, on a thread and a stream beside the learner's, so that
 * its program has nothing for them and holds none of them up. Each stream that reaches a rank has a communicator for it: the
 * order of that stream is all that both ends agree on, and one that stands holds up nobody else's (serve.c).
 *
 * Each has a thread that makes it, warms it up, and aborts it in the end; they are made one after the other, in one order on
 * all ranks. */
#ifndef RANKSH_CUDA_NCCL_EXCHANGE_H
#define RANKSH_CUDA_NCCL_EXCHANGE_H

#include "cuda/exchange/exchange.h"

struct transport;

/* On the host thread, whose context, of that GPU, is current; `cuda` has NCCL open and outlives it. exchange->close frees it.
 * ST_GPU, ST_DEVICE_MEMORY */
enum status nccl_make(struct cuda_library *cuda, int ordinal, int rank, struct exchange **exchange);

/* Who is to have a communicator: the members of a part, by place; the ends of a channel of it, the sender first; for
 * results of collectives that went on without one of its ranks, who sends them and that rank; or, a kind for each stream
 * number (nccl_reach), who reaches windows from it and whose they are */
enum nccl_kind { NCCL_PART, NCCL_CHANNEL, NCCL_LATE, NCCL_REACH };
static inline enum nccl_kind nccl_reach(int stream)
{
	return (enum nccl_kind)(NCCL_REACH + stream);
}

struct nccl_party {
	int part;
	enum nccl_kind kind;
	int n;
	const int *ranks; /* the caller's; copied */
};
/* Called by control of all processes at the same place, with the same parties: those that meet for the first time, or again
 * after a release. It waits for no device; communicators are made from here on, and exchange.open waits for them, and tells
 * whether they could be. ST_MPI. */
enum status nccl_meet(
        struct exchange *exchange, struct transport *transport, const struct nccl_party *parties, int count);

#endif
