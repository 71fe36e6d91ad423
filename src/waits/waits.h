/* waits.h -- the wait-for graph of operations that would never end without further lines
 *
 * It shows which line is missing (sim/) and whether ranks are stuck (trace/). races/ uses search.h
 * with other edges to find whether an operation can take place.
 *
 * Nodes are operations without an end in the backend's projection; edges lead to their
 * dependencies:
 *
 *     rank 0   sync ---> allreduce y (head of its stream) ---> rank 1's allreduce y, not issued
 *     rank 1   print x (blocks the host) <----------------------------'
 *                '---> recv x ---> rank 2: no line                 a line on rank 2 resolves it
 *
 * A chain ends at a line that a rank was not given. No line can resolve a mismatch, a crashed rank
 * or a circle. An operation waits until all its edges are resolved.
 *
 * May call: a backend (times, through its struct) world/ base/. */
#ifndef RANKSH_WAITS_H
#define RANKSH_WAITS_H

#include "backend/backend.h"
#include "base/ranks.h"
#include "waits/search.h"

/* Rank `rank` has not been given the line that `op` waits for. */
struct missing_line {
	op_id op;
	int rank;
};

struct rank_waits {
	op_id blocked; /* operation that blocks its host, or 0 */
	op_id last;    /* last finished operation in program order, except tensors */
	op_id first;   /* first unfinished operation in program order, or 0 */
	bool crashed;
};

struct waits {
	const struct world *world;
	struct backend *backend;
	/* by op: first unfinished operation of its stream; 0: this one is finished */
	op_id *head;
	op_id *turn; /* by op: first unfinished collective of its group on its rank, or 0 */
	struct rank_waits *rank;
	/* results: wait_follow(&search, id) adds those of all dependencies of `id`; search.cycle
	 * is the first circle */
	struct wait_search search;
	op_id mismatch;            /* first operation of a mismatch, or 0 */
	struct missing_line crash; /* first wait for a crashed rank; op 0: none */
	struct missing_line *missing;
	size_t missing_count;
};

/* Reads the times of all operations. Released by waits_release. */
void waits_make(struct waits *waits, const struct world *world, struct backend *backend);
void waits_release(struct waits *waits);
/* Clears the results. */
void waits_forget(struct waits *waits);
static inline bool waits_finished(const struct waits *waits, op_id id)
{
	return !waits->head[id];
}
static inline bool waits_stuck(const struct waits *waits) /* no line can resolve it */
{
	return waits->search.cycle_count || waits->mismatch || waits->crash.op;
}
/* Follows an operation's waits on its own rank; returns the last operation, normally a collective
 * or transfer. */
op_id waits_root(const struct waits *waits, op_id id);
/* Stores the ranks that a collective or transfer waits for: missing or not ready. */
void waits_absent(const struct waits *waits, op_id id, struct ranks *absent);

/* While the hosts wait for a device: returns the operation on any rank that they depend on, by
 * final times alone; 0 if none. */
op_id waits_now(const struct world *world, struct backend *backend);

/* Appends the operation's name like op_label; for fused messages, that of the first message whose
 * peer is not ready ("recv b"). rank: considers only messages to or from this rank; -1: all */
void waits_label(const struct waits *waits, op_id id, int rank, struct text *out);
/* Appends "a circle: rank 0 (send a) waits for rank 1 (send b) waits for rank 0". */
void waits_put_circle(const struct waits *waits, struct text *out);
/* Fails with ST_STUCK if no line can resolve it, else with ST_WAITS and the missing lines. */
enum status waits_refusal(const struct waits *waits);

#endif
