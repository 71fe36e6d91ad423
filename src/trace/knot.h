/* knot.h -- private to trace/: who waits for whom, among the operations that would never end if no further
 * line came */
#ifndef RANKSH_TRACE_KNOT_H
#define RANKSH_TRACE_KNOT_H

#include "trace/lanes.h"

struct knot {
	const struct trace *trace;
	op_id *head;    /* by op: the first unfinished operation of its stream; 0: this one is finished */
	op_id *turn;    /* by op: the first unfinished collective of its group on its rank, or 0 */
	op_id *blocked; /* by rank: what its host is blocked in, or 0 */
	/* by rank: the last finished operation, host lane or device, in program order, tensors aside */
	op_id *last;
	op_id *first;  /* by rank: the first unfinished operation in program order, or 0 */
	bool *crashed; /* by rank */
	uint8_t *seen; /* by op, for the search */
	op_id *path;   /* operations of the search, from the first; `deep` of them */
	size_t deep, path_room;
	op_id *circle; /* the first circle found, in the order of waiting */
	size_t circle_count;
	op_id mismatch;       /* an operation of a meeting that does not match, or 0 */
	int crash;            /* a crashed rank that somebody waits for, or -1 */
	struct ranks lacking; /* ranks whose next line is waited for */
};

enum status knot_make(struct knot *knot, const struct trace *trace);
void knot_release(struct knot *knot);
/* Searches everything that `id` waits for; fills circle, mismatch, crash, lacking. */
enum status knot_follow(struct knot *knot, op_id id);
/* From an operation along what it waits for on its own rank, to the collective or transfer that it hangs on
 * in the end. */
op_id knot_root(const struct knot *knot, op_id id);
/* The ranks that a collective or transfer waits for: not there, or there and not ready. */
void knot_absent(const struct knot *knot, op_id id, struct ranks *absent);
static inline bool knot_finished(const struct knot *knot, op_id id)
{
	return !knot->head[id];
}

#endif
