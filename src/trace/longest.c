/* longest.c -- the operation that waited longest: of several, of a stream, of a rank */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/chain.h"
#include "trace/lanes.h"

/* Returns, for each operation of the question, the end of the previous work on its stream, 0 if
 * none. The caller frees the array. */
static int64_t *over_before(const struct world *world, struct backend *backend, const struct why_question *q)
{
	int64_t *over = mem_alloc(q->ops * sizeof *over);
	size_t *of_rank = mem_alloc((size_t)world->n * sizeof *of_rank), left = q->ops;
	op_id from = 0;
	for (size_t i = 0; i < q->ops; i++) {
		of_rank[world->ops[q->op[i]].rank] = i + 1;
		from = q->op[i] > from ? q->op[i] : from;
	}
	for (op_id id = from; id > 0 && left; id--) {
		const struct op *op = &world->ops[id];
		size_t i = of_rank[op->rank];
		if (!i || id >= q->op[i - 1] || op->stream != world->ops[q->op[i - 1]].stream ||
		        !trace_is_work(op_record(world, id)->kind))
			continue;
		over[i - 1] = backend_times(backend, id).end;
		of_rank[op->rank] = 0;
		left--;
	}
	mem_free(of_rank);
	return over;
}

op_id longest_of_ops(struct chain *chain, const struct why_question *q)
{
	const struct trace *trace = chain->trace;
	int64_t *over = over_before(trace->world, trace->backend, q), most = -1;
	op_id longest = q->op[0];
	for (size_t i = 0; i < q->ops; i++) {
		struct times t = backend_times(trace->backend, q->op[i]);
		bool host = trace->world->ops[q->op[i]].stream == STREAM_HOST;
		int64_t to = host ? t.end : t.start;
		int64_t from = host ? times_begin(op_record(trace->world, q->op[i])->kind, &t) : over[i];
		int64_t waited = most_of(0, (to == TIME_UNKNOWN ? chain_horizon(chain) + 1 : to) - from);
		if (waited <= most)
			continue;
		most = waited;
		longest = q->op[i];
	}
	mem_free(over);
	return longest;
}

static void longer_of(struct wait *longest, struct wait wait)
{
	if (wait.op && wait.ns > longest->ns)
		*longest = wait;
}

static struct wait longest_wait(struct chain *chain, int rank, int stream, struct window window)
{
	const struct lanes *lanes = chain_lanes(chain, rank);
	struct spans *spans = &chain->spans;
	struct wait longest = {0}, wait = {0};
	if (!lanes)
		return longest;
	lanes_spans(lanes, stream, window, spans);
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->span[i];
		bool waits = span->kind == SPAN_STALL && span->op;
		if (!waits || span->op != wait.op)
			wait = (struct wait){.op = waits ? span->op : 0};
		wait.ns += span->to - span->from;
		longer_of(&longest, wait);
	}
	return longest;
}

/* Returns the longest wait on all device streams, or on streams of the asked name (host threads
 * too). */
static struct wait wait_of_streams(
        struct chain *chain, int rank, const struct why_question *q, struct window window)
{
	const struct world *world = chain->trace->world;
	const struct lanes *lanes = chain_lanes(chain, rank);
	struct wait longest = {0};
	for (int s = STREAM_HOST; lanes && s < lanes->streams; s++) {
		const struct stream *stream = world_stream(world, rank, s);
		bool asked =
		        q->of == WHY_STREAM ? stream->name == q->stream : s != STREAM_HOST && !stream->host;
		if (asked)
			longer_of(&longest, longest_wait(chain, rank, s, window));
	}
	return longest;
}

/* The rank's work is its kernels, or all work of its streams if it has none. */
static bool counts_as_work(const struct lanes *lanes, const struct moment *m, bool kernels)
{
	return kernels ? trace_computes(lanes->trace->world, m->id) : trace_is_work(m->kind);
}

static op_id first_at_work(const struct lanes *lanes, int64_t at, bool kernels)
{
	for (uint32_t i = 0; i < lanes->count; i++) {
		const struct moment *m = moment_at(lanes, i);
		if (counts_as_work(lanes, m, kernels) && m->t.start == at && m->t.end > at)
			return m->id;
	}
	return 0;
}

/* Returns the longest time without work and the first operation after it; or, if that is longer,
 * the streams' longest wait after the rank's last work. */
static struct wait idle_before(
        struct chain *chain, int rank, const struct why_question *q, struct window window)
{
	const struct lanes *lanes = chain_lanes(chain, rank);
	struct intervals work = {0};
	struct wait longest = {0};
	bool kernels = false;
	int64_t last = window.from, end = window.from;
	for (size_t i = 0; lanes && i < lanes->count && !kernels; i++)
		kernels = counts_as_work(lanes, &lanes->moment[i], true);
	for (size_t i = 0; lanes && i < lanes->count; i++) {
		const struct moment *m = &lanes->moment[i];
		if (!trace_is_work(m->kind) || m->t.start >= window.to || m->t.end <= window.from)
			continue;
		end = most_of(end, least_of(m->t.end, window.to));
		if (counts_as_work(lanes, m, kernels))
			intervals_add(&work, most_of(m->t.start, window.from), least_of(m->t.end, window.to));
	}
	intervals_join(&work);
	for (size_t i = 0; i < work.count; last = work.part[i++].to)
		if (work.part[i].from - last > longest.ns)
			longest = (struct wait){first_at_work(lanes, work.part[i].from, kernels),
			        work.part[i].from - last, true};
	intervals_release(&work);
	if (end - last > longest.ns)
		longer_of(&longest, wait_of_streams(chain, rank, q, (struct window){last, end, -1}));
	return longest;
}

/* Returns the rank's earliest wait without an end. */
static struct wait for_ever(struct chain *chain, int rank, const struct why_question *q)
{
	const struct backend *backend = chain->trace->backend;
	const struct lanes *lanes = NULL;
	struct wait first = {0};
	op_id on;
	if (backend->waiting(chain->trace->backend, rank, &on))
		lanes = chain_lanes(chain, rank);
	for (size_t i = 0; lanes && i < lanes->count; i++) {
		const struct moment *m = &lanes->moment[i];
		bool asked = q->of == WHY_RANK ||
		        world_stream(chain->trace->world, rank, m->stream)->name == q->stream;
		if (asked && trace_is_work(m->kind) && m->t.start == TIME_UNKNOWN &&
		        m->t.ready != TIME_UNKNOWN)
			longer_of(&first, (struct wait){.op = m->id, .ns = INT64_MAX - m->t.ready});
	}
	return first;
}

struct wait longest_of_lanes(struct chain *chain, const struct why_question *q)
{
	struct window window = trace_window(chain->trace, q->section);
	struct wait longest = {0};
	FOR_RANKS (rank, q->ranks)
		longer_of(&longest, for_ever(chain, rank, q));
	if (longest.op)
		return longest;
	FOR_RANKS (rank, q->ranks)
		if (q->of == WHY_RANK)
			longer_of(&longest, idle_before(chain, rank, q, window));
	FOR_RANKS (rank, q->ranks)
		if (!longest.op || q->of == WHY_STREAM)
			longer_of(&longest, wait_of_streams(chain, rank, q, window));
	FOR_RANKS (rank, q->ranks)
		if (!longest.op && q->of == WHY_RANK)
			longer_of(&longest, longest_wait(chain, rank, STREAM_HOST, window));
	return longest;
}
