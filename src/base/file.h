/* file.h -- a file that appears whole or not at all: written beside its place under a name of its own, then
 * renamed. What stood there before stays until then, and a full disk leaves no half file. */
#ifndef RANKSH_BASE_FILE_H
#define RANKSH_BASE_FILE_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct file;
/* ST_FILE names the path as it was given. A device or a folder is refused. */
enum status file_begin(struct file **file, const char *path);
FILE *file_stream(const struct file *file);
/* written: all that was wanted is in the stream. Else, or when the disk is full, nothing is left of it, and
 * ST_FILE says why. Frees it. */
enum status file_end(struct file *file, bool written);
enum status file_write(const char *path, const void *bytes, size_t count);

/* To read: a regular file, and one that never keeps its reader waiting (as /proc/kmsg would). ST_FILE names it. */
enum status file_open(FILE **file, const char *path);
/* What is left of an open file, `most` bytes at most. *bytes ends in a NUL and is the caller's (mem_free); NULL after
 * ST_FILE. */
enum status file_read(
        const char *path, size_t most, char **bytes, size_t *count); /* opens and closes it, too */
enum status file_rest(FILE *file, const char *path, size_t most, char **bytes, size_t *count);

#endif
