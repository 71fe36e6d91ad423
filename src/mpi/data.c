/* data.c -- tensor bytes between processes: blocking MPI calls, in the replicated order.
 *
 * (1) No two processes wait for each other crosswise, and no call needs its own tag.
 * (2) MPI counts are ints: longer messages go in parts of transport.chunk bytes.
 * (3) A failed call is reported after all others, because the peers wait for them. */
#include "base/arithmetic.h"
#include "mpi/inside.h"
#include <string.h>

enum { TAG_TRANSFER = 1, TAG_GROUP = 2, TAG_EXCHANGE = 3 };

/* *made: all succeeded; then this member must keep the group even if the agreement call itself
 * failed here. */
static enum status agree(struct transport *t, MPI_Comm comm, enum status mine, bool *made)
{
	int own = mine, worst = own;
	enum status status;

	*made = mine == ST_OK;
	if (comm == MPI_COMM_NULL)
		return mine;
	status = mpi_checked(t, MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, comm), "make a group");
	*made = worst == ST_OK;
	if (mine != ST_OK || status != ST_OK || worst == ST_OK)
		return first_failure(mine, status);
	return fail(ST_MPI, "another rank could not make the group: %s", status_name(worst));
}

static enum status make_comm(struct transport *t, int n, const int *ranks, MPI_Comm *comm)
{
	MPI_Group world, members;
	int code;

	MPI_Comm_group(t->data, &world);
	MPI_Group_incl(world, n, ranks, &members);
	code = MPI_Comm_create_group(t->data, members, TAG_GROUP, comm);
	MPI_Group_free(&members);
	MPI_Group_free(&world);
	return mpi_checked(t, code, "make a group");
}

/* ranks: world ranks, in group order */
enum status transport_group_make(
        struct transport *t, int n, const int *ranks, struct transport_group **result)
{
	struct transport_group *group;
	MPI_Comm comm = MPI_COMM_NULL;
	enum status status = ST_OK;
	int place = -1;
	bool made;

	*result = NULL;
	for (int i = 0; i < n; i++) {
		if (ranks[i] == t->rank)
			place = i;
	}
	if (place < 0)
		return ST_OK;
	if (n > 1 && !t->team)
		status = make_comm(t, n, ranks, &comm);
	status = agree(t, comm, status, &made);
	if (!made) {
		if (comm != MPI_COMM_NULL)
			MPI_Comm_free(&comm);
		return status;
	}
	group = mem_alloc(sizeof *group);
	*group = (struct transport_group){.transport = t, .comm = comm, .n = n, .place = place};
	if (t->team) {
		group->ranks = mem_alloc((size_t)n * sizeof *ranks);
		memcpy(group->ranks, ranks, (size_t)n * sizeof *ranks);
	}
	*result = group;
	return status;
}

void transport_group_free(struct transport_group *group)
{
	if (group && group->comm != MPI_COMM_NULL)
		MPI_Comm_free(&group->comm);
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

/* Round r carries bytes [r chunk, (r+1) chunk) of every message; place 1 of 4 posts its receives,
 * then its sends:
 *
 *      receive from   0   3   2          the nearest below first
 *      send to        2   3   0          the nearest above first
 *
 * So no process is every peer's first. */
static int exchange_round(
        struct transport_group *group, const struct transport_piece *piece, int64_t at, MPI_Request *request)
{
	int posted = 0;
	for (int k = 1; k < group->n; k++) {
		int from = (group->place + group->n - k) % group->n;
		int64_t bytes = least_of(piece[from].receive_bytes - at, group->transport->chunk);
		if (bytes > 0)
			MPI_Irecv((char *)piece[from].receive + at, bytes, MPI_BYTE, from, TAG_EXCHANGE,
			        group->comm, &request[posted++]);
	}
	for (int k = 1; k < group->n; k++) {
		int to = (group->place + k) % group->n;
		int64_t bytes = least_of(piece[to].send_bytes - at, group->transport->chunk);
		if (bytes > 0)
			MPI_Isend((const char *)piece[to].send + at, bytes, MPI_BYTE, to, TAG_EXCHANGE,
			        group->comm, &request[posted++]);
	}
	return posted;
}

/* Posts a whole round before it waits, so no order can deadlock. Ends with the first empty
 * round. */
enum status transport_exchange(struct transport_group *group, const struct transport_piece *piece)
{
	const struct transport_piece *own = &piece[group->place];
	enum status status = ST_OK;
	int posted;

	if (own->send != own->receive && own->receive_bytes > 0)
		memmove(own->receive, own->send, own->receive_bytes);
	if (group->transport->team)
		return team_exchange(group, piece);
	MPI_Request *request = mem_alloc(2 * (size_t)group->n * sizeof *request);
	for (int64_t at = 0; (posted = exchange_round(group, piece, at, request)) > 0;
	        at += group->transport->chunk) {
		enum status done = mpi_checked(
		        group->transport, MPI_Waitall(posted, request, MPI_STATUSES_IGNORE), "exchange");
		status = first_failure(status, done);
	}
	mem_free(request);
	return status;
}

enum move { BROADCAST, SEND, RECEIVE };

static enum status in_parts(
        struct transport *t, enum move move, int other, MPI_Comm comm, char *data, int64_t bytes)
{
	static const char *const names[] = {"broadcast", "send", "receive"};
	enum status status = ST_OK;

	for (int64_t at = 0; at < bytes; at += t->chunk) {
		int part = least_of(bytes - at, t->chunk), code;
		if (move == BROADCAST)
			code = MPI_Bcast(data + at, part, MPI_BYTE, other, comm);
		else if (move == SEND)
			code = MPI_Send(data + at, part, MPI_BYTE, other, TAG_TRANSFER, comm);
		else
			code = MPI_Recv(
			        data + at, part, MPI_BYTE, other, TAG_TRANSFER, comm, MPI_STATUS_IGNORE);
		enum status done = mpi_checked(t, code, names[move]);
		status = first_failure(status, done);
	}
	return status;
}

enum status transport_bcast(struct transport_group *group, int root, void *data, int64_t bytes)
{
	if (group->n == 1)
		return ST_OK;
	if (group->transport->team)
		return team_bcast(group, root, data, bytes);
	return in_parts(group->transport, BROADCAST, root, group->comm, data, bytes);
}

enum status transport_send(struct transport *t, int to, const void *data, int64_t bytes)
{
	if (t->team) {
		team_send(t, to, TAG_DATA, data, (size_t)bytes);
		return ST_OK;
	}
	return in_parts(t, SEND, to, t->data, (char *)data, bytes);
}

enum status transport_recv(struct transport *t, int from, void *data, int64_t bytes)
{
	if (t->team)
		return message_receive_exactly(t, from, TAG_DATA, data, (size_t)bytes);
	return in_parts(t, RECEIVE, from, t->data, data, bytes);
}
