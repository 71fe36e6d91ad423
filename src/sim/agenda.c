/* agenda.c -- what is due when: the pending-event set of the simulation
 *
 * A heap of four children a node, ordered by (time, rank, stream, number); the children of place i stand at
 * 4i + 1 .. 4i + 4. Four instead of two: half as many levels, and a node's children share a cache line or
 * two.
 *   1. no node is due before its parent, so agenda[0] is next;
 *   2. works[agenda[i].work].at == i, and NOWHERE for a work without an event: an event can be moved or
 *      dropped without a search, which every change of a share does;
 *   3. the order is total (no two works have the same), so what comes next never depends on the heap's shape,
 *      and every process carries out the same events in the same order. */
#include "sim/engine.h"

static inline bool before(const struct due *a, const struct due *b)
{
	return a->time != b->time      ? a->time < b->time
	        : a->order != b->order ? a->order < b->order
	                               : a->work < b->work;
}

static inline void put(struct engine *e, size_t at, struct due due)
{
	e->agenda[at] = due;
	e->works[due.work].at = (uint32_t)at;
}

/* Finds the place of `due` from the hole `at` towards the root, moving later ones down into the hole. */
static void up(struct engine *e, size_t at, struct due due)
{
	while (at > 0) {
		size_t parent = (at - 1) / 4;
		if (!before(&due, &e->agenda[parent]))
			break;
		put(e, at, e->agenda[parent]);
		at = parent;
	}
	put(e, at, due);
}

/* The same towards the leaves: the earliest child moves up, as long as it is before `due`. */
static void down(struct engine *e, size_t at, struct due due)
{
	for (;;) {
		size_t first = at * 4 + 1, best = first,
		       last = first + 4 < e->agenda_count ? first + 4 : e->agenda_count;
		if (first >= e->agenda_count)
			break;
		for (size_t i = first + 1; i < last; i++)
			if (before(&e->agenda[i], &e->agenda[best]))
				best = i;
		if (!before(&e->agenda[best], &due))
			break;
		put(e, at, e->agenda[best]);
		at = best;
	}
	put(e, at, due);
}

void agenda_set(struct engine *e, uint32_t work, int64_t time, uint64_t order)
{
	struct due due = {time, order, work};
	size_t at = e->works[work].at;
	if (at == NOWHERE)
		up(e, e->agenda_count++, due);
	else if (before(&due, &e->agenda[at]))
		up(e, at, due);
	else
		down(e, at, due);
}

void agenda_drop(struct engine *e, uint32_t work)
{
	size_t at = e->works[work].at;
	if (at == NOWHERE)
		return;
	e->works[work].at = NOWHERE;
	struct due last = e->agenda[--e->agenda_count];
	if (last.work == work)
		return;
	if (at > 0 && before(&last, &e->agenda[(at - 1) / 4]))
		up(e, at, last);
	else
		down(e, at, last);
}

struct due agenda_take(struct engine *e)
{
	struct due first = e->agenda[0];
	e->works[first.work].at = NOWHERE;
	struct due last = e->agenda[--e->agenda_count];
	if (e->agenda_count)
		down(e, 0, last);
	return first;
}
