/* transport.h -- the transport between processes, for control and data. Only src/mpi/ includes
 * <mpi.h>.
 *
 * Control messages: lines to all ranks, statuses and values back; a wait never spins (nap.c). Data
 * messages: tensor buffers, blocking, in the order of the replicated state. */
#ifndef RANKSH_TRANSPORT_H
#define RANKSH_TRANSPORT_H

#include "base/status.h"
#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

struct transport;
struct transport_group; /* some ranks, in an order */

/* Starts the transport; argc/argv go to MPI_Init. mpi false (--dry, -n 1): rank 0 of 1, without
 * MPI calls. */
enum status transport_start(struct transport **t, bool mpi, int *argc, char ***argv);
void transport_stop(struct transport *t); /* MPI_Finalize, after all ranks agreed to leave */
/* Calls MPI_Abort: a peer is gone or this process cannot continue. */
void transport_die(struct transport *t, int code);
int transport_rank(const struct transport *t);
int transport_size(const struct transport *t);

/* -- control. poll (or NULL) is called between two tests for a message, for other work. */
typedef void transport_poll(void *self);
/* Rank 0 sends bytes to all others; the others receive them and free *bytes (mem_free). */
enum status transport_send_all(struct transport *t, const void *bytes, size_t count);
enum status transport_receive(
        struct transport *t, void **bytes, size_t *count, transport_poll *poll, void *self);
/* Sends bytes to rank 0, which gets a copy of each rank's in all[rank]. all: transport_size
 * entries, each freed by the caller (mem_free) unless the call fails. Afterwards
 * transport_take_forwarded returns all output that a rank forwarded before. */
struct transport_bytes {
	void *bytes;
	size_t count;
};
enum status transport_gather(struct transport *t, const void *mine, size_t count, struct transport_bytes *all,
        transport_poll *poll, void *self);
/* Collects bytes_each bytes from every process into `all`, on every process, by rank. */
enum status transport_share(struct transport *t, const void *mine, void *all, size_t bytes_each);
/* Sends rank `owner`'s bytes to all; the others get *bytes and *count. The caller frees *bytes. */
enum status transport_broadcast(struct transport *t, int owner, void **bytes, size_t *count);
/* Sends a rank's captured stdout/stderr to rank 0. */
enum status transport_forward(struct transport *t, const char *bytes, size_t count);
/* Rank 0: takes forwarded output. The caller frees *bytes. Returns false if there is none. */
bool transport_take_forwarded(struct transport *t, int *rank, char **bytes, size_t *count);
/* Credit: rank 0 sends all others one number (a grant) without waiting. The others receive every
 * grant, in order. */
enum status transport_grant(struct transport *t, int64_t upto);
enum status transport_await_grant(struct transport *t, int64_t *upto);

/* -- a status between processes, which all make these calls in the same order. */
/* Returns the same on every process: ST_OK, or the first failure with its message, prefixed by its
 * rank unless all failed alike. Fails with ST_MPI if the exchange failed. */
enum status outcome_share(struct transport *transport, enum status mine);
/* Returns `mine` of process `owner`, with its message, on every process. */
enum status outcome_from(struct transport *transport, int owner, enum status mine);

/* Waits until MPI has completed all posted messages (grants, forwarded output). Requires that the
 * receivers accept messages. */
void transport_settle(struct transport *t);

/* -- data. All processes issue the operations of one pair of ranks in the same order, across
 * groups, too. ST_MPI: a call failed; the others were made. */
/* ranks: n world ranks, in group order, which are copied. Returns NULL where this process is not
 * among them. Free with transport_group_free before transport_stop. */
struct transport_group *transport_group_make(struct transport *t, int n, const int *ranks);
int transport_group_size(const struct transport_group *group);
int transport_group_place(const struct transport_group *group); /* this process's group rank */
void transport_group_free(struct transport_group *group);
enum status transport_bcast(struct transport_group *group, int root, void *data, int64_t bytes);
/* Sends a message to each member and receives one from each, all at once; piece[p] is for group
 * rank p. Both sides give the same length; 0 bytes send no message. Its own piece is copied,
 * unless in place. Buffers do not overlap. */
struct transport_piece {
	const void *send;
	int64_t send_bytes;
	void *receive;
	int64_t receive_bytes;
};
enum status transport_exchange(struct transport_group *group, const struct transport_piece *piece);
/* One blocking transfer between world ranks; both processes call it in the replicated order. */
enum status transport_send(struct transport *t, int to, const void *data, int64_t bytes);
enum status transport_recv(struct transport *t, int from, void *data, int64_t bytes);

#endif
