/* capture.c -- catches the output of this process
 *
 *     descriptors 1 and 2 ---> pipe, 64 kB ---> waiting ---> whole lines, by capture_take
 *
 * The pipe's writer is its reader, so neither end may block: excess output is lost, with a
 * note. */
#include "shell/wire/capture.h"
#include "base/memory.h"
#include "shell/wire/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct capture {
	int out, err, pipe;
	bool both;           /* descriptor 2 is redirected, too */
	struct text waiting; /* the beginning of a line */
};

/* The write end exists only as descriptors 1 and 2, so it closes with them. */
static enum status divert(struct capture *capture)
{
	const char *keep = getenv("RANKSH_KEEP_STDERR");
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return fail(ST_FILE, "cannot make a pipe: %s", strerror(errno));
	capture->pipe = ends[0];
	capture->both = !(keep && *keep);
	capture->out = fcntl(1, F_DUPFD_CLOEXEC, 3);
	capture->err = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (capture->out < 0 || capture->err < 0 || dup2(ends[1], 1) < 0 ||
	        (capture->both && dup2(ends[1], 2) < 0)) {
		close(ends[1]);
		return fail(ST_FILE, "cannot move the output: %s", strerror(errno));
	}
	close(ends[1]);
	return ST_OK;
}

enum status capture_start(struct capture **made)
{
	struct capture *capture = mem_alloc(sizeof *capture);
	enum status status = divert(capture);
	if (status == ST_OK)
		*made = capture;
	else
		mem_free(capture);
	return status;
}

int capture_out(const struct capture *capture)
{
	return capture ? capture->out : 1;
}

int capture_err(const struct capture *capture)
{
	return capture ? capture->err : 2;
}

static void empty_pipe(struct capture *capture)
{
	char piece[16384];
	ssize_t got;
	while ((got = read(capture->pipe, piece, sizeof piece)) > 0)
		text_put(&capture->waiting, piece, (size_t)got);
}

/* Polls both ends before it reads: no room to write means that output may be lost. */
void capture_take(struct capture *capture, struct text *lines)
{
	struct text *waiting = &capture->waiting;
	struct pollfd ends[] = {{.fd = capture->pipe, .events = POLLIN}, {.fd = 1, .events = POLLOUT}};
	if (poll(ends, 2, 0) < 0 || !ends[0].revents)
		return;
	empty_pipe(capture);
	const char *newline = memrchr(text_string(waiting), '\n', waiting->count);
	size_t count = newline ? (size_t)(newline + 1 - waiting->bytes) : 0;
	text_put(lines, waiting->bytes, count);
	waiting->count -= count;
	if (count)
		memmove(waiting->bytes, waiting->bytes + count, waiting->count);
	if (!ends[1].revents)
		text_add(lines, "(that filled the pipe: more may have been printed, and is lost)\n");
}

void mark_lines(int rank, const char *bytes, size_t count, struct text *marked)
{
	for (const char *at = bytes, *end = bytes + count; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		if (rank >= 0)
			text_add(marked, "[rank %d] ", rank);
		text_put(marked, at, (size_t)(stop - at));
		text_put(marked, "\n", 1);
		at = stop + (newline != NULL);
	}
}

void capture_stop(struct capture *capture, int rank)
{
	struct text marked = {0}, shown = {0};
	if (!capture)
		return;
	fflush(stdout);
	fflush(stderr);
	dup2(capture->out, 1);
	if (capture->both)
		dup2(capture->err, 2);
	empty_pipe(capture);
	mark_lines(rank, text_string(&capture->waiting), capture->waiting.count, &marked);
	plain_put(text_string(&marked), marked.count, false, &shown);
	fputs(text_string(&shown), stderr);
	text_release(&marked);
	text_release(&shown);
	text_release(&capture->waiting);
	close(capture->pipe);
	close(capture->out);
	close(capture->err);
	mem_free(capture);
}
