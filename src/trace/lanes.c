/* lanes.c -- the lanes of one rank: when each worked, and for every other instant the first cause that holds
 *
 *      stream   previous ░░░|  not issued  |  waits  |  peers  |  engine  |██ operation n ██
 *                          end          issue      ready     arrival    start            end
 *
 * The pieces between those five times are the causes of docs/time.md in their order; each may be empty. While n is not
 * issued the host's own lane says why. So causes and work add up to the window, whatever the times are. */
#include "trace/lanes.h"
#include "base/memory.h"

#include <string.h>

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

void spans_release(struct spans *spans)
{
	mem_free(spans->span);
	*spans = (struct spans){0};
}

/* The span behind the last one has been written: it counts, or joins the last. */
static inline void spans_take(struct spans *spans)
{
	const struct span *new = &spans->span[spans->count];
	struct span *last = spans->count ? &spans->span[spans->count - 1] : NULL;

	if (last && last->op == new->op && last->kind == new->kind && last->cause == new->cause && last->blame == new->blame
	    && last->projected == new->projected && last->to == new->from)
		last->to = new->to;
	else
		spans->count++;
}

enum status spans_add(struct spans *spans, struct span span)
{
	if (span.from >= span.to)
		return ST_OK;
	enum status status = MEM_GROW(&spans->span, spans->count, &spans->room);
	if (status != ST_OK)
		return status;
	spans->span[spans->count] = span;
	spans_take(spans);
	return ST_OK;
}

/* ---- loading ------------------------------------------------------------------------------------------------ */

static enum status make_room(struct lanes *lanes, size_t count)
{
	if (count <= lanes->room)
		return ST_OK;
	struct moment *moment = mem_resize(lanes->moment, count * sizeof *moment);
	if (!moment)
		return ST_MEMORY;
	lanes->moment = moment;
	uint32_t *order = mem_resize(lanes->order, count * sizeof *order);
	if (!order)
		return ST_MEMORY;
	lanes->order = order;
	lanes->room = count;
	return ST_OK;
}

static uint32_t looks_of(const struct record *record)
{
	uint64_t hash = ((uint64_t)(unsigned)record->title << 32 | (unsigned)record->object) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29 ^ (uint64_t)(unsigned)record->phase << 8 ^ (unsigned char)record->colour) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)(hash >> 32);
}

static void gather(struct lanes *lanes, size_t count)
{
	const struct world *world = lanes->trace->world;
	struct backend *backend = lanes->trace->backend;
	size_t i = 0;

	memset(lanes->first, 0, sizeof lanes->first);
	for (op_id id = world->first[lanes->rank]; id && i < count; id = world->ops[id].next_program, i++) {
		const struct op *op = &world->ops[id];
		const struct record *record = &world->records[op->record];
		struct moment *m = &lanes->moment[i];
		__builtin_prefetch(&world->ops[op->next_program]);
		m->id = id;
		m->kind = record->kind;
		m->stream = op->stream;
		m->looks = looks_of(record);
		backend->times(backend, id, &m->t);
		m->t.start = lesser(m->t.start, m->t.end);    /* aborted before it was ready or could start */
		m->t.ready = lesser(m->t.ready, m->t.start);
		m->begin = trace_begin(lanes->trace, id, &m->t);
		lanes->first[op->stream + 1]++;
	}
	lanes->count = i;
}

/* Counting sort by stream: a stream's order is that of the program. */
static void sort_by_stream(struct lanes *lanes)
{
	uint32_t next[STREAMS_MAX + 2];

	for (int s = 0; s <= STREAMS_MAX; s++) {
		if (lanes->first[s + 1])
			lanes->streams = s + 1;
		lanes->first[s + 1] += lanes->first[s];
	}
	memcpy(next, lanes->first, sizeof next);
	for (size_t i = 0; i < lanes->count; i++) {
		uint32_t place = next[lanes->moment[i].stream]++;
		lanes->moment[i].place = place;
		lanes->order[place] = (uint32_t)i;
	}
}

