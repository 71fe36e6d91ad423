/* sets.c -- ranks that look equal in a window; their spans are kept until they are painted
 *
 * Finding spans is most of a frame's work, so there is one pass over the ranks. Each set keeps the
 * spans of its first rank, for comparison, for its distance from other sets, and for the
 * painter. */
#include "trace/sets.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/critical.h"
#include "trace/table.h"
#include "base/search.h"
#include "trace/lanes.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- do two ranks look equal?
 *
 *      rank 0   |== a ==|pppp|=== c ===|
 *      rank 1   |== a ===|ppp|=== c ===|
 *
 * Measured times are never equal. Two rows are drawn as one if the same work begins and ends
 * within a cell, and other spans longer than two cells have the same cause and blame in their
 * middle. */

struct comparing {
	const struct world *world;
	struct window window;
	int64_t cell;
};

/* Spans other than work: longer than two cells; waits for peers. Most lanes have neither */
struct beside {
	bool gaps;
	bool peers;
};

static bool times_near(const struct comparing *c, int64_t a, int64_t b)
{
	return most_of(a, b) - least_of(a, b) <= c->cell;
}

static bool waits_for_peers(const struct span *s)
{
	return s->kind == SPAN_STALL && cause_is_peers((enum cause)s->cause);
}

/* Returns one more than the index of the last work before i, 0 if none; skips slivers of work at
 * the window's edges. */
static size_t work_before(
        const struct comparing *c, const struct spans *spans, size_t i, struct beside *beside)
{
	for (; i > 0; i--) {
		const struct span *s = &spans->span[i - 1];
		bool edge = s->from <= c->window.from + c->cell || s->to >= c->window.to - c->cell;
		if (s->kind == SPAN_WORK && !(edge && s->to - s->from <= c->cell))
			break;
		beside->gaps |= s->kind != SPAN_WORK && s->to - s->from > 2 * c->cell;
		beside->peers |= waits_for_peers(s);
	}
	return i;
}

/* From the end: different ranks have drifted furthest apart there. */
static bool work_alike(const struct comparing *c, const struct spans *a, const struct spans *b,
        struct beside *of_a, struct beside *of_b)
{
	size_t i = work_before(c, a, a->count, of_a), k = work_before(c, b, b->count, of_b);
	for (; i > 0 && k > 0; i = work_before(c, a, i - 1, of_a), k = work_before(c, b, k - 1, of_b)) {
		const struct span *x = &a->span[i - 1], *y = &b->span[k - 1];
		if (x->looks != y->looks || x->projected != y->projected ||
		        !times_near(c, x->from, y->from) || !times_near(c, x->to, y->to))
			return false;
	}
	return i == 0 && k == 0;
}

/* True if the operations to blame have one title, both on the waiting rank or both on another. If
 * nothing is to blame: true if the waiting operations have one title. */
static bool blame_alike(const struct comparing *c, const struct span *x, const struct span *y)
{
	const struct op *ops = c->world->ops;
	if (!x->op || !y->op)
		return !x->blame == !y->blame;
	if (!x->blame || !y->blame)
		return !x->blame == !y->blame &&
		        op_record(c->world, x->op)->title == op_record(c->world, y->op)->title;
	return op_record(c->world, x->blame)->title == op_record(c->world, y->blame)->title &&
	        (ops[x->blame].rank == ops[x->op].rank) == (ops[y->blame].rank == ops[y->op].rank);
}

static bool shows_gaps_of(const struct comparing *c, const struct spans *a, const struct spans *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct span *s = &a->span[i];
		int64_t middle = s->from + (s->to - s->from) / 2;
		size_t k;
		if (s->kind == SPAN_WORK || s->to - s->from <= 2 * c->cell)
			continue;
		SEARCH(k, b->count, b->span[k].to > middle);
		if (k == b->count || b->span[k].kind != s->kind || b->span[k].cause != s->cause ||
		        !blame_alike(c, s, &b->span[k]) || b->span[k].projected != s->projected)
			return false;
	}
	return true;
}

static bool waits_for_others(const struct world *world, const struct spans *a, const struct spans *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct span *x = &a->span[i];
		int64_t middle = x->from + (x->to - x->from) / 2;
		size_t k;
		if (!waits_for_peers(x))
			continue;
		SEARCH(k, b->count, b->span[k].to > middle);
		const struct span *y = k < b->count ? &b->span[k] : NULL;
		bool waits = y && y->kind == SPAN_STALL && y->cause == x->cause;
		if (!waits || span_waits_for(world, x) != span_waits_for(world, y))
			return true;
	}
	return false;
}

