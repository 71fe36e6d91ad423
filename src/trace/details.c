/* details.c -- one operation in words
 *
 *      matmul y   rank 0, compute   took 2.00 ms   line 4
 *      queued at 60 us   could begin 1.02 ms   began 1.02 ms   ended 3.02 ms
 *      waited 960 us for copy x of rank 0, io (event)
 *      alone 2.00 ms   256 kB   33.6 MFLOP */
#include "trace/spots.h"
#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/why.h"
#include "base/arithmetic.h"

/* Four digits from 1 s on, to distinguish times of a long run: "1.1123 s" */
static void add_time(struct text *out, const char *what, int64_t ns)
{
	if (ns == TIME_UNKNOWN)
		text_add(out, "%s not known", what);
	else if (ns >= 1000000000)
		text_add(out, "%s %.4f s", what, ns / 1e9);
	else
		text_add(out, "%s %s", what, time_words(ns).text);
}

static void put_head(const struct trace *trace, op_id id, const struct times *times, struct text *out)
{
	const struct world *world = trace->world;
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	struct text line = {0};
	op_label(world, id, out);
	text_add(out, "   rank %d, %s%s", op->rank, trace_lane_name(trace, op->rank, op->stream),
	        times->projected         ? ", queued"
	                : times->divided ? ", within its graph as predicted"
	                                 : "");
	if (times->start != TIME_UNKNOWN && times->end != TIME_UNKNOWN)
		add_time(out, "   took", times->end - times->start);
	if (record->phase)
		text_add(out, "   phase %s", names_text(world->names, record->phase));
	if (world_iteration_of(world, id) >= 0)
		text_add(out, "   iteration %d", world_iteration_of(world, id) + 1);
	trace_put_line(trace, id, &line);
	if (line.count)
		text_add(out, "   %s", text_string(&line));
	text_add(out, "\n");
	text_release(&line);
}

static void put_whom(const struct trace *trace, const struct span *wait, struct text *out)
{
	const struct world *world = trace->world;
	int missing = wait->op ? trace_missing_rank(world, wait->op) : -1;
	if (wait->blame && wait->blame != wait->op) {
		const struct op *blame = &world->ops[wait->blame];
		text_add(out, " for ");
		trace_put_op(world, wait->blame, "of", out);
		text_add(out, ", %s", trace_lane_name(trace, blame->rank, blame->stream));
	} else if (cause_is_peers((enum cause)wait->cause) && missing >= 0) {
		text_add(out, " for rank %d", missing);
	}
}

static void put_cost(const struct trace *trace, op_id id, const struct times *times, struct text *out)
{
	const struct record *record = op_record(trace->world, id);
	struct backend *backend = trace->backend;
	struct times foreseen;
	size_t before = out->count;
	op_id with;
	int64_t lost = trace_shared(trace, id, &with);
	if (backend->predicted) {
		if (backend->predicted(backend, id, &foreseen) && foreseen.end != TIME_UNKNOWN)
			add_time(out, "predicted", foreseen.end - foreseen.start);
	} else if (times->alone > 0) {
		add_time(out, "alone", times->alone);
	}
	if (lost) {
		add_time(out, "   lost", lost);
		text_add(out, " by sharing with ");
		trace_put_op(trace->world, with, "of", out);
	}
	if (record->bytes > 0)
		text_add(out, "%s%s", out->count > before ? "   " : "", bytes_words(record->bytes).text);
	if (record->flops > 0)
		text_add(out, "   %.4g MFLOP", record->flops / 1e6);
	text_add(out, "%s", out->count > before ? "\n" : "");
}

static void join_launches(struct spans *waits)
{
	struct span *first = NULL;
	for (size_t i = 0; i < waits->count; i++) {
		struct span *span = &waits->span[i];
		if (!span_waits(span, 1) || span->cause != CAUSE_LAUNCH)
			continue;
		if (first) {
			first->to += span->to - span->from;
			span->cause = CAUSE_DONE;
		} else {
			first = span;
		}
	}
}

/* The longest first, because few lines may be visible. */
static void put_waits(const struct trace *trace, struct spans *waits, struct text *out)
{
	for (size_t told = 0; told < waits->count; told++) {
		struct span *longest = NULL;
		for (size_t i = 0; i < waits->count; i++) {
			struct span *span = &waits->span[i];
			if (span_waits(span, 1) &&
			        (!longest || span->to - span->from > longest->to - longest->from))
				longest = span;
		}
		if (!longest)
			return;
		if (longest->to == TIME_UNKNOWN)
			text_add(out, "waits");
		else
			add_time(out, "waited", longest->to - longest->from);
		if (longest->cause != CAUSE_LAUNCH)
			put_whom(trace, longest, out);
		text_add(out, " (%s)\n", trace_causes[longest->cause]);
		longest->cause = CAUSE_DONE;
	}
}

