/* shared_gpu.h -- communication of ranks of one host that share a GPU, or of a single rank
 * (README.md)
 *
 *   control, all at the same place   the host thread                         control
 *   shared_gpu_meet                  shared_gpu_open ... exchange.close      shared_gpu_leave */
#ifndef RANKSH_CUDA_SHARED_GPU_H
#define RANKSH_CUDA_SHARED_GPU_H

#include "cuda/exchange/exchange.h"
#include "mpi/transport.h"

struct shared_gpu;

/* Creates the segment; all processes of the transport, on one host, map it. Without `ipc` data is
 * staged through host memory, without windows. Fails with ST_GPU, with the same words on all, or
 * ST_MPI. */
enum status shared_gpu_meet(struct transport *transport, bool ipc, struct shared_gpu **gpu);
/* Creates the rank's exchange on GPU `ordinal`, whose context is current, with pool_bytes for
 * exchange.alloc, and waits for the other ranks, at most two minutes. Fails on all or on none:
 * ST_DEVICE_MEMORY, ST_GPU. exchange.close ends all waits and frees everything. */
enum status shared_gpu_open(struct shared_gpu *gpu, struct cuda_library *cuda, int ordinal,
        int64_t pool_bytes, struct exchange **exchange);
/* Call this if the rank will not complete shared_gpu_open: peers that wait there fail. Returns
 * the first failure of all ranks, with its words. */
enum status shared_gpu_give_up(struct shared_gpu *gpu, enum status status);
/* Call it after exchange.close, or without an exchange. */
void shared_gpu_leave(struct shared_gpu *gpu);

#endif
