/* file.h -- files that appear whole or not at all: written under another name, then renamed. A
 * full disk leaves the old file, and no partial one. */
#ifndef RANKSH_BASE_FILE_H
#define RANKSH_BASE_FILE_H

#include "base/status.h"
#include <stddef.h>
#include <stdio.h>

/* From now on the messages of this page end in " on HOST". Call it for a process whose user is on
 * another host. */
void file_name_host(const char *host);

/* Fails with ST_FILE, naming the path and reason; refuses devices and folders. */
enum status file_write(const char *path, const void *bytes, size_t count);
/* The same for a head and the bytes after it */
enum status file_write_headed(
        const char *path, const void *head, size_t head_count, const void *bytes, size_t count);

/* Returns the kind of file with this name. Does not follow links. */
enum file_there { FILE_NONE, FILE_REGULAR, FILE_LINK, FILE_OTHER };
enum file_there file_there(const char *path);

/* Opens a regular file for reading. A read never blocks (/proc/kmsg would block). Fails with
 * ST_FILE, naming the path. */
enum status file_open(FILE **file, const char *path);
/* Reads its first `most` bytes (SIZE_MAX: all). *bytes ends in a NUL and belongs to the caller
 * (mem_free); NULL after ST_FILE. */
enum status file_read(const char *path, size_t most, char **bytes, size_t *count);

#endif
