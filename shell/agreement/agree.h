/* agree.h -- the end of an order: every process says how it went, and all learn whether they can go on
 * together.
 *
 * - A line that is refused, an `expect` that is false: from the books, and so the same everywhere.
 * - A process's data failed (a full disk, no memory for numbers): it has made the same calls as the others,
 * and rank 0 tells whose numbers
 *   are not to be trusted.
 * - A process's books failed (ST_MEMORY, ST_MPI): it has left the line at a place of its own. Do all say the
 * same - status, books, steps -,
 *   then the line is refused, and all make the world before it again. Else the job ends, in words: nobody
 *   waits for messages that never come. */
#ifndef RANKSH_AGREE_H
#define RANKSH_AGREE_H

#include "shell/agreement/conductor.h"

/* Every process, after an order. Rank 0: the status of all, worded, and everything that was said is shown. */
enum status agree_all(struct conductor *conductor, enum status status);
/* This process cannot go on, and the others not without it: says so, with the words of the failure at hand,
 * and ends the job. Returns where there is only one process. */
enum status agree_end(struct conductor *conductor, enum status status);

#endif