void details_put(const struct trace *trace, const struct spot *spot, struct text *out)
{
	op_id id = spot->span.op;
	struct times times = backend_times(trace->backend, id);
	struct spans waits = {0};
	put_head(trace, id, &times, out);
	add_time(out, "queued at", times.issue);
	add_time(out, "   could begin", times.ready);
	add_time(out, "   began", times.start);
	add_time(out, "   ended", times.end);
	text_add(out, "\n");
	spot_waits(trace, id, &waits);
	join_launches(&waits);
	put_waits(trace, &waits, out);
	put_cost(trace, id, &times, out);
	spans_release(&waits);
}

static void add_link(
        const struct trace *trace, const struct spot *spot, const struct span *wait, struct links *links)
{
	const struct op *blame = wait->blame ? &trace->world->ops[wait->blame] : NULL;
	struct lane_place lane = {.rank = spot->rank, .stream = STREAM_HOST};
	if (wait->cause > CAUSE_MEMORY || spot->stream == STREAM_HOST) {
		if (!blame || wait->blame == wait->op)
			return;
		lane = (struct lane_place){.rank = blame->rank, .stream = blame->stream};
	}
	if (lane.rank == spot->rank && lane.stream == spot->stream)
		return;
	*MEM_ADD(&links->link, &links->count) =
	        (struct wait_link){lane, wait->to, trace_letters[wait->cause]};
}

/* Every operation waits for its launch, so that is a link only if the spot is a wait. */
void links_find(const struct trace *trace, const struct spot *spot, struct links *links)
{
	struct spans waits = {0};
	if (spot->span.kind == SPAN_STALL)
		spans_add(&waits, spot->span);
	else
		spot_waits(trace, spot->span.op, &waits);
	for (size_t i = 0; i < waits.count; i++)
		if (span_waits(&waits.span[i], 1) &&
		        (spot->span.kind == SPAN_STALL || waits.span[i].cause != CAUSE_LAUNCH))
			add_link(trace, spot, &waits.span[i], links);
	spans_release(&waits);
}

void links_release(struct links *links)
{
	mem_free(links->link);
	*links = (struct links){0};
}

/* ---- how busy all streams are over the whole time
 *
 *      busy streams    0 1 2 2 2 1 0 ...     an operation counts by the share it covers of a part
 *      parts           0 3 7 9 9 4 0 */

enum { LEVELS = 9 };

/* ns[i]: work of operations that cover part i partly. whole: 1 at the first part that an operation
 * covers fully, -1 after the last */
struct busy {
	double *ns;
	int64_t *whole;
	int parts;
	double part, per_ns;
	struct window window;
};

static void busy_add(struct busy *b, int64_t from, int64_t to)
{
	from = most_of(from, b->window.from) - b->window.from;
	to = least_of(to, b->window.to) - b->window.from;
	if (from >= to)
		return;
	int first = (int)((double)from * b->per_ns),
	    last = (int)least_of((int64_t)((double)to * b->per_ns), b->parts - 1);
	if (first >= last) {
		b->ns[last] += (double)(to - from);
		return;
	}
	b->ns[first] += (first + 1) * b->part - (double)from;
	b->ns[last] += (double)to - last * b->part;
	b->whole[first + 1]++;
	b->whole[last]--;
}

void trace_density(const struct trace *trace, struct window window, int parts, uint8_t *level)
{
	double length = (double)(window.to - window.from);
	struct busy b = {.ns = mem_alloc((size_t)parts * sizeof *b.ns),
	        .whole = mem_alloc(((size_t)parts + 2) * sizeof *b.whole),
	        .parts = parts,
	        .part = length / parts,
	        .per_ns = parts / length,
	        .window = window};
	int64_t streams = 0, whole = 0;
	struct trace loading = *trace;
	struct lanes lanes = {0};
	loading.budget = NULL;
	for (int rank = 0; rank < trace->world->n; rank++) {
		bool works[STREAMS_MAX + 1] = {0};
		(void)lanes_load(&lanes, &loading, rank);
		for (size_t i = 0; i < lanes.count; i++) {
			const struct moment *m = &lanes.moment[i];
			if (!trace_is_work(m->kind))
				continue;
			streams += !works[m->stream];
			works[m->stream] = true;
			if (m->t.start != TIME_UNKNOWN)
				busy_add(&b, m->t.start, m->t.end);
		}
	}
	lanes_release(&lanes);
	for (int i = 0; i < parts; i++) {
		whole += b.whole[i];
		double full = streams ? (b.ns[i] / b.part + (double)whole) / (double)streams : 0;
		int tenth = (int)(full * LEVELS + 0.5);
		level[i] = (uint8_t)(full > 0 && tenth == 0 ? 1 : least_of(tenth, LEVELS));
	}
	mem_free(b.ns);
	mem_free(b.whole);
}
