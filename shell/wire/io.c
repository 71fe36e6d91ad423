/* io.c -- writes whole messages; the wall clock; captures this process's output
 *
 *     descriptors 1 and 2 ---> pipe, 64 kB ---> waiting ---> whole lines, by capture_take
 *
 * A process writes and reads its own pipe, so neither end may block, and excess output is lost. */
#include "shell/wire/io.h"
#include "base/memory.h"
#include "shell/wire/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum status write_all(int descriptor, const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t wrote = write(descriptor, bytes, count);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return fail(ST_FILE, "output: %s", strerror(errno));
		bytes += wrote;
		count -= (size_t)wrote;
	}
	return ST_OK;
}

bool take_line(struct text *waiting, struct text *line)
{
	const char *newline = waiting->count ? memchr(waiting->bytes, '\n', waiting->count) : NULL;
	if (!newline)
		return false;
	text_clear(line);
	text_put(line, waiting->bytes, (size_t)(newline - waiting->bytes));
	waiting->count -= line->count + 1;
	memmove(waiting->bytes, newline + 1, waiting->count);
	return true;
}

int64_t wall_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- capture ---- */

struct capture {
	int out, err, pipe;
	bool both;           /* descriptor 2 is redirected, too */
	struct text waiting; /* the beginning of a line */
};

/* The write end closes with descriptors 1 and 2. */
static enum status divert(struct capture *capture)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return fail(ST_FILE, "cannot make a pipe: %s", strerror(errno));
	capture->pipe = ends[0];
	capture->out = fcntl(1, F_DUPFD_CLOEXEC, 3);
	capture->err = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (capture->out < 0 || capture->err < 0 || dup2(ends[1], 1) < 0) {
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

void capture_errors(struct capture *capture)
{
	const char *keep = getenv("RANKSH_KEEP_STDERR");
	if (capture && !(keep && *keep))
		capture->both = dup2(1, 2) >= 0;
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

/* If the pipe is full before it is read, output may have been lost. */
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
		text_add(lines, "(the pipe is full: later output may be lost)\n");
}

void mark_lines(int rank, const char *bytes, size_t count, struct text *marked)
{
	FOR_LINES (line, bytes, count) {
		if (rank >= 0)
			text_add(marked, "[rank %d] ", rank);
		plain_put(line.at, line.length, false, marked);
		text_put(marked, "\n", 1);
	}
}

void capture_stop(struct capture *capture, int rank)
{
	struct text marked = {0};
	if (!capture)
		return;
	fflush(stdout);
	fflush(stderr);
	dup2(capture->out, 1);
	if (capture->both)
		dup2(capture->err, 2);
	empty_pipe(capture);
	mark_lines(rank, text_string(&capture->waiting), capture->waiting.count, &marked);
	fputs(text_string(&marked), stderr);
	text_release(&marked);
	text_release(&capture->waiting);
	close(capture->pipe);
	close(capture->out);
	close(capture->err);
	mem_free(capture);
}
