/* nap.c -- how a process waits: it looks, naps longer and longer, and is woken by who sends to it.
 *
 * Each process has a doorbell: a datagram socket with an abstract name (no file is left behind), which processes
 * of the same host reach. Who sends a message rings behind it, and a nap is a wait for the doorbell. Rings are
 * kept until the doorbell is looked at, so none is missed between a look for a message and the nap behind it. A
 * doorbell is a hint, and every nap ends by itself: who was rung and finds nothing yet begins with short naps
 * again. */
#include "mpi/inside.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LOOKS_QUICK = 24, NAP_PART = 8 };
enum { NAP_LEAST_NS = 20000, NAP_MOST_NS = 4000000, NAP_RUNG_MOST_NS = 100000000 };

/* ---- doorbells ---- */

static socklen_t doorbell_name(const struct transport *transport, int rank, struct sockaddr_un *name)
{
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "ranksh-%016llx-%d",
	        (unsigned long long)transport->job, rank);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	        (size_t)length); /* the first byte is 0: abstract */
}

/* False: it is not on this host. EAGAIN: so many rings wait there that no more have room. */
static bool rings(const struct transport *transport, int rank)
{
	struct sockaddr_un name;
	socklen_t bytes = doorbell_name(transport, rank, &name);
	return sendto(transport->doorbell, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name,
	               bytes) == 0 ||
	        errno == EAGAIN;
}

static bool hang(struct transport *transport)
{
	struct sockaddr_un name;
	socklen_t bytes = doorbell_name(transport, transport->rank, &name);

	transport->doorbell = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return transport->doorbell >= 0 && bind(transport->doorbell, (struct sockaddr *)&name, bytes) == 0;
}

/* The same on every process; false also where MPI fails */
static bool true_for_all(struct transport *transport, bool mine)
{
	int here = mine, all = 0;
	return MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, transport->control) == MPI_SUCCESS && all;
}

void doorbell_open(struct transport *transport)
{
	if (transport->rank == 0 &&
	        getrandom(&transport->job, sizeof transport->job, GRND_NONBLOCK) != sizeof transport->job)
		transport->job = (uint64_t)getpid();
	if (MPI_Bcast(&transport->job, (int)sizeof transport->job, MPI_BYTE, 0, transport->control) !=
	                MPI_SUCCESS ||
	        !true_for_all(transport, hang(transport))) {
		doorbell_close(transport);
		return;
	}
	bool all = true;
	for (int rank = 0; rank < transport->size; rank++)
		all = rings(transport, rank) && all;
	transport->all_ring = true_for_all(transport, all);
}

void doorbell_close(struct transport *transport)
{
	if (transport->doorbell >= 0)
		close(transport->doorbell);
	transport->doorbell = -1;
}

void doorbell_ring(struct transport *transport, int rank)
{
	if (transport->doorbell >= 0)
		rings(transport, rank); /* one of another host naps on */
}

/* True: rung */
static bool sleep_by(const struct transport *transport, const struct timespec *rest)
{
	struct pollfd doorbell = {
	        .fd = transport->doorbell, .events = POLLIN}; /* -1: a nap and nothing else */
	char none;

	if (ppoll(&doorbell, 1, rest, NULL) <= 0)
		return false;
	while (recv(transport->doorbell, &none, 0, MSG_DONTWAIT) >= 0)
		;
	return true;
}

/* ---- naps ---- */

void nap_begin(struct nap *nap)
{
	nap->looks = 0;
}

/* An eighth of the time already waited: an answer is little late. The first looks only give the core away:
 * answers mostly come at once. */
void nap_once(struct transport *transport, struct nap *nap)
{
	struct timespec now, rest = {0, 0};
	/* Rank 0 also serves the terminal, and other hosts have no doorbell here: then a rank that nobody talks
	 * to wakes 250 times a second (20 us each on a virtual machine), else 10 times. */
	int64_t waited, most = transport->all_ring && transport->rank != 0 ? NAP_RUNG_MOST_NS : NAP_MOST_NS;

	if (nap->looks++ < LOOKS_QUICK) {
		sched_yield();
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (nap->looks == LOOKS_QUICK + 1)
		nap->began = now;
	waited = (int64_t)(now.tv_sec - nap->began.tv_sec) * 1000000000 + (now.tv_nsec - nap->began.tv_nsec);
	waited /= NAP_PART;
	rest.tv_nsec = waited < NAP_LEAST_NS ? NAP_LEAST_NS : waited > most ? (long)most : (long)waited;
	if (sleep_by(transport, &rest))
		nap_begin(nap);
}
