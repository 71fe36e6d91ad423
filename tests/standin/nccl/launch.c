/* launch.c -- a group's operations on their streams: one launch after the other in the order in which they were issued
 * to their communicator, on whichever stream. On several streams it begins when all have come to it, and all go on when
 * it is over: the last to come does the work. */
#include "standin/nccl/comm.h"
#include "standin/standin.h"

#include <stdlib.h>
#include <string.h>

struct launch {
	struct ncclComm *comm;
	uint64_t number; /* 0: in a graph */
	bool broken;     /* ends in an error that is told later: nothing comes of it until the abort */
	int streams, came, inside;
	bool over;
	int64_t ns; /* the last stream's time; then the end */
	int count;
	struct operation operation[];
};

static size_t bytes_of(int count)
{
	return sizeof(struct launch) + (size_t)count * sizeof(struct operation);
}

struct launch *launch_new(struct ncclComm *comm, const struct operation *operation, int count)
{
	struct launch *launch = malloc(bytes_of(count));
	if (!launch)
		return NULL;
	*launch = (struct launch){.comm = comm, .count = count};
	memcpy(launch->operation, operation, (size_t)count * sizeof *operation);
	comm_hold(comm);
	return launch;
}

void launch_drop(struct launch *launch)
{
	comm_release(launch->comm);
	free(launch);
}

/* ---- on a stream's thread ---- */

static bool never(struct meeting *meeting, void *self)
{
	(void)meeting, (void)self;
	return false;
}

/* False: nothing here goes on. Else it has slept. */
static bool goes_on(struct ncclComm *comm, const struct standin_turn *turn)
{
	if (comm->aborted || standin_stopped(turn))
		return false;
	comm_sleep(comm);
	return true;
}

/* Its turn in the communicator: behind what was issued before it, or for what is in a graph when nothing else runs */
static bool begins(struct launch *launch, const struct standin_turn *turn)
{
	struct ncclComm *comm = launch->comm;
	bool begun = true;
	pthread_mutex_lock(&comm->lock);
	while (begun && (comm->running || (launch->number && comm->ended + 1 < launch->number)))
		begun = goes_on(comm, turn);
	begun = comm->running = begun && !comm->aborted;
	if (begun) {
		meeting_stops_by(comm->meeting, turn->stop);
		launch->ns = launch->ns > comm->free_ns ? launch->ns : comm->free_ns;
	}
	pthread_mutex_unlock(&comm->lock);
	return begun;
}

static void work(struct launch *launch)
{
	struct ncclComm *comm = launch->comm;
	int64_t ns = launch->ns;
	if (launch->broken) {
		comm_fails(comm, ncclRemoteError, "a peer has gone");
	} else {
		enum exchanged exchanged =
		        operations_run(comm->meeting, launch->operation, launch->count, &ns);
		if (exchanged == EXCHANGED)
			launch->ns = ns;
		if (exchanged != EXCHANGE_DIFFERS)
			return;
		comm_fails(comm, ncclInternalError, "ranks differ in the bytes of a message");
	}
	meeting_wait(comm->meeting, never, NULL);
}

static void ends(struct launch *launch, bool begun)
{
	struct ncclComm *comm = launch->comm;
	pthread_mutex_lock(&comm->lock);
	launch->over = true;
	if (begun) {
		meeting_stops_by(comm->meeting, NULL);
		comm->running = false;
		comm->ended = launch->number ? launch->number : comm->ended;
		comm->free_ns = launch->ns;
	}
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
}

static void run_whole(struct launch *launch, const struct standin_turn *turn)
{
	bool begun = begins(launch, turn);
	if (begun)
		work(launch);
	ends(launch, begun);
}

/* One stream's part of it. *argument: the launch */
static CUresult run(void *argument, struct standin_turn *turn)
{
	struct launch *launch = *(struct launch **)argument;
	struct ncclComm *comm = launch->comm;

	pthread_mutex_lock(&comm->lock);
	launch->ns = launch->ns > turn->start_ns ? launch->ns : turn->start_ns;
	bool last = ++launch->came == launch->streams;
	while (!last && !launch->over && goes_on(comm, turn))
		continue;
	pthread_mutex_unlock(&comm->lock);
	if (last)
		run_whole(launch, turn);
	pthread_mutex_lock(&comm->lock);
	turn->end_ns = launch->over ? launch->ns : turn->start_ns;
	bool drops = --launch->inside == 0;
	pthread_mutex_unlock(&comm->lock);
	if (drops)
		launch_drop(launch);
	return CUDA_SUCCESS;
}

/* In a graph it runs each time that the graph does. argument: the launch itself, the graph's copy */
static CUresult run_captured(void *argument, struct standin_turn *turn)
{
	struct launch *launch = argument;
	launch->ns = turn->start_ns;
	run_whole(launch, turn);
	turn->end_ns = launch->ns;
	return CUDA_SUCCESS;
}

/* ---- on the caller's thread ---- */

static bool is_first(const struct launch *launch, int i)
{
	for (int before = 0; before < i; before++)
		if (launch->operation[before].stream == launch->operation[i].stream)
			return false;
	return true;
}

/* The graph knows the communicator, and does not hold it. */
static ncclResult_t capture(struct launch *launch)
{
	struct ncclComm *comm = launch->comm;
	struct standin_call call = {.work = run_captured,
	        .argument = launch,
	        .argument_bytes = bytes_of(launch->count),
	        .waits = true};
	CUresult result = standin_enqueue(launch->operation[0].stream, &call);
	if (result != CUDA_SUCCESS)
		comm_fails(comm, ncclUnhandledCudaError, "the graph takes no work");
	launch_drop(launch);
	return result == CUDA_SUCCESS ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t launch_queue(struct launch *launch)
{
	struct ncclComm *comm = launch->comm;
	struct standin_call call = {
	        .work = run, .argument = &launch, .argument_bytes = sizeof launch, .waits = true};
	int streams = 0, queued = 0;
	CUresult result = CUDA_SUCCESS;

	if (standin_capturing(launch->operation[0].stream))
		return capture(launch);
	for (int i = 0; i < launch->count; i++)
		streams += is_first(launch, i);
	pthread_mutex_lock(&comm->lock);
	launch->number = ++comm->issued;
	launch->streams = launch->inside = streams;
	pthread_mutex_unlock(&comm->lock);
	for (int i = 0; result == CUDA_SUCCESS && queued < streams; i++) /* behind the last it may be gone */
		if (is_first(launch, i)) {
			queued++;
			result = standin_enqueue(launch->operation[i].stream, &call);
		}
	if (result == CUDA_SUCCESS)
		return ncclSuccess;
	if (queued == 1)
		launch_drop(launch);
	return comm_fails(comm, ncclUnhandledCudaError, "a stream takes no work");
}

/* Operations of this process are counted for the option async=. */
static bool breaks(const struct launch *launch)
{
	static _Atomic int operations;
	const struct standin_options *options = standin_options();
	int last = atomic_fetch_add(&operations, launch->count) + launch->count;
	return options && options->async > last - launch->count && options->async <= last;
}

ncclResult_t launch_start(struct launch *launch)
{
	struct ncclComm *comm = launch->comm;
	launch->broken = breaks(launch);
	if (comm->blocking)
		return launch_queue(launch);
	pthread_mutex_lock(&comm->lock);
	comm->held = launch;
	pthread_mutex_unlock(&comm->lock);
	return ncclInProgress;
}
