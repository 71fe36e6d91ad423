/* io.c -- whole messages out; the wall clock
 *
 * write(2) may write less than asked, and a signal may interrupt it; write_all repeats it. */
#include "shell/wire/io.h"

#include <errno.h>
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

int64_t wall_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
