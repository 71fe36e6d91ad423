/* shared.h -- what the host thread and control share: host.c (the thread), handed.c (orders,
 * reports, reads and writes). An umbrella header.
 *
 * One lock guards all of it and is never held during a CUDA call. Orders, reports and letters
 * carry a time, to which the receiver's clock advances on the tests' stand-in. */
#ifndef RANKSH_CUDA_HOST_SHARED_H
#define RANKSH_CUDA_HOST_SHARED_H

#include "cuda/host/host_thread.h"
#include "cuda/host/order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { AWAIT_MS = 20 }; /* the interval at which control polls */

/* a FIFO of elements of one size; zeroed but for element_bytes, it is empty */
struct queue {
	size_t element_bytes, count;
	char *bytes;        /* freed by the owner */
	size_t first, room; /* first: elements already taken; room: bytes */
};
void queue_put(struct queue *queue, const void *element);
bool queue_take(struct queue *queue, void *element); /* false: it is empty */

struct given_order {
	int64_t ns; /* when control handed it over, on control's clock */
	struct host_order order;
};
struct told_report {
	int64_t end; /* on the host thread's clock */
	struct host_report report;
};
struct cancelled {
	op_id id;
	int64_t ns;
};

/* A read or a write that control waits for. After a timeout it stays LETTER_SHUT. */
struct letter {
	enum { LETTER_NONE, LETTER_ASKS, LETTER_DONE, LETTER_SHUT } state;
	bool writes;
	struct host_order order; /* packed: freed (mem_free) by the last owner */
	enum status status;
	char *words;
	int64_t ns;
};

struct host {
	struct host_thread thread; /* first: a host_thread is the beginning of its host */
	struct host_setup setup;
	struct run *run;
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t for_thread, for_control;
	struct queue orders, reports;
	struct cancelled *cancelled;
	size_t cancelled_count;
	struct letter letter;
	/* left: the thread has ended and its GPU resources could not be released */
	bool opened, stops, ended, left;
	struct host *left_before; /* the previous such host */
	bool busy;                /* some order has not completed */
	enum status status;       /* of the start, with its words */
	char *words;
	/* number of reasons to poll: cancelled operations, a letter, a stop */
	_Atomic size_t wanted;
	/* the letter reads or writes memory as it is after all earlier orders */
	_Atomic bool waits_for_orders;
	_Atomic(const char *) call;  /* the CUDA call that the thread is in; NULL: none */
	_Atomic unsigned calls;      /* calls so far */
	_Atomic int64_t uncertainty; /* ns */
};

static inline struct host *host_whole(struct host_thread *thread)
{
	return (struct host *)thread;
}

/* Returns the absolute time `ns` from now, for timed waits. */
struct timespec host_after(int64_t ns);
/* Executes the letter on the host thread. */
void letter_answer(struct host *host);

#endif
