/* sharing.h -- private to trace/: work that took longer than alone, and the operations that it
 * shared with
 *
 * Lost is an operation's duration less its time alone. To blame is the operation with the longest
 * overlap of those that shared its device or a link (ties: rank, stream, number). For a kernel
 * these are kernels, copies within the device, and collectives from their own arrival on; for a
 * transfer, copy or collective the flows over its links. For fused transfers a late partner counts
 * too, and for an alltoall with counts the member with the most data. */
#ifndef RANKSH_TRACE_SHARING_H
#define RANKSH_TRACE_SHARING_H

#include "trace/lanes.h"

/* A cache; a zeroed struct with its trace is empty. It holds 24 bytes for each kernel and
 * collective of one rank, and for each transfer, copy and collective of the ranks asked for. */
struct sharers {
	const struct trace *trace;
	struct holdings *flows; /* by rank */
	struct holdings *device;
	int device_rank; /* the rank of `device` */
	/* by match of a collective: the operation it shared with, the same for all members */
	op_id *of_match;
	uint8_t *links;   /* by part of a group: links of its collectives; 0: not computed yet */
	op_id *one_sided; /* of all ranks */
	size_t one_sided_count;
};
/* ns; 0: it ran alone, has no end yet, was aborted, or times are measured (the time alone is only
 * predicted) */
int64_t trace_lost(const struct trace *trace, op_id id, const struct times *t);
/* Returns the operation that slowed work shared with; itself if only with its own parts. */
op_id sharing_with(struct sharers *sharing, op_id id);
void sharing_release(struct sharers *sharing);

#endif
