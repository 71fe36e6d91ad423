/* control.c -- lines, statuses, values, output and grants: messages between rank 0 and the others
 *
 *      send_all, receive     gather          share                         forward     grant
 *
 *            0                  0              0                0             0           0
 *          / | \              ^ ^ ^          ^ ^ ^            / | \           ^         / | \
 *         v  v  v            /  |  \        /  |  \    then  v  v  v          |        v  v  v
 *         1  2  3           1   2   3      1   2   3         1  2  3          2        1  2  3
 *
 *         a line            statuses       one value each, for all         output      grants
 *
 * Rank 0 sends to each rank itself, because a tree of sleeping ranks is three times slower.
 * forward and grant do not wait. */
#include "mpi/inside.h"
#include <stdio.h>
#include <string.h>

enum { FORWARD_BYTES = 1024 }; /* small enough for MPI to send at once */

enum status transport_send_all(struct transport *t, const void *bytes, size_t count)
{
	return t->size == 1 ? ST_OK : message_send(t, 0, t->size, TAG_LINE, bytes, count);
}

enum status transport_receive(
        struct transport *t, void **bytes, size_t *count, transport_poll *poll, void *self)
{
	return message_receive(t, 0, TAG_LINE, bytes, count, poll, self);
}

/* Receives all ranks' messages even if one is lost; else the next gather would receive them. */
enum status transport_gather(struct transport *t, const void *mine, size_t count, struct transport_bytes *all,
        transport_poll *poll, void *self)
{
	enum status status = ST_OK;

	if (t->rank != 0)
		return message_send(t, 0, 1, TAG_GATHER, mine, count);
	memset(all, 0, t->size * sizeof *all);
	all[0] = (struct transport_bytes){mem_copy_text(count ? mine : "", count), count};
	for (int rank = 1; rank < t->size; rank++) {
		enum status received =
		        message_receive(t, rank, TAG_GATHER, &all[rank].bytes, &all[rank].count, poll, self);
		status = first_failure(status, received);
	}
	for (int rank = 0; rank < t->size && status != ST_OK; rank++)
		mem_free(all[rank].bytes);
	return status;
}

enum status transport_share(struct transport *t, const void *mine, void *all, size_t bytes_each)
{
	size_t total = t->size * bytes_each;
	enum status status = ST_OK, sent;

	memmove((char *)all + t->rank * bytes_each, mine, bytes_each);
	if (t->size == 1)
		return ST_OK;
	if (t->rank != 0) {
		sent = message_send(t, 0, 1, TAG_SHARE, mine, bytes_each);
		status = message_receive_exactly(t, 0, TAG_SHARED, all, total);
		return first_failure(sent, status);
	}
	for (int rank = 1; rank < t->size; rank++) {
		enum status received = message_receive_exactly(
		        t, rank, TAG_SHARE, (char *)all + rank * bytes_each, bytes_each);
		status = first_failure(status, received);
	}
	sent = message_send(t, 0, t->size, TAG_SHARED, all, total);
	return first_failure(status, sent);
}

enum status transport_broadcast(struct transport *t, int owner, void **bytes, size_t *count)
{
	if (t->rank != owner)
		return message_receive(t, owner, TAG_BROADCAST, bytes, count, NULL, NULL);
	return t->size == 1 ? ST_OK : message_send(t, 0, t->size, TAG_BROADCAST, *bytes, *count);
}

enum status transport_forward(struct transport *t, const char *bytes, size_t count)
{
	enum status status = ST_OK;

	if (t->rank == 0) {
		*MEM_ADD(&t->own, &t->own_count) =
		        (struct transport_bytes){mem_copy_text(count ? bytes : "", count), count};
		return ST_OK;
	}
	for (size_t part; count > 0 && status == ST_OK; bytes += part, count -= part) {
		const char *newline = count > FORWARD_BYTES ? memrchr(bytes, '\n', FORWARD_BYTES) : NULL;
		part = newline                  ? (size_t)(newline + 1 - bytes)
		        : count < FORWARD_BYTES ? count
		                                : FORWARD_BYTES;
		status = message_post(t, 0, TAG_FORWARD, bytes, part);
	}
	return status;
}

bool transport_take_forwarded(struct transport *t, int *rank, char **bytes, size_t *count)
{
	void *received = NULL;

	if (t->own_count > 0) {
		*rank = 0;
		*bytes = t->own[0].bytes;
		*count = t->own[0].count;
		MEM_REMOVE(t->own, &t->own_count, 0);
		return true;
	}
	if (t->size == 1 || !message_waiting(t, MPI_ANY_SOURCE, TAG_FORWARD, rank) ||
	        message_receive(t, *rank, TAG_FORWARD, &received, count, NULL, NULL) != ST_OK)
		return false;
	*bytes = received;
	return true;
}

enum status transport_grant(struct transport *t, int64_t upto)
{
	enum status status = ST_OK;

	for (int rank = 1; rank < t->size; rank++)
		status = first_failure(status, message_post(t, rank, TAG_GRANT, &upto, sizeof upto));
	return status;
}

enum status transport_await_grant(struct transport *t, int64_t *upto)
{
	return t->size == 1 ? ST_OK : message_receive_exactly(t, 0, TAG_GRANT, upto, sizeof *upto);
}

/* ---- statuses */

struct outcome {
	int32_t status;
	char text[1000];
};

static struct outcome outcome_of(enum status status)
{
	struct outcome outcome = {(int32_t)status, ""};
	if (status != ST_OK)
		snprintf(outcome.text, sizeof outcome.text, "%s", fail_text());
	return outcome;
}

enum status outcome_share(struct transport *transport, enum status mine)
{
	int n = transport_size(transport), first = 0, alike = 0;
	struct outcome own = outcome_of(mine), *all = mem_alloc((size_t)n * sizeof *all);
	enum status status = transport_share(transport, &own, all, sizeof own);
	while (status == ST_OK && first < n && all[first].status == ST_OK)
		first++;
	bool failed = status == ST_OK && first < n;
	for (int rank = 0; failed && rank < n; rank++)
		alike += strcmp(all[rank].text, all[first].text) == 0;
	if (failed && alike == n)
		status = fail((enum status)all[first].status, "%s", all[first].text);
	else if (failed)
		status = fail((enum status)all[first].status, "rank %d: %s", first, all[first].text);
	mem_free(all);
	return status;
}

enum status outcome_from(struct transport *transport, int owner, enum status mine)
{
	struct outcome outcome = outcome_of(mine), *theirs = &outcome;
	size_t count = sizeof outcome;
	enum status status = transport_broadcast(transport, owner, (void **)&theirs, &count);
	if (status != ST_OK || theirs == &outcome)
		return status != ST_OK ? status : mine;
	status = theirs->status == ST_OK ? ST_OK : fail((enum status)theirs->status, "%s", theirs->text);
	mem_free(theirs);
	return status;
}
