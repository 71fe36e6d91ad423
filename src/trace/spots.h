/* spots.h -- where a cursor stands on a timeline, and where it may go from there
 *
 *      host     ll|ssssssssssssssssss|        a spot is an operation on a lane, or a wait before one
 *      io       |=== copy x ===|
 *      compute  eeeeeeeeeeeeeee|== matmul y ==|
 *               ^ a wait: beside it, on the right, stands matmul y; it is blamed on copy x
 *
 * A rank's operations are loaded for each question, unless trace.kept has them. All answers are false, and leave the spot as it was,
 * where there is nothing to go to. */
#ifndef RANKSH_TRACE_SPOTS_H
#define RANKSH_TRACE_SPOTS_H

#include "trace/trace.h"

struct critical;
struct critical_piece;
struct spot {
	int rank, stream;
	struct span span; /* WORK: an operation; HOST: its launch; STALL: a wait before it, or the host's */
};

/* What lies on that lane at a time, or nearest to it: an operation or the host's doing */
bool spot_near(const struct trace *trace, int rank, int stream, int64_t time, struct spot *spot);
/* The operation itself, on its own lane; of a record or wait, what is queued behind it */
bool spot_of(const struct trace *trace, op_id id, struct spot *spot);
/* The next operation of the lane (step > 0), or the one before it */
bool spot_beside(const struct trace *trace, int step, struct spot *spot);
/* The next wait of the lane that is `least` ns or longer, or the one before it */
bool spot_stall(const struct trace *trace, int step, int64_t least, struct spot *spot);
/* Whom the wait, or the longest one before the operation, is blamed on; of work that lost time by sharing, whom it shared
 * with. */
bool spot_blamed(const struct trace *trace, struct spot *spot);
/* The next in time whose label or phase has `text` in it (small letters and capitals alike): on the rank, after the last of it
 * from its first on, and on other ranks where it has none */
bool spot_named(const struct trace *trace, int step, const char *text, struct spot *spot);
/* From the piece of the critical path on which the spot stands to the one beside it (step > 0: later); from elsewhere to the
 * nearest in time; stands false: to its end, or its beginning. NULL: there is none further, and the spot is as it was. */
const struct critical_piece *spot_on_path(
        const struct trace *trace, const struct critical *path, int step, bool stands, struct spot *spot);
/* What stands before an operation on its lane, and it: the waits since the work before it, then WORK, replacing what `out`
 * held. */
void spot_waits(const struct trace *trace, op_id id, struct spans *out);

/* How busy streams are from .. to, in so many parts: 0 none works, 9 all that ever do; replacing what `level` held */
void trace_density(const struct trace *trace, struct window window, int parts, uint8_t *level);

#endif
