/* io.c -- whole files in, whole messages out; the wall clock
 *
 * read(2) and write(2) may do less than they are asked for, and signals end them early; here they do all of it. */
#include "shell/wire/io.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum status read_whole(const char *path, char **bytes, size_t *count)
{
	FILE *file = fopen(path, "rbe");
	*bytes = NULL;
	*count = 0;
	if (!file)
		return fail(ST_FILE, "%s: %s", path, strerror(errno));
	enum status status = file_rest(file, path, SIZE_MAX, bytes, count);
	fclose(file);
	return status;
}

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
