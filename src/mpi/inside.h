/* inside.h -- what the files of src/mpi share: the transport's fields, checked MPI calls, framed messages, naps.
 *
 *      transport.c  how a process joins the others and leaves them
 *      control.c    what goes between rank 0 and the others, made of
 *      message.c    messages of any length, whose waits are
 *      nap.c        naps, ended by a doorbell
 *      data.c       tensors' bytes: plain blocking MPI, on a communicator of its own
 *      team.c       all of it between threads of one process, without MPI
 *
 * May call: base/. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_MPI_INSIDE_H
#define RANKSH_MPI_INSIDE_H

#include "base/memory.h"
#include "mpi/transport.h"
#include <mpi.h>
#include <time.h>

/* Tags on the control communicator: a tag is one conversation, in one direction. MPI keeps the messages of
 * one source and tag in the order sent; between tags nothing is promised, and nothing here wants it. */
enum {
	TAG_LINE = 1,  /* rank 0 to all: the next line */
	TAG_GATHER,    /* a rank's part of a gather, to rank 0 */
	TAG_SHARE,     /* a rank's value, to rank 0 */
	TAG_SHARED,    /* everybody's values, from rank 0 */
	TAG_BROADCAST, /* from whoever owns the bytes */
	TAG_FORWARD,   /* what a rank printed, to rank 0 */
	TAG_GRANT,     /* rank 0 to all: how far they may go */
	TAG_LEAVE,     /* the goodbye of a rank, to rank 0 */
	TAG_LEFT,      /* rank 0's, to all */
	TAG_DATA       /* a team's tensors, which MPI has on a communicator of their own */
};

/* A message sent without waiting; its bytes live until MPI has taken them. */
struct pending_message {
	MPI_Request request;
	void *bytes;
};

struct team;
struct transport {
	bool mpi;
	struct team *team; /* the ranks are threads, and this is one's; NULL: they are not */
	int rank, size;
	MPI_Comm control, data; /* duplicates of the world: no message of one meets one of the other */
	MPI_Request *requests;  /* room for `size`: one part to every rank */
	struct pending_message *pending; /* no order among them */
	size_t pending_count;
	struct transport_bytes *own; /* rank 0's own forwarded output, oldest first */
	size_t own_count;
	int64_t chunk; /* data: no MPI call moves more bytes than this */
	long fail_at;  /* tests: the MPI call that is said to have failed, -1 none */
	uint64_t job;  /* nap.c: a number of this job's, in the names of its doorbells */
	int doorbell;  /* this process's, a socket; -1 none */
	bool all_ring; /* every process reaches every doorbell: all are on one host */
};

struct transport_group {
	struct transport *transport;
	MPI_Comm comm; /* MPI_COMM_NULL for a group of one, or of a team */
	int n, place;
	int *ranks; /* by place, owned; of a team, else NULL */
};

/* MPI's return code as a status; counts the call for transport_fail_at(). */
enum status mpi_checked(struct transport *t, int code, const char *what);

/* A wait: look, nap_once(), look again. */
struct nap {
	struct timespec began;
	int looks;
};
void nap_begin(struct nap *nap);
void nap_once(struct transport *t, struct nap *nap);

/* Wakes a rank of this host that naps: behind every message to it. */
void doorbell_ring(struct transport *t, int rank);
void doorbell_open(struct transport *t); /* all processes together; where it cannot be done, naps do alone */
void doorbell_close(struct transport *t);

/* Sends the same bytes to `count` ranks from `first` on, leaving this one out; waits until MPI has taken
 * them. */
enum status message_send(struct transport *t, int first, int ranks, int tag, const void *bytes, size_t count);
/* Waits for one message. *bytes is NUL-terminated and the caller's. ST_INTERRUPTED: poll ended the wait and
 * nothing was taken. ST_MPI: the message was taken as far as MPI gave it, and is lost. */
enum status message_receive(struct transport *t, int from, int tag, void **bytes, size_t *count,
        transport_poll *poll, void *self);
/* Is one there? From *source then. */
bool message_waiting(struct transport *t, int from, int tag, int *source);
/* Sends a short message without waiting for anybody. */
enum status message_post(struct transport *t, int to, int tag, const void *bytes, size_t count);
void pending_sweep(struct transport *t);

/* team.c: as message_send to one rank and message_receive; as transport_recv, transport_exchange and transport_bcast. A send of
 * data is team_send with TAG_DATA. */
void team_send(struct transport *t, int to, int tag, const void *bytes, size_t count);
enum status team_receive(struct transport *t, int from, int tag, void **bytes, size_t *count);
enum status team_take_data(struct transport *t, int from, void *data, int64_t bytes);
enum status team_exchange(struct transport_group *group, const struct transport_piece *piece);
enum status team_bcast(struct transport_group *group, int root, void *data, int64_t bytes);

#endif
