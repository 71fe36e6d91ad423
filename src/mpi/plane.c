/* plane.c -- how a process joins the others and leaves them.
 *
 * The world is duplicated twice, and used for nothing itself: MPI matches messages within one communicator,
 * so what control sends can never be taken for a tensor. MPI errors come back as codes (MPI_ERRORS_RETURN)
 * and become a status with words; the default would end the job without any.
 *
 * Leaving, with three ranks. MPI_Finalize waits for the others by spinning, for as long as the slowest takes
 * to come; so everybody first says goodbye, and waits for the answer asleep:
 *
 *      rank 1  --- TAG_LEAVE --->  rank 0                        rank 1: MPI_Finalize
 *      rank 2  --- TAG_LEAVE --->  rank 0  --- TAG_LEFT --->     rank 2: MPI_Finalize        all at once
 *                                  (has all goodbyes)            rank 0: MPI_Finalize
 */
#include "mpi/inside.h"
#include <stdlib.h>
#include <sys/prctl.h>

enum { PART_BYTES = 1 << 30, TIMER_SLACK_NS = 2000 };

static enum status join(struct plane *plane, int *argc, char ***argv)
{
	int provided = 0;
	enum status status;

	/* Ranks often share cores: a blocking call gives its core away. A setting of the user's stays. */
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	status = mpi_checked(plane, MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "start");
	if (status != ST_OK)
		return status;
	if (provided < MPI_THREAD_FUNNELED)
		return fail(ST_MPI, "MPI: this build allows no second thread beside the one that calls it");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &plane->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &plane->size);
	/* Linux lets a sleep last 50 us longer than asked for: a nap of 20 us would be one of 70. */
	prctl(PR_SET_TIMERSLACK, (unsigned long)TIMER_SLACK_NS, 0UL, 0UL, 0UL);
	status = mpi_checked(plane, MPI_Comm_dup(MPI_COMM_WORLD, &plane->control), "start");
	if (status == ST_OK)
		status = mpi_checked(plane, MPI_Comm_dup(MPI_COMM_WORLD, &plane->data), "start");
	if (status == ST_OK && plane->size > 1)
		doorbell_open(plane);
	return status;
}

static void release(struct plane *plane)
{
	for (size_t i = 0; i < plane->own_count; i++)
		mem_free(plane->own[i].bytes);
	for (size_t i = 0; i < plane->pending_count; i++)
		mem_free(plane->pending[i].bytes);
	mem_free(plane->own);
	mem_free(plane->pending);
	mem_free(plane->requests);
	doorbell_close(plane);
	mem_free(plane);
}

/* plane->requests has room for one part to every rank: what send_part() has under way. */
enum status plane_start(struct plane **result, bool mpi, int *argc, char ***argv)
{
	struct plane *plane = mem_alloc(sizeof *plane);
	enum status status = ST_OK;

	*plane = (struct plane){.mpi = mpi,
	        .size = 1,
	        .control = MPI_COMM_NULL,
	        .data = MPI_COMM_NULL,
	        .chunk = PART_BYTES,
	        .fail_at = -1,
	        .doorbell = -1};
	if (mpi)
		status = join(plane, argc, argv);
	plane->requests = mem_alloc((size_t)plane->size * sizeof *plane->requests);
	if (status != ST_OK)
		release(plane);
	else
		*result = plane;
	return status;
}

static void discard(struct plane *plane, int from, int tag)
{
	bool there = true;
	int source = from;

	while (message_waiting(plane, from, tag, &there, &source) == ST_OK && there) {
		void *bytes;
		size_t count;

		if (message_receive(plane, source, tag, &bytes, &count, NULL, NULL) == ST_OK)
			mem_free(bytes);
	}
}

/* Goodbyes as drawn above. Messages that were sent and never asked for (output of the last line, grants) are
 * taken and dropped: MPI_Finalize may wait for a receiver of each. */
static void leave(struct plane *plane)
{
	void *bytes;
	size_t count;

	for (int rank = 1; plane->rank == 0 && rank < plane->size; rank++) {
		if (message_receive(plane, rank, TAG_LEAVE, &bytes, &count, NULL, NULL) == ST_OK)
			mem_free(bytes);
	}
	if (plane->rank == 0) {
		discard(plane, MPI_ANY_SOURCE, TAG_FORWARD);
		message_send(plane, 0, plane->size, TAG_LEFT, NULL, 0);
		return;
	}
	message_send(plane, 0, 1, TAG_LEAVE, NULL, 0);
	if (message_receive(plane, 0, TAG_LEFT, &bytes, &count, NULL, NULL) == ST_OK)
		mem_free(bytes);
	discard(plane, 0, TAG_GRANT);
}

void plane_settle(struct plane *plane)
{
	struct nap nap;

	nap_begin(&nap);
	for (pending_sweep(plane); plane->pending_count > 0; pending_sweep(plane))
		nap_once(plane, &nap);
}

void plane_stop(struct plane *plane)
{
	if (!plane)
		return;
	if (plane->mpi) {
		plane->fail_at = -1;
		leave(plane);
		plane_settle(plane);
		MPI_Comm_free(&plane->data);
		MPI_Comm_free(&plane->control);
		MPI_Finalize();
	}
	release(plane);
}

void plane_die(struct plane *plane, int code)
{
	if (plane->mpi)
		MPI_Abort(MPI_COMM_WORLD, code);
}

int plane_rank(const struct plane *plane)
{
	return plane->rank;
}

int plane_size(const struct plane *plane)
{
	return plane->size;
}

void plane_fail_at(struct plane *plane, long n)
{
	plane->fail_at = n;
}

bool plane_fail_waits(const struct plane *plane)
{
	return plane->fail_at >= 0;
}

void plane_part_bytes(struct plane *plane, int64_t bytes)
{
	plane->chunk = bytes;
}
