/* circles.h -- orders of issue that form a circle, in which NCCL can hang although they run here
 *
 * NCCL runs the operations of one communicator one at a time on each rank, in the order of issue,
 * on any streams (docs/internals/time.md, rule 9). A group counts as one communicator:
 *
 *     rank 0   reduce r ---> send x       a launch begins when the one before it is over
 *                 |            |          a match is over when all members have begun
 *     rank 1   recv x -----> reduce r     reduce waits for recv, recv for send, send for reduce
 *
 * Operations fused by `together` are one launch. A circle across groups is only possible: it
 * depends on whether their kernels run side by side.
 *
 * A function of the ranks' program order alone, never of times. */
#ifndef RANKSH_CIRCLES_H
#define RANKSH_CIRCLES_H

#include "world/world.h"

/* On one rank, `first` was issued before `second`. A hop's second is in one match with the
 * previous hop's first (hop 0's with the last hop's). */
struct circle_hop {
	op_id first, second;
};
struct circle {
	struct circle_hop *hop;
	size_t hops;
};
struct circles {
	struct circle *circle;
	size_t count;
	struct serial *serial;
};

/* Returns the circles within one group, in the order of the lines that completed them; updates
 * world->circles. Left out are circles whose lines were all named before, and circles with each
 * hop on one stream, because there the simulator is stuck too. Costs a pass over new
 * operations. */
const struct circles *circles_now(struct world *world);
/* Returns the circles across groups, as if each rank ran all its groups' operations one at a time;
 * without those of circles_now and world_order_warning. Released by circles_free. */
struct circles *circles_possible(const struct world *world);
void circles_free(struct circles *circles); /* NULL is allowed */

#endif
