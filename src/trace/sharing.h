/* sharing.h -- private to trace/: work that took longer than alone, and the operations that it
 * shared with
 *
 * An operation loses its duration less its time alone. The operation to blame is the one with the
 * longest overlap of those that shared its device or a link (ties: rank, stream, number). For a
 * kernel, these are kernels, copies within the device, and collectives from their own arrival on;
 * for a transfer, copy or collective, the flows over its links. For fused transfers a late partner
 * counts too, and for an alltoall with counts the member with the most data. */
#ifndef RANKSH_TRACE_SHARING_H
#define RANKSH_TRACE_SHARING_H

#include "trace/lanes.h"

/* A cache, empty if only `trace` is set. It holds 24 bytes for each kernel and collective of one
 * rank, and for each transfer, copy and collective of the ranks asked for. */
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
/* Returns the ns that the operation lost by sharing; 0 if it ran alone, has no end yet, was
 * aborted, or times are measured (then the time alone is only predicted). */
int64_t trace_lost(const struct trace *trace, op_id id, const struct times *t);
/* Returns the operation to blame for slowed work; `id` itself if only its own parts shared. */
op_id sharing_with(struct sharers *sharing, op_id id);
void sharing_release(struct sharers *sharing);

#endif
