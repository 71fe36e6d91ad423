/* comm.h -- a communicator of one rank: how it comes to be and ends, and its launches in their order. An umbrella
 * header. */
#ifndef RANKSH_STANDIN_COMM_H
#define RANKSH_STANDIN_COMM_H

#include "standin/nccl/operation.h"
#include <pthread.h>

struct launch;
struct ncclComm {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int holders; /* the user, jobs, launches: the last one frees it */
	int ranks, rank;
	int gpu; /* the same number in all processes */
	bool blocking, aborted;
	struct meeting *meeting; /* NULL until its job has entered it */
	int jobs;                /* on threads of their own: making it */
	ncclResult_t result;     /* of jobs, or an error that came later */
	uint64_t issued, ended;  /* launches */
	bool running;
	int64_t free_ns;     /* when the last launch that has run was over */
	struct launch *held; /* where it does not block: until the user asks how it is */
};

/* On the current device of this thread. NULL: no memory. */
struct ncclComm *comm_new(int ranks, int rank, bool blocking);
void comm_hold(struct ncclComm *comm);
void comm_release(struct ncclComm *comm);
/* Locked: until something has changed, SLEEP_MS at most */
void comm_sleep(struct ncclComm *comm);
/* Gives `result` back; `words` are for ncclGetLastError, which is of the process. */
ncclResult_t comm_fails(struct ncclComm *comm, ncclResult_t result, const char *words);
const char *comm_last_words(void);
/* As ncclCommGetAsyncError: ncclInProgress while jobs run. What was held is launched by the question. */
ncclResult_t comm_state(struct ncclComm *comm);
/* All that runs or waits here leaves; the other ranks are not told. */
void comm_abort(struct ncclComm *comm);

/* ---- job.c: what waits for the other ranks */

struct job;
/* Makes a communicator. NULL: no memory. The user's pointer is written at once. */
struct job *job_init(const struct place *place, int ranks, int rank, bool blocking, struct ncclComm **comm);
/* Each on a thread of its own; waits for those that block. ncclInProgress where one goes on. Frees them. */
ncclResult_t jobs_run(struct job **job, int count);
void job_drop(struct job *job); /* that has not run */

/* ---- launch.c: what is queued on a stream */

/* All operations of a group of calls on `comm`. NULL: no memory. */
struct launch *launch_new(struct ncclComm *comm, const struct operation *operation, int count);
/* Queues it; ncclInProgress where the communicator does not block: it is held then. */
ncclResult_t launch_start(struct launch *launch);
ncclResult_t launch_queue(struct launch *launch);
void launch_drop(struct launch *launch);

#endif
