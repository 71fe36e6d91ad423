/* open.h -- a job's GPUs: found, told to all, one for each rank, once a job */
#ifndef RANKSH_CUDA_OPEN_H
#define RANKSH_CUDA_OPEN_H

#include "cuda/library/library.h"
#include "cuda/placement.h"
#include "mpi/transport.h"

/* A zeroed one is empty. */
struct cuda_job {
	struct cuda_library library; /* open: driver and cuBLAS; NCCL where ranks have a GPU each */
	struct cuda_placement placement;
	CUdevice device;       /* this rank's GPU */
	CUcontext context;     /* its primary one, held while the job is open; current in no thread */
	int64_t scratch_bytes; /* kept aside of each rank's part of the GPU, beside placement.rank_bytes */
	char name[64];         /* "NVIDIA H200" */
	struct text words;     /* what the user is told at the start: "cuda: 4 ranks share NVIDIA H200 ..." */
};

/* Called by all at the same place. ST_GPU on all alike, worded: which rank lacks what (placement.h). What was opened until
 * then is still to be closed. */
enum status cuda_open(struct transport *transport, struct cuda_job *job);
/* A driver is here, whatever else may be missing */
bool cuda_has_driver(const struct cuda_job *job);
void cuda_close(struct cuda_job *job);

#endif
