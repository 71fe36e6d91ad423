/* io.h -- whole files in, whole messages out; the wall clock */
#ifndef RANKSH_IO_H
#define RANKSH_IO_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* A file, or all that a pipe or a device brings. *bytes ends in a NUL and is the caller's (mem_free); NULL after ST_FILE. */
enum status read_whole(const char *path, char **bytes, size_t *count);
/* All bytes, or ST_FILE (the reader is gone, the disk is full). */
enum status write_all(int descriptor, const char *bytes, size_t count);

/* Monotonic */
int64_t wall_ns(void);

#endif
