/* spans.c -- a lane in a window as spans: work, and for every other instant the first cause that
 * holds
 *
 * Issue, ready, arrival and start of an operation n divide the gap before it:
 *
 *      stream   previous ░░░|  not issued  |  waits  |  peers  |  engine  |██ operation n ██
 *                          end          issue      ready     arrival    start            end
 *
 * The pieces between these times are the causes of docs/internals/time.md in order; each may be
 * empty. While n is not issued, the host's lane gives the cause. So causes and work add up to the
 * window. */
#include "base/arithmetic.h"
#include "trace/lanes.h"
#include "base/search.h"
#include "base/memory.h"

#include <string.h>

_Static_assert(CAUSE_COUNT == 10, "a new cause has a place below, and one in docs/internals/time.md");

/* `at`: the time reached; `host`: the first host span that may end after it */
struct span_writer {
	const struct lanes *lanes;
	struct spans *out;
	int64_t at, to;
	size_t host;
};

/* Writes a span from w->at to `to`; nothing if `to` is earlier. So callers pass times in order. m:
 * the operation that runs or is delayed; NULL: none. Most of a frame's time is spent here: fields
 * are written in place, because copying a fresh span stalls on store forwarding. */
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

/* While n is not issued, blames the host's activity; if the host is idle, n itself or its rank's
 * crash. */
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

/* n waits for `behind`, an operation of a host thread: blames the thread's current or next work.
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
		int part = 0; /* the first part that receives; its sender may not be queued */
		while (op_record(world, receive)->part[part].direction != P2P_RECV)
			part++;
		op_id sender = trace_sender(world, receive, part);
		struct times sent =
		        sender ? backend_times(w->lanes->trace->backend, sender) : (struct times){0};
		/* an abort removed the sender: not a bubble */
		bool over = sent.sent_nothing && sent.end < upto;
		cause = over ? CAUSE_EVENT : CAUSE_BUBBLE;
		behind = over ? behind : sender ? sender : receive;
	}
	span_put(w, SPAN_STALL, cause, n, behind, upto);
}

/* Returns the operation's end; 0 for no operation or OP_EVERYTHING. */
static int64_t end_of(const struct span_writer *w, op_id id)
{
	return id && id != OP_EVERYTHING ? backend_times(w->lanes->trace->backend, id).end : 0;
}

/* The line of n, or of a wait before it, came after an answer: blames the operation that was asked
 * for. */
static void put_answered(struct span_writer *w, const struct moment *n, op_id late, int64_t upto)
{
	struct backend *backend = w->lanes->trace->backend;
	op_id last;
	/* if the last participant came after n was ready, that delayed n, not n's own line */
	bool peers = trace_is_work(n->kind) && n->t.start > n->t.ready;
	if (w->at >= least_of(upto, w->to) ||
	        (peers && trace_arrival(w->lanes->trace, n->id, &n->t, &last) > n->t.ready))
		return;
	op_id answer = backend->answer ? backend->answer(backend, late) : 0;
	span_put(w, SPAN_STALL, CAUSE_HOST, n, answer ? answer : n->id, upto);
}

/* `wait` (a record or wait before n, or n itself) is issued but its stream is not ready. Blames,
 * in this order: the operation that the default stream's rule makes it wait for; the answer that
 * its line came after; the launch on its way to the device. */
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

/* A record or wait before n is not over: blames its target or the holder of its stream. On a GPU,
 * an operation that was over when the stream reached the wait is not blamed, however late the
 * device notices. */
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
		/* a record or wait delayed only by an answer */
		if (!trace_is_work(op_record(trace->world, behind)->kind) &&
		        backend_times(trace->backend, behind).answered)
			put_answered(w, n, behind, over);
		else
			put_event(w, n, behind, over);
	}
	put_unready(w, n, wait, least_of(upto, wait->t.ready));
}

/* All participants have arrived. Blames the work on n's engine. For time without such work: the
 * last member if it is known; else t.blame if that is not over yet; else, on a GPU, the launch,
 * and in the simulation n itself, which took time to begin. */
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

/* Writes the gap before n: order[i] .. order[n] are the records and waits since the last work,
 * then n. */
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

/* Reads only the window of a stream, so a zoomed view costs only what it shows. */
void lanes_spans(const struct lanes *lanes, int stream, struct window window, struct spans *out)
{
	const struct spans *host = &lanes->host;
	struct span_writer w = {.lanes = lanes, .out = out, .at = window.from, .to = window.to};

	out->count = 0;
	if (window.from >= window.to)
		return;
	SEARCH(w.host, host->count - 1, host->span[w.host].to > window.from);
	if (stream == STREAM_HOST) { /* only cut to the window */
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
		int64_t i = lanes_after(lanes, stream, time);
		const struct moment *next = lanes_work(lanes, stream, i, 1),
		                    *before = lanes_work(lanes, stream, i - 1, -1);
		window.to = next ? next->t.end : TIME_UNKNOWN;
		window.from = before ? before->t.end : 0;
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

/* ---- spans cut at the latest host's clock: those that end later are queued or under way
 *
 *  final    |== a ==|eeee|=== b ===|          b's end is known, but later than every host's clock
 *  drawn    |== a ==|eeee|== b|- b -|---      solid up to now, dimmed after it
 *                             now
 *
 * Spans whose start is not final are dimmed as a whole. */

void spans_cut(const struct trace *trace, struct spans *spans, int64_t now, bool passes)
{
	size_t i;
	for (size_t k = 0; passes && k < spans->count && spans->span[k].from < now; k++)
		spans->span[k].projected = false;
	SEARCH(i, spans->count, spans->span[i].to > now);
	for (size_t k = i; k < spans->count; k++)
		if (spans->span[k].from >= now)
			spans->span[k].projected = true;
	if (i == spans->count || spans->span[i].from >= now)
		return;
	struct span *old = &spans->span[i], rest = *old;
	/* its start is final: solid up to now */
	if (old->kind == SPAN_WORK && old->projected && old->op &&
	        !backend_times(trace->backend, old->op).divided &&
	        (trace->world->ops[old->op].flags & OPF_STARTED))
		old->projected = false;
	if (old->projected)
		return;
	old->to = rest.from = now;
	rest.projected = true;
	*MEM_INSERT(&spans->span, &spans->count, i + 1) = rest;
}

void spans_unseen(struct spans *spans, int64_t as_of)
{
	for (size_t i = 0; i < spans->count; i++) {
		struct span *span = &spans->span[i];
		if (span->from >= as_of && span->kind != SPAN_WORK)
			span_blank(span);
	}
}
