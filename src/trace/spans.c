/* spans.c -- a lane of a window as spans: when it worked, and for every other instant the first cause that
 * holds
 *
 * The five times of an operation n cut the gap in front of it:
 *
 *      stream   previous ░░░|  not issued  |  waits  |  peers  |  engine  |██ operation n ██
 *                          end          issue      ready     arrival    start            end
 *
 * The pieces between those five times are the causes of docs/time.md in their order; each may be empty. While
 * n is not issued the host's own lane says why. So causes and work add up to the window, whatever the times
 * are. */
#include "base/arithmetic.h"
#include "trace/lanes.h"
#include "base/search.h"
#include "base/memory.h"

_Static_assert(CAUSE_COUNT == 10, "a new cause has a place below, and one in docs/time.md");

/* A lane while it is written: `at` is how far it has got; `host` is not behind the host's span at that
 * time. */
struct span_writer {
	const struct lanes *lanes;
	struct spans *out;
	int64_t at, to;
	size_t host;
};

/* Writes up to `to` and moves on; nothing when the lane is there already, so callers give the five times in
 * their order and need not ask which pieces are empty. m: the operation that runs or is delayed; NULL: none.
 * This is most of what a frame costs: a span is written field by field, in its place, since one that is put together
 * elsewhere and then copied makes the processor wait for its own small stores. */
static void span_put(struct span_writer *w, enum span_kind kind, enum cause cause, const struct moment *m,
        op_id blame, int64_t to)
{
	struct spans *out = w->out;
	struct span *last = out->count ? &out->span[out->count - 1] : NULL;
	op_id op = m ? m->id : 0;
	bool projected = m && (m->t.projected || m->t.divided);

	to = least_of(to, w->to);
	if (to <= w->at)
		return;
	if (last && span_joins(last, w->at, op, blame, kind, cause, projected)) {
		last->to = w->at = to;
		return;
	}
	struct span *span = MEM_ADD(&out->span, &out->count);
	span->from = w->at;
	span->to = w->at = to;
	span->op = op;
	span->blame = blame;
	span->looks = m ? m->looks : 0;
	span->kind = kind;
	span->cause = cause;
	span->projected = projected;
	span->aside = false;
}

/* n is not issued yet: what its host is doing. Where it has nothing to do, n itself is late, or what ended its program. */
static void put_unissued(struct span_writer *w, const struct moment *n, int64_t upto)
{
	const struct spans *host = &w->lanes->host;

	if (w->at >= upto)
		return;
	while (w->host + 1 < host->count && host->span[w->host].to <= w->at)
		w->host++;
	for (size_t i = w->host; i < host->count && w->at < least_of(upto, w->to); i++) {
		const struct span *does = &host->span[i];
		bool idle = does->kind == SPAN_HOST && does->cause == CAUSE_DONE;
		op_id late = w->lanes->crash && i + 1 == host->count ? w->lanes->crash : n->id;
		span_put(w, SPAN_STALL, idle ? CAUSE_HOST : does->cause, n, idle ? late : does->op,
		        least_of(does->to, upto));
	}
}

/* Waiting for `behind` on a thread of the host: blamed on what that is at meanwhile, or comes to next.
 *
 *      load0     | read     |  decode      | `behind` is the decoding
 *      compute   dddddddddddd dddddddddddd | n
 *                the read     the decoding         to blame */
static void put_data(struct span_writer *w, const struct moment *n, op_id behind, int64_t upto)
{
	const struct lanes *lanes = w->lanes;
	int thread = lanes->trace->world->ops[behind].stream;
	uint32_t i = lanes_after(lanes, thread, w->at), end = lanes->first[thread + 1];

	for (; i < end && w->at < least_of(upto, w->to); i++) {
		const struct moment *m = moment_at(lanes, i);
		if (m->id > behind)
			break;
		if (trace_is_work(m->kind))
			span_put(w, SPAN_STALL, CAUSE_DATA, n, m->id, least_of(upto, m->t.end));
	}
	span_put(w, SPAN_STALL, CAUSE_DATA, n, behind, upto);
}

/* Waiting for `behind`, before n: an event; data, where the device waits for a thread of the host; or the bubble of a
 * pipeline. */
static void put_event(struct span_writer *w, const struct moment *n, op_id behind, int64_t upto)
{
	const struct world *world = w->lanes->trace->world;
	enum cause cause = CAUSE_EVENT;

	if (w->at >= least_of(upto, w->to))
		return;
	if (behind && trace_on_host(world, behind) && !trace_on_host(world, n->id)) {
		put_data(w, n, behind, upto);
		return;
	}
	op_id receive = trace_is_stage_receive(world, n->id)      ? n->id
	        : behind && trace_is_stage_receive(world, behind) ? behind
	                                                          : 0;
	if (receive) {
		int part = 0; /* the first that receives; its sender may not be queued */
		while (op_record(world, receive)->part[part].direction != P2P_RECV)
			part++;
		op_id sender = trace_sender(world, receive, part);
		struct times sent =
		        sender ? backend_times(w->lanes->trace->backend, sender) : (struct times){0};
		bool over = sent.sent_nothing && sent.end < upto; /* an abort took it: it is not that */
		cause = over ? CAUSE_EVENT : CAUSE_BUBBLE;
		behind = over ? behind : sender ? sender : receive;
	}
	span_put(w, SPAN_STALL, cause, n, behind, upto);
}

