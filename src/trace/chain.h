/* chain.h -- private to trace/: the chain of `why`, shared by chain.c, root.c, longest.c and
 * why.c. An umbrella header. */
#ifndef RANKSH_TRACE_CHAIN_H
#define RANKSH_TRACE_CHAIN_H

#include "trace/lanes.h"
#include "trace/sharing.h"
#include "trace/why.h"

/* A sum of spans of a lane in a stretch of time: the work of one operation, or the waits with one
 * cause and one operation to blame (launches, and idle hosts, are one sum whatever is to blame) */
struct bout {
	enum span_kind kind;
	enum cause cause;
	op_id op, blame;  /* of the first span */
	int64_t from, to; /* from the start of the first to the end of the last */
	int64_t ns;       /* of all of them */
};
struct bouts {
	struct bout *piece;
	size_t count;
};
struct chain {
	const struct trace *trace;
	struct why *why;
	int width;
	int quiet;            /* > 0: only roots are collected, no text */
	struct lanes **lanes; /* by rank; NULL: not loaded */
	struct spans spans;
	struct sharers sharing;
	struct {
		op_id op, blame;
	} * seen; /* links already followed */
	size_t seen_count;
	int64_t horizon; /* the last known time; TIME_UNKNOWN: not computed yet */
	enum status status;
};
void chain_release(struct chain *chain);

/* ---- chain.c */
/* Returns the rank's lanes; NULL if interrupted. */
const struct lanes *chain_lanes(struct chain *chain, int rank);
int64_t chain_horizon(struct chain *chain);
/* Replaces `pieces` by the lane's pieces in that window, in order of their starts; none if it was
 * idle. */
void chain_pieces(struct chain *chain, int rank, int stream, struct window window, struct bouts *pieces);
/* Returns the longest piece of that kind, the first of equals; NULL if none. */
const struct bout *pieces_longest(const struct bouts *pieces, enum span_kind kind);
/* Follows a wait of that lane to its root. begun: the sentence so far, before "for allreduce
 * y". */
void chain_follow(
        struct chain *chain, int rank, int stream, const struct bout *wait, struct text *begun, int depth);
/* An operation that took `ns`, the longest of `count` that took `work` together */
struct in_the_way {
	int64_t ns, work;
	int count;
	bool of_that; /* the time is part of a wait */
	int64_t from; /* the time counts from here on; 0: from the operation's start */
};
/* Ends the chain at that work, or follows the partner if one came late. */
void chain_work(struct chain *chain, op_id id, const struct in_the_way *of, int depth);
/* Appends a wrapped line of the answer, indented by depth. Releases the words. */
void chain_say(struct chain *chain, struct text *words, int depth);
/* Appends "matmul y on rank 2 (line 9)". */
void chain_put_op(const struct chain *chain, op_id id, struct text *out);
/* Appends `words` and then the operation. */
void chain_put_with(const struct chain *chain, const char *words, op_id id, struct text *out);

/* ---- longest.c: the operation that waited longest */
/* Returns the one of the question's operations that waited longest; the first of equals. */
op_id longest_of_ops(struct chain *chain, const struct why_question *question);
struct wait {
	op_id op; /* 0: none */
	int64_t ns;
	bool idle; /* before it the rank ran no kernel for that time */
};
/* Returns the operation that waited longest on the question's streams; for WHY_RANK, the operation
 * after the longest time without a kernel. */
struct wait longest_of_lanes(struct chain *chain, const struct why_question *question);

/* ---- root.c */
/* Returns the kind of root for work that delayed the wait by `ns`. *elsewhere: for LONGER, its
 * time on other ranks */
enum root_kind root_of_work(struct chain *chain, op_id id, int64_t ns, int64_t *elsewhere);
/* Adds the operation, unless it is there already: for SLOW and LAUNCH to the root of that kind and
 * rank, else as a root of its own. ns: for LONGER, its time on other ranks; for others, added to
 * root.ns */
void root_add(struct chain *chain, enum root_kind kind, int rank, op_id id, int64_t ns);
/* Writes the text of all roots, after the last chain. */
void roots_word(struct chain *chain);

/* Adds to each root the ranks that cause the same delay. */
void roots_tie(struct chain *chain);

#endif
