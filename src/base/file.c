/* file.c -- a file that appears whole or not at all.
 *
 *      out.npy.4711.part     written first, in the same folder: rename(2) is atomic only within a file system
 *      out.npy               takes its name when every byte is there
 *
 * A link is followed before, so that the link stays one and its target changes. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	FILE *stream;
	char path[PATH_MAX], target[PATH_MAX], part[PATH_MAX + 32];
};

static enum status cannot(const struct file *file, int error)
{
	return fail(ST_FILE, "%s cannot be written: %s", file->path, strerror(error));
}

static enum status place(struct file *file, const char *path)
{
	struct stat about;

	if (strlen(path) >= sizeof file->target)
		return fail(ST_FILE, "%.60s...: the path is too long", path);
	strcpy(file->path, path);
	if (!realpath(path, file->target)) /* a link is followed; a new file has no real path yet */
		strcpy(file->target, path);
	if (stat(file->target, &about) == 0 && !S_ISREG(about.st_mode))
		return fail(ST_FILE, "%s is not a regular file", path);
	snprintf(file->part, sizeof file->part, "%s.%ld.part", file->target, (long)getpid());
	file->stream = fopen(file->part, "wbe");
	return file->stream ? ST_OK : cannot(file, errno);
}

enum status file_begin(struct file **result, const char *path)
{
	struct file *file = mem_alloc(sizeof *file);
	enum status status = place(file, path);

	if (status)
		mem_free(file);
	else
		*result = file;
	return status;
}

FILE *file_stream(const struct file *file)
{
	return file->stream;
}

enum status file_end(struct file *file, bool written)
{
	int error = errno;
	enum status status = ST_OK;

	if (written && fflush(file->stream) != 0) {
		written = false;
		error = errno;
	}
	if (fclose(file->stream) != 0 && written) { /* some file systems tell of a full disk only here */
		written = false;
		error = errno;
	}
	if (written && rename(file->part, file->target) != 0) {
		written = false;
		error = errno;
	}
	if (!written) {
		unlink(file->part);
		status = cannot(file, error);
	}
	mem_free(file);
	return status;
}

enum status file_write(const char *path, const void *bytes, size_t count)
{
	struct file *file;
	enum status status = file_begin(&file, path);

	return status ? status : file_end(file, fwrite(bytes, 1, count, file_stream(file)) == count);
}

enum status file_open(FILE **file, const char *path)
{
	struct stat about;
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	*file = NULL;
	if (descriptor < 0)
		return fail(ST_FILE, "%s: %s", path, strerror(errno));
	if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
		*file = fdopen(descriptor, "rb");
		return ST_OK;
	}
	close(descriptor);
	return fail(ST_FILE, "%s is not a regular file", path);
}

enum status file_rest(FILE *file, const char *path, size_t most, char **bytes, size_t *count)
{
	struct text text = {0};
	char piece[65536];
	size_t got;
	enum status status = ST_OK;

	text_put(&text, "", 0);
	while (text.count < most &&
	        (got = fread(piece, 1, most - text.count < sizeof piece ? most - text.count : sizeof piece,
	                 file)) > 0)
		text_put(&text, piece, got);
	if (ferror(file)) {
		status = fail(ST_FILE, "%s: %s", path, strerror(errno));
		text_release(&text);
	}
	*bytes = text.bytes;
	*count = text.count;
	return status;
}

enum status file_read(const char *path, size_t most, char **bytes, size_t *count)
{
	FILE *file;
	enum status status = file_open(&file, path);
	*bytes = NULL;
	if (status != ST_OK)
		return status;
	status = file_rest(file, path, most, bytes, count);
	fclose(file);
	return status;
}
