/* feed.c -- passes the lines of a script's input on to rank 0 */
#include "shell/terminal/feed.h"
#include "shell/session/options.h"
#include "shell/wire/io.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int feed_source(const struct feed *feed)
{
	return feed->to >= 0 && !feed->over && feed->sent - feed->received < FEED_WINDOW ? 0 : -1;
}

/* The window fits into the pipe, so this does not block. */
static void feed_write(struct feed *feed, const char *bytes, size_t count)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	if (write_all(feed->to, bytes, count) != ST_OK)
		feed->over = true;
	signal(SIGPIPE, before);
	feed->sent += (long long)count;
}

void feed_pass(struct feed *feed)
{
	char piece[FEED_WINDOW];
	ssize_t got = read(0, piece, (size_t)(FEED_WINDOW - (feed->sent - feed->received)));
	if (got > 0) {
		feed_write(feed, piece, (size_t)got);
	} else if (got == 0 || errno != EINTR) {
		feed->error = got < 0 ? errno : 0;
		feed_write(feed, INPUT_END, strlen(INPUT_END));
		feed->over = true;
	}
}

size_t feed_reports(struct feed *feed, struct text *out)
{
	char *report, *end;
	if (out->count == 0)
		return 0;
	while ((report = memmem(out->bytes, out->count, INPUT_READ, strlen(INPUT_READ))) &&
	        (end = memchr(report, '\n', (size_t)(out->bytes + out->count - report)))) {
		feed->received = atoll(report + strlen(INPUT_READ));
		memmove(report, end + 1, (size_t)(out->bytes + out->count - (end + 1)));
		out->count -= (size_t)(end + 1 - report);
	}
	report = memrchr(out->bytes, *INPUT_READ, out->count);
	return report ? (size_t)(report - out->bytes) : out->count;
}
