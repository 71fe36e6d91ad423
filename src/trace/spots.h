/* spots.h -- the cursor's place on a timeline, and its moves
 *
 *   host     ll|ssssssssssssssssss|        a spot is an operation on a lane, or a wait before one
 *   io       |=== copy x ===|
 *   compute  eeeeeeeeeeeeeee|== matmul y ==|
 *            ^ a wait: beside it, on the right, is matmul y; it is blamed on copy x
 *
 * A move returns false and leaves the spot unchanged if there is nowhere to go. */
#ifndef RANKSH_TRACE_SPOTS_H
#define RANKSH_TRACE_SPOTS_H

#include "trace/trace.h"

struct critical;
struct critical_piece;
struct spot {
	int rank, stream;
	/* WORK: an operation; HOST: its launch; STALL: a wait before it, or of the host */
	struct span span;
};

/* Moves to the operation or host activity of that lane nearest to a time. */
bool spot_near(const struct trace *trace, int rank, int stream, int64_t time, struct spot *spot);
/* Moves to the operation on its lane; for a record or wait, to the next work in its stream. */
bool spot_of(const struct trace *trace, op_id id, struct spot *spot);
/* Moves to the next operation of the lane (step > 0), or to the previous one. */
bool spot_beside(const struct trace *trace, int step, struct spot *spot);
/* Moves to the lane's next wait of `least` ns or more (step > 0), or to the previous one. */
bool spot_stall(const struct trace *trace, int step, int64_t least, struct spot *spot);
/* Moves to the operation or host activity blamed for the wait, or for the longest wait before the
 * operation; without a wait, to the operation `with` of trace_shared. */
bool spot_blamed(const struct trace *trace, struct spot *spot);
/* Moves to the next operation in time (step < 0: the previous one) with `text` in its label or
 * phase, ignoring case: on the rank, wrapping around, else on other ranks. */
bool spot_named(const struct trace *trace, int step, const char *text, struct spot *spot);
/* Moves from the current piece of the critical path to the next (step > 0) or the previous one,
 * from elsewhere to the nearest one that way; if `stands` is false, to the path's first piece, or
 * its last (step < 0). Returns NULL if there is no further one. */
const struct critical_piece *spot_on_path(
        const struct trace *trace, const struct critical *path, int step, bool stands, struct spot *spot);
/* Replaces `out` by the waits between the lane's previous work and the operation, and the
 * operation itself (WORK); for a host operation, by its spans. */
void spot_waits(const struct trace *trace, op_id id, struct spans *out);

/* ---- details.c: the view's words for the operation under its cursor */
/* Appends the operation's name and times, its waits (a line each) and its cost. */
void details_put(const struct trace *trace, const struct spot *spot, struct text *out);
/* The lanes that an operation waited for, and the ends of these waits. Released by
 * links_release */
struct links {
	struct wait_link {
		struct lane_place lane;
		int64_t until;
		char letter; /* of the cause */
	} * link;
	size_t count;
};
void links_find(const struct trace *trace, const struct spot *spot, struct links *links);
void links_release(struct links *links);

/* Stores how busy the streams are in each part of the window in level[0 .. parts-1]: 0 idle, 9
 * all. */
void trace_density(const struct trace *trace, struct window window, int parts, uint8_t *level);

#endif
