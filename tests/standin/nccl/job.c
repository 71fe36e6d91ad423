/* job.c -- making a communicator: each rank waits for all others */
#include "standin/nccl/comm.h"
#include "standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	struct ncclComm *comm, **user; /* the user's pointer to it */
	struct place place;
	ncclResult_t result;
	pthread_t thread;
};

struct job *job_init(const struct place *place, int ranks, int rank, bool blocking, struct ncclComm **comm)
{
	struct job *job = calloc(1, sizeof *job);
	*comm = job ? comm_new(ranks, rank, blocking) : NULL;
	if (!*comm) {
		free(job);
		return NULL;
	}
	*job = (struct job){.comm = *comm, .place = *place, .user = comm};
	comm_hold(job->comm);
	return job;
}

void job_drop(struct job *job)
{
	*job->user = NULL;
	comm_release(job->comm); /* this job's */
	comm_release(job->comm);
	free(job);
}

/* ---- entering a meeting ---- */

static bool all_sit(struct meeting *meeting, void *self)
{
	bool sit = true;
	(void)self;
	for (int rank = 0; rank < meeting_size(meeting); rank++)
		sit &= atomic_load(&meeting_seat(meeting, rank)->state) == SITS;
	return sit;
}

/* A GPU a rank: the rule up to 2.29, and later where nobody asks for another */
static ncclResult_t check_gpus(struct ncclComm *comm)
{
	enum { SHARES = 23000 };
	const char *shares = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
	if (standin_options()->nccl >= SHARES && shares && strcmp(shares, "1") == 0)
		return ncclSuccess;
	char words[100];
	for (int a = 0; a < comm->ranks; a++)
		for (int b = 0; b < a; b++)
			if (meeting_seat(comm->meeting, a)->gpu == meeting_seat(comm->meeting, b)->gpu) {
				snprintf(words, sizeof words,
				        "Duplicate GPU detected : rank %d and rank %d both on one CUDA "
				        "device",
				        b, a);
				return comm_fails(comm, ncclInvalidUsage, words);
			}
	return ncclSuccess;
}

static ncclResult_t enter(struct ncclComm *comm, const struct place *place)
{
	struct meeting *meeting = NULL;
	enum entry entry = meeting_enter(place, comm->ranks, comm->rank, comm->gpu, &meeting);
	if (entry == NO_PLACE)
		return comm_fails(comm, ncclSystemError, "the process that made the unique id is not there");
	if (entry != ENTERED)
		return comm_fails(comm, ncclInvalidArgument,
		        entry == SEAT_TAKEN ? "two processes are the same rank"
		                            : "ranks differ in their number");
	pthread_mutex_lock(&comm->lock);
	comm->meeting = meeting;
	if (comm->aborted)
		meeting_abort(meeting);
	pthread_mutex_unlock(&comm->lock);
	bool whole = meeting_wait(meeting, all_sit, NULL);
	meeting_forget(place);
	return whole ? check_gpus(comm) : comm_fails(comm, ncclInternalError, "aborted while it was made");
}

/* ---- threads ---- */

static void work(struct job *job)
{
	job->result = enter(job->comm, &job->place);
	if (job->result != ncclSuccess && job->comm->blocking) {
		*job->user = NULL;
		comm_release(job->comm);
	}
}

/* Its communicator is in progress until this is over. */
static void *run(void *self)
{
	struct job *job = self;
	struct ncclComm *comm = job->comm;
	bool blocking = comm->blocking;
	work(job);
	pthread_mutex_lock(&comm->lock);
	comm->jobs--;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
	comm_release(comm);
	if (!blocking)
		free(job);
	return NULL;
}

static ncclResult_t start(struct job *job)
{
	struct ncclComm *comm = job->comm;
	pthread_mutex_lock(&comm->lock);
	comm->jobs++;
	pthread_mutex_unlock(&comm->lock);
	bool blocking = comm->blocking; /* one that does not may be gone once it runs */
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, job) != 0) {
		pthread_mutex_lock(&comm->lock);
		comm->jobs--;
		pthread_mutex_unlock(&comm->lock);
		job_drop(job);
		return ncclSystemError;
	}
	if (blocking)
		job->thread = thread;
	else
		pthread_detach(thread);
	return blocking ? ncclSuccess : ncclInProgress;
}

ncclResult_t jobs_run(struct job **job, int count)
{
	ncclResult_t result = ncclSuccess;
	for (int i = 0; i < count; i++) {
		bool waits = job[i]->comm->blocking;
		ncclResult_t started = start(job[i]);
		if (!waits || started == ncclSystemError)
			job[i] = NULL;
		if (started != ncclSuccess)
			result = started;
	}
	for (int i = 0; i < count; i++) {
		if (!job[i])
			continue;
		pthread_join(job[i]->thread, NULL);
		if (job[i]->result != ncclSuccess)
			result = job[i]->result;
		free(job[i]);
	}
	return result;
}
