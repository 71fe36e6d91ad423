/* lanes.c -- the lanes of one rank: its operations with their times, stream by stream, and its
 * host's activity */
#include "base/arithmetic.h"
#include "trace/lanes.h"
#include "base/memory.h"
#include "base/search.h"
#include "trace/trace.h"

#include <string.h>

void spans_release(struct spans *spans)
{
	mem_free(spans->span);
	*spans = (struct spans){0};
}

/* Loads the rank's i-th operation. Times of an aborted one are cut to its end, so ready <= start
 * <= end always holds. Until sort_by_stream, first[s + 1] counts the operations of stream s. */
static void moment_load(struct lanes *lanes, size_t i, op_id id)
{
	const struct world *world = lanes->trace->world;
	const struct op *op = &world->ops[id];
	const struct record *record = &world->records[op->record];
	struct moment *m = &lanes->moment[i];
	m->id = id;
	m->kind = record->kind;
	m->stream = op->stream;
	/* The multipliers are those in splitmix64 and xxHash; a collision only draws two ranks in one
	 * row. */
	uint64_t looks = ((uint64_t)(unsigned)record->title << 32 | (unsigned)record->object) *
	        UINT64_C(0x9e3779b97f4a7c15);
	looks = (looks ^ looks >> 29 ^ (uint64_t)(unsigned)record->phase << 8 ^
	                (unsigned char)record->colour) *
	        UINT64_C(0xc2b2ae3d27d4eb4f);
	m->looks = looks >> 32;
	lanes->trace->backend->times(lanes->trace->backend, id, &m->t);
	m->t.start = least_of(m->t.start, m->t.end); /* aborted before it was ready or started */
	m->t.ready = least_of(m->t.ready, m->t.start);
	m->issued = op->flags & OPF_ISSUED;
	lanes->last = most_of(lanes->last, times_last(&m->t));
	lanes->first[op->stream + 1]++;
}

static void sort_by_stream(struct lanes *lanes)
{
	uint32_t next[STREAMS_MAX + 2];

	lanes->blocking = false;
	for (int s = 0; s <= STREAMS_MAX; s++) {
		if (lanes->first[s + 1])
			lanes->streams = s + 1;
		if (lanes->first[s + 1] && s > STREAM_DEFAULT)
			lanes->blocking |= world_stream(lanes->trace->world, lanes->rank, s)->blocking;
		lanes->first[s + 1] += lanes->first[s];
	}
	memcpy(next, lanes->first, sizeof next);
	for (size_t i = 0; i < lanes->count; i++) {
		uint32_t place = next[lanes->moment[i].stream]++;
		lanes->moment[i].place = place;
		lanes->order[place] = i;
	}
}

const struct moment *lanes_moment(const struct lanes *lanes, op_id id)
{
	const struct op *op = id && id != OP_EVERYTHING ? &lanes->trace->world->ops[id] : NULL;
	size_t i = op ? op->number - 1 : 0;
	bool here = op && op->rank == lanes->rank && i < lanes->count && lanes->moment[i].id == id;
	return here ? &lanes->moment[i] : NULL;
}

uint32_t lanes_after(const struct lanes *lanes, int stream, int64_t time)
{
	uint32_t first = lanes->first[stream], skipped;
	SEARCH(skipped, lanes->first[stream + 1] - first, moment_at(lanes, first + skipped)->t.end > time);
	return first + skipped;
}

const struct moment *lanes_work(const struct lanes *lanes, int stream, int64_t place, int step)
{
	for (; place >= lanes->first[stream] && place < lanes->first[stream + 1]; place += step) {
		const struct moment *m = moment_at(lanes, (uint32_t)place);
		if (trace_is_work((enum op_kind)m->kind))
			return m;
	}
	return NULL;
}

