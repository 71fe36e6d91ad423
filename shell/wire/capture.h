/* capture.h -- this process's descriptors 1 and 2 lead into a pipe of its own, so that a library that prints
 * cannot tear the wire or the lines of another rank; what comes out of the pipe is shown as "[rank 2] ...". The
 * real descriptors are kept for whoever may write to them. */
#ifndef RANKSH_CAPTURE_H
#define RANKSH_CAPTURE_H

#include "base/status.h"
#include "base/text.h"

struct capture;
/* RANKSH_KEEP_STDERR=1 leaves descriptor 2 alone (sanitizers, debuggers). */
enum status capture_start(struct capture **capture);
/* The real descriptors 1 and 2; capture NULL: nothing was moved. */
int capture_out(const struct capture *capture);
int capture_err(const struct capture *capture);
/* Adds the whole lines that were caught since; waits for nothing. */
void capture_take(struct capture *capture, struct text *lines);
/* Adds the lines, each as "[rank 2] line"; rank < 0: as they are. */
void mark_lines(int rank, const char *bytes, size_t count, struct text *marked);
/* The descriptors are put back; what is left comes out of descriptor 2, marked by the rank. */
void capture_stop(struct capture *capture, int rank);

#endif
