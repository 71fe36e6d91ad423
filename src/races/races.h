/* races.h -- races: two operations on the same memory, one of which writes, with nothing that orders them
 *
 * Everything here is a function of the books' program order alone, never of times: a race is told although in
 * this run the two happened to be far apart. The books do not know of this folder; it reads their log of
 * operations (and of blocks handed out) from where it stopped last.
 *
 * Files: order.c (vector clocks)  history.c (who used which memory)  overlap.c (do two strided tensors share
 * a byte?)  runnable.c (can an operation take place?)  search.c (is one before another, through other ranks?)
 * races.c (deciding).  order.h is what they share.
 *
 * May call: waits/ world/ base/. */
#ifndef RANKSH_RACES_H
#define RANKSH_RACES_H

#include "world/world.h"

/* One for a pair of streams and names on a rank: the first in program order. */
struct race {
	op_id earlier, later;
	int64_t address;
	uint8_t space;
	name_id earlier_name, later_name;
};

/* An operation reads bytes that nothing queued before it writes. Told once for an interval of memory. */
struct unread {
	op_id op;
	name_id name;
};

struct happens_before;
struct races {
	struct race *race;
	size_t count;
	struct unread *unread;
	size_t unread_count;
	struct happens_before *order;
};

/* Brings world->races up to date with the books, making it when there is none yet. Costs nothing when no
 * line was queued since the last time. */
const struct races *races_now(struct world *world);
void races_free(struct world *world); /* before world_free */
/* Returns the name of the stream by which the race's operation `id` can wait or be waited for: its own stream, or that of its launch
 * if the other operation is not of the same launch. */
const char *race_stream(const struct world *world, const struct race *race, op_id id);
/* The line that would order the two: "wait io on compute" */
void race_remedy(const struct world *world, const struct race *race, struct text *out);

#endif