/* Returns the operation that a `sync` or an allocation waits for; `m` itself if none was left. */
static op_id waited_for(const struct lanes *lanes, const struct moment *m)
{
	op_id target = lanes->trace->world->ops[m->id].target;
	if (target == OP_EVERYTHING) {
		const struct moment *last = lanes_last_done(lanes, m);
		target = last ? last->id : 0;
	}
	return target ? lanes_behind(lanes, target) : m->id;
}

static struct span host_part(const struct lanes *lanes, const struct moment *m)
{
	const struct times *t = &m->t;
	struct span span = {.kind = SPAN_HOST,
	        .cause = CAUSE_LAUNCH,
	        .op = m->id,
	        .projected = t->projected,
	        .looks = m->looks};

	switch (m->kind) {
	case OP_HOST:
		span.kind = SPAN_WORK;
		span.cause = CAUSE_HOST;
		break;
	case OP_SYNC:
		span.kind = SPAN_STALL;
		span.cause = CAUSE_SYNC;
		span.blame = waited_for(lanes, m);
		break;
	case OP_SEGMENT:
		span.kind = SPAN_STALL;
		span.cause = CAUSE_MEMORY;
		span.blame = m->id;
		break;
	case OP_FILL:
	case OP_CRASH:
		return span;
	default: /* the host is done at issue, long before the operation's end */
		span.from = times_begin(m->kind, t);
		span.to = t->issue == TIME_UNKNOWN ? span.from : t->issue;
		if (m->issued && !lanes->trace->backend->measures)
			span.projected = false;
		return span;
	}
	span.from = t->start;
	span.to = t->end;
	return span;
}

/* Freed memory can be returned only after the device's work on it. That part of the span is blamed
 * on the work. */
static void add_waiting(struct lanes *lanes, const struct moment *m, struct span *span)
{
	op_id behind = lanes->trace->world->ops[m->id].target ? waited_for(lanes, m) : 0;
	const struct moment *last = lanes_moment(lanes, behind);
	struct span waits = *span;
	if (!last || last->t.end <= span->from)
		return;
	waits.to = least_of(last->t.end, span->to);
	waits.blame = behind;
	spans_add(&lanes->host, waits);
	span->from = waits.to;
}

static void host_lane(struct lanes *lanes)
{
	struct span idle = {.kind = SPAN_HOST, .cause = CAUSE_DONE};

	lanes->host.count = 0;
	lanes->crash = 0;
	for (size_t i = 0; i < lanes->count && !lanes->crash; i++) {
		const struct moment *m = &lanes->moment[i];
		struct span span = host_part(lanes, m);
		if (m->kind == OP_CRASH)
			lanes->crash = m->id;
		if (span.from >= span.to)
			continue;
		idle.to = span.from;
		idle.op = span.op;
		idle.projected = span.projected;
		idle.looks = span.looks;
		spans_add(&lanes->host, idle);
		span.from = most_of(span.from, idle.from);
		if (m->kind == OP_SEGMENT)
			add_waiting(lanes, m, &span);
		spans_add(&lanes->host, span);
		idle.from = most_of(idle.from, span.to);
	}
	spans_add(&lanes->host,
	        (struct span){.kind = SPAN_HOST, .cause = CAUSE_DONE, .from = idle.from, .to = TIME_UNKNOWN});
}

static void lanes_prepare(struct lanes *lanes, const struct trace *trace, int rank)
{
	op_id last = trace->world->last[rank];
	lanes->trace = trace;
	lanes->rank = rank;
	lanes->streams = 1;
	lanes->last = 0;
	lanes->count = last ? trace->world->ops[last].number : 0;
	if (lanes->count > lanes->room) {
		lanes->moment = mem_resize(lanes->moment, lanes->count * sizeof *lanes->moment);
		lanes->order = mem_resize(lanes->order, lanes->count * sizeof *lanes->order);
		lanes->room = lanes->count;
	}
	memset(lanes->first, 0, sizeof lanes->first);
}

