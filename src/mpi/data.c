/* data.c -- tensor bytes between processes, point to point, in the replicated order.
 *
 * (1) All processes issue the operations of one pair in the same order, and MPI keeps that order,
 *     so neither a group nor a call needs its own communicator or tag. No two processes wait for
 *     each other crosswise.
 * (2) MPI counts are ints, so longer messages go in parts of transport.chunk bytes.
 * (3) After a failed call the others are still made, because the peers wait for them. */
#include "base/arithmetic.h"
#include "mpi/inside.h"
#include <string.h>

enum { TAG_TRANSFER = 1, TAG_BCAST = 2, TAG_EXCHANGE = 3 };

struct transport_group *transport_group_make(struct transport *t, int n, const int *ranks)
{
	struct transport_group *group = NULL;

	for (int place = 0; place < n && !group; place++) {
		if (ranks[place] == t->rank) {
			group = mem_alloc(sizeof *group);
			*group = (struct transport_group){.transport = t, .n = n, .place = place};
		}
	}
	if (group) {
		group->ranks = mem_alloc((size_t)n * sizeof *ranks);
		memcpy(group->ranks, ranks, (size_t)n * sizeof *ranks);
	}
	return group;
}

void transport_group_free(struct transport_group *group)
{
	if (group)
		mem_free(group->ranks);
	mem_free(group);
}

int transport_group_size(const struct transport_group *group)
{
	return group->n;
}

int transport_group_place(const struct transport_group *group)
{
	return group->place;
}

enum move { SEND, RECEIVE };

/* Begins a send to, or a receive from, world rank `other`: one more request, unless there is
 * nothing to move or MPI refuses. */
static enum status post(
        struct transport *t, enum move move, void *data, int64_t bytes, int other, int tag, int *posted)
{
	MPI_Request *request = &t->requests[*posted];
	int code;

	if (bytes <= 0)
		return ST_OK;
	if (move == SEND) {
		code = t->mpi->MPI_Isend(data, (int)bytes, t->mpi->byte, other, tag, t->data, request);
		doorbell_ring(t, other);
	} else {
		code = t->mpi->MPI_Irecv(data, (int)bytes, t->mpi->byte, other, tag, t->data, request);
	}
	if (code != MPI_SUCCESS)
		return mpi_checked(t, code, move == SEND ? "send" : "receive");
	++*posted;
	return ST_OK;
}

/* Round r carries bytes [r chunk, (r+1) chunk) of every message; place 1 of 4 posts its receives,
 * then its sends:
 *
 *      receive from   0   3   2          the nearest below first
 *      send to        2   3   0          the nearest above first
 *
 * So the peers do not all begin with the same process. */
static enum status exchange_round(
        struct transport_group *group, const struct transport_piece *piece, int64_t at, int *posted)
{
	struct transport *t = group->transport;
	enum status status = ST_OK;

	for (int k = 1; k < group->n; k++) {
		int from = (group->place + group->n - k) % group->n;
		enum status done = post(t, RECEIVE, (char *)piece[from].receive + at,
		        least_of(piece[from].receive_bytes - at, t->chunk), group->ranks[from], TAG_EXCHANGE,
		        posted);
		status = first_failure(status, done);
	}
	for (int k = 1; k < group->n; k++) {
		int to = (group->place + k) % group->n;
		enum status done = post(t, SEND, (char *)piece[to].send + at,
		        least_of(piece[to].send_bytes - at, t->chunk), group->ranks[to], TAG_EXCHANGE,
		        posted);
		status = first_failure(status, done);
	}
	return status;
}

/* Posts a whole round before it waits, so no order can deadlock. Ends with the first empty
 * round. */
enum status transport_exchange(struct transport_group *group, const struct transport_piece *piece)
{
	const struct transport_piece *own = &piece[group->place];
	struct transport *t = group->transport;
	enum status status = ST_OK;
	int posted = 1;

	if (own->send != own->receive && own->receive_bytes > 0)
		memmove(own->receive, own->send, own->receive_bytes);
	if (t->team)
		return team_exchange(group, piece);
	for (int64_t at = 0; posted > 0; at += t->chunk) {
		posted = 0;
		status = first_failure(status, exchange_round(group, piece, at, &posted));
		status = first_failure(status, requests_await(t, posted, "exchange"));
	}
	return status;
}

enum status transport_bcast(struct transport_group *group, int root, void *data, int64_t bytes)
{
	struct transport *t = group->transport;
	enum status status = ST_OK;

	if (t->team)
		return team_bcast(group, root, data, bytes);
	for (int64_t at = 0; at < bytes; at += t->chunk) {
		int posted = 0;
		for (int place = 0; place < group->n; place++) {
			if (place == group->place || (place != root && group->place != root))
				continue;
			enum status done = post(t, place == root ? RECEIVE : SEND, (char *)data + at,
			        least_of(bytes - at, t->chunk), group->ranks[place], TAG_BCAST, &posted);
			status = first_failure(status, done);
		}
		status = first_failure(status, requests_await(t, posted, "broadcast"));
	}
	return status;
}

static enum status transfer(struct transport *t, enum move move, int other, char *data, int64_t bytes)
{
	enum status status = ST_OK;

	for (int64_t at = 0; at < bytes; at += t->chunk) {
		int posted = 0;
		enum status done = post(
		        t, move, data + at, least_of(bytes - at, t->chunk), other, TAG_TRANSFER, &posted);
		status = first_failure(status, done);
		done = requests_await(t, posted, move == SEND ? "send" : "receive");
		status = first_failure(status, done);
	}
	return status;
}

enum status transport_send(struct transport *t, int to, const void *data, int64_t bytes)
{
	if (t->team) {
		team_send(t, to, TAG_DATA, data, (size_t)bytes);
		return ST_OK;
	}
	return transfer(t, SEND, to, (char *)data, bytes);
}

enum status transport_recv(struct transport *t, int from, void *data, int64_t bytes)
{
	if (t->team)
		return message_receive_exactly(t, from, TAG_DATA, data, (size_t)bytes);
	return transfer(t, RECEIVE, from, data, bytes);
}
