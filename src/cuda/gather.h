/* gather.h -- what each rank tells all others at the start: its host, its GPUs, its libraries, or why it has none */
#ifndef RANKSH_CUDA_GATHER_H
#define RANKSH_CUDA_GATHER_H

#include "cuda/library/library.h"
#include <stdbool.h>

struct transport;

enum { REPORT_GPUS = 16, REPORT_WORDS = 1024 };
/* A rank's, as bytes for the others: no pointers. */
struct cuda_report {
	char host[64], boot[40];          /* its name, and the kernel's name for this run of it */
	char refusal[REPORT_WORDS];       /* why this rank has no GPU; "": it has */
	char nccl_refusal[REPORT_WORDS];  /* why it has no NCCL; "": it has, or was not asked */
	int driver_version, nccl_version; /* as in struct cuda_library */
	bool nccl_shares;                 /* the user wants NCCL to serve ranks that share a GPU */
	bool mps;                         /* ranks that share a GPU need not take turns */
	bool no_ipc;           /* memory of processes that share a GPU cannot be opened by each other */
	CUipcMemHandle memory; /* this rank's, for that to be tried */
	int gpu_count;         /* that the rank sees; more than REPORT_GPUS are not told */
	struct cuda_report_gpu {
		char name[64];
		CUuuid uuid;
		int64_t bytes; /* that it has, or that were free */
	} gpus[REPORT_GPUS];   /* by CUDA's ordinal */
};

/* Opens driver and cuBLAS, and looks at the host's GPUs. What it does not find is told in the report. */
void cuda_report_make(struct cuda_report *report, struct cuda_library *library);
/* The same for NCCL */
void cuda_report_nccl(struct cuda_report *report, struct cuda_library *library);
/* Every rank's report, all[rank], known to all afterwards. Called by all. */
enum status cuda_gather(struct transport *transport, const struct cuda_report *mine, struct cuda_report *all);

#endif