/* Returns the time in which they show different work or causes. */
static int64_t spans_apart(const struct spans *a, const struct spans *b)
{
	int64_t apart = 0;
	for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
		const struct span *x = &a->span[i], *y = &b->span[k];
		int64_t from = most_of(x->from, y->from), to = least_of(x->to, y->to);
		bool same = x->kind == y->kind &&
		        (x->kind == SPAN_WORK ? x->looks == y->looks : x->cause == y->cause);
		apart += !same && to > from ? to - from : 0;
		i += x->to == to;
		k += y->to == to;
	}
	return apart;
}

/* ---- sets ---- */

enum { FEW_RANKS = 8 };

struct look {
	struct lanes lanes;
	struct spans spans[STREAMS_MAX + 1];
};

static uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Stores hash and shown lanes of one loaded rank. The host is always shown, unless only other
 * lanes are wanted. The hash covers lane numbers, and names of the user's streams. */
static void rank_lanes(
        struct look *look, const struct timeline_options *options, struct window window, struct alike *alike)
{
	const struct lanes *lanes = &look->lanes;
	const struct world *world = lanes->trace->world;
	int64_t done = backend_over_by(lanes->trace->backend, options->now);

	/* a replay that shows the projection */
	bool passes = options->passes || options->as_of > done;
	if (options->as_of)
		done = options->as_of;
	*alike = (struct alike){.hash = lanes->streams, .first = lanes->rank};
	for (int stream = 0; stream < lanes->streams; stream++) {
		struct spans *spans = &look->spans[alike->lanes];
		const struct stream *s = world_stream(lanes->trace->world, lanes->rank, stream);
		bool wanted = options->lanes == 0;
		for (int i = 0; i < options->lanes && s; i++)
			wanted |= options->lane[i] == s->name;
		if (!wanted)
			continue;
		lanes_spans(lanes, stream, window, spans);
		if (options->now >= 0)
			spans_cut(lanes->trace, spans, done, passes);
		if (options->as_of)
			spans_unseen(spans, options->as_of);
		if (options->path && critical_keep(options->path, stream, spans))
			alike->on_path = true;
		bool shown = stream == STREAM_HOST;
		for (size_t i = 0; i < spans->count && !shown; i++)
			shown = spans->span[i].kind == SPAN_WORK || spans->span[i].cause != CAUSE_DONE;
		if (!shown)
			continue;
		alike->lane[alike->lanes++] = stream;
		alike->hash = hash_mix(alike->hash, stream);
		if (stream > STREAM_DEFAULT)
			alike->hash = hash_mix(
			        alike->hash, (unsigned)world_stream(world, lanes->rank, stream)->name);
	}
}

static bool lane_begun_before(const struct lanes *lanes, int stream, int64_t from)
{
	for (uint32_t i = lanes->first[stream]; stream != STREAM_HOST && i < lanes->first[stream + 1]; i++) {
		const struct moment *m = &lanes->moment[lanes->order[i]];
		if (m->t.start == TIME_UNKNOWN || m->t.start >= from)
			return false;
		if (trace_is_work(m->kind))
			return true;
	}
	return false;
}

/* Compares streams before hosts, which are mostly alike. whom[]: the set's if this rank joins */
static bool matches_set(const struct alike *set, const struct timeline_options *options, struct window window,
        const struct look *look, const struct alike *alike, bool whom[STREAMS_MAX + 1])
{
	const struct world *world = look->lanes.trace->world;
	struct comparing c = {world, window, (window.to - window.from) / options->width};
	bool same =
	        set->hash == alike->hash && set->lanes == alike->lanes && !set->on_path && !alike->on_path;
	memcpy(whom, set->whom, sizeof set->whom);
	for (int k = set->lanes; same && k-- > 0;) {
		const struct spans *a = &set->spans[k], *b = &look->spans[k];
		struct beside of_a = {0}, of_b = {0};
		same = work_alike(&c, a, b, &of_a, &of_b) && (!of_a.gaps || shows_gaps_of(&c, a, b)) &&
		        (!of_b.gaps || shows_gaps_of(&c, b, a));
		whom[k] = whom[k] || (same && of_a.peers && waits_for_others(world, a, b));
	}
	return same;
}

