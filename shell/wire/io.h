/* io.h -- whole messages out; the wall clock */
#ifndef RANKSH_IO_H
#define RANKSH_IO_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* All bytes, or ST_FILE (the reader is gone, the disk is full). */
enum status write_all(int descriptor, const char *bytes, size_t count);

/* Monotonic */
int64_t wall_ns(void);

#endif
