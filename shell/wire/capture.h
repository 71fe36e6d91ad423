/* capture.h -- this process's descriptors 1 and 2 lead into a pipe of its own, so that a library that prints
 * cannot tear the wire or the lines of another rank; what comes out of the pipe is shown as "[rank 2] ...". A
 * thread empties the pipe: a process that prints a lot while it is busy is not held up. The real descriptors
 * are kept for whoever may write to them. */
#ifndef RANKSH_CAPTURE_H
#define RANKSH_CAPTURE_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct capture;
/* RANKSH_KEEP_STDERR=1 leaves descriptor 2 alone (sanitizers, debuggers). */
enum status capture_start(struct capture **capture);
int capture_out(const struct capture *capture); /* the real descriptor 1 */
int capture_err(const struct capture *capture); /* ... and 2 */
/* Complete lines caught so far, at most `room` bytes; all of it when `rest`. Returns the count. */
size_t capture_take(struct capture *capture, char *into, size_t room, bool rest);
/* The descriptors are put back; what is left comes out of descriptor 2, marked by the rank. */
void capture_stop(struct capture *capture, int rank);

#endif
