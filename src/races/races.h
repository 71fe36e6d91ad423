/* races.h -- races: two operations on the same memory, at least one writing, that nothing orders
 *
 * All results depend on the ranks' program order alone, never on times. world/ does not know of
 * this folder, which reads the operations that were added since the last call.
 *
 *     order.c      vector clocks                 history.c   accesses to memory
 *     search.c     order through other ranks     races.c     decisions
 *     order.h      private to this folder
 *
 * May call: waits/ world/ base/. */
#ifndef RANKSH_RACES_H
#define RANKSH_RACES_H

#include "world/world.h"

/* The first in program order of all races with the same streams and names on a rank */
struct race {
	op_id earlier, later;
	int64_t address;
	uint8_t space;
	name_id earlier_name, later_name;
};

/* An operation reads bytes that nothing before it writes. Reported once for an interval of
 * memory. */
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

/* Updates world->races from the log and returns it; creates it if needed. Costs nothing without
 * new lines. */
const struct races *races_now(struct world *world);
void races_free(struct world *world); /* before world_free */
/* Returns the name of the stream on which the race's operation `id` can be ordered: its own
 * stream, or its launch's if the other operation is in another launch. */
const char *race_stream(const struct world *world, const struct race *race, op_id id);
/* Appends the line that would order the two: "wait io on compute". */
void race_remedy(const struct world *world, const struct race *race, struct text *out);

#endif
