/* file.h -- a file that appears whole or not at all: written beside its place under a name of its own, then
 * renamed. What stood there before stays until then, and a full disk leaves no half file. */
#ifndef RANKSH_BASE_FILE_H
#define RANKSH_BASE_FILE_H

#include "base/status.h"
#include <stddef.h>
#include <stdio.h>

/* ST_FILE names the path as it was given, and says why. A device or a folder is refused. */
enum status file_write(const char *path, const void *bytes, size_t count);
/* The same for a file in two pieces, one behind the other */
enum status file_write_headed(
        const char *path, const void *head, size_t head_count, const void *bytes, size_t count);

/* Returns what kind of file has this name. A link is not followed, and may lead nowhere. */
enum file_there { FILE_NONE, FILE_REGULAR, FILE_LINK, FILE_OTHER };
enum file_there file_there(const char *path);

/* To read: a regular file, and one that never keeps its reader waiting (as /proc/kmsg would). ST_FILE names it. */
enum status file_open(FILE **file, const char *path);
/* Such a file, its first `most` bytes at most (SIZE_MAX: all). *bytes ends in a NUL and is the caller's (mem_free);
 * NULL after ST_FILE. */
enum status file_read(const char *path, size_t most, char **bytes, size_t *count);

#endif
