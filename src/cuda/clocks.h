/* clocks.h -- converts the clocks of several hosts to rank 0's
 *
 * May call: mpi/ cuda/library/ base/. */
#ifndef RANKSH_CUDA_CLOCKS_H
#define RANKSH_CUDA_CLOCKS_H

#include "cuda/library/library.h"
#include "cuda/offset.h"
#include "mpi/transport.h"

/* Measures how far rank 0's clock is ahead of this process's, by messages and their answers.
 * Called by all. Fails with ST_MPI. */
enum status clocks_compare(
        struct transport *transport, const struct cuda_library *library, struct clock_offset *offset);

#endif
