/* lanes_cache.h -- ranks' lanes from one look to the next, while no operation is added and no time changes
 *
 * Loading a rank costs more than drawing it. Who looks again and again at the same books (the view, a frame a key) sets
 * trace.kept, and lanes_load then lends what it has loaded before: 96 bytes for each operation of the ranks looked at. Who
 * changes the books or times forgets it first. */
#ifndef RANKSH_TRACE_LANES_CACHE_H
#define RANKSH_TRACE_LANES_CACHE_H

#include "trace/trace.h"

struct lanes;
/* A zeroed struct keeps nothing yet. */
struct kept_lanes {
	struct lanes *lanes; /* by rank */
	int ranks;
};
/* Gives all back; to be called before the world goes. */
void kept_forget(struct kept_lanes *kept);

#endif
