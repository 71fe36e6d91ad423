/* host.h -- the host thread of a rank: executes the rank's program on the GPU, in order, and
 * measures it
 *
 * It blocks in OP_SYNC as a Python program would, and polls for completed operations between
 * orders and during waits. All CUDA calls are made here, so a call that never returns blocks only
 * this thread. Control calls these functions; unless noted, they do not wait for a device. */
#ifndef RANKSH_CUDA_HOST_H
#define RANKSH_CUDA_HOST_H

#include "cuda/host/order.h"

struct host;

struct host_setup {
	struct cuda_library *cuda; /* open: driver and cuBLAS */
	int ordinal;               /* the GPU */
	int rank;                  /* for messages */
	bool shares;               /* the GPU, with other ranks */
	/* fewer cores than waiting threads: sleep at once when idle, and poll less often */
	bool naps;
	/* creates the rank's exchange on the host thread, with the context current */
	enum status (*exchange)(void *self, struct exchange **exchange);
	void *self;
};

/* Starts the thread and waits until the GPU is ready: context, kernels, cuBLAS, exchange. Fails
 * with ST_GPU; then there is no thread. */
enum status host_start(const struct host_setup *setup, struct host **host);
/* Releases blocked streams, waits for some seconds, and frees everything. Returns false if the
 * thread hangs in a CUDA call or some work never completes; the resources are then kept, and the
 * process cannot use this GPU again. */
bool host_stop(struct host *host);

/* copied; in this order */
void host_give(struct host *host, const struct host_order *orders, size_t count);
/* Takes up to `most` new reports, oldest first. */
size_t host_take(struct host *host, struct host_report *reports, size_t most);
/* Waits for reports, at most 20 ms, or until all orders have completed. */
void host_await(struct host *host);
/* Calls exchange.release for what the rank waits for in the part, up to that sequence number. */
void host_release(struct host *host, int part, uint32_t seq);
/* Reports the operation undone unless it is reported already. It is not issued any more. */
void host_cancel(struct host *host, op_id id);
/* Reads a tensor's elements, packed. by: as in backend.read; 0: memory as it is now. Waits for
 * the host thread, which may itself be in a sync. ST_GPU names the CUDA call that hangs. */
enum status host_read(struct host *host, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed);
enum status host_write(struct host *host, enum space space, int64_t address, const struct layout *layout,
        const void *packed);
/* Returns true if the values kept for host_read should be read now. */
bool host_is_full(const struct host *host);
/* Returns the uncertainty of measured times on the host clock, ns. */
double host_uncertainty(struct host *host);

#endif
