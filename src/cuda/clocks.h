/* clocks.h -- the clocks of several hosts as one: rank 0's
 *
 * May call: mpi/ cuda/library/ base/. */
#ifndef RANKSH_CUDA_CLOCKS_H
#define RANKSH_CUDA_CLOCKS_H

#include "cuda/library/library.h"
#include "cuda/offset.h"
#include "mpi/transport.h"

/* How far rank 0's clock is ahead of this process's, by messages there and back. Called by all. ST_MPI */
enum status clocks_compare(
        struct transport *transport, const struct cuda_library *library, struct clock_offset *offset);

#endif
