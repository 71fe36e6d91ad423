/* job.c -- making a communicator, from an ncclUniqueId or by a split: each rank waits for all others
 *
 * A split of ranks 0 1 2 3 by colors 0 1 0 1, on the seats of the parent:
 *
 *      came     everybody's color and key stand there; all wait for all
 *      placed   ranks 0 and 1, the first of their colors, have made a place and put it there; their members wait for them
 *      left     a rank has read what it needs: the next split may write over it */
#include "standin/nccl/comm.h"
#include "standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	struct ncclComm *comm, *parent; /* parent: of a split, else NULL */
	struct place place;
	int color, key;
	struct ncclComm **child;
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
	*job = (struct job){.comm = *comm, .place = *place, .child = comm};
	comm_hold(job->comm);
	return job;
}

struct job *job_split(struct ncclComm *parent, int color, int key, int blocking, struct ncclComm **child)
{
	struct job *job = calloc(1, sizeof *job);
	struct ncclComm *comm = job ? comm_new(0, 0, blocking < 0 ? parent->blocking : blocking) : NULL;
	*child = NULL;
	if (!comm) {
		free(job);
		return NULL;
	}
	comm->gpu = parent->gpu;
	*job = (struct job){.comm = comm, .parent = parent, .color = color, .key = key, .child = child};
	comm_hold(parent);
	return job;
}

void job_drop(struct job *job)
{
	if (!job->parent)
		*job->child = NULL;
	if (job->parent)
		comm_release(job->parent);
	else
		comm_release(job->comm);
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

/* ---- a split ---- */

struct stage { /* `counter` of all seats, or of one, has come to `number` */
	enum { CAME, PLACED, LEFT } counter;
	int rank; /* -1: all */
	uint64_t number;
};

static bool stage_met(struct meeting *meeting, void *self)
{
	const struct stage *stage = self;
	bool met = true;
	for (int rank = 0; rank < meeting_size(meeting); rank++) {
		struct seat *seat = meeting_seat(meeting, rank);
		_Atomic uint64_t *counter = stage->counter == CAME ? &seat->came
		        : stage->counter == PLACED                 ? &seat->placed
		                                                   : &seat->left;
		if (stage->rank == -1 || stage->rank == rank)
			met &= atomic_load(counter) >= stage->number;
	}
	return met;
}

static bool wait_for(struct meeting *meeting, struct stage stage)
{
	return meeting_wait(meeting, stage_met, &stage);
}

static void come_to(struct meeting *meeting, _Atomic uint64_t *counter, uint64_t number)
{
	atomic_store(counter, number);
	meeting_ring_all(meeting);
}

/* Where this rank stands among those of its color, and how many these are. Gives back the first. */
static int find_members(struct meeting *meeting, struct ncclComm *comm)
{
	int own = meeting_rank(meeting), first = own;
	const struct seat *mine = meeting_seat(meeting, own);
	for (int rank = 0; rank < meeting_size(meeting); rank++) {
		const struct seat *seat = meeting_seat(meeting, rank), *least = meeting_seat(meeting, first);
		if (seat->color != mine->color)
			continue;
		comm->ranks++;
		comm->rank += seat->key < mine->key || (seat->key == mine->key && rank < own);
		if (seat->key < least->key || (seat->key == least->key && rank < first))
			first = rank;
	}
	return first;
}

/* False: aborted. job->place is then where the members meet. */
static bool find_place(struct job *job, uint64_t number)
{
	struct meeting *meeting = job->parent->meeting;
	int own = meeting_rank(meeting);
	struct seat *seat = meeting_seat(meeting, own);
	if (!wait_for(meeting, (struct stage){LEFT, -1, number - 1}))
		return false;
	seat->color = job->color;
	seat->key = job->key;
	come_to(meeting, &seat->came, number);
	if (!wait_for(meeting, (struct stage){CAME, -1, number}))
		return false;
	int first = find_members(meeting, job->comm);
	if (first == own && job->color != NCCL_SPLIT_NOCOLOR && !meeting_make(&seat->child))
		seat->child = (struct place){0};
	come_to(meeting, &seat->placed, number);
	if (!wait_for(meeting, (struct stage){PLACED, first, number}))
		return false;
	job->place = meeting_seat(meeting, first)->child;
	come_to(meeting, &seat->left, number);
	return true;
}

/* The child is known to the parent meanwhile, for its abort. */
static void adopt(struct ncclComm *parent, struct ncclComm *child)
{
	pthread_mutex_lock(&parent->lock);
	parent->child = child;
	if (child && parent->aborted)
		child->aborted = true; /* nobody else has it yet */
	pthread_mutex_unlock(&parent->lock);
}

static ncclResult_t split(struct job *job)
{
	struct ncclComm *parent = job->parent;
	adopt(parent, job->comm);
	pthread_mutex_lock(&parent->lock);
	uint64_t number = ++parent->splits;
	pthread_mutex_unlock(&parent->lock);
	ncclResult_t result = ncclSuccess;
	if (!find_place(job, number))
		result = comm_fails(parent, ncclInternalError, "aborted in a split");
	else if (job->color != NCCL_SPLIT_NOCOLOR)
		result = enter(job->comm, &job->place);
	adopt(parent, NULL);
	if (result == ncclSuccess && job->color != NCCL_SPLIT_NOCOLOR) {
		*job->child = job->comm;
		return result;
	}
	if (result != ncclSuccess && !parent->blocking)
		comm_fails(parent, result, comm_last_words());
	comm_release(job->comm);
	return result;
}

/* ---- threads ---- */

static bool blocks(const struct job *job)
{
	return job->parent ? job->parent->blocking : job->comm->blocking;
}

static void work(struct job *job)
{
	job->result = job->parent ? split(job) : enter(job->comm, &job->place);
	if (!job->parent && job->result != ncclSuccess && job->comm->blocking) {
		*job->child = NULL;
		comm_release(job->comm);
	}
}

/* Its communicator, or the parent, is in progress until this is over. */
static void *run(void *self)
{
	struct job *job = self;
	struct ncclComm *comm = job->parent ? job->parent : job->comm;
	bool blocking = blocks(job);
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
	struct ncclComm *comm = job->parent ? job->parent : job->comm;
	pthread_mutex_lock(&comm->lock);
	comm->jobs++;
	pthread_mutex_unlock(&comm->lock);
	bool blocking = blocks(job); /* one that does not may be gone once it runs */
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
		bool waits = blocks(job[i]);
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
