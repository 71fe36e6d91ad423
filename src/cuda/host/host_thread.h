/* host_thread.h -- what the files of the host thread share. An umbrella header. */
#ifndef RANKSH_CUDA_HOST_THREAD_H
#define RANKSH_CUDA_HOST_THREAD_H

#include "cuda/host/anchor.h"
#include "cuda/host/host.h"
#include "cuda/kernels/image.h"
#include "kernels/kernel.h"
#include "world/op.h"

#include <stdatomic.h>

struct memory;
struct timer;
struct timer_slot;
struct compute;
struct values;
struct graphs;
struct graph_launch;
struct message_batch;

/* Used by the host thread alone unless noted. */
struct host_thread {
	struct cuda_library *cuda;
	CUcontext context;
	CUdevice device;
	int rank;
	bool shares; /* other ranks use the GPU, too */
	struct anchors anchors;
	struct exchange *exchange;
	struct host_lanes *lanes;
	struct memory *memory;
	struct timer *timer;
	struct compute *compute;
	struct values *values;       /* for host_read; NULL: none yet */
	struct graphs *graphs;       /* NULL: none was launched */
	struct message_batch *batch; /* the `together` that is being queued; NULL: none */
	int64_t shift;               /* session time = host clock - shift */
	int64_t due;                 /* session time from which the next launch may begin */
	enum status lost;            /* not ST_OK: the context is lost; CUDA is not called again */
	char *why;
	bool stuck; /* some work never completes; nothing is released */
	/* bytes in `values` that stay until read; also read by control */
	_Atomic int64_t unread_bytes;
};

/* ---- host.c */
/* Notes the CUDA call (a constant text) that the thread enters and that may hang; NULL: it has
 * returned. */
void host_enters(struct host_thread *host, const char *call);
/* Serves control's reads and writes. Returns false if the thread has to stop. */
bool host_serve(struct host_thread *host);
/* Sleeps for at most *ns, which grows (back-off); start with 0. At first it returns at once, so
 * that the caller polls, unless setup.naps. */
void host_nap(struct host_thread *host, int64_t *ns);
/* Serves control until the host clock shows `ns`. */
void host_rest_until(struct host_thread *host, int64_t ns);
/* Reports to control and takes ownership of report->words. end: on the host clock */
void host_tell(struct host_thread *host, const struct host_report *report, int64_t end);
/* Reports that a part has failed, with the words of this thread's failure. */
void host_tell_part(struct host_thread *host, int part, enum status status);
/* Returns true if control has cancelled the operation and it is not reported yet. *ns: when */
bool host_cancelled(struct host_thread *host, op_id id, int64_t *ns);

/* ---- run.c */
/* Open and close what a rank runs on: context, streams, memory, exchange. */
struct run;
enum status run_open(const struct host_setup *setup, struct host_thread *host, struct run **run);
/* Returns false if some work never completes; then nothing is freed. */
bool run_close(struct host_thread *host, struct run *run);
/* Executes an order and takes ownership of it. given: when control gave it, on the host clock */
void run_order(struct host_thread *host, struct run *run, struct host_order *order, int64_t given);

struct host_flight;
struct host_lane {
	CUstream stream;
	int number;
	/* operations in flight (completion.c): i is at i % room; room is a power of two */
	struct host_flight *ring;
	size_t room, first, told, count;
	int64_t last_end; /* session time */
};
/* ---- lanes.c */
void lanes_open(struct host_thread *host);
void lanes_close(struct host_thread *host); /* requires that all have completed */
/* Returns the lane of an order's stream, created on first use. Fails with ST_GPU. */
enum status host_lane_of(struct host_thread *host, const struct host_order *order, struct host_lane **lane);
int host_lane_priority(const struct host_thread *host, const struct host_order *order);
/* Records an event with timing. Return it with host_event_free, which ignores NULL. */
enum status host_event_record(struct host_thread *host, CUstream stream, CUevent *event);
void host_event_free(struct host_thread *host, CUevent event);
/* an operation in flight, in issue order; valid until the next one is added to the lane */
struct host_flight {
	op_id id;
	/* one event for an operation without duration; NULL: none. In a graph: the launch's */
	CUevent before, after;
	unsigned anchor;
	/* session time. issue: when the calls begin, after a played launch */
	int64_t issue, launch, shift;
	bool played;             /* the launch takes its played time */
	int64_t end;             /* on the host clock, once reported */
	int part;                /* the part in which it communicates, + 1; 0: none */
	struct timer_slot *hold; /* blocks the stream until cancelled; NULL: none */
	bool given;              /* all of it is queued */
	bool undone;
	int runs_on;                /* the stream's number; in a graph: the launch's */
	struct graph_launch *graph; /* the launch it belongs to; NULL: none */
	int place;
	enum status status; /* with `words`, if it failed */
	char *words;
};
/* Adds an operation, even on failure, and records its first event. */
enum status host_flight_begin(struct host_thread *host, struct host_lane *lane, op_id id, int64_t issue,
        struct host_flight **flight);
