/* transport.c -- joining and leaving the job.
 *
 * MPI_COMM_WORLD is duplicated twice, so that a control message is never taken for a tensor. MPI
 * errors become a status with a message; the default would end the job silently.
 *
 * Leaving, with three ranks. MPI_Finalize spins until the slowest rank arrives; so every rank
 * first sends a request to leave and sleeps until the reply:
 *
 *      rank 1  --- TAG_LEAVE --->  rank 0                      rank 1: MPI_Finalize
 *      rank 2  --- TAG_LEAVE --->  rank 0  --- TAG_LEFT --->   rank 2: MPI_Finalize   all at once
 *                                  (has all requests)          rank 0: MPI_Finalize */
#include "mpi/inside.h"
#include "system/system.h"
#include <stdlib.h>
#include <unistd.h>

enum { PART_BYTES = 1 << 30, TIMER_SLACK_NS = 2000 };

static enum status join(struct transport *t, int *argc, char ***argv)
{
	const char *segments = getenv("RANKSH_SEGMENTS");
	int provided = 0;
	enum status status;

	/* The user's settings win. Ranks often share cores, so a blocking call must yield. */
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	/* The front end made this folder for shared-memory segments on this host:
	 * shell/terminal/room.h. vader: Open MPI 4, sm: Open MPI 5 */
	if (segments && access(segments, W_OK) == 0) {
		setenv("OMPI_MCA_btl_vader_backing_directory", segments, 0);
		setenv("OMPI_MCA_btl_sm_backing_directory", segments, 0);
	}
	networks_choose();
	status = mpi_library_open(&t->mpi);
	if (status != ST_OK)
		return status;
	status = mpi_checked(t, t->mpi->MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "start");
	if (status != ST_OK)
		return status;
	if (provided < MPI_THREAD_FUNNELED)
		return fail(ST_MPI, "MPI: this build allows no second thread beside the one that calls it");
	t->mpi->MPI_Comm_set_errhandler(t->mpi->world, t->mpi->errors_return);
	t->mpi->MPI_Comm_set_errhandler(t->mpi->self, t->mpi->errors_return);
	t->mpi->MPI_Comm_rank(t->mpi->world, &t->rank);
	t->mpi->MPI_Comm_size(t->mpi->world, &t->size);
	/* Linux extends sleeps by up to 50 us: 20 us would become 70. */
	system_sleep_slack(TIMER_SLACK_NS);
	status = mpi_checked(t, t->mpi->MPI_Comm_dup(t->mpi->world, &t->control), "start");
	if (status == ST_OK)
		status = mpi_checked(t, t->mpi->MPI_Comm_dup(t->mpi->world, &t->data), "start");
	if (status == ST_OK && t->size > 1)
		doorbell_open(t);
	return status;
}

static void release(struct transport *t)
{
	for (size_t i = 0; i < t->own_count; i++)
		mem_free(t->own[i].bytes);
	for (size_t i = 0; i < t->pending_count; i++)
		mem_free(t->pending[i].bytes);
	mem_free(t->own);
	mem_free(t->pending);
	mem_free(t->requests);
	doorbell_close(t);
	mem_free(t);
}

enum status transport_start(struct transport **result, bool mpi, int *argc, char ***argv)
{
	struct transport *t = mem_alloc(sizeof *t);
	enum status status = ST_OK;

	*t = (struct transport){.size = 1, .chunk = PART_BYTES, .fail_at = -1, .doorbell = -1};
	if (mpi)
		status = join(t, argc, argv);
	t->requests = mem_alloc(2 * (size_t)t->size * sizeof *t->requests);
	if (status != ST_OK)
		release(t);
	else
		*result = t;
	return status;
}

static void drop(struct transport *t, int from, int tag)
{
	void *bytes;
	size_t count;

	if (message_receive(t, from, tag, &bytes, &count, NULL, NULL) == ST_OK)
		mem_free(bytes);
}

static void drop_waiting(struct transport *t, int from, int tag)
{
	int source;

	while (message_waiting(t, from, tag, &source))
		drop(t, source, tag);
}

/* Leaves as drawn above. Drops messages that were never received (the last line's output, grants),
 * because MPI_Finalize may wait for their receivers. */
static void leave(struct transport *t)
{
	for (int rank = 1; t->rank == 0 && rank < t->size; rank++)
		drop(t, rank, TAG_LEAVE);
	if (t->rank == 0) {
		drop_waiting(t, MPI_ANY_SOURCE, TAG_FORWARD);
		message_send(t, 0, t->size, TAG_LEFT, NULL, 0);
		return;
	}
	message_send(t, 0, 1, TAG_LEAVE, NULL, 0);
	drop(t, 0, TAG_LEFT);
	drop_waiting(t, 0, TAG_GRANT);
}

void transport_settle(struct transport *t)
{
	struct nap nap = {0};

	for (pending_sweep(t); t->pending_count > 0; pending_sweep(t))
		nap_once(t, &nap);
}

void transport_stop(struct transport *t)
{
	if (!t)
		return;
	if (t->mpi) {
		t->fail_at = -1;
		leave(t);
		transport_settle(t);
		t->mpi->MPI_Comm_free(&t->data);
		t->mpi->MPI_Comm_free(&t->control);
		t->mpi->MPI_Finalize();
	}
	release(t);
}

void transport_die(struct transport *t, int code)
{
	if (t->mpi)
		t->mpi->MPI_Abort(t->mpi->world, code);
}

int transport_rank(const struct transport *t)
{
	return t->rank;
}

int transport_size(const struct transport *t)
{
	return t->size;
}
