/* message.c -- byte messages of any length between two processes, with waits that sleep (nap.c).
 *
 * A message is a head, with the total length and the first bytes, and then the rest, under the
 * same tag:
 *
 *      sender                           on the wire                         receiver
 *
 *      total = 70000   head  | total 70000 | bytes 0 .. 2039 |   -->    allocates 70001 bytes
 *      from the        rest  | bytes 2040 .. 69999           |   -->    directly into place
 *      caller's memory
 *
 * (1) A message of at most HEAD_BYTES is one MPI message, as nearly all are.
 * (2) MPI keeps messages with one source and tag in order: a receiver takes a head's rest before
 * any other message under that tag. A rest above PART_MOST bytes goes in several parts.
 * (3) No process blocks inside MPI, which would spin: a wait is a test, a sleep, and a test again.
 */
#include "mpi/inside.h"
#include <string.h>

enum { HEAD_BYTES = 2040, PART_MOST = 1 << 30 /* MPI counts in ints */ };

struct message_head {
	uint64_t total;
	char bytes[HEAD_BYTES];
};
enum { HEAD_FIXED = sizeof(uint64_t) };

enum status mpi_checked(struct transport *t, int code, const char *what)
{
	char words[MPI_MAX_ERROR_STRING] = "";
	int length = 0;

	if (t->fail_at >= 0 && t->fail_at-- == 0)
		return fail(ST_MPI, "MPI: %s: made to fail", what);
	if (code == MPI_SUCCESS)
		return ST_OK;
	t->mpi->MPI_Error_string(code, words, &length);
	return fail(ST_MPI, "MPI: %s: %s", what, words);
}

enum status requests_await(struct transport *t, int count, const char *what)
{
	struct nap nap = {0};
	int done = 0, code;

	if (count == 0)
		return ST_OK;
	while ((code = t->mpi->MPI_Testall(count, t->requests, &done, MPI_STATUSES_IGNORE)) == MPI_SUCCESS &&
	        !done)
		nap_once(t, &nap);
	return mpi_checked(t, code, what);
}

static enum status send_part(struct transport *t, int first, int ranks, int tag, const void *bytes, int count)
{
	enum status status = ST_OK;
	int posted = 0;

	for (int rank = first; rank < first + ranks; rank++) {
		if (rank == t->rank)
			continue;
		int sent = t->mpi->MPI_Isend(
		        bytes, count, t->mpi->byte, rank, tag, t->control, &t->requests[posted]);
		if (sent != MPI_SUCCESS) {
			status = mpi_checked(t, sent, "send");
			continue;
		}
		posted++;
		doorbell_ring(t, rank);
	}
	return first_failure(status, requests_await(t, posted, "send"));
}

enum status message_send(struct transport *t, int first, int ranks, int tag, const void *bytes, size_t count)
{
	size_t at = count < HEAD_BYTES ? count : HEAD_BYTES;
	struct message_head head = {.total = count};

	if (t->team) {
		for (int rank = first; rank < first + ranks; rank++)
			if (rank != t->rank)
				team_send(t, rank, tag, bytes, count);
		return ST_OK;
	}
	pending_sweep(t);
	if (at > 0)
		memcpy(head.bytes, bytes, at);
	enum status status = send_part(t, first, ranks, tag, &head, HEAD_FIXED + at);
	for (size_t part; at < count; at += part) {
		part = count - at < PART_MOST ? count - at : PART_MOST;
		status = first_failure(
		        status, send_part(t, first, ranks, tag, (const char *)bytes + at, part));
	}
	return status;
}

static enum status await(
        struct transport *t, int from, int tag, MPI_Message *message, transport_poll *poll, void *self)
{
	struct nap nap = {0};
	int there = 0, code = MPI_SUCCESS;

	for (;; nap_once(t, &nap)) {
		/* twice, because a probe that finds nothing makes progress, and the next one sees
		 * arrivals */
		for (int look = 0; look < 2 && code == MPI_SUCCESS && !there; look++)
			code = t->mpi->MPI_Improbe(from, tag, t->control, &there, message, MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS)
			return mpi_checked(t, code, "receive");
		if (there)
			return ST_OK;
		pending_sweep(t);
		if (poll)
			poll(self);
	}
}

/* Receives all parts even if one fails; else the next call would take a part for a head. */
enum status message_receive(
        struct transport *t, int from, int tag, void **bytes, size_t *count, transport_poll *poll, void *self)
{
	struct message_head head = {.total = 0};
	MPI_Message message;
	MPI_Status about;
	if (t->team)
		return team_receive(t, from, tag, bytes, count);
	enum status status = await(t, from, tag, &message, poll, self);

	if (status != ST_OK)
		return status;
	int code = t->mpi->MPI_Mrecv(&head, sizeof head, t->mpi->byte, &message, &about);
	status = mpi_checked(t, code, "receive");
	if (code != MPI_SUCCESS)
		return status;
	size_t total = head.total, at = total < HEAD_BYTES ? total : HEAD_BYTES;
	char *all = mem_alloc(total + 1);
	memcpy(all, head.bytes, at);
	for (size_t part; at < total; at += part) {
		part = total - at < PART_MOST ? total - at : PART_MOST;
		enum status received = await(t, about.MPI_SOURCE, tag, &message, NULL, NULL);
		if (received == ST_OK)
			received = mpi_checked(t,
			        t->mpi->MPI_Mrecv(all + at, part, t->mpi->byte, &message, MPI_STATUS_IGNORE),
			        "receive");
		status = first_failure(status, received);
	}
	if (status != ST_OK) {
		mem_free(all);
		return status;
	}
	*bytes = all;
	*count = total;
	return ST_OK;
}

enum status message_receive_exactly(struct transport *t, int from, int tag, void *into, size_t wanted)
{
	void *bytes;
	size_t count;
	enum status status = message_receive(t, from, tag, &bytes, &count, NULL, NULL);

	if (status != ST_OK)
		return status;
	if (count == wanted)
		memcpy(into, bytes, wanted);
	else
		status = fail(ST_BUG, "rank %d sent %zu bytes where %zu are due", from, count, wanted);
	mem_free(bytes);
	return status;
}

bool message_waiting(struct transport *t, int from, int tag, int *source)
{
	MPI_Status about;
	int there = 0;

	if (t->mpi->MPI_Iprobe(from, tag, t->control, &there, &about) != MPI_SUCCESS || !there)
		return false;
	*source = about.MPI_SOURCE;
	return true;
}

enum status message_post(struct transport *t, int to, int tag, const void *bytes, size_t count)
{
	pending_sweep(t);
	if (count > HEAD_BYTES)
		return fail(ST_BUG, "a message of %zu bytes cannot be sent without waiting", count);
	MPI_Request request;
	struct message_head *head = mem_alloc(HEAD_FIXED + count);
	head->total = count;
	if (count > 0)
		memcpy(head->bytes, bytes, count);
	int code = t->mpi->MPI_Isend(head, HEAD_FIXED + count, t->mpi->byte, to, tag, t->control, &request);
	if (code == MPI_SUCCESS) {
		*MEM_ADD(&t->pending, &t->pending_count) = (struct pending_message){request, head};
		doorbell_ring(t, to);
	} else {
		mem_free(head);
	}
	return mpi_checked(t, code, "send");
}

void pending_sweep(struct transport *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->pending_count; i++) {
		int done = 0;
		if (t->mpi->MPI_Test(&t->pending[i].request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
		        !done)
			t->pending[kept++] = t->pending[i];
		else
			mem_free(t->pending[i].bytes);
	}
	t->pending_count = kept;
}
