/* agree.h -- the end of an order: every process says how it went, and all learn whether they can go on
 * together.
 *
 * - A line that is refused, an `expect` that is false: from the books, and so the same everywhere.
 * - A process's data failed (a full disk): it has made the same calls as the others, and rank 0 tells whose
 *   numbers are not to be trusted.
 * - A message failed (ST_MPI): this process has left the line at a place of its own. The job ends, in words:
 *   nobody waits for messages that never come. (A process without memory has ended already: base/memory.h.) */
#ifndef RANKSH_AGREE_H
#define RANKSH_AGREE_H

#include "shell/rank/conductor.h"

/* Every process, after an order. Rank 0: the status of all, worded, and everything that was said is shown. */
enum status agree_all(struct conductor *conductor, enum status status);
/* This process cannot go on, and the others not without it: says so, with the words of the failure at hand,
 * and ends the job. Returns where there is only one process. */
enum status agree_end(struct conductor *conductor, enum status status);

#endif
