/* thread.h -- what lanes.c and run.c tell host.c: the thread's two queues are there */
#ifndef RANKSH_CUDA_HOST_THREAD_H
#define RANKSH_CUDA_HOST_THREAD_H

#include "cuda/host/inside.h"

void thread_report(struct host_thread *host, const struct host_report *report);
/* A device that takes no more calls: from now on everything is reported undone, with the failure worded last. */
void thread_lost(struct host_thread *host, enum status status);
/* What control has asked for meanwhile (cancel, read, write) is done. false: it wants the thread to end */
bool thread_serve(struct host_thread *host);
/* Until something is asked for, or a nap is over, each longer than the one before it */
void thread_nap(struct host_thread *host, bool found);
/* For the sentence about a long wait */
void thread_calls(struct host_thread *host, const char *call);
char *words_copy(const char *words);

/* run.c. One order, from begin to end; a wait in it serves control. false: the thread is to end */
bool run_order(struct host_thread *host, struct host_order *order);

#endif