/* The budget is charged afterwards, so an interrupted query shows nothing of this rank. */
enum status lanes_load(struct lanes *lanes, const struct trace *trace, int rank)
{
	const struct world *world = trace->world;
	if (lanes->lent || trace->kept)
		lanes_release(lanes);
	if (trace->kept) {
		*lanes = *kept_rank(trace, rank);
		lanes->trace = trace;
		lanes->lent = true;
		return trace_step(trace, lanes->count);
	}
	lanes_prepare(lanes, trace, rank);
	size_t i = 0;
	for (op_id id = world->first[rank]; id && i < lanes->count; id = world->ops[id].next_program) {
		__builtin_prefetch(&world->ops[world->ops[id].next_program]);
		moment_load(lanes, i++, id);
	}
	lanes->count = i;
	sort_by_stream(lanes);
	host_lane(lanes);
	return trace_step(trace, lanes->count);
}

void lanes_load_all(struct lanes *lanes, const struct trace *trace)
{
	const struct world *world = trace->world;
	for (int rank = 0; rank < world->n; rank++)
		lanes_prepare(&lanes[rank], trace, rank);
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct op *soon = &world->ops[least_of(id + 8, world->op_count)];
		__builtin_prefetch(&lanes[soon->rank].moment[soon->number - 1], 1);
		moment_load(&lanes[world->ops[id].rank], world->ops[id].number - 1, id);
	}
	for (int rank = 0; rank < world->n; rank++) {
		sort_by_stream(&lanes[rank]);
		host_lane(&lanes[rank]);
	}
}

void lanes_release(struct lanes *lanes)
{
	if (!lanes->lent) {
		mem_free(lanes->moment);
		mem_free(lanes->order);
		spans_release(&lanes->host);
	}
	*lanes = (struct lanes){0};
}

const struct lanes *kept_rank(const struct trace *trace, int rank)
{
	struct kept_lanes *kept = trace->kept;
	struct trace loading = *trace;
	if (!kept->lanes) {
		kept->ranks = trace->world->n;
		kept->lanes = mem_alloc((size_t)kept->ranks * sizeof *kept->lanes);
		loading.kept = NULL;
		loading.budget = NULL; /* borrowers are charged in lanes_load */
		lanes_load_all(kept->lanes, &loading);
		for (int i = 0; i < kept->ranks; i++)
			kept->lanes[i].trace = NULL; /* `loading` ends here */
	}
	return &kept->lanes[rank];
}

void kept_forget(struct kept_lanes *kept)
{
	for (int rank = 0; rank < kept->ranks; rank++)
		lanes_release(&kept->lanes[rank]);
	mem_free(kept->lanes);
	*kept = (struct kept_lanes){0};
}

/* Returns a record's or wait's last dependency: its target, its stream's holder, or the operation
 * before it; 0 if its own issue was later. Measured ends always come a little after those of
 * dependencies. */
static op_id held_by(const struct lanes *lanes, const struct moment *m)
{
	op_id target = m->kind == OP_WAIT ? lanes->trace->world->ops[m->id].target : 0;
	const struct moment *held[] = {
	        lanes_moment(lanes, target),
	        lanes_held_back(lanes, m),
	        lanes_moment(lanes, m->t.blame),
	        m->place > lanes->first[m->stream] ? moment_at(lanes, m->place - 1) : NULL,
	};
	const struct moment *last = NULL;
	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		if (held[i] && held[i]->id < m->id && (!last || held[i]->t.end > last->t.end))
			last = held[i];
	bool late = last && last->t.end < m->t.end && !lanes->trace->backend->measures;
	return last && !late ? last->id : 0;
}

op_id lanes_behind(const struct lanes *lanes, op_id id)
{
	const struct moment *m;
	op_id held;
	while ((m = lanes_moment(lanes, id)) != NULL && (m->kind == OP_RECORD || m->kind == OP_WAIT) &&
	        (held = held_by(lanes, m)) != 0)
		id = held;
	return id;
}