/* 0: nobody */
static int64_t end_of(const struct span_writer *w, op_id id)
{
	return id && id != OP_EVERYTHING ? backend_times(w->lanes->trace->backend, id).end : 0;
}

/* Then it was they who held n up, whenever its own line came: an answer changes no picture where it changes no time. A transfer
 * that began with its line, with one of its partners, was held up by no other. */
static bool peers_come_later(const struct span_writer *w, const struct moment *n)
{
	op_id last;
	return trace_is_work(n->kind) && n->t.start > n->t.ready &&
	        trace_arrival(w->lanes->trace, n->id, &n->t, &last) > n->t.ready;
}

/* n waits for the line of an operation that came behind an answer: what was asked for is to blame. */
static void put_answered(struct span_writer *w, const struct moment *n, op_id late, int64_t upto)
{
	struct backend *backend = w->lanes->trace->backend;
	if (w->at >= least_of(upto, w->to) || peers_come_later(w, n))
		return;
	op_id answer = backend->answer ? backend->answer(backend, late) : 0;
	span_put(w, SPAN_STALL, CAUSE_HOST, n, answer ? answer : n->id, upto);
}

/* `wait`, a record or a wait before n, or n itself, is issued and its stream is not ready for it: the default stream's
 * implicit waits; a line that came behind an answer; else the launch itself is on its way from the host to the device. Who
 * held it back has ended by then: others to blame were late later. */
static void put_unready(
        struct span_writer *w, const struct moment *n, const struct moment *wait, int64_t ready)
{
	struct backend *backend = w->lanes->trace->backend;
	if (w->at >= least_of(ready, w->to))
		return;
	const struct moment *back = lanes_held_back(w->lanes, wait);
	bool noted = wait->t.blame != w->lanes->trace->world->ops[wait->id].target;
	op_id holder = back ? back->id : noted ? wait->t.blame : 0;
	int64_t over = end_of(w, holder);
	if (over > w->at && (over <= ready || back))
		put_event(w, n, lanes_behind(w->lanes, holder),
		        backend->measures ? ready : least_of(over, ready));
	if (w->at >= least_of(ready, w->to))
		return;
	if (wait->t.answered)
		put_answered(w, n, wait->id, ready);
	else
		span_put(w, SPAN_STALL, CAUSE_LAUNCH, n, 0, ready);
}

/* A record or a wait before n that is not over: its target holds it, or else what holds its stream back. Where times are
 * measured, what was over when the stream came there is to blame for nothing, however long the device then took to look. */
static void put_held(struct span_writer *w, const struct moment *n, const struct moment *wait, int64_t upto)
{
	op_id target = wait->kind == OP_WAIT ? w->lanes->trace->world->ops[wait->id].target : 0;
	if (w->at >= least_of(upto, w->to))
		return;
	if (w->lanes->trace->backend->measures) {
		op_id holder = end_of(w, target) > w->at ? target : wait->t.blame;
		op_id behind = end_of(w, holder) > w->at ? lanes_behind(w->lanes, holder) : 0;
		if (end_of(w, behind) > w->at)
			put_event(w, n, behind, upto);
		return;
	}
	if (end_of(w, target) > w->at) {
		const struct trace *trace = w->lanes->trace;
		op_id behind = lanes_behind(w->lanes, target);
		int64_t over = least_of(upto, end_of(w, target));
		/* a record or a wait that stood behind nothing but an answer */
		if (!trace_is_work(op_record(trace->world, behind)->kind) &&
		        backend_times(trace->backend, behind).answered)
			put_answered(w, n, behind, over);
		else
			put_event(w, n, behind, over);
	}
	put_unready(w, n, wait, least_of(upto, wait->t.ready));
}

/* All have arrived: what the engine is busy with meanwhile, one after the other. Where the collective before it was over, the
 * last member took its time after all; where that is n itself, it took it to begin. */
static void put_busy(struct span_writer *w, const struct moment *n, op_id last, int64_t limit)
{
	op_id engine;
	int64_t until;
	while (w->at < least_of(limit, w->to) &&
	        (engine = lanes_engine(w->lanes, n, w->at, limit, &until)) != 0)
		span_put(w, SPAN_STALL, CAUSE_ENGINE, n, engine, least_of(until, limit));
	if (w->at >= least_of(limit, w->to))
		return;
	if (!last && end_of(w, n->t.blame) > w->at)
		span_put(w, SPAN_STALL, CAUSE_ENGINE, n, n->t.blame, limit);
	else if (last)
		span_put(w, SPAN_STALL, CAUSE_PEER, n, last, limit);
	else if (w->lanes->trace->backend->measures)
		span_put(w, SPAN_STALL, CAUSE_LAUNCH, n, 0, limit);
	else
		span_put(w, SPAN_STALL, CAUSE_ENGINE, n, n->id, limit);
}

