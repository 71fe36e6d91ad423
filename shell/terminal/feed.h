/* feed.h -- passes the lines of a script's input on to rank 0
 *
 * mpirun passes input on, but Open MPI 5.0.11 does not pass on its end, and 5.0.8 repeats parts of
 * it if rank 0 does not read in time. So rank 0 reports how much it has read, at most FEED_WINDOW
 * bytes are under way, and a mark ends them. The reports are in rank 0's output, because up to
 * 5.0.10 bytes of descriptor 1 may come out of 2 if a rank writes to both.
 *
 *     front end   --- lines ... INPUT_END ------------->   rank 0
 *                 <--- output, INPUT_READ 20480, output ---         */
#ifndef RANKSH_FEED_H
#define RANKSH_FEED_H

#include "base/text.h"

enum { FEED_WINDOW = 32768 };

struct feed {
	int to;                   /* the pipe to mpirun, owned by the job; -1: passes nothing on */
	long long sent, received; /* bytes; received: by rank 0 */
	bool over;                /* the input has ended, or the job reads no more */
	int error;                /* errno of a failed read of the input */
};

/* Returns the descriptor to wait for, 0; -1 if nothing can be passed on now. */
int feed_source(const struct feed *feed);
/* Passes on what descriptor 0 has, without blocking if poll says that it can be read. */
void feed_pass(struct feed *feed);
/* Reads rank 0's reports in its output, and cuts them out. Returns how many bytes of the output are
 * complete; the others may begin a report. */
size_t feed_reports(struct feed *feed, struct text *out);

#endif
