/* axes.c -- what each axis of a mesh costs a rank: operations, bytes by link, and time that is exposed
 *
 * A group belongs to an axis when each of its parts lies within one part of that: `group acts by 0 in pp` is
 * pp's, and its sends count there.
 *
 * Exposed is the time in which no kernel of the rank runs, and
 *     - an operation of the axis runs, or
 *     - a stream that has kernels is held up by one: it stands in that stream and waits for its peers or its link,
 *       or the stream waits for another one, in which at that moment such an operation runs or is held up.
 *
 *      compute  F |  e: waits for comm  | B         recv in pp runs behind allreduce in tp, on one stream:
 *      comm       p p p ===== tp ~~~~ pp            the wait is tp's as long as that waits (p) and runs (=), then pp's
 *
 * A receive that was posted early and waits in a stream of its own costs nothing as long as nobody waits for it.
 * What waits for two axes on two streams at once counts with both. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/search.h"
#include "trace/intervals.h"
#include "trace/lanes.h"

/* ---- groups ---- */

/* As the rank sees it, of whose part of the group all is in its part of the axis; of two such axes the smaller. */
int trace_axis_of(const struct world *world, int rank, int group)
{
	int axis = group, least = 0;
	if (world->groups[group].axis || world->groups[group].instance_of[rank] < 0)
		return group;
	const struct group_instance *part = group_part(&world->groups[group], rank);
	for (size_t i = 1; i < world->group_count; i++) {
		const struct group *other = &world->groups[i];
		if (!other->axis || other->instance_of[rank] < 0)
			continue;
		int k = 0, n = group_part(other, rank)->n;
		while (k < part->n && other->instance_of[part->ranks[k]] == other->instance_of[rank])
			k++;
		if (k == part->n && (!least || n < least)) {
			axis = (int)i;
			least = n;
		}
	}
	return axis;
}

/* By group: the operations that count with `axis`. mem_free */
static bool *groups_of(const struct world *world, int rank, int axis)
{
	bool *mine = mem_alloc(world->group_count * sizeof *mine);
	for (size_t i = 0; i < world->group_count; i++)
		mine[i] = (int)i == axis || trace_axis_of(world, rank, (int)i) == axis;
	return mine;
}

/* ---- exposed time ---- */

/* One rank, while its spans are asked whose they are */
struct exposure {
	const struct lanes *lanes;
	const struct spans *lane; /* by stream */
	const bool *mine;         /* by group */
	struct intervals set;
};

static bool is_mine(const struct exposure *e, op_id id)
{
	const struct record *record = id ? op_record(e->lanes->trace->world, id) : NULL;
	return record && trace_is_work(record->kind) && record->group >= 0 && e->mine[record->group];
}

/* Adds what of [from, to) the span stands for, if it is the axis'. A wait for another stream is what that one
 * does meanwhile; each stream is asked once on the way, so that waits in a circle end. */
static void add_span(
        struct exposure *e, const struct span *span, int64_t from, int64_t to, bool asked[STREAMS_MAX + 1])
{
	const struct op *behind = span->blame ? &e->lanes->trace->world->ops[span->blame] : NULL;
	bool stall = span->kind == SPAN_STALL, mine = is_mine(e, span->op);
	from = most_of(from, span->from);
	to = least_of(to, span->to);
	if (from >= to)
		return;
	if ((span->kind == SPAN_WORK && mine) ||
	        (stall && mine && (span->cause == CAUSE_PEER || span->cause == CAUSE_ENGINE)) ||
	        (stall && span->cause == CAUSE_BUBBLE && (mine || is_mine(e, span->blame))))
		intervals_add(&e->set, from, to);
	if (!stall || span->cause != CAUSE_EVENT || !behind || behind->rank != e->lanes->rank ||
	        asked[behind->stream])
		return;
	const struct spans *other = &e->lane[behind->stream];
	size_t i;
	SEARCH(i, other->count, other->span[i].to > from);
	asked[behind->stream] = true;
	for (; i < other->count && other->span[i].from < to; i++)
		add_span(e, &other->span[i], from, to, asked);
	asked[behind->stream] = false;
}

