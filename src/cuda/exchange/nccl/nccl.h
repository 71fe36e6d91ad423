/* nccl.h -- communication of ranks with a GPU each, by NCCL
 *
 * A part has a communicator for its collectives and one for each channel (sender, receiver):
 * calls of a communicator run in order, and only a channel's two ends know the same order. A late
 * member (backup=) gets the result on a communicator with the first member that counts.
 *
 * NCCL has no put, get and add: the target rank serves them (serve.c), on a communicator for each
 * origin stream, because both ends know only that stream's order. */
#ifndef RANKSH_CUDA_NCCL_EXCHANGE_H
#define RANKSH_CUDA_NCCL_EXCHANGE_H

#include "cuda/exchange/exchange.h"

struct transport;

/* Call it on the host thread, with the GPU's context current; `cuda` has NCCL open and outlives
 * the exchange, which exchange->close frees. Fails with ST_GPU, ST_DEVICE_MEMORY. */
enum status nccl_make(struct cuda_library *cuda, int ordinal, int rank, struct exchange **exchange);

/* Members of a communicator: NCCL_PART: of a part, by place. NCCL_CHANNEL: sender, receiver.
 * NCCL_LATE: the rank that sends the results, and the late rank. NCCL_REACH, a kind per stream
 * number (nccl_reach): origin, target. */
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
/* Called by control of all processes at the same place with the same parties: new ones, or again
 * after a release. Waits for no device: communicators are made from here on, and exchange.open
 * waits for them and reports failures. Fails with ST_MPI. */
enum status nccl_meet(
        struct exchange *exchange, struct transport *transport, const struct nccl_party *parties, int count);

#endif
