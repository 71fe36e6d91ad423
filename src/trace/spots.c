/* spots.c -- the cursor's moves over lanes, and along the critical path */
#include "trace/spots.h"
#include "base/memory.h"
#include "base/search.h"
#include "trace/lanes.h"
#include "trace/critical.h"

#include <string.h>

/* ---- a lane's items in order: a stream's operations by place, first[stream] .. first[stream + 1]
 * - 1; the host's spans ---- */

static struct span span_of(const struct moment *m)
{
	const struct times *t = &m->t;
	bool begins = t->start != TIME_UNKNOWN;
	int64_t since = t->ready != TIME_UNKNOWN ? t->ready
	        : t->issue != TIME_UNKNOWN       ? t->issue
	                                         : times_begin(m->kind, t);
	return (struct span){.kind = begins ? SPAN_WORK : SPAN_STALL,
	        .cause = begins ? CAUSE_DONE : CAUSE_PEER,
	        .from = begins ? t->start : since,
	        .to = t->end,
	        .op = m->id,
	        .projected = t->projected || t->divided,
	        .looks = m->looks};
}

static bool is_idle(const struct span *span)
{
	return span->kind == SPAN_HOST && span->cause == CAUSE_DONE;
}

/* Stores the first item from i on with work or activity. Returns false if there is none. */
static bool item_from(const struct lanes *lanes, int stream, int64_t i, int step, struct span *item)
{
	const struct moment *m = stream != STREAM_HOST ? lanes_work(lanes, stream, i, step) : NULL;
	if (m)
		*item = span_of(m);
	for (; stream == STREAM_HOST && i >= 0 && i < (int64_t)lanes->host.count; i += step) {
		*item = lanes->host.span[i];
		if (!is_idle(item))
			return true;
	}
	return m != NULL;
}

/* Returns the first item that ends after the time. */
static int64_t item_at(const struct lanes *lanes, int stream, int64_t time)
{
	size_t i;
	if (stream != STREAM_HOST)
		return lanes_after(lanes, stream, time);
	SEARCH(i, lanes->host.count, lanes->host.span[i].to > time);
	return (int64_t)i;
}

/* Returns the ns between an item and a time; 0 if the item is under way then. */
static int64_t distance(const struct span *item, int64_t time)
{
	return time < item->from ? item->from - time : time >= item->to ? time - item->to : 0;
}

/* Returns the operation beside a spot; to the right of a wait it is the waiting operation. */
static int64_t item_beside(const struct lanes *lanes, const struct spot *spot, int step)
{
	const struct moment *m = lanes_moment(lanes, spot->span.op);
	int64_t at = item_at(lanes, spot->stream, spot->span.from);
	if (spot->stream == STREAM_HOST)
		return at + step;
	if (!m || m->stream != spot->stream)
		return at - (step < 0);
	bool itself = spot->span.kind == SPAN_STALL && step > 0 && m->t.start != TIME_UNKNOWN;
	return (int64_t)m->place + (itself ? 0 : step);
}

/* ---- moves ---- */

/* Loads one rank's lanes without a budget, so it cannot fail. */
static struct lanes load_rank(const struct trace *trace, int rank)
{
	struct lanes lanes = {0};
	struct trace unhurried = *trace;
	unhurried.budget = NULL;
	lanes_load(&lanes, &unhurried, rank);
	lanes.trace = trace;
	return lanes;
}

static bool spot_set(struct spot *spot, int rank, int stream, const struct span *span)
{
	if (span)
		*spot = (struct spot){.rank = rank, .stream = stream, .span = *span};
	return span != NULL;
}

bool spot_near(const struct trace *trace, int rank, int stream, int64_t time, struct spot *spot)
{
	if (rank < 0 || rank >= trace->world->n || stream < 0 || stream > STREAMS_MAX)
		return false;
	struct lanes lanes = load_rank(trace, rank);
	int64_t at = item_at(&lanes, stream, time);
	struct span behind, before;
	bool after = item_from(&lanes, stream, at, 1, &behind),
	     earlier = item_from(&lanes, stream, at - 1, -1, &before);
	if (earlier && (!after || distance(&before, time) < distance(&behind, time)))
		behind = before;
	lanes_release(&lanes);
	return spot_set(spot, rank, stream, after || earlier ? &behind : NULL);
}

