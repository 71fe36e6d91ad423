/* reader.c -- lines from the front end, and interrupts, which are read ahead of their turn
 *
 * During a long run, whenever rank 0 decides whether to go on, it first reads, without waiting. */
#include "shell/rank/reader.h"
#include "shell/wire/io.h"
#include "shell/wire/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* requests may run so long after the input has ended */
static const int64_t END_GRACE_NS = 1000000000;

/* Parses only short lines, because an interrupt has no other words. */
static bool is_interrupt(const char *line, size_t count)
{
	struct request request = {0};
	if (count == 0 || line[0] != WIRE_MARK || count > 64 || !memmem(line, count, "interrupt", 9))
		return false;
	bool is = request_read(line, count, &request) == ST_OK && request.kind == REQUEST_INTERRUPT;
	request_release(&request);
	return is;
}

/* Counts new whole lines, and removes interrupts, each for all requests before it. */
static void look_at_lines(struct line_reader *reader)
{
	struct text *waiting = &reader->waiting;
	for (;;) {
		char *line = waiting->bytes + reader->seen, *end = waiting->bytes + waiting->count;
		char *newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			return;
		if (is_interrupt(line, (size_t)(newline - line))) {
			reader->interrupted = reader->taken + reader->whole;
			memmove(line, newline + 1, (size_t)(end - newline - 1));
			waiting->count -= (size_t)(newline + 1 - line);
		} else {
			reader->whole++;
			reader->seen += (size_t)(newline + 1 - line);
		}
	}
}

static void listen(struct line_reader *reader, int wait_ms)
{
	struct pollfd end = {.fd = reader->ended_ns ? -1 : 0, .events = POLLIN};
	char piece[65536];
	if (poll(&end, 1, wait_ms) <= 0)
		return;
	ssize_t got = read(0, piece, sizeof piece);
	if (got > 0) {
		text_put(&reader->waiting, piece, (size_t)got);
		look_at_lines(reader);
	} else if (!(got < 0 && errno == EINTR)) {
		reader->ended_ns = wall_ns();
	}
}

bool reader_take(struct line_reader *reader, int wait_ms, struct text *line)
{
	if (!reader->whole)
		listen(reader, wait_ms);
	if (!reader->whole || !take_line(&reader->waiting, line))
		return false;
	reader->seen -= line->count + 1;
	reader->whole--;
	reader->taken++;
	return true;
}

bool reader_ended(const struct line_reader *reader)
{
	return reader->ended_ns && !reader->whole;
}

bool reader_interrupted(struct line_reader *reader)
{
	listen(reader, 0);
	return reader->interrupted >= reader->taken;
}

bool reader_left(const struct line_reader *reader)
{
	return reader->ended_ns && wall_ns() - reader->ended_ns > END_GRACE_NS;
}