/* The gap before n: order[i] .. order[n] are the records and waits since the last work, then n itself. */
static void put_gap(struct span_writer *w, uint32_t i, uint32_t n)
{
	const struct trace *trace = w->lanes->trace;
	const struct moment *m = moment_at(w->lanes, n);
	bool work = trace_is_work(m->kind);
	int64_t limit = work ? m->t.start : m->t.end;
	int64_t ready = work ? least_of(limit, m->t.ready) : limit;
	op_id last = 0;

	put_unissued(w, m, least_of(limit, m->t.issue));
	for (; i <= n; i++) {
		const struct moment *wait = moment_at(w->lanes, i);
		if (!trace_is_work(wait->kind))
			put_held(w, m, wait, least_of(ready, wait->t.end));
	}
	put_unready(w, m, m, ready);
	if (!work || w->at >= least_of(limit, w->to))
		return;
	int64_t arrival = trace_arrival(trace, m->id, &m->t, &last);
	bool bubble = trace_is_stage_receive(trace->world, m->id);
	span_put(w, SPAN_STALL, bubble ? CAUSE_BUBBLE : CAUSE_PEER, m, last, least_of(limit, arrival));
	put_busy(w, m, last, limit);
}

/* Gap, work, gap, work ...: a run of records and waits belongs to the gap of the work behind it. The stream's
 * ends grow along it, so the first operation that ends behind the window's start is found by bisection. */
static void write_stream(struct span_writer *w, int stream)
{
	const struct lanes *lanes = w->lanes;
	uint32_t end = lanes->first[stream + 1];

	for (uint32_t i = lanes_after(lanes, stream, w->at), n; i < end && w->at < w->to; i = n + 1) {
		for (n = i; n + 1 < end && !trace_is_work(moment_at(lanes, n)->kind);)
			n++;
		const struct moment *m = moment_at(lanes, n);
		put_gap(w, i, n);
		if (trace_is_work(m->kind))
			span_put(w, SPAN_WORK, CAUSE_DONE, m, 0, m->t.end);
	}
	span_put(w, SPAN_STALL, CAUSE_DONE, NULL, 0, w->to);
}

/* The host's lane was made when the rank was loaded, because the causes of a stream's gaps are read off it;
 * of a stream only the window is looked at, so that a zoomed view costs what it shows. */
void lanes_spans(const struct lanes *lanes, int stream, struct window window, struct spans *out)
{
	const struct spans *host = &lanes->host;
	struct span_writer w = {.lanes = lanes, .out = out, .at = window.from, .to = window.to};

	out->count = 0;
	if (window.from >= window.to)
		return;
	SEARCH(w.host, host->count - 1, host->span[w.host].to > window.from);
	if (stream == STREAM_HOST) { /* loaded with the rank: only cut to the window */
		for (size_t i = w.host; i < host->count && host->span[i].from < window.to; i++)
			*MEM_ADD(&out->span, &out->count) = host->span[i];
		out->span[0].from = window.from;
		out->span[out->count - 1].to = least_of(out->span[out->count - 1].to, window.to);
	} else if (stream < lanes->streams) {
		write_stream(&w, stream);
	} else {
		span_put(&w, SPAN_STALL, CAUSE_DONE, NULL, 0, w.to);
	}
}

/* The gap and the work that it is in, from the end of the work before it: all of that is written, and the one picked. */
struct span lanes_span_at(const struct lanes *lanes, int stream, int64_t time)
{
	struct window window = {.to = TIME_UNKNOWN, .section = -1};
	struct spans spans = {0};
	size_t at;
	if (stream == STREAM_HOST) {
		SEARCH(at, lanes->host.count - 1, lanes->host.span[at].to > time);
		return lanes->host.span[at];
	}
	if (stream < lanes->streams) {
		uint32_t i = lanes_after(lanes, stream, time);
		for (uint32_t n = i; n < lanes->first[stream + 1] && window.to == TIME_UNKNOWN; n++)
			if (trace_is_work(moment_at(lanes, n)->kind))
				window.to = moment_at(lanes, n)->t.end;
		for (; i > lanes->first[stream] && !window.from; i--)
			if (trace_is_work(moment_at(lanes, i - 1)->kind))
				window.from = moment_at(lanes, i - 1)->t.end;
	}
	lanes_spans(lanes, stream, window, &spans);
	SEARCH(at, spans.count - 1, spans.span[at].to > time);
	struct span span = spans.span[at];
	spans_release(&spans);
	return span;
}

enum status trace_span_at(const struct trace *trace, int rank, int stream, int64_t time, struct span *span)
{
	struct lanes lanes = {0};
	enum status status = lanes_load(&lanes, trace, rank);
	if (status == ST_OK)
		*span = lanes_span_at(&lanes, stream, time);
	lanes_release(&lanes);
	return status;
}
