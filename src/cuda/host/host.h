/* host.h -- the host thread of a rank: it runs the rank's program on the GPU, in order, and measures it
 *
 * It issues each order as soon as it comes to it, waits in OP_SYNC as a program in Python would, and looks at what is over
 * between orders and while it waits. All calls of CUDA are made here; where one never returns, only this thread hangs.
 * Functions without another word are called by control, and none waits for a device. */
#ifndef RANKSH_CUDA_HOST_H
#define RANKSH_CUDA_HOST_H

#include "cuda/host/order.h"

struct host;

struct host_setup {
	struct cuda_library *cuda; /* open: driver and cuBLAS */
	int ordinal;               /* the GPU */
	int rank;                  /* for words */
	bool shares;               /* the GPU, with other ranks */
	bool naps; /* there are no more cores than threads that wait: it naps at once, and looks less often */
	/* Makes the rank's exchange, once the context is current: on the host thread */
	enum status (*exchange)(void *self, struct exchange **exchange);
	void *self;
};

/* Begins, and waits until the GPU is warm: context, kernels, cuBLAS, exchange. ST_GPU, worded: there is no thread. */
enum status host_start(const struct host_setup *setup, struct host **host);
/* Lets go of what it can, waits up to some seconds, and frees all. false: the thread hangs in a call of CUDA and is left
 * behind with what it holds; the process cannot use this GPU any more. */
bool host_stop(struct host *host);

void host_give(struct host *host, const struct host_order *orders, size_t count); /* copied; in this order */
/* What was reported since, oldest first, up to `most`. Who waited for one of them goes on at its end (host_sleep_until): on
 * the stand-in each thread has a clock of its own. */
size_t host_take(struct host *host, struct host_report *reports, size_t most);
/* Waits for reports, 20 ms at most, less where everything that was given is over */
void host_await(struct host *host);
/* exchange.release, of whatever the rank waits for in the part up to that turn */
void host_release(struct host *host, int part, uint32_t turn);
/* The operation is to be reported undone, if it has not been reported: its exchange was released, or its collective goes on
 * without it. One that was not issued yet never is. */
void host_cancel(struct host *host, op_id id);
/* The elements of a tensor, packed. by: as in backend.read; 0: memory as it is now. It waits for the host thread, which may
 * wait in a sync meanwhile: ST_GPU names the call that it hangs in. */
enum status host_read(struct host *host, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed);
enum status host_write(struct host *host, enum space space, int64_t address, const struct layout *layout,
        const void *packed);
/* Returns true if the values that are kept until host_read reads them take so much memory that they should be read now. */
bool host_is_full(const struct host *host);
/* How far off the host's clock measured times may be, ns */
double host_uncertainty(struct host *host);

#endif
