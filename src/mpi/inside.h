/* inside.h -- shared by src/mpi
 *
 *      transport.c  joining and leaving the job
 *      control.c    control traffic between rank 0 and the others, by
 *      message.c    messages of any length, which wait by
 *      nap.c        back-off sleeps, ended by a doorbell socket
 *      data.c       tensor bytes, on their own communicator
 *      networks.c   which networks MPI uses between hosts
 *      team.c       the same between threads in one process, without MPI
 *      library.c    MPI's functions, opened at the start
 *      install.c    which Open MPI this computer has, by elf.c and ask.c
 *
 * May call: base/, system/. An umbrella header. */
#ifndef RANKSH_MPI_INSIDE_H
#define RANKSH_MPI_INSIDE_H

#include "base/memory.h"
#include "mpi/library.h"
#include "mpi/transport.h"
#include <time.h>

/* Tags on the control communicator: one per kind and direction. MPI keeps messages with one source
 * and tag in order. */
enum {
	TAG_LINE = 1,  /* rank 0 to all: the next line */
	TAG_GATHER,    /* a rank's part of a gather, to rank 0 */
	TAG_SHARE,     /* a rank's value, to rank 0 */
	TAG_SHARED,    /* all values, from rank 0 */
	TAG_BROADCAST, /* from the owner of the bytes */
	TAG_FORWARD,   /* a rank's output, to rank 0 */
	TAG_GRANT,     /* rank 0 to all: a grant */
	TAG_LEAVE,     /* a rank's request to leave, to rank 0 */
	TAG_LEFT,      /* rank 0's reply, to all */
	TAG_DATA       /* a team's tensors (MPI uses a separate communicator) */
};

/* A non-blocking send; its bytes live until MPI has completed it. */
struct pending_message {
	MPI_Request request;
	void *bytes;
};

struct team;
struct transport {
	const struct mpi_library *mpi; /* NULL: one process, or a team */
	struct team *team;             /* the ranks are threads and this is one rank's; NULL: processes */
	int rank, size;
	MPI_Comm control, data;          /* two duplicates of MPI_COMM_WORLD */
	MPI_Request *requests;           /* [2 size]: a part to, and one from, every rank */
	struct pending_message *pending; /* unordered */
	size_t pending_count;
	struct transport_bytes *own; /* rank 0's own forwarded output, oldest first */
	size_t own_count;
	int64_t chunk; /* data: the most bytes per MPI call; longer buffers go in parts */
	/* tests: the n-th MPI call from now on (0: the next) is reported as failed; it is still
	 * made, so no peer hangs. Negative: none */
	long fail_at;
	uint64_t job;  /* nap.c: a job number, part of the doorbells' names */
	int doorbell;  /* this process's socket; -1 none */
	bool all_ring; /* every process reaches every doorbell: one host */
};

struct transport_group {
	struct transport *transport;
	int n, place;
	int *ranks; /* world ranks by group rank, owned */
};

/* Excludes networks within a host, such as Docker's, before MPI starts. The user's settings win. */
void networks_choose(void);

/* Returns MPI's return code as a status; counts the call for fail_at. */
enum status mpi_checked(struct transport *t, int code, const char *what);

/* A wait loop's state, zeroed at first: test, nap_once(), test again. */
struct nap {
	struct timespec began;
	int looks;
};
void nap_once(struct transport *t, struct nap *nap);

/* Waits until the first `count` of t->requests have completed; counts for fail_at, unless 0. */
enum status requests_await(struct transport *t, int count, const char *what);

/* Wakes a sleeping rank on this host. Call it after every message to that rank. */
void doorbell_ring(struct transport *t, int rank);
void doorbell_open(struct transport *t); /* collective; on failure waits only sleep */
void doorbell_close(struct transport *t);

/* Sends the same bytes to the ranks first .. first + ranks - 1, except this one; returns when MPI
 * has completed the sends. */
enum status message_send(struct transport *t, int first, int ranks, int tag, const void *bytes, size_t count);
/* Waits for one message. *bytes is NUL-terminated and owned by the caller. ST_INTERRUPTED: the
 * team was stopped and nothing was received. ST_MPI: the message is lost. */
enum status message_receive(struct transport *t, int from, int tag, void **bytes, size_t *count,
        transport_poll *poll, void *self);
/* The same into a buffer of known size; another size is a bug in ranksh. */
enum status message_receive_exactly(struct transport *t, int from, int tag, void *into, size_t wanted);
/* Returns true if a message has arrived, and sets *source. */
bool message_waiting(struct transport *t, int from, int tag, int *source);
/* Sends a short message without waiting. */
enum status message_post(struct transport *t, int to, int tag, const void *bytes, size_t count);
void pending_sweep(struct transport *t);

/* team.c: like message_send to one rank, message_receive, transport_exchange and
 * transport_bcast. To send data, use team_send with TAG_DATA. */
void team_send(struct transport *t, int to, int tag, const void *bytes, size_t count);
enum status team_receive(struct transport *t, int from, int tag, void **bytes, size_t *count);
enum status team_exchange(struct transport_group *group, const struct transport_piece *piece);
enum status team_bcast(struct transport_group *group, int root, void *data, int64_t bytes);

#endif
