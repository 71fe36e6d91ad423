/* inside.h -- what the files of the host thread share. An umbrella header: it brings along what it includes.
 *
 * Files: host.c (the thread, its two queues, start and stop)  run.c (an order: issue, wait, host's time)  lanes.c (streams,
 * events, what is over)  timer.c (words that a stream waits for, written when their time has come)  memory.c (segments)
 * compute.c (kernels, cuBLAS, fills)  copy.c  kept.c (what was brought to the host)  message.c (what goes to exchange/)
 * read.c (read and write) */
#ifndef RANKSH_CUDA_HOST_INSIDE_H
#define RANKSH_CUDA_HOST_INSIDE_H

#include "cuda/host/anchor.h"
#include "cuda/host/host.h"
#include "cuda/kernels/image.h"
#include "kernels/kernel.h"
#include "world/op.h"

struct lanes;
struct memory;
struct timer;
struct compute;
struct kept;
struct message_batch;

/* Of the host thread alone, but for what host.c guards */
struct host_thread {
	struct cuda_library *cuda;
	CUcontext context;
	CUdevice device;
	int rank;
	struct anchors anchors;
	struct exchange *exchange;
	struct lanes *lanes;
	struct memory *memory;
	struct timer *timer;
	struct compute *compute;
	struct kept *kept;           /* by copies and notes, for host_read; NULL: nothing yet */
	struct message_batch *batch; /* of a `together` that is being given; NULL: none */
	int64_t shift;               /* session's time is the host's clock less it */
	int64_t due;                 /* session's time at which the next launch may begin (played) */
};

/* A stream of the rank */
struct host_lane {
	CUstream stream;
	int number;
};
/* The lane of an order, made when it is first used. lanes.c; ST_GPU */
enum status lane_of(struct host_thread *host, const struct host_order *order, struct host_lane **lane);

/* ---- memory.c: the books' addresses are names; here they are given places. */
enum status memory_open(struct host_thread *host);
void memory_close(struct host_thread *host);
enum status memory_get(struct host_thread *host, enum space space, int64_t address, int64_t bytes);
void memory_drop(struct host_thread *host, enum space space, int64_t address);
/* Where it is: of SPACE_DEVICE an address of the GPU, else of the host. NULL: no such memory */
void *memory_at(const struct host_thread *host, enum space space, int64_t address);
/* The same of an operand; without elements NULL will do. ST_BUG */
enum status memory_of(const struct host_thread *host, const struct operand *operand, void **at);
/* What is in no timeline runs on this lane. memory_written: what it has written so far is there for all lanes that join. */
struct host_lane *memory_aside(const struct host_thread *host);
enum status memory_written(struct host_thread *host);
/* What is written beside all lanes (new memory's zeroes, initial data) is there for what is queued on the lane from here on.
 * Before an operation's first event, so that this wait is none of its time; costs nothing where nothing was written. */
enum status memory_join(struct host_thread *host, const struct host_lane *lane);
/* Memory for `bytes` of a lane's operation at hand. Valid for what is queued on that lane until the next operation there
 * asks. It never waits: what has become too small is kept until memory_close. */
enum scratch {
	SCRATCH_KERNEL,
	SCRATCH_PACKED,
	SCRATCH_CUBLAS,
	SCRATCH_PINNED /* of the host */,
	SCRATCH_SLOTS
};
enum status memory_scratch(struct host_thread *host, const struct host_lane *lane, enum scratch slot,
        int64_t bytes, CUdeviceptr *at);

/* ---- compute.c */
enum status compute_open(struct host_thread *host); /* image, cuBLAS: warm */
void compute_close(struct host_thread *host);
/* OP_KERNEL on the lane; of tensors in the host's memory by a function of the host */
enum status compute_kernel(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* OP_FILL with a kernel: on a stream of its own, which every lane then waits for; it takes no time of the host */
enum status compute_fill(struct host_thread *host, const struct host_order *order);
/* to := from on the lane, of any strides and types, both on the GPU */
enum status compute_convert(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, struct host_lane *lane);

/* ---- copy.c */
/* OP_COPY. Without a target: what it brings is kept for host_read(by = order.id), until 256 more at least have brought
 * something. */
enum status copy_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* record.noted of another kind: each single element that it wrote is kept likewise, but until it is read. In no timeline */
enum status copy_note(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* Elements of one type and shape, of any strides. They may overlap on the GPU; in the host's memory too. */
enum status copy_between(struct host_thread *host, const struct kernel_tensor *from, enum space from_space,
        const struct kernel_tensor *to, enum space to_space, struct host_lane *lane);

/* ---- kept.c: pinned memory for the packed elements that an operation is going to bring to the host */
enum status kept_make(
        struct host_thread *host, op_id id, const struct operand *operand, bool until_read, void **at);
/* Of an operation that is over, into order.packed. ST_ARGUMENT: it is not kept (any more) */
enum status kept_read(struct host_thread *host, const struct host_order *order);
void kept_close(struct host_thread *host);

/* ---- message.c: COLLECTIVE, P2P, ONE_SIDED. Their operands are on the GPU and contiguous: the shell refuses others. They
 * last order.least_ns from where all have come: timer_begin and timer_end are called here, by nobody else. Of a `together`,
 * order.more: the caller gives all up to the last one, and records their ends behind that; nothing of it is queued before. */
enum status message_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane);

/* ---- read.c: orders READ and WRITE, beside all lanes; they wait for that. order.packed stays the caller's. */
enum status read_now(struct host_thread *host, const struct host_order *order);
enum status write_now(struct host_thread *host, const struct host_order *order);

/* ---- timer.c: a thread, and words in pinned memory */
enum status timer_open(struct host_thread *host);
void timer_close(struct host_thread *host); /* writes all words first */
/* The stream goes on when `ns` have passed since it came to timer_begin: *ticket from there. */
enum status timer_begin(struct host_thread *host, CUstream stream, uint32_t *ticket);
enum status timer_end(struct host_thread *host, CUstream stream, uint32_t ticket, int64_t ns);

#endif
