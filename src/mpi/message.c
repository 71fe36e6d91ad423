/* message.c -- byte messages of any length between two processes, with waits that sleep (nap.c).
 *
 * On the wire: a head with the length and the first bytes, so that a short message is one MPI message; the rest
 * follows under the same tag as a second one straight from and to the callers' memory. */
#include "mpi/inside.h"
#include <string.h>

enum { HEAD_BYTES = 2040, PART_MOST = 1 << 30 /* MPI counts in ints */ };

struct message_head {
	uint64_t total;
	char bytes[HEAD_BYTES];
};
enum { HEAD_FIXED = sizeof(uint64_t) };

enum status mpi_checked(struct plane *plane, int code, const char *what)
{
	char words[MPI_MAX_ERROR_STRING] = "";
	int length = 0;

	if (plane->fail_at >= 0 && plane->fail_at-- == 0)
		return fail(ST_MPI, "MPI: %s: made to fail", what);
	if (code == MPI_SUCCESS)
		return ST_OK;
	MPI_Error_string(code, words, &length);
	return fail(ST_MPI, "MPI: %s: %s", what, words);
}

static enum status wait_all(struct plane *plane, int count)
{
	struct nap nap;
	int done = 0, code = MPI_SUCCESS;

	nap_begin(&nap);
	while (code == MPI_SUCCESS) {
		code = MPI_Testall(count, plane->requests, &done, MPI_STATUSES_IGNORE);
		if (done)
			break;
		nap_once(plane, &nap);
	}
	return mpi_checked(plane, code, "send");
}

/* One part to every rank asked for. A refused send is reported after the others were made. */
static enum status send_part(struct plane *plane, int first, int ranks, int tag, const void *bytes, int count)
{
	enum status status = ST_OK;
	int posted = 0;

	for (int rank = first; rank < first + ranks; rank++) {
		int code;

		if (rank == plane->rank)
			continue;
		code = MPI_Isend(bytes, count, MPI_BYTE, rank, tag, plane->control, &plane->requests[posted]);
		if (code != MPI_SUCCESS) {
			status = mpi_checked(plane, code, "send");
			continue;
		}
		posted++;
		bell_ring(plane, rank);
	}
	if (posted > 0) {
		enum status waited = wait_all(plane, posted);
		status = status ? status : waited;
	}
	return status;
}

enum status message_send(struct plane *plane, int first, int ranks, int tag, const void *bytes, size_t count)
{
	size_t at = count < HEAD_BYTES ? count : HEAD_BYTES;
	struct message_head head;
	enum status status;

	pending_sweep(plane);
	head.total = count;
	if (at > 0)
		memcpy(head.bytes, bytes, at);
	status = send_part(plane, first, ranks, tag, &head, (int)(HEAD_FIXED + at));
	while (at < count) {
		size_t part = count - at < PART_MOST ? count - at : PART_MOST;
		enum status sent = send_part(plane, first, ranks, tag, (const char *)bytes + at, (int)part);

		status = status ? status : sent;
		at += part;
	}
	return status;
}

/* Waits for the next message of that source and tag. poll ends the wait before anything was taken. */
static enum status await(
        struct plane *plane, int from, int tag, MPI_Message *message, plane_poll *poll, void *self)
{
	struct nap nap;
	int there = 0;

	nap_begin(&nap);
	for (;;) {
		int code = MPI_SUCCESS;

		/* Twice: a probe that finds nothing makes MPI look at the wire, and only the next one sees
		 * what was there. */
		for (int look = 0; look < 2 && code == MPI_SUCCESS && !there; look++)
			code = MPI_Improbe(from, tag, plane->control, &there, message, MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS)
			return mpi_checked(plane, code, "receive");
		if (there)
			return ST_OK;
		if (plane->pending_count > 0)
			pending_sweep(plane);
		if (poll && poll(self))
			return fail(ST_INTERRUPTED, "interrupted");
		nap_once(plane, &nap);
	}
}

static enum status receive_part(struct plane *plane, int from, int tag, void *into, int count)
{
	MPI_Message message;
	enum status status = await(plane, from, tag, &message, NULL, NULL);

	return status ? status
	              : mpi_checked(plane, MPI_Mrecv(into, count, MPI_BYTE, &message, MPI_STATUS_IGNORE),
	                        "receive");
}

