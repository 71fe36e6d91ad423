/* spots_path.c -- the cursor along the critical path */
#include "trace/critical.h"
#include "trace/lanes.h"
#include "trace/spots.h"

/* A piece as a spot: launches and host activity on the host's lane, work on its own. Returns false
 * if it has none. */
static bool spot_of_piece(const struct trace *trace, const struct critical_piece *piece, struct spot *spot)
{
	const struct op *op = &trace->world->ops[piece->op];
	struct spot there = {.rank = op->rank, .stream = STREAM_HOST};
	/* part of its neighbour */
	if (piece->kind == CRITICAL_IDLE || piece->kind == CRITICAL_SHARING)
		return false;
	bool host = piece->kind == CRITICAL_LAUNCH || piece->kind == CRITICAL_MEMORY ||
	        (piece->kind == CRITICAL_HOST && !trace_on_host(trace->world, piece->op));
	if (!host)
		return spot_of(trace, piece->op, spot);
	if (trace_span_at(trace, op->rank, STREAM_HOST, piece->from, &there.span) != ST_OK ||
	        there.span.op != piece->op)
		return false;
	*spot = there;
	return true;
}

const struct critical_piece *spot_on_path(
        const struct trace *trace, const struct critical *path, int step, bool stands, struct spot *spot)
{
	const struct spot from = *spot;
	size_t i = !stands && step < 0 ? path->count : 0;
	struct spot at;
	while (stands && i < path->count && path->piece[i].from < from.span.from)
		i++;
	/* skip the current piece */
	for (size_t k = i; stands && step > 0 && k < path->count && path->piece[k].from < from.span.to; k++)
		if (spot_of_piece(trace, &path->piece[k], &at) && at.rank == from.rank &&
		        at.stream == from.stream && at.span.from == from.span.from)
			i = k + 1;
	while (step > 0 ? i < path->count : i > 0) {
		const struct critical_piece *piece = &path->piece[step > 0 ? i++ : --i];
		if (spot_of_piece(trace, piece, spot))
			return piece;
	}
	return NULL;
}
