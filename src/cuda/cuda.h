/* cuda.h -- GPUs as a backend (backend/backend.h). How users see it: docs/cuda.md */
#ifndef RANKSH_CUDA_H
#define RANKSH_CUDA_H

#include "backend/backend.h"
#include "cuda/placement.h"
#include "mpi/transport.h"

struct cuda_library;

/* What all ranks have agreed on before; the caller's, and outlives the backend */
struct cuda_setup {
	struct cuda_library *library; /* open: driver and cuBLAS; NCCL where ranks do not share a GPU */
	const struct cuda_placement *placement;
	int64_t scratch_bytes; /* what each rank may take beside placement->rank_bytes, of what was kept aside */
};

/* Called by all at the same place: fails on all or on none (ST_GPU, worded; ST_MPI). backend->stop frees it, also by all.
 * world and transport outlive it. Where world->machine->here an operation lasts as long as the GPU takes; of any other
 * machine, as long at least as that says. */
enum status cuda_start(struct world *world, struct transport *transport, struct backend_hooks hooks,
        const struct cuda_setup *setup, struct backend **backend);

#endif
