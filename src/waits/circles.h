/* circles.h -- operations that NCCL can hang in although they run here: ranks issue them in orders that form a circle
 *
 * NCCL runs the operations of one communicator one at a time on each rank, in the order of issue, whatever their streams
 * (docs/time.md, rule 9). A group is read as one communicator:
 *
 *     rank 0   reduce r ---> send x          the launch behind begins when the one before it is over
 *                 |            |             a match is over when all of its members have begun
 *     rank 1   recv x -----> reduce r        reduce waits for recv, which waits for send, which waits for reduce
 *
 * Operations fused by `together` are one launch. A launch waits, through the matches of the launch before it, for those of
 * other ranks: a circle of such waits is a hang. What several groups do in one order on one rank and in another on the next
 * only can hang: it depends on whether their kernels find room beside each other.
 *
 * A function of the books' program order alone, never of times. */
#ifndef RANKSH_CIRCLES_H
#define RANKSH_CIRCLES_H

#include "world/world.h"

/* On one rank: `first` was issued before `second`. The second of a hop meets the first of the hop before it, and the second
 * of hop 0 the first of the last. */
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

/* The circles within one group, in the order of the lines that completed them; brings world->circles up to date. A circle of
 * lines that were all named before is left out, and so is one of which each hop is on one stream: the simulator is stuck in
 * it, too. Costs a pass over the operations that are new. */
const struct circles *circles_now(struct world *world);
/* Those across groups, from all of the books: if a rank began its operations of all groups one at a time. Without the circles of
 * circles_now and the pairs of world_order_warning. The caller's, for circles_free. */
struct circles *circles_possible(const struct world *world);
void circles_free(struct circles *circles); /* NULL is allowed */

#endif
