/* io.h -- whole messages out; the wall clock */
#ifndef RANKSH_IO_H
#define RANKSH_IO_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* Writes all bytes. Fails with ST_FILE (the reader is gone, the disk is full). */
enum status write_all(int descriptor, const char *bytes, size_t count);

/* Returns the monotonic clock in nanoseconds. */
int64_t wall_ns(void);

#endif
