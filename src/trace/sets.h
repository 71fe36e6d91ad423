/* sets.h -- private to trace/: the rows of a timeline. Ranks whose spans in the window are alike make one
 * set, drawn once: of 512 ranks of a data-parallel run that is one set, and the picture fits on a screen.
 *
 *      set 0  ranks 0-2   lanes host default io      rows 0 1 2
 *      set 1  rank 3      lanes host default         rows 3 4          rows = 5 */
#ifndef RANKSH_TRACE_SETS_H
#define RANKSH_TRACE_SETS_H

#include "trace/lanes.h"
#include "base/ranks.h"

/* Ranks that look alike, the first of them, and which of their lanes show anything: lane[0 .. lanes-1] are
 * stream numbers. hash: over the lanes alone; ranks of one set have it in common, and
 * spans that are alike (spans_alike) with those of the first of them. */
struct alike {
	uint64_t hash;
	struct ranks ranks;
	int first, lanes;
	uint8_t lane[STREAMS_MAX + 1];
	bool begun[STREAMS_MAX + 1]; /* the lane has worked before the window */
	bool on_path;                /* of a picture of the critical path: it is a rank by itself */
	bool whom[STREAMS_MAX + 1];  /* its ranks wait there for unlike ranks, each for its neighbour, say */
	struct spans *spans;         /* of the first, by lane; NULL once the rows have them */
	int64_t apart; /* of an odd one: from the nearest large set, ns: spans_apart of all lanes */
};
/* Nobody can see them apart in a picture of the window that is so many cells wide. *whom becomes true where they wait
 * somewhere, with one cause, for unlike ranks. */
bool spans_alike(const struct world *world, const struct spans *a, const struct spans *b,
        struct window window, int cells, bool *whom);
/* Time in which they show different work, or different causes */
int64_t spans_apart(const struct spans *a, const struct spans *b);
/* A shown lane until it is painted: set[alike].lane[lane]; begun: it has worked before the window */
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
/* The sets of options->ranks, with the rows that options show, in the order of their first ranks; of more than 8
 * ranks the set first that is odd (ranks_odd) and differs for the longest time. A zeroed
 * struct is an empty one, to be released in any case.
 * ST_INTERRUPTED: a long look was ended. */
enum status sets_find(const struct trace *trace, const struct timeline_options *options, struct window window,
        struct sets *sets);
/* Among all rows; -1: the lane has none */
int sets_row_of(const struct sets *sets, int rank, int stream);
void sets_release(struct sets *sets);
#endif