/* Returns the first operation that is not completely queued; NULL if none. */
struct host_flight *host_flight_last(struct host_lane *lane);
/* Adds an operation that is already queued and takes ownership of its words. */
void host_flight_add(struct host_lane *lane, const struct host_flight *flight);
/* Returns the last issued operation; NULL if it has ended by the host clock. */
const struct host_flight *host_flight_newest(const struct host_lane *lane);
/* Records the last event. moment: the first event serves as both. */
enum status host_flight_end(
        struct host_thread *host, struct host_lane *lane, struct host_flight *flight, bool moment);
/* Stores the failure with the words of this thread's failure. */
void host_flight_fail(struct host_flight *flight, enum status status);
/* Returns an issued operation that has not ended by the host clock; NULL if it has. */
const struct host_flight *host_flight_find(const struct host_thread *host, op_id id);
/* ---- completion.c */
/* Reports completed operations. Returns false if none is in flight. */
bool lanes_look(struct host_thread *host);
/* Waits until `target`, or with OP_EVERYTHING all issued operations, has completed. its: the
 * waiting operation; its cancellation ends the wait. Returns ST_OK also if the target failed or
 * the thread has to stop. Fails with ST_GPU. */
enum status lanes_wait(struct host_thread *host, op_id target, op_id its);
/* Waits until the stream has reached the operation. Fails with ST_INTERRUPTED if the thread has to
 * stop, or with ST_GPU. */
enum status lanes_come_to(struct host_thread *host, const struct host_flight *flight);
/* Reports asynchronous failures of the exchange; operations in flight in such a part become
 * undone. */
void lanes_ask_exchange(struct host_thread *host);
/* Call after a failure: if the context is lost, all operations in flight are reported undone. */
void lanes_check(struct host_thread *host);

/* ---- shared by lanes.c and completion.c
 *
 *      kept   | reported, its end lies ahead | reported ... | in flight | in flight | not given
 *             first                                         told                      count
 *
 * An operation is reported when its last event has completed. It is kept until the host clock has
 * passed its end. On a GPU that is at once; on a virtual clock the end may lie ahead, and waits
 * last until then. */
enum { LANES = 256 };
struct host_lanes {
	struct host_lane *by_number[LANES];
	struct host_lane *all[LANES];
	int count;
	int greatest; /* priority */
	CUevent *free;
	size_t free_count;
};

static inline struct host_flight *lane_flight(const struct host_lane *lane, size_t i)
{
	return &lane->ring[i & (lane->room - 1)];
}

/* Returns a kept operation; NULL if it is not there. */
struct host_flight *lane_find(const struct host_lane *lane, op_id id);
/* Returns its events and frees its words. */
void flight_release(struct host_thread *host, struct host_flight *flight);

/* ---- memory.c: maps the world's addresses to real memory */
enum status memory_open(struct host_thread *host);
void memory_close(struct host_thread *host);
enum status memory_get(struct host_thread *host, enum space space, int64_t address, int64_t bytes);
void memory_drop(struct host_thread *host, enum space space, int64_t address);
/* Returns the address, on the GPU for SPACE_DEVICE, else on the host; NULL if there is no such
 * memory. */
