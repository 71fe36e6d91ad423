/* file.c -- a file that appears whole or not at all
 *
 *      out.npy.4711.part     written first, in the same folder: rename(2) is atomic there
 *      out.npy               takes its name when every byte is written
 */
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char on_host[80]; /* " on n2", or "" */

void file_name_host(const char *host)
{
	snprintf(on_host, sizeof on_host, " on %s", host);
}

/* Returns 0 or errno; some file systems report a full disk at fclose only. */
static int file_put(const char *path, const void *head, size_t head_count, const void *bytes, size_t count)
{
	FILE *stream = fopen(path, "wbe");
	if (!stream)
		return errno;
	bool written = fwrite(head, 1, head_count, stream) == head_count &&
	        fwrite(bytes, 1, count, stream) == count && fflush(stream) == 0;
	int error = written ? 0 : errno;
	if (fclose(stream) != 0 && written)
		error = errno;
	return error;
}

enum status file_write_headed(
        const char *path, const void *head, size_t head_count, const void *bytes, size_t count)
{
	char target[PATH_MAX], part[PATH_MAX + 32];
	struct stat about;

	if (strlen(path) >= sizeof target)
		return fail(ST_FILE, "%.60s...: the path is too long", path);
	if (!realpath(path, target)) /* a link stays a link; a new file has no real path yet */
		strcpy(target, path);
	if (stat(target, &about) == 0 && !S_ISREG(about.st_mode))
		return fail(ST_FILE, "%s is not a regular file%s", path, on_host);
	snprintf(part, sizeof part, "%s.%ld.part", target, (long)getpid());
	int error = file_put(part, head, head_count, bytes, count);
	if (!error && rename(part, target) != 0)
		error = errno;
	if (!error)
		return ST_OK;
	unlink(part);
	return fail(ST_FILE, "%s cannot be written: %s%s", path, strerror(error), on_host);
}

enum status file_write(const char *path, const void *bytes, size_t count)
{
	return file_write_headed(path, "", 0, bytes, count);
}

enum file_there file_there(const char *path)
{
	struct stat about;
	if (lstat(path, &about) != 0)
		return FILE_NONE;
	return S_ISREG(about.st_mode) ? FILE_REGULAR : S_ISLNK(about.st_mode) ? FILE_LINK : FILE_OTHER;
}

enum status file_open(FILE **file, const char *path)
{
	struct stat about;
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	*file = NULL;
	if (descriptor < 0)
		return fail(ST_FILE, "%s: %s%s", path, strerror(errno), on_host);
	if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
		*file = fdopen(descriptor, "rb");
		return ST_OK;
	}
	close(descriptor);
	return fail(ST_FILE, "%s is not a regular file%s", path, on_host);
}

enum status file_read(const char *path, size_t most, char **bytes, size_t *count)
{
	struct text text = {0};
	char piece[65536];
	size_t got;
	FILE *file;
	enum status status = file_open(&file, path);

	if (status == ST_OK)
		text_put(&text, "", 0);
	while (status == ST_OK && text.count < most &&
	        (got = fread(piece, 1, most - text.count < sizeof piece ? most - text.count : sizeof piece,
	                 file)) > 0)
		text_put(&text, piece, got);
	if (file && ferror(file)) {
		status = fail(ST_FILE, "%s: %s%s", path, strerror(errno), on_host);
		text_release(&text);
	}
	if (file)
		fclose(file);
	*bytes = text.bytes;
	*count = text.count;
	return status;
}
