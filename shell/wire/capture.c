/* capture.c -- what this process prints by itself is caught */
#include "shell/wire/capture.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAUGHT_MOST = 1 << 16 };

struct capture {
	int out, err, pipe;
	bool both; /* descriptor 2 was moved too */
	pthread_t thread;
	pthread_mutex_t lock;
	size_t count, lost; /* of `bytes`; what came when it was full */
	char bytes[CAUGHT_MOST];
};

static void *drain(void *self)
{
	struct capture *capture = self;
	char piece[4096];
	ssize_t got;
	while ((got = read(capture->pipe, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		pthread_mutex_lock(&capture->lock);
		size_t fits = sizeof capture->bytes - capture->count;
		if (fits > (size_t)got)
			fits = (size_t)got;
		memcpy(capture->bytes + capture->count, piece, fits);
		capture->count += fits;
		capture->lost += (size_t)got - fits;
		pthread_mutex_unlock(&capture->lock);
	}
	return NULL;
}

static void put_back(struct capture *capture)
{
	fflush(stdout);
	fflush(stderr);
	dup2(capture->out, 1);
	if (capture->both)
		dup2(capture->err, 2);
}

static enum status divert(struct capture *capture)
{
	const char *keep = getenv("RANKSH_KEEP_STDERR");
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
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
	if (status == ST_OK) {
		pthread_mutex_init(&capture->lock, NULL);
		if (pthread_create(&capture->thread, NULL, drain, capture) != 0) {
			put_back(capture);
			status = fail(ST_FILE, "cannot start a thread");
		}
	}
	if (status == ST_OK)
		*made = capture;
	else
		mem_free(capture);
	return status;
}

int capture_out(const struct capture *capture)
{
	return capture->out;
}

int capture_err(const struct capture *capture)
{
	return capture->err;
}

size_t capture_take(struct capture *capture, char *into, size_t room, bool rest)
{
	pthread_mutex_lock(&capture->lock);
	size_t count = capture->count;
	if (!rest && count < sizeof capture->bytes)
		while (count > 0 && capture->bytes[count - 1] != '\n')
			count--;
	if (count > room)
		count = room;
	memcpy(into, capture->bytes, count);
	capture->count -= count;
	memmove(capture->bytes, capture->bytes + count, capture->count);
	size_t lost = capture->lost;
	if (lost && room - count > 64) {
		count += (size_t)snprintf(
		        into + count, room - count, "(%zu bytes more were printed and lost)\n", lost);
		capture->lost = 0;
	}
	pthread_mutex_unlock(&capture->lock);
	return count;
}

void capture_stop(struct capture *capture, int rank)
{
	char line[4096];
	if (!capture)
		return;
	put_back(capture); /* the pipe's last writers are gone: the thread ends */
	pthread_join(capture->thread, NULL);
	size_t count = capture_take(capture, line, sizeof line - 1, true);
	line[count] = '\0';
	for (char *at = line, *next; at && *at; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		fprintf(stderr, "[rank %d] %s\n", rank, at);
	}
	pthread_mutex_destroy(&capture->lock);
	close(capture->pipe);
	close(capture->out);
	close(capture->err);
	mem_free(capture);
}