/* Behind the head: the rest of the message, into memory of its own. */
static enum status receive_rest(
        struct plane *plane, int from, int tag, const struct message_head *head, void **bytes, size_t *count)
{
	size_t at = head->total < HEAD_BYTES ? (size_t)head->total : HEAD_BYTES;
	char *all = mem_alloc((size_t)head->total + 1);
	enum status status = ST_OK;

	memcpy(all, head->bytes, at);
	while (at < head->total) {
		size_t part = head->total - at < PART_MOST ? (size_t)head->total - at : PART_MOST;
		enum status received = receive_part(plane, from, tag, all + at, (int)part);

		status = status ? status : received;
		at += part;
	}
	if (status) {
		mem_free(all);
		return status;
	}
	*bytes = all;
	*count = (size_t)head->total;
	return ST_OK;
}

enum status message_receive(
        struct plane *plane, int from, int tag, void **bytes, size_t *count, plane_poll *poll, void *self)
{
	struct message_head head = {.total = 0};
	MPI_Message message;
	MPI_Status about;
	enum status status = await(plane, from, tag, &message, poll, self), rest;
	int code;

	if (status)
		return status;
	code = MPI_Mrecv(&head, sizeof head, MPI_BYTE, &message, &about);
	status = mpi_checked(plane, code, "receive");
	if (code != MPI_SUCCESS)
		return status;
	rest = receive_rest(plane, about.MPI_SOURCE, tag, &head, bytes, count);
	if (status && !rest)
		mem_free(*bytes);
	return status ? status : rest;
}

enum status message_receive_line(
        struct plane *plane, void **bytes, size_t *count, plane_poll *poll, void *self)
{
	enum status status = ST_OK, rest;
	struct nap nap;
	int done = 0, code = MPI_SUCCESS;

	if (!plane->line)
		plane->line = mem_alloc(sizeof *plane->line);
	if (plane->line_request == MPI_REQUEST_NULL)
		code = MPI_Irecv(plane->line, sizeof *plane->line, MPI_BYTE, 0, TAG_LINE, plane->control,
		        &plane->line_request);
	nap_begin(&nap);
	while (code == MPI_SUCCESS && !done) {
		code = MPI_Test(&plane->line_request, &done, MPI_STATUS_IGNORE);
		if (done || code != MPI_SUCCESS)
			break;
		if (plane->pending_count > 0)
			pending_sweep(plane);
		if (poll && poll(self))
			return fail(ST_INTERRUPTED, "interrupted");
		nap_once(plane, &nap);
	}
	status = mpi_checked(plane, code, "receive");
	if (code != MPI_SUCCESS)
		return status;
	rest = receive_rest(plane, 0, TAG_LINE, plane->line, bytes, count);
	if (status && !rest)
		mem_free(*bytes);
	return status ? status : rest;
}

enum status message_waiting(struct plane *plane, int from, int tag, bool *there, int *source)
{
	MPI_Status about;
	int flag = 0, code = MPI_Iprobe(from, tag, plane->control, &flag, &about);

	*there = flag;
	if (flag && source)
		*source = about.MPI_SOURCE;
	return code == MPI_SUCCESS ? ST_OK : mpi_checked(plane, code, "receive");
}

enum status message_post(struct plane *plane, int to, int tag, const void *bytes, size_t count)
{
	struct pending_message *entry;
	struct message_head *head;
	int code;

	pending_sweep(plane);
	if (count > HEAD_BYTES)
		return fail(ST_BUG, "a message of %zu bytes cannot be sent without waiting", count);
	MEM_GROW(&plane->pending, plane->pending_count, &plane->pending_room);
	head = mem_alloc(HEAD_FIXED + count);
	head->total = count;
	if (count > 0)
		memcpy(head->bytes, bytes, count);
	entry = &plane->pending[plane->pending_count];
	entry->bytes = head;
	code = MPI_Isend(head, (int)(HEAD_FIXED + count), MPI_BYTE, to, tag, plane->control, &entry->request);
	if (code == MPI_SUCCESS) {
		plane->pending_count++;
		bell_ring(plane, to);
	} else {
		mem_free(head);
	}
	return mpi_checked(plane, code, "send");
}

void pending_sweep(struct plane *plane)
{
	size_t kept = 0;

	for (size_t i = 0; i < plane->pending_count; i++) {
		int done = 0;

		if (MPI_Test(&plane->pending[i].request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
			plane->pending[kept++] = plane->pending[i];
		else
			mem_free(plane->pending[i].bytes);
	}
	plane->pending_count = kept;
}
