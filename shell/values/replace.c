/* replace.c -- protects other files
 *
 *     nothing, or an empty file     written
 *     an output of this kind        replaced: a script runs twice
 *     another file, a link          `force` replaces the file, and writes through the link
 *     a folder, a device, a pipe    refused, with `force` too */
#include "shell/values/replace.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>
#include <sys/stat.h>

static bool begins_with(const char *path, const char *bytes)
{
	char *begin;
	size_t length = strlen(bytes), count;
	bool same = file_read(path, length, &begin, &count) == ST_OK && count == length &&
	        memcmp(begin, bytes, length) == 0;
	mem_free(begin);
	return same;
}

bool file_is(const char *path, const char *bytes, size_t count)
{
	char *there;
	size_t length;
	bool same = file_there(path) == FILE_REGULAR && file_read(path, count + 1, &there, &length) == ST_OK;
	if (same) {
		same = length == count && memcmp(there, bytes, count) == 0;
		mem_free(there);
	}
	return same;
}

static bool is_earlier(const char *path, const struct output_kind *kind)
{
	return file_is(path, "", 0) || (kind->begins && begins_with(path, kind->begins)) ||
	        (kind->is_own && kind->is_own(path));
}

enum status may_replace(const struct output *output)
{
	const char *path = output->path;
	enum file_there there = file_there(path);
	struct stat about;
	if (there == FILE_LINK && stat(path, &about) == 0 && !S_ISREG(about.st_mode))
		there = FILE_OTHER;
	if (there == FILE_OTHER)
		return fail(ST_FILE, "%s is not a regular file", path);
	if (there == FILE_NONE || output->force || (there == FILE_REGULAR && is_earlier(path, output->kind)))
		return ST_OK;
	if (there == FILE_LINK)
		return fail(
		        ST_FILE, "%s is a symbolic link: `%s force` writes through it", path, output->line);
	return fail(ST_FILE, "%s is there, and is no %s: `%s force` overwrites it", path, output->kind->is,
	        output->line);
}
