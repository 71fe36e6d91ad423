/* inside.h -- what the files of the host thread share. An umbrella header: it brings along what it includes.
 *
 * Files: host.c (the thread, start and stop)  handed.c (orders, reports)  letter.c (reads, writes: shared.h)  run.c (an order:
 * the host's own lane and time)  on_stream.c (what an operation queues: run.h)  graph.c capture.c (launches of graphs:
 * graph.h)  lanes.c (streams, events, what is issued there)  over.c (what of it is over, waits: lanes.h)  timer.c (words
 * that a stream waits for, written when their time has come)  memory.c (segments)  compute.c (kernels, cuBLAS, fills)
 * copy.c  kept.c (what was brought to the host)  message.c (what goes to exchange/)  read.c (read and write)
 * queue.c (elements in blocks)  anchor.c (the GPU's clock and the host's)  measured.c (times by operation) */
#ifndef RANKSH_CUDA_HOST_INSIDE_H
#define RANKSH_CUDA_HOST_INSIDE_H

#include "cuda/host/anchor.h"
#include "cuda/host/host.h"
#include "cuda/kernels/image.h"
#include "kernels/kernel.h"
#include "world/op.h"

#include <stdatomic.h>

struct host_lanes;
struct memory;
struct timer;
struct compute;
struct kept;
struct graphs;
struct graph_launch;
struct message_batch;

/* Of the host thread alone, but for what host.c guards */
struct host_thread {
	struct cuda_library *cuda;
	CUcontext context;
	CUdevice device;
	int rank;
	bool shares; /* its GPU, with other ranks */
	struct anchors anchors;
	struct exchange *exchange;
	struct host_lanes *lanes;
	struct memory *memory;
	struct timer *timer;
	struct compute *compute;
	struct kept *kept;           /* by copies and notes, for host_read; NULL: nothing yet */
	struct graphs *graphs;       /* NULL: none was launched */
	struct message_batch *batch; /* of a `together` that is being given; NULL: none */
	int64_t shift;               /* session's time is the host's clock less it */
	int64_t due;                 /* session's time at which the next launch may begin (played) */
	enum status lost;            /* not ST_OK: the context is lost, and nothing more is called */
	char *why;                   /* ... its words */
	bool stuck;                  /* it is lost because something never ends, which is left as it is */
	/* of the values in `kept` that stay until they are read; control's thread reads it */
	_Atomic int64_t unread_bytes;
};

/* ---- host.c: what the host thread asks of it */
/* It is about to call CUDA for that, which may not come back; NULL: it has. call: a constant */
void host_enters(struct host_thread *host, const char *call);
/* What control asks for in between: reads, writes. False: the thread is to stop. */
bool host_serve(struct host_thread *host);
/* Naps, *ns at most, which then grows; begun with 0. It looks at once where naps are not needed. */
void host_nap(struct host_thread *host, int64_t *ns);
/* Until then, by the host's clock; it serves meanwhile. */
void host_rest_until(struct host_thread *host, int64_t ns);
/* Takes report.words over. end: on the host's clock */
void host_tell(struct host_thread *host, const struct host_report *report, int64_t end);
/* That nothing comes of the part, with the words of this thread's failure */
void host_tell_part(struct host_thread *host, int part, enum status status);
/* Has control cancelled it, and it is not told yet? Then *ns: when, on the host's clock */
bool host_cancelled(struct host_thread *host, op_id id, int64_t *ns);

/* ---- run.c */
/* Begin and end of what a rank runs on: context, streams, memory, exchange */
struct run;
enum status run_open(const struct host_setup *setup, struct host_thread *host, struct run **run);
/* False: something of it never ends, and all is left as it is. */
bool run_close(struct host_thread *host, struct run *run);
/* given: when control gave it, on the host's clock. It takes the meeting over. */
void run_order(struct host_thread *host, struct run *run, struct host_order *order, int64_t given);

