/* gather.h -- what each rank reports at the start: its host, GPUs and libraries, or why it has
 * none */
#ifndef RANKSH_CUDA_GATHER_H
#define RANKSH_CUDA_GATHER_H

#include "cuda/library/library.h"
#include <stdbool.h>

enum { REPORT_GPUS = 16, REPORT_WORDS = 1024 };
/* one rank's, sent as bytes: no pointers */
struct cuda_report {
	char host[64], boot[40];          /* the host's name, and the kernel's id of its boot */
	char refusal[REPORT_WORDS];       /* why this rank has no GPU; "": it has */
	char nccl_refusal[REPORT_WORDS];  /* why it has no NCCL; "": it has, or was not asked */
	int driver_version, nccl_version; /* as in struct cuda_library */
	bool nccl_shares;                 /* the user wants NCCL for ranks that share a GPU */
	bool mps;                         /* MPS runs: no turns on a shared GPU */
	bool no_ipc;                      /* IPC on a shared GPU is refused */
	CUipcMemHandle memory;            /* this rank's, for the test of that */
	int gpu_count;                    /* visible GPUs; those above REPORT_GPUS are left out */
	struct cuda_report_gpu {
		char name[64];
		CUuuid uuid;
		int64_t bytes; /* total, or free */
	} gpus[REPORT_GPUS];   /* by CUDA's ordinal */
};

/* Opens the driver, cuBLAS and NVRTC (if needed) and queries the GPUs. Failures are in the
 * report. */
void cuda_report_make(struct cuda_report *report, struct cuda_library *library);
/* The same for NCCL */
void cuda_report_nccl(struct cuda_report *report, struct cuda_library *library);

#endif
