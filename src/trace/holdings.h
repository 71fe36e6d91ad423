/* holdings.h -- private to sharing.c: what holds a rank's device, and what flows over its links, as lists in which whatever overlaps
 * a time is found by halves and a short walk: stream by stream, and along a stream ends only grow */
#ifndef RANKSH_TRACE_HOLDINGS_H
#define RANKSH_TRACE_HOLDINGS_H

#include "trace/lanes.h"
#include "trace/sharing.h"

struct holding {
	op_id id;
	int64_t from, to;
};
struct holdings {
	struct holding *at;
	size_t count;
	uint32_t first[STREAMS_MAX + 2]; /* at[first[s]] .. at[first[s + 1] - 1] are stream s */
};

/* Does it run on the multiprocessors: a kernel that is no spin, or a copy within the device? */
bool holds_as_kernel(const struct record *record);
/* When a flow's latency is over, and it is on its links */
int64_t flows_from(const struct world *world, op_id id, const struct times *t);
/* Kernels and collectives of a rank: valid until another one's are asked for */
const struct holdings *device_of(struct sharers *sharing, int rank);
/* Copies, transfers, collectives and one-sided operations of a rank */
const struct holdings *flows_of(struct sharers *sharing, int rank);

#endif