/* A stream of the rank */
struct host_lane {
	CUstream stream;
	int number;
};
/* ---- lanes.c */
void lanes_open(struct host_thread *host);
void lanes_close(struct host_thread *host); /* all is over there */
/* The lane of an order, made when it is first used. ST_GPU */
enum status host_lane_of(struct host_thread *host, const struct host_order *order, struct host_lane **lane);
/* Of the stream of an order, as CUDA counts it */
int host_lane_priority(const struct host_thread *host, const struct host_order *order);
/* Records an event, made for timing, that host_event_free takes back. NULL is nothing there. */
enum status host_event_record(struct host_thread *host, CUstream stream, CUevent *event);
void host_event_free(struct host_thread *host, CUevent event);
/* An operation in flight on a lane, in the order in which they were issued; valid until the next is made there */
struct host_flight {
	op_id id;
	CUevent before, after; /* one for both: it is a moment. NULL: none. Of a graph: the launch's */
	unsigned anchor;
	int64_t issue, launch,
	        shift; /* session's time; issue: where the calls begin, behind a played launch */
	bool played;   /* the launch is */
	int64_t end;   /* on the host's clock, once it is told */
	int part;      /* that it meets others in, + 1; 0: none */
	uint32_t hold; /* the ticket, + 1, that keeps the lane standing until it is cancelled */
	bool given;    /* all of it is queued */
	bool undone;
	int runs_on;                /* number of the stream; of a graph: its launch's */
	struct graph_launch *graph; /* that it is of, at that place; NULL: none */
	int place;
	enum status status; /* with its words, if it failed */
	char *words;
};
/* A new one, with its first event. Where that fails it is there all the same. */
enum status host_flight_begin(struct host_thread *host, struct host_lane *lane, op_id id, int64_t issue,
        struct host_flight **flight);
struct host_flight *host_flight_last(struct host_lane *lane); /* of those that are not given, else NULL */
/* One that is queued already; its words are taken over. */
void host_flight_add(struct host_lane *lane, const struct host_flight *flight);
/* The last one that was issued there, if it is not over, as in host_flight_find */
const struct host_flight *host_flight_newest(const struct host_lane *lane);
/* All of it is queued: its last event, or `moment`, its first alone. */
enum status host_flight_end(
        struct host_thread *host, struct host_lane *lane, struct host_flight *flight, bool moment);
void host_flight_fail(
        struct host_flight *flight, enum status status); /* with the words of this thread's failure */
/* One that has been issued, and whose end lies in the future of the host's clock or is not known; NULL: it is over */
const struct host_flight *host_flight_find(const struct host_thread *host, op_id id);
/* ---- over.c */
/* Tells of what is over by now. False: nothing is in flight. */
bool lanes_look(struct host_thread *host);
/* Waits until the operation, or OP_EVERYTHING that was issued, is over; the clock is not before its end then. its: the
 * operation that waits, whose cancelling ends it. ST_OK also where it failed, or the thread is to stop */
enum status lanes_wait(struct host_thread *host, op_id target, op_id its);
/* Waits, in the same way, until its stream has come to an operation in flight, that all before it there is over. The clock stays.
 * ST_INTERRUPTED: the thread is to stop; ST_GPU */
enum status lanes_come_to(struct host_thread *host, const struct host_flight *flight);
/* Has the exchange failed later than the call that began it? Then what is in flight in that part is undone, and control is told. */
void lanes_ask_exchange(struct host_thread *host);
/* After a failure: is the context lost with it? Then all that is in flight is told undone. */
void lanes_check(struct host_thread *host);

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

/* Reports the first number out of range that operations of the stream up to this one have read since the last call, if there is
 * one: the kernels' and the host's. Called when the operation is over, before its end is reported. */
void compute_tell_faults(struct host_thread *host, int stream, op_id id);

/* ---- copy.c */
/* OP_COPY. Without a target, what it brings is kept for host_read(by = order.id): if record.noted until it is read, else until
 * at least 256 later ones have brought something. */
enum status copy_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane);
/* record.noted of another kind: each single element that it wrote is kept until it is read. In no timeline */
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
/* Of a `together` the last one is not given, as it was ended before: what was given begins. Else nothing */
enum status message_end(struct host_thread *host);

/* ---- read.c: host_read and host_write, beside all lanes; they wait for that. order.packed stays the caller's. */
enum status read_now(struct host_thread *host, const struct host_order *order);
/* OP_SYNC, record.noted: what it reads of the host's memory now is kept until host_read(by = order.id) */
enum status read_keep(struct host_thread *host, const struct host_order *order);
enum status write_now(struct host_thread *host, const struct host_order *order);

/* ---- timer.c: a thread, and words in pinned memory */
enum status timer_open(struct host_thread *host);
void timer_finish(struct host_thread *host); /* writes all words, from here on at once */
void timer_close(struct host_thread *host);  /* all that was begun has come */
/* The stream stands from there on, until it is let go, at `ns` of the host's clock. */
enum status timer_hold(struct host_thread *host, CUstream stream, uint32_t *ticket);
void timer_let_go(struct host_thread *host, uint32_t ticket, int64_t ns);
/* The stream goes on when `ns` have passed since it came to timer_begin: *ticket from there. */
enum status timer_begin(struct host_thread *host, CUstream stream, uint32_t *ticket);
enum status timer_end(struct host_thread *host, CUstream stream, uint32_t ticket, int64_t ns);

#endif