static const struct moment *moment_of(const struct lanes *lanes, op_id id)
{
	const struct op *op = &lanes->trace->world->ops[id];
	size_t i = op->number - 1;
	return op->rank == lanes->rank && i < lanes->count && lanes->moment[i].id == id ? &lanes->moment[i] : NULL;
}

static const struct moment *moment_at(const struct lanes *lanes, uint32_t place)
{
	return &lanes->moment[lanes->order[place]];
}

/* What the host does for one operation, as a span of its lane; empty for what costs it nothing. */
static struct span host_part(const struct lanes *lanes, const struct moment *m)
{
	const struct world *world = lanes->trace->world;
	const struct times *t = &m->t;
	struct span span = { .kind = SPAN_HOST, .cause = CAUSE_LAUNCH, .op = m->id, .projected = t->projected, .looks = m->looks };

	switch ((enum op_kind)m->kind) {
	case OP_HOST:
		span.kind = SPAN_WORK;
		span.cause = CAUSE_HOST;
		break;
	case OP_SYNC:
		span.kind = SPAN_STALL;
		span.cause = CAUSE_SYNC;
		op_id target = world->ops[m->id].target;
		span.blame = target && target != OP_EVERYTHING ? lanes_behind(lanes, target) : t->blame;
		break;
	case OP_SEGMENT:
		span.kind = SPAN_STALL;
		span.cause = CAUSE_MEMORY;
		break;
	case OP_FILL: case OP_CRASH:
		return span;
	default:
		span.from = m->begin;
		span.to = t->issue == TIME_UNKNOWN ? span.from : t->issue;
		return span;
	}
	span.from = t->start;
	span.to = t->end;
	return span;
}

/* Idle: the host has no program line to carry out. Kind SPAN_HOST, cause DONE; `op` is what it did next. */
static enum status host_lane(struct lanes *lanes)
{
	int64_t clock = 0;
	enum status status = ST_OK;

	lanes->host.count = 0;
	for (size_t i = 0; i < lanes->count && status == ST_OK; i++) {
		struct span span = host_part(lanes, &lanes->moment[i]);
		if (lanes->moment[i].kind == OP_CRASH)
			break;
		if (span.from >= span.to)
			continue;
		if (span.from > clock)
			status = spans_add(&lanes->host, (struct span){ .kind = SPAN_HOST, .cause = CAUSE_DONE,
				.from = clock, .to = span.from, .op = span.op, .projected = span.projected, .looks = span.looks });
		span.from = larger(span.from, clock);
		if (status == ST_OK)
			status = spans_add(&lanes->host, span);
		clock = larger(clock, span.to);
	}
	if (status == ST_OK)
		status = spans_add(&lanes->host, (struct span){ .kind = SPAN_HOST, .cause = CAUSE_DONE, .from = clock,
			.to = TIME_UNKNOWN });
	return status;
}

enum status lanes_load(struct lanes *lanes, const struct trace *trace, int rank)
{
	const struct world *world = trace->world;
	op_id last = world->last[rank];
	size_t count = last ? world->ops[last].number : 0;

	lanes->trace = trace;
	lanes->rank = rank;
	lanes->streams = 1;
	enum status status = make_room(lanes, count);
	if (status != ST_OK)
		return status;
	gather(lanes, count);
	sort_by_stream(lanes);
	status = host_lane(lanes);
	return status == ST_OK ? trace_step(trace, count) : status;
}

void lanes_release(struct lanes *lanes)
{
	mem_free(lanes->moment);
	mem_free(lanes->order);
	spans_release(&lanes->host);
	*lanes = (struct lanes){0};
}

op_id lanes_behind(const struct lanes *lanes, op_id id)
{
	const struct world *world = lanes->trace->world;

	for (const struct moment *m; (m = moment_of(lanes, id)) != NULL;) {
		enum op_kind kind = op_record(world, id)->kind;
		if (kind != OP_RECORD && kind != OP_WAIT)
			break;
		op_id target = kind == OP_WAIT ? world->ops[id].target : 0;
		const struct moment *waited = target && target != OP_EVERYTHING ? moment_of(lanes, target) : NULL;
		if (waited && waited->t.end >= m->t.end)
			id = target;
		else if (m->place > lanes->first[world->ops[id].stream])
			id = moment_at(lanes, m->place - 1)->id;
		else
			break;
	}
	return id;
}