/* Of one stream in the section: work that is the axis', and, where the stream has kernels, what holds it up */
static void add_stream(struct exposure *e, int stream, int section, bool kernels)
{
	bool asked[STREAMS_MAX + 1] = {false};
	const struct spans *lane = &e->lane[stream];
	asked[stream] = true;
	for (size_t i = 0; i < lane->count; i++) {
		const struct span *span = &lane->span[i];
		if (span->op && trace_in(e->lanes->trace->world, span->op, section) &&
		        (kernels || span->kind == SPAN_WORK))
			add_span(e, span, span->from, span->to, asked);
	}
}

/* ---- one rank ---- */

/* A rank's lanes as spans, and when its kernels run */
struct picked {
	struct lanes lanes;
	struct spans lane[STREAMS_MAX + 1];
	bool kernels[STREAMS_MAX + 1];
	struct intervals busy;
};

static enum status load(struct picked *r, const struct trace *trace, int rank)
{
	struct window window = {.section = -1};
	enum status status = lanes_load(&r->lanes, trace, rank);
	for (size_t i = 0; i < r->lanes.count && status == ST_OK; i++) {
		const struct moment *m = &r->lanes.moment[i];
		if (m->t.end == TIME_UNKNOWN)
			continue;
		window.to = most_of(window.to, m->t.end);
		if (m->kind != OP_KERNEL || trace_on_host(trace->world, m->id))
			continue;
		r->kernels[m->stream] = true;
		intervals_add(&r->busy, m->t.start, m->t.end);
	}
	for (int stream = STREAM_DEFAULT; stream < r->lanes.streams && status == ST_OK; stream++)
		lanes_spans(&r->lanes, stream, window, &r->lane[stream]);
	intervals_join(&r->busy);
	return status;
}

static void unload(struct picked *r)
{
	for (int stream = 0; stream <= STREAMS_MAX; stream++)
		spans_release(&r->lane[stream]);
	intervals_release(&r->busy);
	lanes_release(&r->lanes);
}

static enum status of_axis(struct picked *r, int section, struct axis_use *use)
{
	const struct trace *trace = r->lanes.trace;
	int rank = r->lanes.rank;
	bool *mine = groups_of(trace->world, rank, use->axis);
	struct exposure e = {.lanes = &r->lanes, .lane = r->lane, .mine = mine};
	enum status status = ST_OK;
	use->operations = 0;
	for (size_t i = 0; i < r->lanes.count; i++) {
		const struct moment *m = &r->lanes.moment[i];
		if (!is_mine(&e, m->id) || !trace_in(trace->world, m->id, section))
			continue;
		use->operations++;
		if (m->t.end == TIME_UNKNOWN && status == ST_OK)
			status = trace_never_ends(trace, m->id);
	}
	for (int stream = STREAM_DEFAULT; stream < r->lanes.streams; stream++)
		add_stream(&e, stream, section, r->kernels[stream]);
	intervals_join(&e.set);
	use->exposed_ns = intervals_length(&e.set) - intervals_common(&e.set, &r->busy);
	trace->backend->sent(trace->backend, rank, section, mine, use->sent);
	intervals_release(&e.set);
	mem_free(mine);
	return status;
}

enum status metric_axes(const struct trace *trace, int section, int rank, struct axis_use *use, int count)
{
	struct picked *r = mem_alloc(sizeof *r);
	enum status status = load(r, trace, rank);
	for (int i = 0; i < count && (status == ST_OK || status == ST_WAITS); i++) {
		enum status own = of_axis(r, section, &use[i]);
		use[i].known = own == ST_OK;
		status = status == ST_OK ? own : status;
	}
	unload(r);
	mem_free(r);
	return status;
}

size_t trace_axes(const struct world *world, int rank, struct axis_use **use)
{
	size_t count = 0;
	*use = NULL;
	for (size_t i = 1; i < world->group_count; i++)
		if (world->groups[i].axis && world->groups[i].instance_of[rank] >= 0 &&
		        group_part(&world->groups[i], rank)->n > 1)
			*MEM_ADD(use, &count) = (struct axis_use){.axis = (int)i};
	return count;
}
