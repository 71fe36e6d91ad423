/* reader.c -- lines from the front end, and Ctrl-C out of turn */
#include "shell/rank/reader.h"
#include "base/memory.h"
#include "shell/wire/io.h"
#include "shell/wire/wire.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const int64_t END_GRACE_NS =
        1000000000; /* who pipes requests in and closes the pipe gets them answered */

struct line {
	struct line *next;
	size_t count;
	long number;
	char bytes[];
};

struct line_reader {
	int descriptor;
	int stop; /* an eventfd: it can be read when the thread is to end */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct line *first, *last;
	long lines;       /* requests read so far */
	long interrupted; /* the request that the last interrupt was for */
	bool ended;
	int64_t ended_ns; /* wall clock of then */
};

/* Such a line is short and says nothing else. */
static bool is_interrupt(const char *line, size_t count)
{
	struct request request = {0};
	if (count == 0 || line[0] != WIRE_MARK || count > 64 || !memmem(line, count, "interrupt", 9))
		return false;
	bool is = request_read(line, count, &request) == ST_OK && request.kind == REQUEST_INTERRUPT;
	request_release(&request);
	return is;
}

static void hand_over(struct line_reader *reader, const char *bytes, size_t count)
{
	bool interrupt = is_interrupt(bytes, count);
	struct line *line = interrupt ? NULL : mem_alloc(sizeof *line + count + 1);
	if (line) {
		memcpy(line->bytes, bytes, count);
		line->count = count;
	}
	pthread_mutex_lock(&reader->lock);
	if (interrupt)
		reader->interrupted = reader->lines;
	if (line) {
		line->number = ++reader->lines;
		*(reader->last ? &reader->last->next : &reader->first) = line;
		reader->last = line;
	}
	pthread_cond_signal(&reader->came);
	pthread_mutex_unlock(&reader->lock);
}

static void hand_over_lines(struct line_reader *reader, struct text *waiting)
{
	const char *at = text_string(waiting), *end = at + waiting->count, *newline;
	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		hand_over(reader, at, (size_t)(newline - at));
		at = newline + 1;
	}
	size_t rest = (size_t)(end - at);
	if (waiting->bytes)
		memmove(waiting->bytes, at, rest);
	waiting->count = rest;
}

/* As read, which waits; 0 also when the thread is to end. */
static ssize_t read_piece(const struct line_reader *reader, char *piece, size_t room)
{
	struct pollfd either[] = {
	        {.fd = reader->descriptor, .events = POLLIN}, {.fd = reader->stop, .events = POLLIN}};
	ssize_t got;
	do {
		got = poll(either, 2, -1);
		if (got > 0)
			got = either[1].revents ? 0 : read(reader->descriptor, piece, room);
	} while (got < 0 && errno == EINTR);
	return got;
}

static void *read_lines(void *self)
{
	struct line_reader *reader = self;
	struct text waiting = {0};
	char piece[65536];
	ssize_t got;
	while ((got = read_piece(reader, piece, sizeof piece)) > 0) {
		text_put(&waiting, piece, (size_t)got);
		if (memchr(piece, '\n', (size_t)got))
			hand_over_lines(reader, &waiting);
	}
	text_release(&waiting);
	pthread_mutex_lock(&reader->lock);
	reader->ended = true;
	reader->ended_ns = wall_ns();
	pthread_cond_signal(&reader->came);
	pthread_mutex_unlock(&reader->lock);
	return NULL;
}

static void release(struct line_reader *reader)
{
	for (struct line *line = reader->first, *next; line; line = next) {
		next = line->next;
		mem_free(line);
	}
	pthread_mutex_destroy(&reader->lock);
	pthread_cond_destroy(&reader->came);
	close(reader->stop);
	mem_free(reader);
}

enum status reader_start(struct line_reader **made, int descriptor)
{
	struct line_reader *reader = mem_alloc(sizeof *reader);
	pthread_condattr_t monotonic;
	reader->descriptor = descriptor;
	reader->stop = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&reader->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&reader->came, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (reader->stop < 0 || pthread_create(&reader->thread, NULL, read_lines, reader) != 0) {
		release(reader);
		return fail(ST_FILE, "cannot start a thread");
	}
	*made = reader;
	return ST_OK;
}

bool reader_take(struct line_reader *reader, int wait_ms, char **bytes, size_t *count, long *number)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
	until.tv_sec += wait_ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&reader->lock);
	while (!reader->first && !reader->ended)
		if (pthread_cond_timedwait(&reader->came, &reader->lock, &until) == ETIMEDOUT)
			break;
	struct line *line = reader->first;
	if (line && !(reader->first = line->next))
		reader->last = NULL;
	pthread_mutex_unlock(&reader->lock);
	if (!line)
		return false;
	*count = line->count;
	*number = line->number;
	*bytes = memmove(line, line->bytes, line->count + 1);
	return true;
}

bool reader_ended(struct line_reader *reader)
{
	pthread_mutex_lock(&reader->lock);
	bool ended = reader->ended && !reader->first;
	pthread_mutex_unlock(&reader->lock);
	return ended;
}

bool reader_interrupted(struct line_reader *reader, long number)
{
	pthread_mutex_lock(&reader->lock);
	bool interrupted = reader->interrupted >= number ||
	        (reader->ended && wall_ns() - reader->ended_ns > END_GRACE_NS);
	pthread_mutex_unlock(&reader->lock);
	return interrupted;
}

void reader_stop(struct line_reader *reader)
{
	if (!reader)
		return;
	eventfd_write(reader->stop, 1);
	pthread_join(reader->thread, NULL);
	release(reader);
}
