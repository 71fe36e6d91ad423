/* why.h -- from a wait to its root: blame followed across ranks, in sentences
 *
 *   why z@1
 *   matmul z on rank 1 (line 5, compute) waited 3.50 ms for allreduce y on rank 1 (line 4)
 *     allreduce y on rank 1 waited 2.00 ms of that for rank 2, the last to arrive
 *       matmul y on rank 2 (line 3) ran 2.00 ms of that: 4.00 ms alone, 2.00 ms without `slow 2x`
 *   root: `@2 slow 2x` (line 2)
 *
 * A link of the chain is a wait within a stretch of time. The next link is the activity that takes
 * most of that stretch on the lane of the operation to blame. */
#ifndef RANKSH_TRACE_WHY_H
#define RANKSH_TRACE_WHY_H

#include "base/ranks.h"
#include "trace/trace.h"

/* X(symbol, the world without this root), as a replay computes it */
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
	struct ranks ranks; /* `rank`, and those that tie with it */
	/* ids in ascending order, those of `rank` first. MISSING: the operation that waits, or the
	 * crash; SLOW: the slowed kernels in the chain */
	op_id *op;
	size_t count;
	/* LONGER: the operation's time on other ranks; HELD, LAUNCH ...: its part of the
	 * stretch */
	int64_t ns;
	struct text text; /* "`@2 slow 2x` (line 2)" */
};
/* What a question is about. OP: the operation of `op` that waited longest. STREAM: the longest
 * wait within `section` (-1: any) in the streams named `stream` of `ranks`. RANK: the same in all
 * streams of `ranks`. TIME: the state of a rank at `time` */
enum why_of { WHY_OP, WHY_STREAM, WHY_RANK, WHY_TIME };
struct why_question {
	enum why_of of;
	const op_id *op; /* WHY_OP: at most one a rank */
	size_t ops;
	const struct ranks *ranks; /* for the other three; WHY_TIME uses the first */
	name_id stream;
	int section;
	int64_t time;
};
struct why {
	struct text text; /* the chain, without roots */
	struct root *root;
	size_t roots; /* several if they tie; 0: nothing has waited */
};
/* Answers the question. The caller zeroes `why` before, and calls why_release also after a
 * failure. width: columns of the text. */
enum status trace_why(
        const struct trace *trace, const struct why_question *question, int width, struct why *why);
/* Appends "root: ...", one line a root, at most a few. */
void why_put_roots(const struct why *why, struct text *out);
/* Stores how operations change without the roots, by id, and the ranks whose kernels then take 1x.
 * Returns the number of operations. The caller frees *op with mem_free. */
size_t why_without(const struct why *why, struct op_otherwise **op, struct ranks *slowed);
void why_release(struct why *why);
/* Appends the operation's line, "line 12" or "lab/ddp.rsh:31"; nothing if it has none. */
void trace_put_line(const struct trace *trace, op_id id, struct text *out);
/* The same in parentheses, " (line 12)". */
void trace_put_line_behind(const struct trace *trace, op_id id, struct text *out);

#endif
