/* standin.h -- what the stand-in's libcuda gives to the libraries beside it (NCCL, cuBLAS, NVRTC, which are linked with it) and to tests:
 * options, faults, the virtual clock, and a stream's queue. README.md says what RANKSH_STANDIN holds. */
#ifndef RANKSH_STANDIN_H
#define RANKSH_STANDIN_H

#include "cuda/library/driver.h"
#include "kernels.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STANDIN_GPUS = 16 };
struct standin_options {
	int gpus;
	int64_t memory_bytes[STANDIN_GPUS], used_bytes[STANDIN_GPUS];
	bool wall;
	int nccl, driver; /* the versions of NCCL and of the CUDA that the driver is for */
	int async;        /* the number of the NCCL operation whose error is told later, from 1; 0: none */
};
/* X(symbol, name, unit of its rate, ns, amount in one ns) -- what takes time on the virtual clock: a fixed part, and a rate by amount, 0: none.
 * CALL: of the host, for a call that queues. START: from the call to the earliest start. KERNEL: threads. ELEMENTS: kernels element by element, by the
 * bytes of their tensors; without a rate they are as all others. PRODUCT, HALF_PRODUCT: of cuBLAS, by the type of the factors. NCCL: bytes that a rank
 * sends. STEP: each round of a ring. */
#define STANDIN_COSTS(X)                                      \
	X(CALL, "call", "", 1000, 0)                          \
	X(START, "start", "", 3000, 0)                        \
	X(KERNEL, "kernel", "/s", 2000, 200)                  \
	X(ELEMENTS, "elements", "B/s", 2000, 0)               \
	X(PRODUCT, "product", "FLOP/s", 4000, 50000)          \
	X(HALF_PRODUCT, "halfproduct", "FLOP/s", 4000, 50000) \
	X(DOWN, "h2d", "B/s", 1500, 25)                       \
	X(UP, "d2h", "B/s", 1500, 25)                         \
	X(PAGEABLE, "pageable", "B/s", 1500, 10)              \
	X(ON_HOST, "host", "B/s", 1500, 10)                   \
	X(PEER, "peer", "B/s", 1500, 300)                     \
	X(ON_DEVICE, "device", "B/s", 1500, 1500)             \
	X(NCCL, "nccl", "B/s", 10000, 100)                    \
	X(STEP, "step", "", 0, 0)
enum standin_cost {
#define X(symbol, name, unit, ns, rate) COST_##symbol,
	STANDIN_COSTS(X)
#undef X
};
/* ns that so much of it takes */
int64_t standin_cost(enum standin_cost what, double amount);
bool standin_has_rate(enum standin_cost what);

/* NULL: RANKSH_STANDIN has a wrong word, which has been said on stderr */
const struct standin_options *standin_options(void);

/* To be called at the beginning of every exported function with its name in functions.h: counts the call, delays it, ends the process where
 * the options say so. True: this call has to fail. */
bool standin_fails(const char *call);

/* The calling host thread's clock, or in work of a stream the stream's. Nanoseconds. */
int64_t standin_now(void);
/* The calling thread goes on at `ns`, if that is later: virtually, or with clock=wall by sleeping. */
void standin_sleep_until(int64_t ns);

/* Work of a stream, run by the stream's thread once all before it has ended. */
struct standin_turn {
	int64_t start_ns; /* when the stream came to it */
	int64_t end_ns;   /* start_ns and the call's cost; work that waited for somebody sets it later */
	const volatile int *
	        stop; /* not 0: the context goes away or is spoiled, and a wait has to end; read atomically */
};
/* Anything but CUDA_SUCCESS spoils the context for good. */
typedef CUresult standin_work(void *argument, struct standin_turn *turn);
struct standin_call {
	standin_work *work;
	const void *argument; /* copied, argument_bytes of it */
	size_t argument_bytes;
	int64_t cost_ns;
	bool waits; /* for something that CUDA does not order: another process, a value, the host */
	void (*forget)(
	        void *argument); /* when the call is over, run or not, with the stand-in's lock held; or NULL */
};
/* Queues work on a stream of the current context (NULL: the legacy default stream), or takes it into the graph that is captured there. */
CUresult standin_enqueue(CUstream stream, const struct standin_call *call);
/* The current context's GPU, as cuDeviceGet counts; -1: there is no context */
int standin_device(void);
/* What every call on the current context returns, once it is spoiled */
CUresult standin_error(void);
/* Is the stream being captured? */
bool standin_capturing(CUstream stream);
/* True while a turn's wait has to end */
bool standin_stopped(const struct standin_turn *turn);
/* Spoils the current context: every later call returns `error`. */
void standin_spoil(CUresult error);

/* The next launch of this thread lasts that long, in place of what the rule for kernels says. */
void standin_next_cost(int64_t ns);

/* A kernel of a test's own, beside those of src/cuda/kernels/; its argument has so many bytes (0: it has none). */
void standin_add_kernel(const char *name, standin_kernel_code *code, size_t bytes);

/* A part of memory that processes share, through /proc/PID/fd: nothing is left when they are gone. Both 0 or an errno. */
int standin_share(int64_t bytes, void **at, int *fd);
int standin_attach(int pid, int fd, int64_t bytes, void **at);

#endif
