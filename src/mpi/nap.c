/* nap.c -- how a process waits: it tests, sleeps with back-off, and is woken by the sender.
 *
 * Each process has a doorbell (system.h). A sender on the same host rings it after sending, which
 * ends the receiver's sleep. The socket queues rings, so none is missed between a test and a
 * sleep. Every sleep also ends by itself. */
#include "mpi/inside.h"
#include "system/system.h"
#include <poll.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOOKS_QUICK = 24, NAP_PART = 8 };
enum { NAP_LEAST_NS = 20000, NAP_MOST_NS = 4000000, NAP_RUNG_MOST_NS = 100000000 };

/* ---- doorbells ---- */

/* Returns whether `mine` is true on all processes; false if MPI fails. */
static bool true_for_all(struct transport *t, bool mine)
{
	int here = mine, all = 0;
	return t->mpi->MPI_Allreduce(&here, &all, 1, t->mpi->integer, t->mpi->minimum, t->control) ==
	        MPI_SUCCESS &&
	        all;
}
void doorbell_open(struct transport *t)
{
	if (t->rank == 0 && getrandom(&t->job, sizeof t->job, GRND_NONBLOCK) != sizeof t->job)
		t->job = getpid();
	if (t->mpi->MPI_Bcast(&t->job, sizeof t->job, t->mpi->byte, 0, t->control) != MPI_SUCCESS)
		return;
	t->doorbell = system_doorbell(t->job, t->rank);
	if (!true_for_all(t, t->doorbell >= 0)) {
		doorbell_close(t);
		return;
	}
	bool all = true;
	for (int rank = 0; rank < t->size; rank++)
		all = system_ring(t->doorbell, t->job, rank) && all;
	t->all_ring = true_for_all(t, all);
}

void doorbell_close(struct transport *t)
{
	if (t->doorbell >= 0)
		close(t->doorbell);
	t->doorbell = -1;
}

void doorbell_ring(struct transport *t, int rank)
{
	if (t->doorbell >= 0)
		system_ring(t->doorbell, t->job, rank); /* does not wake a rank on another host */
}

static bool sleep_by(const struct transport *t, const struct timespec *rest)
{
	struct pollfd doorbell = {.fd = t->doorbell, .events = POLLIN}; /* -1: only sleeps */
	char none;

	if (ppoll(&doorbell, 1, rest, NULL) <= 0)
		return false;
	while (recv(t->doorbell, &none, 0, MSG_DONTWAIT) >= 0)
		;
	return true;
}

/* ---- back-off ---- */

/* Sleeps an eighth of the time waited so far. The first tests only yield the core, because answers
 * mostly come at once. */
void nap_once(struct transport *t, struct nap *nap)
{
	struct timespec now, rest = {0, 0};
	/* rank 0 also serves the terminal, and other hosts have no doorbell here */
	int64_t waited, most = t->all_ring && t->rank != 0 ? NAP_RUNG_MOST_NS : NAP_MOST_NS;

	if (nap->looks++ < LOOKS_QUICK) {
		sched_yield();
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (nap->looks == LOOKS_QUICK + 1)
		nap->began = now;
	waited = (int64_t)(now.tv_sec - nap->began.tv_sec) * 1000000000 + (now.tv_nsec - nap->began.tv_nsec);
	waited /= NAP_PART;
	rest.tv_nsec = waited < NAP_LEAST_NS ? NAP_LEAST_NS : waited > most ? most : waited;
	if (sleep_by(t, &rest))
		nap->looks = 0;
}