void *memory_at(const struct host_thread *host, enum space space, int64_t address);
/* The same for an operand; NULL is valid without elements. Fails with ST_BUG. */
enum status memory_of(const struct host_thread *host, const struct operand *operand, void **at);
/* Returns the lane for work in no timeline. After memory_written, lanes that join wait for it. */
struct host_lane *memory_aside(const struct host_thread *host);
enum status memory_written(struct host_thread *host);
/* Orders new memory's zeroes and initial data before later work of the lane. Call it before an
 * operation's first event, so that the wait does not count. */
enum status memory_join(struct host_thread *host, const struct host_lane *lane);
/* Workspace of a lane's current operation, valid for work queued there until the next call for
 * the slot. Never waits: outgrown memory is kept until memory_close. */
enum scratch {
	SCRATCH_KERNEL,
	SCRATCH_PACKED,
	SCRATCH_CUBLAS,
	SCRATCH_PINNED /* on the host */,
	SCRATCH_SLOTS
};
enum status memory_scratch(struct host_thread *host, const struct host_lane *lane, enum scratch slot,
        int64_t bytes, CUdeviceptr *at);

/* ---- compute.c */
/* loads and warms up kernels and cuBLAS */
enum status compute_open(struct host_thread *host);
void compute_close(struct host_thread *host);
/* Queues OP_KERNEL, as a host function if its tensors are in host memory. */
enum status compute_kernel(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* Runs the kernel of an OP_FILL on memory_aside; it takes no host time. */
enum status compute_fill(struct host_thread *host, const struct host_order *order);
/* Queues to := from for tensors on the GPU, of any strides and types. */
enum status compute_convert(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, struct host_lane *lane);

/* Reports the first index out of range that operations of the stream up to this one have read
 * since the last call, if any. Call it before the operation's end is reported. */
void compute_tell_faults(struct host_thread *host, int stream, op_id id);

/* ---- copy.c */
/* Queues OP_COPY. Without a target, keeps the value for host_read(by = order.id): until it is read
 * if record.noted, else for at least 256 further copies. */
enum status copy_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* Keeps each one-element tensor that a noted operation wrote, until it is read; no timeline
 * shows these copies. */
enum status copy_note(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* Copies elements of one type and shape; the two may overlap if both are in one kind of memory. */
enum status copy_between(struct host_thread *host, const struct kernel_tensor *from, enum space from_space,
        const struct kernel_tensor *to, enum space to_space, struct host_lane *lane);

/* ---- values.c: pinned memory for values that operations bring to the host */
enum status values_keep(
        struct host_thread *host, op_id id, const struct operand *operand, bool until_read, void **at);
/* Copies the kept value of the completed operation order.by to order.packed. Fails with
 * ST_ARGUMENT if it is not kept. */
enum status values_read(struct host_thread *host, const struct host_order *order);
void values_close(struct host_thread *host);

/* ---- message.c: collectives, transfers and one-sided operations, whose operands are contiguous
 * on the GPU. They last at least order.least_ns after all members have arrived. Nothing of a
 * `together` (order.more) is queued before its last member. */
enum status message_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* queues a `together` whose last member was cancelled */
enum status message_end(struct host_thread *host);

/* Execute host_read and host_write on memory_aside and block. order.packed stays the caller's. */
enum status read_now(struct host_thread *host, const struct host_order *order);
/* Keeps the host memory that a noted OP_SYNC reads, for host_read(by = order.id). */
enum status read_keep(struct host_thread *host, const struct host_order *order);
enum status write_now(struct host_thread *host, const struct host_order *order);

/* ---- timer.c: a thread that stores to words for which streams wait */
enum status timer_open(struct host_thread *host);
void timer_finish(struct host_thread *host); /* ends all timers, and later ones at once */
/* requires that the streams have reached all timers */
void timer_close(struct host_thread *host);
/* Blocks the stream until timer_let_go at host time `ns`. */
enum status timer_hold(struct host_thread *host, CUstream stream, struct timer_slot **slot);
void timer_let_go(struct host_thread *host, struct timer_slot *slot, int64_t ns);
/* blocks the stream until `ns` have passed since it reached timer_begin */
enum status timer_begin(struct host_thread *host, CUstream stream, struct timer_slot **slot);
enum status timer_end(struct host_thread *host, CUstream stream, struct timer_slot *slot, int64_t ns);

#endif
