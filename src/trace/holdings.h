/* holdings.h -- private to sharing.c: the operations that hold a rank's device, and those that
 * flow over its links. Each list is ordered by stream; ends grow along a stream, so overlaps are
 * found by bisection and a short walk. */
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

/* True if it runs on the multiprocessors: a kernel other than spin, or a copy within the
 * device. */
bool holds_as_kernel(const struct record *record);
/* Returns when a flow's latency is over and it uses its links. */
int64_t flows_from(const struct world *world, op_id id, const struct times *t);
/* Returns the kernels and collectives of a rank, valid until those of another rank are
 * requested. */
const struct holdings *device_of(struct sharers *sharing, int rank);
/* Returns the copies, transfers, collectives and one-sided operations of a rank. */
const struct holdings *flows_of(struct sharers *sharing, int rank);

#endif
