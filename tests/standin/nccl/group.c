/* group.c -- a thread's group */
#include "standin/nccl/group.h"

#include <stdlib.h>
#include <string.h>

struct group {
	int depth;
	ncclResult_t refused;
	struct job **job;
	int jobs;
	struct call { /* in the order of calls */
		struct ncclComm *comm;
		struct operation operation;
	} * call;
	int calls;
};

static struct group *group_of_thread(void)
{
	static _Thread_local struct group group;
	return &group;
}

/* An array with room for one more. NULL: no memory; the array stays. */
static void *room(void *array, int count, size_t size)
{
	return count & (count - 1) ? array : realloc(array, (size_t)(count ? 2 * count : 1) * size);
}

void group_start(void)
{
	group_of_thread()->depth++;
}

ncclResult_t group_refuse(ncclResult_t result)
{
	struct group *group = group_of_thread();
	if (group->depth > 0 && group->refused == ncclSuccess)
		group->refused = result;
	return result;
}

ncclResult_t group_add_job(struct job *job)
{
	struct group *group = group_of_thread();
	struct job **jobs = room(group->job, group->jobs, sizeof *jobs);
	if (!jobs) {
		job_drop(job);
		return group_refuse(ncclSystemError);
	}
	group->job = jobs;
	group->job[group->jobs++] = job;
	group_start();
	return group_end();
}

ncclResult_t group_add(struct ncclComm *comm, const struct operation *operation)
{
	struct group *group = group_of_thread();
	struct call *calls = room(group->call, group->calls, sizeof *calls);
	if (!calls)
		return group_refuse(ncclSystemError);
	group->call = calls;
	group->call[group->calls++] = (struct call){comm, *operation};
	group_start();
	return group_end();
}

/* The calls of one communicator, taken out of the list */
static ncclResult_t launch_comm(struct group *group, struct ncclComm *comm, struct operation *operation)
{
	int count = 0;
	for (int i = 0; i < group->calls; i++)
		if (group->call[i].comm == comm) {
			operation[count++] = group->call[i].operation;
			group->call[i].comm = NULL;
		}
	struct launch *launch = launch_new(comm, operation, count);
	return launch ? launch_start(launch) : ncclSystemError;
}

static ncclResult_t launch_all(struct group *group)
{
	struct operation *operation = malloc(sizeof *operation * (size_t)group->calls + 1);
	ncclResult_t result = operation ? ncclSuccess : ncclSystemError;
	for (int i = 0; i < group->calls && operation; i++) {
		ncclResult_t one = group->call[i].comm ? launch_comm(group, group->call[i].comm, operation)
		                                       : ncclSuccess;
		if (result == ncclSuccess || result == ncclInProgress)
			result = one == ncclSuccess ? result : one;
	}
	free(operation);
	return result;
}

/* Out of the group, and empty for the next */
static ncclResult_t leave(struct group *group, bool drops, ncclResult_t result)
{
	for (int i = 0; i < group->jobs && drops; i++)
		job_drop(group->job[i]);
	free(group->job);
	free(group->call);
	memset(group, 0, sizeof *group);
	return result;
}

ncclResult_t group_end(void)
{
	struct group *group = group_of_thread();
	if (group->depth == 0)
		return ncclInvalidUsage;
	if (--group->depth > 0)
		return group->refused;
	if (group->refused != ncclSuccess)
		return leave(group, true, group->refused);
	ncclResult_t jobs = jobs_run(group->job, group->jobs), launches = ncclSuccess;
	if (jobs == ncclSuccess || jobs == ncclInProgress)
		launches = launch_all(group);
	return leave(group, false, jobs != ncclSuccess ? jobs : launches);
}