static void sets_join(struct sets *sets, const struct timeline_options *options, struct window window,
        struct look *look, const struct alike *alike)
{
	bool whom[STREAMS_MAX + 1];
	for (size_t i = 0; options->merge && i < sets->count; i++)
		if (matches_set(&sets->set[i], options, window, look, alike, whom)) {
			ranks_add(&sets->set[i].ranks, alike->first);
			memcpy(sets->set[i].whom, whom, sizeof whom);
			return;
		}
	struct alike *added = MEM_ADD(&sets->set, &sets->count);
	*added = *alike;
	ranks_one(&added->ranks, alike->first);
	added->spans = mem_alloc((size_t)alike->lanes * sizeof *added->spans);
	for (int k = 0; k < alike->lanes; k++) {
		added->spans[k] = look->spans[k];
		added->begun[k] = lane_begun_before(&look->lanes, alike->lane[k], window.from);
		look->spans[k] = (struct spans){0};
	}
	sets->rows += alike->lanes;
}

static int64_t lanes_apart(const struct alike *a, const struct alike *b, struct window window)
{
	int64_t sum = 0;
	int i = 0, k = 0;
	while (i < a->lanes || k < b->lanes) {
		bool of_a = k == b->lanes || (i < a->lanes && a->lane[i] <= b->lane[k]);
		bool of_b = i == a->lanes || (k < b->lanes && b->lane[k] <= a->lane[i]);
		sum += of_a && of_b ? spans_apart(&a->spans[i], &b->spans[k]) : window.to - window.from;
		i += of_a;
		k += of_b;
	}
	return sum;
}

static int furthest_first(const void *a, const void *b)
{
	const struct alike *x = a, *y = b;
	if (x->apart != y->apart)
		return x->apart < y->apart ? 1 : -1;
	int more = x->apart ? ranks_count(&x->ranks) - ranks_count(&y->ranks) : 0;
	return more ? more : x->first - y->first;
}

static int64_t apart_from_all(
        const struct sets *sets, const struct alike *odd, int most, struct window window)
{
	enum { TRIED = 16 };
	int64_t least = INT64_MAX - 1;
	int tried = 0;
	for (size_t i = 0; i < sets->count && tried < TRIED; i++)
		if (!ranks_odd(&sets->set[i].ranks, most)) {
			least = least_of(least, lanes_apart(odd, &sets->set[i], window));
			tried++;
		}
	return most_of(least, 1);
}

static void sets_arrange(struct sets *sets, struct window window)
{
	int ranks = 0, most = 0;
	for (size_t i = 0; i < sets->count; i++) {
		int count = ranks_count(&sets->set[i].ranks);
		ranks += count;
		most = (int)most_of(most, count);
	}
	if (ranks <= FEW_RANKS)
		return;
	for (size_t i = 0; i < sets->count; i++) {
		struct alike *set = &sets->set[i];
		if (set->on_path)
			set->apart = INT64_MAX;
		else if (ranks_odd(&set->ranks, most))
			set->apart = apart_from_all(sets, set, most, window);
	}
	qsort(sets->set, sets->count, sizeof *sets->set, furthest_first);
}

static void release_spans(struct alike *set)
{
	for (int k = 0; set->spans && k < set->lanes; k++)
		spans_release(&set->spans[k]);
	mem_free(set->spans);
	set->spans = NULL;
}

static void sets_show(struct sets *sets, const struct timeline_options *options)
{
	int first = options->first_row > 0 ? options->first_row : 0, row = 0;
	for (size_t i = 0; i < sets->count; i++) {
		struct alike *set = &sets->set[i];
		for (int k = 0; k < set->lanes; k++, row++) {
			if (row < first || (options->rows > 0 && row - first >= options->rows))
				continue;
			*MEM_ADD(&sets->shown, &sets->shown_count) = (struct shown_lane){
			        .alike = i, .lane = k, .spans = set->spans[k], .begun = set->begun[k]};
			set->spans[k] = (struct spans){0};
		}
		release_spans(set);
	}
}

enum status sets_find(const struct trace *trace, const struct timeline_options *options, struct window window,
        struct sets *sets)
{
	struct look look = {0};
	struct alike alike = {0};
	enum status status = ST_OK;

	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (options->ranks && !ranks_has(options->ranks, rank))
			continue;
		status = lanes_load(&look.lanes, trace, rank);
		if (status != ST_OK)
			break;
		rank_lanes(&look, options, window, &alike);
		sets_join(sets, options, window, &look, &alike);
	}
	if (status == ST_OK) {
		if (options->merge)
			sets_arrange(sets, window);
		sets_show(sets, options);
	}
	lanes_release(&look.lanes);
	for (int i = 0; i <= STREAMS_MAX; i++)
		spans_release(&look.spans[i]);
	return status;
}

void sets_release(struct sets *sets)
{
	for (size_t i = 0; i < sets->shown_count; i++)
		spans_release(&sets->shown[i].spans);
	for (size_t i = 0; i < sets->count; i++)
		release_spans(&sets->set[i]);
	mem_free(sets->shown);
	mem_free(sets->set);
}
