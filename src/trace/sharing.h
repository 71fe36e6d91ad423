/* sharing.h -- private to trace/: work that took longer than it takes alone, and with whom it shared what it needs
 *
 * Lost is an operation's duration less its time alone. To blame is the operation with the longest overlap, of those that
 * shared its device or one of its links (ties: rank, stream, number): a kernel's are kernels, copies within the device, and
 * collectives from their own arrival on; a transfer's, a copy's or a collective's are what flows over one of its links. Of
 * several transfers that begin together a partner that came late counts too, and of an alltoall with counts the member with
 * the most to move. */
#ifndef RANKSH_TRACE_SHARING_H
#define RANKSH_TRACE_SHARING_H

#include "trace/lanes.h"

/* What was found on the way, for the next question; a zeroed struct with its trace is empty. It holds 24 bytes for each
 * kernel and collective of one rank, and for each transfer, copy and collective of all ranks. */
struct sharers {
	const struct trace *trace;
	struct holdings *flows; /* by rank */
	struct holdings *device;
	int device_rank;  /* whose `device` is */
	op_id *of_match;  /* by match of a collective: whom it shared with; it is the same for all members */
	uint8_t *links;   /* by part of a group, those of its collectives; 0: not asked for yet */
	op_id *one_sided; /* of all ranks */
	size_t one_sided_count;
};
/* ns; 0: it ran alone, has no end yet, was aborted; or times are measured, where the time alone is only predicted */
int64_t trace_lost(const struct trace *trace, op_id id, const struct times *t);
/* Whom an operation that lost time shared with; itself where it was with parts of its own alone. */
op_id sharing_with(struct sharers *sharing, op_id id);
void sharing_release(struct sharers *sharing);

#endif