bool spot_of(const struct trace *trace, op_id id, struct spot *spot)
{
	if (id == 0 || id > trace->world->op_count)
		return false;
	const struct op *op = &trace->world->ops[id];
	struct lanes lanes = load_rank(trace, op->rank);
	int64_t at = op->stream == STREAM_HOST ? 0 : lanes_moment(&lanes, id)->place;
	struct span item;
	while (op->stream == STREAM_HOST && at < (int64_t)lanes.host.count &&
	        (lanes.host.span[at].op != id || is_idle(&lanes.host.span[at])))
		at++;
	bool found = item_from(&lanes, op->stream, at, 1, &item);
	lanes_release(&lanes);
	return spot_set(spot, op->rank, op->stream, found ? &item : NULL);
}

bool spot_beside(const struct trace *trace, int step, struct spot *spot)
{
	struct lanes lanes = load_rank(trace, spot->rank);
	struct span item;
	bool found = item_from(&lanes, spot->stream, item_beside(&lanes, spot, step), step, &item);
	lanes_release(&lanes);
	return spot_set(spot, spot->rank, spot->stream, found ? &item : NULL);
}

static void gap_of(const struct lanes *lanes, const struct moment *m, struct spans *out)
{
	const struct moment *before = lanes_work(lanes, m->stream, (int64_t)m->place - 1, -1);
	struct window window = {before ? before->t.end : 0, m->t.end, -1};
	lanes_spans(lanes, m->stream, window, out);
}

/* Returns the first wait from `from` on in the gap before m, or (step < 0) the last one over by
 * then. */
static const struct span *wait_in(const struct lanes *lanes, const struct moment *m, int step, int64_t least,
        int64_t from, struct spans *gap)
{
	const struct span *found = NULL;
	gap_of(lanes, m, gap);
	for (size_t i = 0; i < gap->count; i++) {
		const struct span *span = &gap->span[i];
		if (span_waits(span, least) && (step > 0 ? span->from >= from && !found : span->to <= from))
			found = span;
	}
	return found;
}

bool spot_stall(const struct trace *trace, int step, int64_t least, struct spot *spot)
{
	struct lanes lanes = load_rank(trace, spot->rank);
	struct spans gap = {0};
	int stream = spot->stream;
	bool found = false;
	int64_t from = step > 0 ? spot->span.to : spot->span.from,
	        at = item_at(&lanes, stream, spot->span.from);
	const struct moment *m = lanes_moment(&lanes, spot->span.op);
	if (stream == STREAM_HOST)
		for (at += step; at >= 0 && at < (int64_t)lanes.host.count && !found; at += step)
			found = span_waits(&lanes.host.span[at], least) &&
			        spot_set(spot, spot->rank, stream, &lanes.host.span[at]);
	else
		for (m = lanes_work(&lanes, stream, m && m->stream == stream ? m->place : at, step);
		        m && !found; m = lanes_work(&lanes, stream, (int64_t)m->place + step, step))
			found = spot_set(
			        spot, spot->rank, stream, wait_in(&lanes, m, step, least, from, &gap));
	spans_release(&gap);
	lanes_release(&lanes);
	return found;
}

void spot_waits(const struct trace *trace, op_id id, struct spans *out)
{
	struct lanes lanes = load_rank(trace, trace->world->ops[id].rank);
	const struct moment *m = lanes_moment(&lanes, id);
	out->count = 0;
	if (m && trace_is_work((enum op_kind)m->kind))
		gap_of(&lanes, m, out);
	else if (m)
		for (size_t i = 0; i < lanes.host.count; i++)
			if (lanes.host.span[i].op == id && !is_idle(&lanes.host.span[i]))
				spans_add(out, lanes.host.span[i]);
	lanes_release(&lanes);
}

