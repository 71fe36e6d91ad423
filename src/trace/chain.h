/* chain.h -- private to trace/: what `why` goes along, link by link. Shared by chain.c, ends.c, root.c, longest.c, why.c. An umbrella header: it
 * brings along what it includes. */
#ifndef RANKSH_TRACE_CHAIN_H
#define RANKSH_TRACE_CHAIN_H

#include "trace/lanes.h"
#include "trace/sharing.h"
#include "trace/why.h"

/* What a lane did, or waited for, in a stretch of time: all of its spans of that kind together */
struct bout {
	enum span_kind kind;
	enum cause cause;
	op_id op, blame;  /* of the first of them */
	int64_t from, to; /* of the first and the last of them */
	int64_t ns;       /* of them all */
};
struct bouts {
	struct bout *piece;
	size_t count;
};
struct chain {
	const struct trace *trace;
	struct why *why;
	int width;
	int quiet;            /* > 0: nothing is said, roots alone are looked for */
	struct lanes **lanes; /* by rank; NULL: not looked at yet */
	struct spans spans;
	struct sharers sharing;
	struct {
		op_id op, blame;
	} * seen; /* links that were gone along */
	size_t seen_count;
	int64_t horizon; /* the last time that is known; TIME_UNKNOWN: not asked for yet */
	enum status status;
};
void chain_release(struct chain *chain);

/* ---- chain.c */
/* The rank's lanes; NULL: interrupted */
const struct lanes *chain_lanes(struct chain *chain, int rank);
int64_t chain_horizon(struct chain *chain);
/* What the lane did in that time, in the order of the beginnings; nothing where it had nothing to do. `pieces` is replaced. */
void chain_pieces(struct chain *chain, int rank, int stream, struct window window, struct bouts *pieces);
/* The longest one of that kind, the first of equals; NULL: there is none */
const struct bout *pieces_longest(const struct bouts *pieces, enum span_kind kind);
/* From a wait of that lane to its root. begun: what stands before "for allreduce y", the wait's words so far. */
void chain_follow(
        struct chain *chain, int rank, int stream, const struct bout *wait, struct text *begun, int depth);
/* Work in the way: that operation was for `ns`, the longest of `count` that were for `work`; of_that: of a wait; from: since then, 0:
 * since it began. It is the root, or a partner who came late to it is told of. */
struct in_the_way {
	int64_t ns, work;
	int count;
	bool of_that;
	int64_t from;
};
void chain_work(struct chain *chain, op_id id, const struct in_the_way *of, int depth);
/* A line of the answer, wrapped, as deep as its link. Releases it. */
void chain_say(struct chain *chain, struct text *words, int depth);
/* "matmul y on rank 2 (line 9)" */
void chain_put_op(const struct chain *chain, op_id id, struct text *out);
/* A sentence's beginning, and behind it the operation */
void chain_put_with(const struct chain *chain, const char *words, op_id id, struct text *out);

/* ---- ends.c */
/* Work is the root. */
void chain_end(struct chain *chain, op_id id, const struct in_the_way *of, int depth);
/* The host of the rank's stream that waits was at it: no stream's wait, and so a root. Its words go on. */
void chain_host_at(struct chain *chain, int rank, const struct bout *wait, struct text *words);

/* ---- longest.c: the operation that waited longest */
/* Of several, one a rank; or that held its host longest. The first of equals */
op_id longest_of_ops(struct chain *chain, const struct why_question *question);
struct wait {
	op_id op; /* 0: none */
	int64_t ns;
	bool idle; /* in that time before it the rank ran no kernel */
};
/* Of the ranks' streams by that name; of a rank what it stood before in the longest time in which it ran no kernel */
struct wait longest_of_lanes(struct chain *chain, const struct why_question *question);

/* ---- root.c */
/* What kind of root work is of which `ns` were in the way; *elsewhere: of LONGER, what it takes on other ranks */
enum root_kind root_of_work(struct chain *chain, op_id id, int64_t ns, int64_t *elsewhere);
/* It joins those of its kind and rank, or is one more. */
void root_add(struct chain *chain, enum root_kind kind, int rank, op_id id, int64_t ns);
/* Behind the end of all chains: their words */
void roots_word(struct chain *chain);

/* Other ranks join a root that keeps them back as long. */
void roots_tie(struct chain *chain);

#endif
