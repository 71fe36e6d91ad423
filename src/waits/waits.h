/* waits.h -- who waits for whom, among the operations that would never end if no further line came
 *
 * Three questions are asked of one graph: who is missing (an answer is owed: sim/), is it stuck (trace/),
 * and, of meetings in program order, can an operation take place (races/, which brings its own edges to
 * search.h).
 *
 * Nodes are operations that have no end in the backend's projection, edges lead to what each waits for:
 *
 *     rank 0   sync ---> allreduce y (head of its stream) ---> rank 1's allreduce y, not issued
 *     rank 1   print x (blocks the host) <----------------------------'
 *                '---> recv x ---> rank 2: no line                       an end: a line on rank 2 mends it
 *
 * An end of a chain is a line that a rank was not given. What no line can mend: a mismatch, a rank that
 * crashed, a circle. An operation waits for all of its edges, so any path into one of those is one that
 * cannot be mended.
 *
 * circles.h asks another one, of the books alone: would the ranks hang if each group were one communicator of NCCL?
 *
 * May call: a backend (times, through its struct) world/ base/. */
#ifndef RANKSH_WAITS_H
#define RANKSH_WAITS_H

#include "backend/backend.h"
#include "base/ranks.h"
#include "waits/search.h"

/* Rank `rank` has not been given the line that operation `op` waits for. */
struct missing_line {
	op_id op;
	int rank;
};

struct rank_waits {
	op_id blocked; /* what its host is blocked in, or 0 */
	op_id last;    /* the last finished operation, host or device, in program order, tensors aside */
	op_id first;   /* the first unfinished operation in program order, or 0 */
	bool crashed;
};

struct waits {
	const struct world *world;
	struct backend *backend;
	op_id *head; /* by op: the first unfinished operation of its stream; 0: this one is finished */
	op_id *turn; /* by op: the first unfinished collective of its group on its rank, or 0 */
	struct rank_waits *rank;
	/* found by the search */
	/* wait_follow(&search, id) adds everything that `id` waits for, directly or not; its cycle: the first
	 * circle, in the order of waiting */
	struct wait_search search;
	op_id mismatch;            /* the first operation of a meeting that does not match, or 0 */
	struct missing_line crash; /* the first that waits for a crashed rank; op 0: none */
	struct missing_line *missing;
	size_t missing_count;
};

/* Reads the times of all operations. The struct is waits_release's to free. */
void waits_make(struct waits *waits, const struct world *world, struct backend *backend);
void waits_release(struct waits *waits);
/* Forgets what was found. */
void waits_forget(struct waits *waits);
static inline bool waits_finished(const struct waits *waits, op_id id)
{
	return !waits->head[id];
}
static inline bool waits_stuck(const struct waits *waits) /* found what no line can mend */
{
	return waits->search.cycle_count || waits->mismatch || waits->crash.op;
}
/* From an operation along what it waits for on its own rank, to the collective or transfer behind that. */
op_id waits_root(const struct waits *waits, op_id id);
/* The ranks that a collective or transfer waits for: not there, or there and not ready. */
void waits_absent(const struct waits *waits, op_id id, struct ranks *absent);

/* While a device is waited for: the operation that it hangs on, by the times that are final, and of whichever rank; 0: there is
 * none. Needs no waits_make. */
op_id waits_now(const struct world *world, struct backend *backend);

/* Appends the name of the operation, as op_label. Of messages that `together` fuses it names the first whose peer is not ready, with
 * rank >= 0 the first to or from that rank: "recv b" */
void waits_label(const struct waits *waits, op_id id, int rank, struct text *out);
/* "a circle: rank 0 (send a) waits for rank 1 (send b) waits for rank 0" */
void waits_put_circle(const struct waits *waits, struct text *out);
/* What was found, worded: ST_STUCK with what cannot be mended, else ST_WAITS with the missing lines. */
enum status waits_refusal(const struct waits *waits);

#endif
