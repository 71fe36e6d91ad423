/* transport.h -- the transport between processes, of control and of data. Only src/mpi/ includes <mpi.h>.
 *
 * Control messages: lines out, statuses and values back; every wait naps (MPI_Test and a growing nap, ended by
 * who sends: nap.c), never spins. Data messages: buffers of tensors, blocking, in an order that follows from the
 * books: the same on every process. A `transport` of one process (--dry, or -n 1 without mpirun) does the same
 * with no MPI at all. */
#ifndef RANKSH_TRANSPORT_H
#define RANKSH_TRANSPORT_H

#include "base/status.h"
#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

struct transport;
struct transport_group; /* a communicator of some ranks */

/* mpi false: one process that stands for `rank` 0 of 1 and makes no MPI call. Keeps argc/argv as MPI_Init
 * wants them. */
enum status transport_start(struct transport **t, bool mpi, int *argc, char ***argv);
void transport_stop(struct transport *t); /* MPI_Finalize, after everybody agreed to leave */
/* MPI_Abort: a peer is gone, or cannot go on with the others */
void transport_die(struct transport *t, int code);
int transport_rank(const struct transport *t);
int transport_size(const struct transport *t);

/* -- control. poll is called between two looks for a message (may be NULL), so that a process that waits can do
 * what else there is to do. */
typedef void transport_poll(void *self);
/* Rank 0 sends bytes to all others (flat sends); the others receive: *bytes is owned by the caller
 * (mem_free). */
enum status transport_send_all(struct transport *t, const void *bytes, size_t count);
enum status transport_receive(
        struct transport *t, void **bytes, size_t *count, transport_poll *poll, void *self);
/* Others send bytes to rank 0; rank 0 gets them by rank into all[rank] (its own is `mine`, copied). all:
 * transport_size entries, each mem_free'd by the caller; on failure there is nothing to free. What a rank forwarded
 * before it sent its bytes can be taken by transport_take_forwarded once they are there. */
struct transport_bytes {
	void *bytes;
	size_t count;
};
enum status transport_gather(struct transport *t, const void *mine, size_t count, struct transport_bytes *all,
        transport_poll *poll, void *self);
/* value[r] from every process r, known to all afterwards (bytes a value fixed). */
enum status transport_share(struct transport *t, const void *mine, void *all, size_t bytes_each);
/* rank `owner`'s bytes, known to all afterwards; *count may be changed on the others; *bytes owned by the
 * caller. */
enum status transport_broadcast(struct transport *t, int owner, void **bytes, size_t *count);
/* A rank's captured stdout/stderr, as a message to rank 0 that rank 0 collects when it polls. */
enum status transport_forward(struct transport *t, const char *bytes, size_t count);
/* rank 0; false: none waiting */
bool transport_take_forwarded(struct transport *t, int *rank, char **bytes, size_t *count);
/* Credit: rank 0 tells all others one number (a grant), without waiting; the others take them one by one: a
 * grant may say more than how far, so none is passed over. */
enum status transport_grant(struct transport *t, int64_t upto);
enum status transport_await_grant(struct transport *t, int64_t *upto);

/* Waits until MPI has taken all that was posted (grants, forwarded output); its receivers must be taking
 * messages. */
void transport_settle(struct transport *t);

/* -- tests: the n-th MPI call from now on (0 is the next) is made, so that no peer hangs, and reported as
 * failed; -1 turns it off.
 *    No MPI call moves more than `bytes` at once (longer buffers travel in parts). */
void transport_fail_at(struct transport *t, long n);
bool transport_fail_waits(const struct transport *t); /* it has not come to that call yet */
void transport_part_bytes(struct transport *t, int64_t bytes);

/* -- data. Every member calls transport_group_make in the same order; not collective over non-members (which get
 * NULL). It fails on every
 *    member or on none: *group is NULL on all of them, or on none (a member may have it with a failure to
 *    tell). Groups are freed before transport_stop. A group of one makes no MPI call. */
int transport_group_size(const struct transport_group *group);
int transport_group_place(const struct transport_group *group); /* of this process */
enum status transport_group_make(
        struct transport *t, int n, const int *ranks, struct transport_group **group);
void transport_group_free(struct transport_group *group);
enum status transport_bcast(struct transport_group *group, int root, void *data, int64_t bytes);
/* One message to and from each member, all at once: piece[p].send goes to place p, what place p sends arrives
 * in piece[p].receive. Both sides give the same length; 0 bytes are no message. To oneself: a copy, unless it
 * is there already. No buffer overlaps another. */
struct transport_piece {
	const void *send;
	int64_t send_bytes;
	void *receive;
	int64_t receive_bytes;
};
enum status transport_exchange(struct transport_group *group, const struct transport_piece *piece);
/* One transfer: called by the two processes concerned, in the order the books give (blocking, world
 * ranks). */
enum status transport_send(struct transport *t, int to, const void *data, int64_t bytes);
enum status transport_recv(struct transport *t, int from, void *data, int64_t bytes);

#endif