/* ---- one lane of a window ----------------------------------------------------------------------------------- */

/* A lane while it is written: `at` is how far it has got; `host` is not behind the host's span at that time. */
struct writer { const struct lanes *lanes; struct spans *out; int64_t at, to; size_t host; enum status status; };

/* m: the operation that runs or is delayed; NULL: none. The span is written in its place: this is most of what a frame costs. */
static void put(struct writer *w, enum span_kind kind, enum cause cause, const struct moment *m, op_id blame, int64_t to)
{
	struct spans *out = w->out;

	to = lesser(to, w->to);
	if (to <= w->at || w->status != ST_OK)
		return;
	w->status = MEM_GROW(&out->span, out->count, &out->room);
	if (w->status != ST_OK)
		return;
	struct span *span = &out->span[out->count];
	span->kind = kind;
	span->cause = cause;
	span->from = w->at;
	span->to = to;
	span->op = m ? m->id : 0;
	span->blame = blame;
	span->projected = m && m->t.projected;
	span->looks = m ? m->looks : 0;
	spans_take(out);
	w->at = to;
}

static size_t host_span_at(const struct spans *host, int64_t at)
{
	size_t low = 0, high = host->count - 1;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (host->span[middle].to > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* n is not issued yet: what its host is doing */
static void put_unissued(struct writer *w, const struct moment *n, int64_t upto)
{
	const struct spans *host = &w->lanes->host;

	if (w->at >= upto)
		return;
	while (w->host + 1 < host->count && host->span[w->host].to <= w->at)
		w->host++;
	for (size_t i = w->host; i < host->count && w->at < lesser(upto, w->to); i++) {
		const struct span *does = &host->span[i];
		bool idle = does->kind == SPAN_HOST && does->cause == CAUSE_DONE;
		put(w, SPAN_STALL, idle ? CAUSE_HOST : does->cause, n, idle ? 0 : does->op, lesser(does->to, upto));
		if (w->status != ST_OK)
			return;
	}
}

static op_id sender_of(const struct world *world, op_id receive)
{
	const struct record *record = op_record(world, receive);
	for (int i = 0; i < record->parts; i++)
		if (record->part[i].direction == P2P_RECV && world->ops[receive].meet) {
			const struct meet *meet = &world->meets[world->part_meets[world->ops[receive].meet + (uint32_t)i]];
			return world->meet_ops[meet->first_op];
		}
	return 0;
}

/* Waiting for `behind`, before n: an event, or the bubble of a pipeline. */
static void put_event(struct writer *w, const struct moment *n, op_id behind, int64_t upto)
{
	const struct world *world = w->lanes->trace->world;
	enum cause cause = CAUSE_EVENT;

	if (w->at >= lesser(upto, w->to))
		return;
	op_id receive = trace_is_stage_receive(world, n->id) ? n->id : behind && trace_is_stage_receive(world, behind) ? behind : 0;
	if (receive) {
		op_id sender = sender_of(world, receive);
		cause = CAUSE_BUBBLE;
		behind = sender ? sender : receive;
	}
	put(w, SPAN_STALL, cause, n, behind, upto);
}

/* What keeps the engine busy before n: for a collective that all have reached, the one before it in its group. */
static op_id engine_of(const struct lanes *lanes, const struct moment *n)
{
	const struct world *world = lanes->trace->world;
	const struct op *op = &world->ops[n->id];
	const struct meet *meet = &world->meets[op->meet];

	if (op_record(world, n->id)->kind != OP_COLLECTIVE || !op->meet)
		return n->t.blame;
	for (size_t i = op->number - 1; i-- > 0;) {
		op_id id = lanes->moment[i].id;
		const struct meet *other = &world->meets[world->ops[id].meet];
		if (op_record(world, id)->kind == OP_COLLECTIVE && other->group == meet->group && other->instance == meet->instance)
			return id;
	}
	return 0;
}

/* The gap before n: order[i] .. order[n] are the records and waits since the last work, then n itself. */
static void put_gap(struct writer *w, uint32_t i, uint32_t n)
{
	const struct trace *trace = w->lanes->trace;
	const struct moment *m = moment_at(w->lanes, n);
	bool work = trace_is_work((enum op_kind)m->kind);
	int64_t limit = work ? m->t.start : m->t.end;
	int64_t ready = work ? lesser(limit, m->t.ready) : limit;
	op_id last = 0;

	put_unissued(w, m, lesser(limit, m->t.issue));
	for (; i <= n && w->status == ST_OK; i++) {
		const struct moment *wait = moment_at(w->lanes, i);
		op_id target = wait->kind == OP_WAIT ? trace->world->ops[wait->id].target : 0;
		if (target && target != OP_EVERYTHING && w->at < lesser(ready, wait->t.end))
			put_event(w, m, lanes_behind(w->lanes, target), lesser(ready, wait->t.end));
	}
	if (m->t.blame)
		put_event(w, m, m->t.blame, ready);    /* the default stream's implicit waits */
	else                                           /* the line was given after an answer had made this time final */
		put(w, SPAN_STALL, CAUSE_HOST, m, 0, ready);
	if (!work || w->at >= lesser(limit, w->to))
		return;
	int64_t arrival = trace_arrival(trace, m->id, &m->t, &last);
	bool bubble = trace_is_stage_receive(trace->world, m->id);
	put(w, SPAN_STALL, bubble ? CAUSE_BUBBLE : CAUSE_PEER, m, last, lesser(limit, arrival));
	if (w->at < lesser(limit, w->to))
		put(w, SPAN_STALL, CAUSE_ENGINE, m, engine_of(w->lanes, m), limit);
}

/* The first operation of the stream that ends behind `from`: ends grow along a stream. */
static uint32_t first_after(const struct lanes *lanes, int stream, int64_t from)
{
	uint32_t low = lanes->first[stream], high = lanes->first[stream + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (moment_at(lanes, middle)->t.end > from)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void write_stream(struct writer *w, int stream)
{
	uint32_t end = w->lanes->first[stream + 1];

	for (uint32_t i = first_after(w->lanes, stream, w->at); i < end && w->at < w->to && w->status == ST_OK;) {
		uint32_t n = i;
		while (n + 1 < end && !trace_is_work((enum op_kind)moment_at(w->lanes, n)->kind))
			n++;
		const struct moment *m = moment_at(w->lanes, n);
		put_gap(w, i, n);
		if (trace_is_work((enum op_kind)m->kind))
			put(w, SPAN_WORK, CAUSE_DONE, m, 0, m->t.end);
		i = n + 1;
	}
	put(w, SPAN_STALL, CAUSE_DONE, NULL, 0, w->to);
}

static void write_host(struct writer *w)
{
	const struct spans *host = &w->lanes->host;
	for (size_t i = w->host; i < host->count && w->at < w->to && w->status == ST_OK; i++) {
		struct span span = host->span[i];
		span.from = w->at;
		span.to = w->at = lesser(span.to, w->to);
		w->status = spans_add(w->out, span);
	}
}

enum status lanes_spans(const struct lanes *lanes, int stream, struct window window, struct spans *out)
{
	struct writer w = { .lanes = lanes, .out = out, .at = window.from, .to = window.to,
		.host = host_span_at(&lanes->host, window.from) };

	out->count = 0;
	if (stream == STREAM_HOST)
		write_host(&w);
	else if (stream < lanes->streams)
		write_stream(&w, stream);
	else
		put(&w, SPAN_STALL, CAUSE_DONE, NULL, 0, w.to);
	return w.status;
}

enum status trace_lane(const struct trace *trace, int rank, int stream, struct window window, struct spans *spans)
{
	struct lanes lanes = {0};
	enum status status = lanes_load(&lanes, trace, rank);

	if (status == ST_OK)
		status = lanes_spans(&lanes, stream, window, spans);
	lanes_release(&lanes);
	return status;
}
