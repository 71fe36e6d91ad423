/* placement.h -- assigns ranks to GPUs: a pure function of all ranks' reports, so that all
 * processes get the same result, or the same refusal */
#ifndef RANKSH_CUDA_PLACEMENT_H
#define RANKSH_CUDA_PLACEMENT_H

#include "base/status.h"
#include "base/text.h"
#include "cuda/library/library.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- a rank's report */

enum { REPORT_GPUS = 16, REPORT_WORDS = 1024 };
/* one rank's, sent as bytes: no pointers */
struct cuda_report {
	char host[64], boot[40];          /* the host's name and boot id */
	char refusal[REPORT_WORDS];       /* why this rank has no GPU; "": it has one */
	char nccl_refusal[REPORT_WORDS];  /* why it has no NCCL; "": it has, or did not look */
	int driver_version, nccl_version; /* as in struct cuda_library */
	bool nccl_shares;                 /* the user wants NCCL for ranks that share a GPU */
	bool mps;                         /* MPS runs: ranks take no turns on a shared GPU */
	bool no_ipc;                      /* IPC on a shared GPU is refused */
	CUipcMemHandle memory;            /* this rank's memory, which tests that */
	int gpu_count;                    /* visible GPUs; those above REPORT_GPUS are left out */
	struct cuda_report_gpu {
		char name[64];
		CUuuid uuid;
		int64_t bytes; /* total, or free */
	} gpus[REPORT_GPUS];   /* by CUDA's ordinal */
};

/* Opens the driver, cuBLAS and NVRTC and queries the GPUs. Failures are in the report. */
void cuda_report_make(struct cuda_report *report, struct cuda_library *library);
/* Opens NCCL likewise. */
void cuda_report_nccl(struct cuda_report *report, struct cuda_library *library);

/* ---- the assignment */

/* a rank's GPU */
struct cuda_seat {
	int host;    /* numbered from 0 by first rank */
	int gpu;     /* of the GPUs in use, numbered likewise */
	int ordinal; /* CUDA's number of it in this rank's process */
};
/* A zeroed one is empty. */
struct cuda_placement {
	struct cuda_seat *seats; /* by rank */
	int *sharers;            /* ranks on each GPU in use */
	int ranks, hosts, gpus;
	bool shared;        /* ranks share a GPU without NCCL: all are on one host */
	bool no_ipc;        /* if shared: without access to each other's memory */
	int64_t rank_bytes; /* memory of each rank: the least that any has */
};

/* Assigns to each rank the visible GPU with the fewest ranks, the first of several. A GPU's
 * memory less reserve_bytes per rank is divided evenly. NCCL serves ranks that share a GPU from
 * 2.30 on if all ranks set NCCL_MULTI_RANK_GPU_ENABLE=1 (experimental). Fails with ST_GPU and an
 * empty *placement. */
enum status cuda_place(struct cuda_placement *placement, const struct cuda_report *reports, int ranks,
        int64_t reserve_bytes);
void cuda_placement_release(struct cuda_placement *placement);
/* Adds the start line, without newline: "cuda: 8 ranks, 8 x NVIDIA H100, NCCL 2.28.9" */
void cuda_placement_words(
        const struct cuda_placement *placement, const struct cuda_report *reports, struct text *words);

#endif
