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
	bool shares;               /* other ranks use the GPU, too */
	bool naps;                 /* sleeps at once when idle: there are too few cores to poll */
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

/* Gives orders to execute in this order; the thread takes ownership of what they point to. */
void host_give(struct host *host, const struct host_order *orders, size_t count);
/* Takes up to `most` new reports, oldest first. */
size_t host_take(struct host *host, struct host_report *reports, size_t most);
/* Waits at most 20 ms until there are reports or all orders have completed. */
void host_await(struct host *host);
/* Calls exchange.release for what the rank waits for in the part, up to that sequence number. */
void host_release(struct host *host, int part, uint32_t seq);
/* The host reports the operation undone, unless already reported, and does not issue it any
 * more. */
void host_cancel(struct host *host, op_id id);
/* Reads a tensor's elements, packed; host_write writes them. by: as in backend.read; 0: memory as
 * it is now. Waits for the host thread, which may itself be in a sync. Fails with ST_GPU, which
 * names the CUDA call that hangs, or as backend.read. */
enum status host_read(struct host *host, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed);
enum status host_write(struct host *host, enum space space, int64_t address, const struct layout *layout,
        const void *packed);
/* Returns true if the values kept for host_read should be read now. */
bool host_is_full(const struct host *host);
/* Returns the uncertainty of measured times on the host clock, ns. */
double host_uncertainty(struct host *host);

#endif
