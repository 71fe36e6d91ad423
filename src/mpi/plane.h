/* plane.h -- the two planes between processes. Only src/mpi/ includes <mpi.h>.
 *
 * Control plane: lines out, statuses and values back; every wait naps (MPI_Test and a growing nap, ended by
 * who sends: nap.c), never spins. Data plane: buffers of tensors, blocking, in an order that follows from the
 * books: the same on every process. A `plane` of one process (--dry, or -n 1 without mpirun) does the same
 * with no MPI at all. */
#ifndef RANKSH_PLANE_H
#define RANKSH_PLANE_H

#include "base/dtype.h"
#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct plane;
struct plane_group; /* a communicator of some ranks */

/* mpi false: one process that stands for `rank` 0 of 1 and makes no MPI call. Keeps argc/argv as MPI_Init
 * wants them. */
enum status plane_start(struct plane **plane, bool mpi, int *argc, char ***argv);
void plane_stop(struct plane *plane); /* MPI_Finalize, after everybody agreed to leave */
void plane_die(
        struct plane *plane, int code); /* MPI_Abort: a peer is gone, or cannot go on with the others */
int plane_rank(const struct plane *plane);
int plane_size(const struct plane *plane);

/* -- control. poll is called between two looks for a message (may be NULL), so that a process that waits can do
 * what else there is to do. */
typedef void plane_poll(void *self);
/* Rank 0 sends bytes to all others (flat sends); the others receive: *bytes is owned by the caller
 * (mem_free). */
enum status plane_send_all(struct plane *plane, const void *bytes, size_t count);
enum status plane_receive(struct plane *plane, void **bytes, size_t *count, plane_poll *poll, void *self);
/* Others send bytes to rank 0; rank 0 gets them by rank into all[rank] (its own is `mine`, copied). all:
 * plane_size entries, each mem_free'd by the caller; on failure there is nothing to free. What a rank forwarded
 * before it sent its bytes can be taken by plane_take_forwarded once they are there. */
struct plane_bytes {
	void *bytes;
	size_t count;
};
enum status plane_gather(struct plane *plane, const void *mine, size_t count, struct plane_bytes *all,
        plane_poll *poll, void *self);
/* value[r] from every process r, known to all afterwards (bytes a value fixed). */
enum status plane_share(struct plane *plane, const void *mine, void *all, size_t bytes_each);
/* rank `owner`'s bytes, known to all afterwards; *count may be changed on the others; *bytes owned by the
 * caller. */
enum status plane_broadcast(struct plane *plane, int owner, void **bytes, size_t *count);
/* A rank's captured stdout/stderr, as a message to rank 0 that rank 0 collects when it polls. */
enum status plane_forward(struct plane *plane, const char *bytes, size_t count);
bool plane_take_forwarded(
        struct plane *plane, int *rank, char **bytes, size_t *count); /* rank 0; false: none waiting */
/* Credit: rank 0 tells all others one number (a grant), without waiting; the others take them one by one: a
 * grant may say more than how far, so none is passed over. */
enum status plane_grant(struct plane *plane, int64_t upto);
enum status plane_await_grant(struct plane *plane, int64_t *upto);

/* Waits until MPI has taken all that was posted (grants, forwarded output); its receivers must be taking
 * messages. */
void plane_settle(struct plane *plane);

/* -- tests: the n-th MPI call from now on (0 is the next) is made, so that no peer hangs, and reported as
 * failed; -1 turns it off.
 *    No MPI call of the data plane moves more than `bytes` at once (longer buffers travel in parts). */
void plane_fail_at(struct plane *plane, long n);
bool plane_fail_waits(const struct plane *plane); /* it has not come to that call yet */
void plane_part_bytes(struct plane *plane, int64_t bytes);

/* -- data. Every member calls plane_group_make in the same order; not collective over non-members (which get
 * NULL). It fails on every
 *    member or on none: *group is NULL on all of them, or on none (a member may have it with a failure to
 *    tell). Groups are freed before plane_stop. A group of one makes no MPI call. */
int plane_group_size(const struct plane_group *group);
int plane_group_place(const struct plane_group *group); /* of this process */
enum status plane_group_make(struct plane *plane, int n, const int *ranks, struct plane_group **group);
void plane_group_free(struct plane_group *group);
enum status plane_bcast(struct plane_group *group, int root, void *data, int64_t bytes);
/* One message to and from each member, all at once: piece[p].send goes to place p, what place p sends arrives
 * in piece[p].receive. Both sides give the same length; 0 bytes are no message. To oneself: a copy, unless it
 * is there already. No buffer overlaps another. */
struct plane_piece {
	const void *send;
	int64_t send_bytes;
	void *receive;
	int64_t receive_bytes;
};
enum status plane_exchange(struct plane_group *group, const struct plane_piece *piece);
/* One transfer: called by the two processes concerned, in the order the books give (blocking, world
 * ranks). */
enum status plane_send(struct plane *plane, int to, const void *data, int64_t bytes);
enum status plane_recv(struct plane *plane, int from, void *data, int64_t bytes);

#endif
