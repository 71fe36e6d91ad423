/* agree.h -- ends an order: gathers every process's status and decides whether they can go on
 *
 * - A refused line, a false `expect`: decided from the world, so the same everywhere.
 * - A data failure (a full disk): the process made all calls; rank 0 reports its data as invalid.
 * - A failed message (ST_MPI): this process is at another point than its peers. The job ends,
 *   because they would wait for ever. (Without memory it has ended: base/memory.h.) */
#ifndef RANKSH_AGREE_H
#define RANKSH_AGREE_H

#include "shell/rank/conductor.h"

/* Every process, after an order. Rank 0 returns all statuses, worded, and shows output. */
enum status agree_all(struct conductor *conductor, enum status status);
/* Reports this process's failure and ends the job; returns if it is alone. */
enum status agree_end(struct conductor *conductor, enum status status);

#endif
