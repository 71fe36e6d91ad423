/* lanes.h -- the streams of a rank: what is queued on each, when it was, and which of it is over
 *
 * Used by the host thread. Times here are the session's, ns. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_CUDA_HOST_LANES_H
#define RANKSH_CUDA_HOST_LANES_H

#include "cuda/host/inside.h"

/* An operation that is queued and not reported */
struct queued_op {
	op_id id;
	CUevent before, after; /* NULL: it is not there (yet) */
	unsigned anchor;       /* the newest when they were recorded */
	int64_t begun, issue;  /* the host began to issue it, and had issued it */
	int64_t launch;        /* played; -1: as long as it took */
	bool undone, held;     /* held: by a word of the timer's, hold */
	uint32_t hold;
	enum status status;
	char *words;
};

enum status lanes_open(struct host_thread *host);
void lanes_close(struct host_thread *host); /* waits for nothing */
/* Puts an operation on the order's lane, with the event before it. Its place in the lane stays until it is reported; the
 * pointer is good until the next one comes. ST_GPU: *op is there all the same, and is to be ended. */
enum status lanes_begin(struct host_thread *host, const struct host_order *order, struct host_lane **lane,
        struct queued_op **op);
/* The event behind it; `status`: what became of issuing it. Where events fail too it is over at once. */
void lanes_end(struct host_thread *host, struct host_lane *lane, struct queued_op *op, enum status status);
struct queued_op *lanes_at(struct host_lane *lane, op_id id); /* one that is queued there */
bool lanes_queued(const struct host_thread *host, op_id id);  /* it is not over */
/* The event behind an operation; NULL: it is over, or has none */
CUevent lanes_event(struct host_thread *host, op_id id);
/* Reports what is over, up to the thread's time of now, or (all) whatever the time: on a GPU it is the same. True: something
 * was. *lost: the device takes no more calls, and why */
bool lanes_harvest(struct host_thread *host, bool all);
bool lanes_empty(const struct host_thread *host);
/* Brings the thread's clock to the end of an operation that is over (OP_EVERYTHING: of the first on any lane that is). */
void lanes_catch_up(struct host_thread *host, op_id id);
void lanes_cancel(struct host_thread *host, op_id id); /* it is to be reported undone */
void lanes_lose(struct host_thread *host); /* all that is queued is reported undone: the device is lost */

#endif
