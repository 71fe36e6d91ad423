/* capture.h -- redirects descriptors 1 and 2 into a pipe
 *
 * A printing library can then not tear the wire or other ranks' lines; its text is shown with its
 * rank. */
#ifndef RANKSH_CAPTURE_H
#define RANKSH_CAPTURE_H

#include "base/status.h"
#include "base/text.h"

struct capture;
/* Starts the redirection; RANKSH_KEEP_STDERR=1 excludes descriptor 2. Fails with ST_FILE. */
enum status capture_start(struct capture **capture);
/* Return the real descriptors: 1 and 2 themselves if capture is NULL. */
int capture_out(const struct capture *capture);
int capture_err(const struct capture *capture);
/* Appends the whole lines captured so far, without blocking. */
void capture_take(struct capture *capture, struct text *lines);
/* Appends each line as "[rank 2] line"; unmarked if rank < 0. */
void mark_lines(int rank, const char *bytes, size_t count, struct text *marked);
/* Restores the descriptors, writes the rest to 2, marked, and frees capture. NULL: does
 * nothing. */
void capture_stop(struct capture *capture, int rank);

#endif
