/* sets.h -- private to trace/: the rows of a timeline. Ranks with equal spans in the window make
 * one set, drawn once.
 *
 *      set 0  ranks 0-2   lanes host default io      rows 0 1 2
 *      set 1  rank 3      lanes host default         rows 3 4          rows = 5 */
#ifndef RANKSH_TRACE_SETS_H
#define RANKSH_TRACE_SETS_H

#include "trace/lanes.h"
#include "base/ranks.h"

/* A set of equal ranks, its first rank, and that rank's lanes with anything to show: lane[0 ..
 * lanes-1] are stream numbers. hash covers the lanes only. The ranks of a set have equal hashes,
 * and spans that match the first rank's (matches_set). */
struct alike {
	uint64_t hash;
	struct ranks ranks;
	int first, lanes;
	uint8_t lane[STREAMS_MAX + 1];
	bool begun[STREAMS_MAX + 1]; /* the lane has worked before the window */
	bool on_path;                /* in a picture of the critical path: a rank by itself */
	/* the set's ranks wait on that lane for different ranks, such as their neighbours */
	bool whom[STREAMS_MAX + 1];
	/* of the first rank, by lane; NULL after the rows have taken them */
	struct spans *spans;
	/* if odd: distance from the nearest large set, ns: sum of spans_apart over the lanes */
	int64_t apart;
};
/* A row to be painted: lane set[alike].lane[lane]. begun: the lane has worked before the window */
struct shown_lane {
	size_t alike;
	int lane;
	struct spans spans;
	bool begun;
};
struct sets {
	struct alike *set;
	size_t count;
	int rows;
	struct shown_lane *shown; /* by row shown */
	size_t shown_count;
};
/* Finds the sets of options->ranks and the rows that the options show. Sets are sorted by their
 * first ranks; with more than 8 ranks, odd sets (ranks_odd) come first, those that differ most
 * before others. The caller zeroes `sets` before, and releases it in any case. */
enum status sets_find(const struct trace *trace, const struct timeline_options *options, struct window window,
        struct sets *sets);
void sets_release(struct sets *sets);
#endif
