/* lanes_cache.h -- all ranks' lanes, cached between queries while no operation is added and no
 * time changes
 *
 * Loading a rank costs more than drawing it. The view, which draws a frame for each key, sets
 * trace.kept, and lanes_load lends from it: 96 bytes an operation. Call kept_forget before the
 * books or times change. */
#ifndef RANKSH_TRACE_LANES_CACHE_H
#define RANKSH_TRACE_LANES_CACHE_H

#include "trace/trace.h"

struct lanes;
/* A zeroed struct is empty. */
struct kept_lanes {
	struct lanes *lanes; /* by rank */
	int ranks;
};
/* Releases the cache; call it before world_free. */
void kept_forget(struct kept_lanes *kept);

#endif
