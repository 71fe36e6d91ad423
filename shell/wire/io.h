/* io.h -- writes whole messages; the wall clock; captures this process's output */
#ifndef RANKSH_IO_H
#define RANKSH_IO_H

#include "base/status.h"
#include "base/text.h"
#include <stddef.h>
#include <stdint.h>

/* Writes all bytes. Fails with ST_FILE (the reader is gone, the disk is full). */
enum status write_all(int descriptor, const char *bytes, size_t count);

/* Moves the first whole line from `waiting` to `line`, without its newline. false: none. */
bool take_line(struct text *waiting, struct text *line);

/* Returns the monotonic clock in nanoseconds. */
int64_t wall_ns(void);

struct capture;
/* Redirects descriptor 1 into a pipe, so that a library's output cannot break the wire. Fails with
 * ST_FILE. */
enum status capture_start(struct capture **capture);
/* Redirects descriptor 2 into the same pipe, unless RANKSH_KEEP_STDERR=1. NULL is allowed. */
void capture_errors(struct capture *capture);
/* Return the real descriptors: 1 and 2 themselves if capture is NULL. */
int capture_out(const struct capture *capture);
int capture_err(const struct capture *capture);
/* Appends the whole lines captured so far, without blocking. */
void capture_take(struct capture *capture, struct text *lines);
/* Appends each line, plain (plain.h), as "[rank 2] line"; unmarked if rank < 0. */
void mark_lines(int rank, const char *bytes, size_t count, struct text *marked);
/* Restores the descriptors, and writes the remaining output to 2 as mark_lines does. NULL is
 * allowed. */
void capture_stop(struct capture *capture, int rank);

#endif
