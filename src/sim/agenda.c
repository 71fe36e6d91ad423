/* agenda.c -- the pending-event set
 *
 * A 4-ary heap ordered by (time, rank, stream, number); the children of place i are at 4i + 1 ..
 * 4i + 4, in a cache line or two.
 *   1. no node is due before its parent, so agenda[0] is next;
 *   2. works[agenda[i].work].at == i, NOWHERE without an event: events move without a search;
 *   3. the order is total, so all processes carry out the same events in the same order. */
#include "sim/engine.h"

static inline bool due_before(const struct due *a, const struct due *b)
{
	return a->time != b->time      ? a->time < b->time
	        : a->order != b->order ? a->order < b->order
	                               : a->work < b->work;
}

static inline void agenda_put(struct engine *e, size_t at, struct due due)
{
	e->agenda[at] = due;
	e->works[due.work].at = at;
}

/* Places `due`, starting at the hole `at`: parents that are due later move down, else children
 * that are due earlier move up. */
static void agenda_place(struct engine *e, size_t at, struct due due)
{
	struct due *agenda = e->agenda;
	size_t from = at, count = e->agenda_count, first;
	for (; at > 0 && due_before(&due, &agenda[(at - 1) / 4]); at = (at - 1) / 4)
		agenda_put(e, at, agenda[(at - 1) / 4]);
	while (at >= from && (first = at * 4 + 1) < count) {
		size_t best = first, last = first + 4 < count ? first + 4 : count;
		for (size_t i = first + 1; i < last; i++)
			if (due_before(&agenda[i], &agenda[best]))
				best = i;
		if (!due_before(&agenda[best], &due))
			break;
		agenda_put(e, at, agenda[best]);
		at = best;
	}
	agenda_put(e, at, due);
}

void agenda_set(struct engine *e, uint32_t work, int64_t time, uint64_t order)
{
	size_t at = e->works[work].at;
	agenda_place(e, at == NOWHERE ? e->agenda_count++ : at, (struct due){time, order, work});
}

void agenda_drop(struct engine *e, uint32_t work)
{
	size_t at = e->works[work].at;
	if (at == NOWHERE)
		return;
	e->works[work].at = NOWHERE;
	struct due last = e->agenda[--e->agenda_count];
	if (last.work != work)
		agenda_place(e, at, last);
}
