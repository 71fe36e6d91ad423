/* comm.c -- what a communicator is, whoever holds it */
#include "standin/nccl/comm.h"
#include "standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The GPU of this thread, by a number that is another one on another host */
static int gpu_of_all(void)
{
	char host[256] = "";
	unsigned hash = 2166136261; /* FNV-1a */
	gethostname(host, sizeof host - 1);
	for (const char *c = host; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619;
	return (int)(hash % (1 << 24)) * 64 + standin_device();
}

struct ncclComm *comm_new(int ranks, int rank, bool blocking)
{
	struct ncclComm *comm = calloc(1, sizeof *comm);
	if (!comm)
		return NULL;
	pthread_mutex_init(&comm->lock, NULL);
	pthread_cond_init(&comm->changed, NULL);
	comm->holders = 1;
	comm->ranks = ranks;
	comm->rank = rank;
	comm->blocking = blocking;
	comm->gpu = gpu_of_all();
	return comm;
}

void comm_hold(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->lock);
	comm->holders++;
	pthread_mutex_unlock(&comm->lock);
}

void comm_release(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->lock);
	bool last = --comm->holders == 0;
	pthread_mutex_unlock(&comm->lock);
	if (!last)
		return;
	meeting_leave(comm->meeting);
	pthread_cond_destroy(&comm->changed);
	pthread_mutex_destroy(&comm->lock);
	free(comm);
}

static pthread_mutex_t words_lock = PTHREAD_MUTEX_INITIALIZER;
static char last_words[160];

ncclResult_t comm_fails(struct ncclComm *comm, ncclResult_t result, const char *words)
{
	pthread_mutex_lock(&comm->lock);
	comm->result = result;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
	pthread_mutex_lock(&words_lock);
	snprintf(last_words, sizeof last_words, "%s", words);
	pthread_mutex_unlock(&words_lock);
	return result;
}

const char *comm_last_words(void)
{
	static _Thread_local char words[sizeof last_words];
	pthread_mutex_lock(&words_lock);
	memcpy(words, last_words, sizeof words);
	pthread_mutex_unlock(&words_lock);
	return words;
}

void comm_sleep(struct ncclComm *comm)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += SLEEP_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_clockwait(&comm->changed, &comm->lock, CLOCK_MONOTONIC, &until);
}

ncclResult_t comm_state(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->lock);
	struct launch *held = comm->held;
	ncclResult_t state = comm->jobs > 0 || held ? ncclInProgress : comm->result;
	comm->held = NULL;
	pthread_mutex_unlock(&comm->lock);
	ncclResult_t queued = held ? launch_queue(held) : ncclSuccess;
	return queued == ncclSuccess ? state : comm_fails(comm, queued, "the stream takes no work");
}

/* Launches that run look at the meeting at least every SLEEP_MS; one that has not begun finds it aborted. */
void comm_abort(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->lock);
	struct launch *held = comm->held;
	comm->held = NULL;
	comm->aborted = true;
	if (comm->meeting)
		meeting_abort(comm->meeting);
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
	if (held)
		launch_drop(held);
	pthread_mutex_lock(&comm->lock);
	while (comm->jobs > 0 || comm->running)
		comm_sleep(comm);
	pthread_mutex_unlock(&comm->lock);
}
