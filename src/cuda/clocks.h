/* clocks.h -- converts the clocks of several hosts to rank 0's
 *
 * May call: mpi/ cuda/library/ base/. */
#ifndef RANKSH_CUDA_CLOCKS_H
#define RANKSH_CUDA_CLOCKS_H

#include "cuda/library/library.h"
#include "mpi/transport.h"

/* One message and its answer: our clock at sending, theirs at arrival, ours at the answer */
struct clock_ping {
	int64_t sent_ns, theirs_ns, back_ns;
};
/* their clock - ours; the error is at most uncertainty_ns */
struct clock_offset {
	int64_t ns, uncertainty_ns;
};

/* Uses the ping with the shortest round trip and assumes that the message arrived half-way; the
 * error is at most half the round trip. Requires count >= 1. */
struct clock_offset clock_offset(const struct clock_ping *pings, int count);

/* Called by all: measures how far rank 0's clock is ahead of this process's. Fails with ST_MPI. */
enum status clocks_compare(
        struct transport *transport, const struct cuda_library *library, struct clock_offset *offset);

#endif
