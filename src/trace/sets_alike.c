/* sets_alike.c -- do two ranks look equal?
 *
 *      rank 0   |== a ==|pppp|=== c ===|
 *      rank 1   |== a ===|ppp|=== c ===|
 *
 * Measured times are never equal. Two rows are one if the same work begins and ends within a cell
 * of the picture, and other spans longer than two cells have the same cause and blame in their
 * middle. */
#include "base/arithmetic.h"
#include "base/search.h"
#include "trace/lanes.h"
#include "trace/sets.h"
#include "trace/trace.h"

struct comparing {
	const struct world *world;
	struct window window;
	int64_t cell;
};

/* Spans beside work, noted while walking along it; most lanes need no more */
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

/* Returns one more than the index of the last work before i, 0 if none. Work cut by the window's
 * edge does not count. */
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

/* True if they wait for the same title, both on their own rank or both on another, perhaps a
 * neighbour. Without blame: if the waiting operations have the same title. */
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

static int rank_waited_for(const struct world *world, const struct span *s)
{
	if (s->blame)
		return world->ops[s->blame].rank;
	return s->op ? trace_missing_rank(world, s->op) : -1;
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
		if (!waits || rank_waited_for(world, x) != rank_waited_for(world, y))
			return true;
	}
	return false;
}

bool spans_alike(const struct world *world, const struct spans *a, const struct spans *b,
        struct window window, int cells, bool *whom)
{
	struct comparing c = {world, window, (window.to - window.from) / cells};
	struct beside of_a = {0}, of_b = {0};
	if (!work_alike(&c, a, b, &of_a, &of_b) || (of_a.gaps && !shows_gaps_of(&c, a, b)) ||
	        (of_b.gaps && !shows_gaps_of(&c, b, a)))
		return false;
	*whom = *whom || (of_a.peers && waits_for_others(world, a, b));
	return true;
}

int64_t spans_apart(const struct spans *a, const struct spans *b)
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