bool spot_blamed(const struct trace *trace, struct spot *spot)
{
	struct spans waits = {0};
	struct span longest = spot->span;
	bool found = false;
	if (spot->span.kind != SPAN_STALL) {
		longest.to = longest.from;
		spot_waits(trace, spot->span.op, &waits);
		for (size_t i = 0; i < waits.count; i++)
			if (span_waits(&waits.span[i], longest.to - longest.from + 1))
				longest = waits.span[i];
	}
	if (longest.to == longest.from) {
		op_id with;
		found = trace_shared(trace, spot->span.op, &with) && with != spot->span.op &&
		        spot_of(trace, with, spot);
	} else if (spot->stream != STREAM_HOST && longest.cause <= CAUSE_MEMORY) {
		/* the host's activity at the end of the wait, which released it */
		found = spot_near(trace, spot->rank, STREAM_HOST, longest.to - 1, spot);
	} else {
		found = longest.blame && longest.blame != longest.op && spot_of(trace, longest.blame, spot);
	}
	spans_release(&waits);
	return found;
}

struct name_search {
	const struct world *world;
	const char *text;
	uint8_t *known; /* by record: 0 unknown, 1 does not match, 2 matches */
	struct text label;
};

static bool name_matches(struct name_search *s, op_id id)
{
	const struct record *record = op_record(s->world, id);
	uint8_t *known = &s->known[s->world->ops[id].record];
	if (!*known) {
		text_clear(&s->label);
		op_label(s->world, id, &s->label);
		if (record->phase)
			text_add(&s->label, " %s", names_text(s->world->names, record->phase));
		*known = strcasestr(text_string(&s->label), s->text) ? 2 : 1;
	}
	return *known == 2;
}

static int64_t spot_order(const struct spot *a, const struct spot *b)
{
	if (a->span.from != b->span.from)
		return a->span.from < b->span.from ? -1 : 1;
	return a->stream != b->stream ? a->stream - b->stream : (int64_t)a->span.op - (int64_t)b->span.op;
}

/* Moves to the rank's nearest match after the spot (step < 0: before it); if there is none, to its
 * first (last) one. */
static bool named_of(struct name_search *s, const struct trace *trace, int rank, int step, struct spot *spot)
{
	struct lanes lanes = load_rank(trace, rank);
	struct spot at = *spot, next = {.rank = -1}, end = {.rank = -1};
	for (size_t i = 0; i < lanes.count; i++) {
		const struct moment *m = &lanes.moment[i];
		struct spot here = {.rank = rank, .stream = m->stream, .span = span_of(m)};
		bool shown = trace_is_work((enum op_kind)m->kind) || m->kind == OP_HOST ||
		        m->kind == OP_SYNC || m->kind == OP_SEGMENT;
		if (!shown || !name_matches(s, m->id))
			continue;
		if (end.rank < 0 || spot_order(&here, &end) * step < 0)
			end = here;
		if (spot_order(&here, &at) * step > 0 &&
		        (next.rank < 0 || spot_order(&here, &next) * step < 0))
			next = here;
	}
	lanes_release(&lanes);
	if (end.rank >= 0)
		*spot = next.rank >= 0 && rank == at.rank ? next : end;
	return end.rank >= 0;
}

bool spot_named(const struct trace *trace, int step, const char *text, struct spot *spot)
{
	const struct world *world = trace->world;
	struct name_search s = {.world = world, .text = text, .known = mem_alloc(world->record_count + 1)};
	int from = spot->rank;
	bool found = false;
	for (int i = 0; i < world->n && !found; i++)
		found = named_of(&s, trace, (from + i) % world->n, step, spot);
	mem_free(s.known);
	text_release(&s.label);
	return found;
}

/* ---- along the critical path ---- */

/* A piece as a spot: launches and host activity on the host's lane, work on its own. Returns false
 * if it has none. */
static bool spot_of_piece(const struct trace *trace, const struct critical_piece *piece, struct spot *spot)
{
	const struct op *op = &trace->world->ops[piece->op];
	struct spot there = {.rank = op->rank, .stream = STREAM_HOST};
	/* these are part of a neighbour's span */
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
