/* shared.h -- what the host thread and control share: host.c (the thread), handed.c (orders, reports), letter.c (reads, writes)
 *
 * One lock guards all of it; nobody holds it through a call of CUDA. Clocks go along with what is handed over, as on the
 * tests' stand-in each thread has its own: who takes something goes on when it was given, at the earliest. An umbrella header: it
 * brings along what it includes. */
#ifndef RANKSH_CUDA_HOST_SHARED_H
#define RANKSH_CUDA_HOST_SHARED_H

#include "cuda/host/inside.h"
#include "cuda/host/order.h"
#include "cuda/host/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { AWAIT_MS = 20 }; /* control looks so often */

struct given_order {
	int64_t ns; /* when, on the giver's clock */
	struct host_order order;
};
struct told_report {
	int64_t end; /* on the host's clock */
	struct host_report report;
};
struct cancelled {
	op_id id;
	int64_t ns;
};

/* A read or a write that control waits for. When it gives up, the box stays shut. */
struct letter {
	enum { LETTER_NONE, LETTER_ASKS, LETTER_DONE, LETTER_SHUT } state;
	bool writes;
	struct host_order order; /* packed: mem_free'd by who finds it last */
	enum status status;
	char *words;
	int64_t ns;
};

struct host {
	struct host_thread thread; /* first: the host thread's view is the host */
	struct host_setup setup;
	struct run *run;
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t for_thread, for_control;
	struct queue orders, reports;
	struct cancelled *cancelled;
	size_t cancelled_count;
	struct letter letter;
	bool opened, stops, ended, left; /* left: it ended, and what it held never did */
	struct host *left_before;        /* the one before it of those */
	bool busy;                       /* some of what was given is not over */
	enum status status;              /* of opening, with its words */
	char *words;
	_Atomic size_t wanted; /* cancelled operations, 1 for a letter, 1 to stop: so many reasons to look */
	_Atomic bool waits_for_orders; /* the letter is about memory as it is behind what was given before */
	_Atomic(const char *) call;    /* that the thread is in; NULL: none */
	_Atomic unsigned calls;        /* so many until now */
	_Atomic int64_t uncertainty;   /* ns */
};

static inline struct host *host_whole(struct host_thread *thread)
{
	return (struct host *)thread;
}

/* So long from now, for waits */
struct timespec host_after(int64_t ns);
/* letter.c: the host thread's answer */
void letter_answer(struct host *host);

#endif
