/* open.h -- the GPUs of a job: queried, reported to all, and assigned to ranks, once per job */
#ifndef RANKSH_CUDA_OPEN_H
#define RANKSH_CUDA_OPEN_H

#include "cuda/library/library.h"
#include "cuda/placement.h"
#include "mpi/transport.h"

/* A zeroed one is empty. */
struct cuda_job {
	struct cuda_library library; /* open: driver and cuBLAS; NCCL if each rank has a GPU */
	struct cuda_placement placement;
	CUdevice device; /* this rank's GPU */
	/* its primary context, retained while the job is open; current in no thread */
	CUcontext context;
	/* reserved in each rank's part of the GPU, in addition to placement.rank_bytes */
	int64_t scratch_bytes;
	char name[64];     /* "NVIDIA H200" */
	struct text words; /* the start line: "cuda: 4 ranks share NVIDIA H200 ..." */
};

/* Called by all. Fails with ST_GPU on all, with the same words. Call cuda_close also after a
 * failure. */
enum status cuda_open(struct transport *transport, struct cuda_job *job);
/* Returns true if there is a driver, whatever else is missing. */
bool cuda_has_driver(const struct cuda_job *job);
void cuda_close(struct cuda_job *job);

#endif
