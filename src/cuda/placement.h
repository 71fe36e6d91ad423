/* placement.h -- which rank works on which GPU: a pure function of what all have told (gather.h), so that all processes
 * come to the same end, and to the same refusal. */
#ifndef RANKSH_CUDA_PLACEMENT_H
#define RANKSH_CUDA_PLACEMENT_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

struct cuda_report;

/* A rank's place */
struct cuda_seat {
	int host;    /* from 0, by the first rank on it */
	int gpu;     /* among the GPUs in use, from 0, by the first rank on it */
	int ordinal; /* CUDA's number of it in this rank's process */
};
/* A zeroed one is empty. */
struct cuda_placement {
	struct cuda_seat *seats; /* by rank */
	int *sharers;            /* of each GPU in use: ranks on it */
	int ranks, hosts, gpus;
	bool shared;        /* ranks share a GPU without NCCL: they are all on one host */
	bool no_ipc;        /* then: they do not reach each other's memory */
	int64_t rank_bytes; /* what each rank may fill: the least that any has */
};

/* Each rank takes, of the GPUs it sees, the one that fewest ranks of its host have taken, its first if several. A GPU
 * gives each of its ranks an even part of its memory, less reserve_bytes for what CUDA itself needs. NCCL serves ranks that
 * share a GPU, too, from 2.30 on and where all ranks' users want it (NCCL_MULTI_RANK_GPU_ENABLE=1: an experiment of NVIDIA's).
 * ST_GPU: a rank has no GPU, or no NCCL where it is needed, or another version of NCCL than the rest; ranks share a GPU
 * and are not all on one host; a GPU is too small for its ranks. Then *placement is empty. */
enum status cuda_place(struct cuda_placement *placement, const struct cuda_report *reports, int ranks,
        int64_t reserve_bytes);
void cuda_placement_release(struct cuda_placement *placement);
/* What the user is told at the start, one line without its end: "cuda: 8 ranks, 8 x NVIDIA H100, NCCL 2.28.9" */
void cuda_placement_words(
        const struct cuda_placement *placement, const struct cuda_report *reports, struct text *words);

#endif
