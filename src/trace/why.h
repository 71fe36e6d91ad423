/* why.h -- from a wait to its root: blame followed to blame, across ranks, in sentences
 *
 *      why z@1
 *      matmul z on rank 1 (line 5, compute) waited 3.50 ms for allreduce y (line 4)
 *        allreduce y on rank 1 waited 2.00 ms of that for rank 2, the last to reach it
 *          matmul y on rank 2 (line 3) ran 2.00 ms of that: 4.00 ms, 2.00 without `slow 2x` (line 2)
 *      root: `slow 2x` on rank 2 (line 2)
 *
 * A link of the chain is a wait within a stretch of time: what the operation to blame did in that stretch is looked at, and
 * whatever took most of it is the next link. So each stretch lies within the one before it; and no operation is met twice. */
#ifndef RANKSH_TRACE_WHY_H
#define RANKSH_TRACE_WHY_H

#include "base/ranks.h"
#include "trace/trace.h"

/* What takes a root away: that is what a replay does, and says what it saves.
 * X(symbol, what the world is without it) */
#define ROOTS(X)                                                                        \
	X(SLOW, "kernels of `rank` take 1x from its first operation on")                \
	X(HOST, "the host's work takes no time")                                        \
	X(LAUNCH, "the operations take no launch")                                      \
	X(MEMORY, "getting memory takes no time")                                       \
	X(HELD, "the operation does not hold its host (sync, print, a pageable copy)")  \
	X(SHARED, "the operation has its device and its links alone")                   \
	X(LONGER, "the operation takes `ns`, as long as those of its line elsewhere")   \
	X(WORK, "the operation takes no time")                                          \
	X(CIRCLE, "ranks wait for each other: there is nothing to take away")           \
	X(MISMATCH, "members bring what does not match: there is nothing to take away") \
	X(MISSING, "a line has not been given yet: there is nothing to take away here")
enum root_kind {
#define X(symbol, without) ROOT_##symbol,
	ROOTS(X)
#undef X
	        ROOT_COUNT
};
struct root {
	enum root_kind kind;
	int rank;
	struct ranks ranks; /* those on which it ties, `rank` among them */
	op_id *op; /* of `rank` ascending, then of the others; of MISSING what waits. Of SLOW the rank's that was met, which the same `slow` made slow */
	size_t count;
	int64_t ns; /* LONGER: what it takes elsewhere. HELD, LAUNCH ...: how much of the stretch it took */
	struct text text; /* "`slow 2x` on rank 2 (line 2)" */
};
/* What is asked for: of these operations the one that waited longest; of these ranks' streams by that name, or of these
 * ranks, the longest wait (in the section, -1: ever); what a rank stood for at a time. */
enum why_of { WHY_OP, WHY_STREAM, WHY_RANK, WHY_TIME };
struct why_question {
	enum why_of of;
	const op_id *op; /* WHY_OP: one a rank at most */
	size_t ops;
	const struct ranks *ranks; /* the others */
	name_id stream;
	int section;
	int64_t time;
};
struct why {
	struct text text; /* the chain; without the roots */
	struct root *root;
	size_t roots; /* several that tie; 0: nothing has waited, or there is nothing */
};
/* ST_INTERRUPTED. width: columns of the text. why: zeroed; released by why_release in any case */
enum status trace_why(
        const struct trace *trace, const struct why_question *question, int width, struct why *why);
/* "root: ...", one line a root, no more than a few */
void why_put_roots(const struct why *why, struct text *out);
/* What operations are without all of the roots, by id, for mem_free; slowed: ranks whose kernels take 1x then */
size_t why_without(const struct why *why, struct op_otherwise **op, struct ranks *slowed);
void why_release(struct why *why);
/* "line 12", "lab/ddp.rsh:31": where the operation was asked for; "": nobody typed it */
void trace_put_line(const struct trace *trace, op_id id, struct text *out);
/* The same behind the operation: " (line 12)" */
void trace_put_line_behind(const struct trace *trace, op_id id, struct text *out);

#endif
