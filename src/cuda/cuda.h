/* cuda.h -- GPUs as a backend (backend/backend.h). For users: docs/guide/gpus.md */
#ifndef RANKSH_CUDA_H
#define RANKSH_CUDA_H

#include "backend/backend.h"
#include "cuda/placement.h"
#include "mpi/transport.h"

struct cuda_library;

/* agreed on by all ranks; the caller's, outlives the backend */
struct cuda_setup {
	struct cuda_library *library; /* open: driver and cuBLAS; NCCL unless ranks share a GPU */
	const struct cuda_placement *placement;
	int64_t scratch_bytes; /* per rank, in addition to placement->rank_bytes */
};

/* Called by all; fails on all or on none (ST_GPU, ST_MPI). backend->stop, also called by all,
 * frees it; world and transport outlive it. If world->machine->here, operations last as long as
 * the GPU takes; on any other machine at least as long as that machine says. */
enum status cuda_start(struct world *world, struct transport *transport, struct backend_hooks hooks,
        const struct cuda_setup *setup, struct backend **backend);

#endif
