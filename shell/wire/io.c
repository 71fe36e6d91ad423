/* io.c -- whole files in, whole messages out; the wall clock */
#include "shell/wire/io.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum status read_whole(const char *path, size_t most, char **bytes, size_t *count)
{
	struct text text = {0};
	char piece[65536];
	size_t got;
	enum status status = ST_OK;
	FILE *file = fopen(path, "rbe");
	text_put(&text, "", 0);
	while (file && text.count < most && (got = fread(piece, 1, sizeof piece, file)) > 0)
		text_put(&text, piece, got);
	if (!file || ferror(file)) {
		status = fail(ST_FILE, "%s: %s", path, strerror(errno));
		text_release(&text);
	}
	if (file)
		fclose(file);
	*bytes = text.bytes;
	*count = text.count;
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
