/* staleness.c -- the age of the parameters that a gradient was computed from, when it is added
 *
 *      worker 0    get w |---- forward, backward ----| add -> w        2 updates: staleness 2
 *      worker 1        add -> w                      .
 *      worker 2                      add -> w        .   add -> w
 *
 * Counted by operations alone: for an `add` of a rank and its latest `get` of the same bytes, the
 * puts and adds of others from the start of the get to the end of the add (Ho et al. 2013 bound
 * this in a worker's steps). */
#include "trace/lanes.h"
#include "trace/trace.h"
#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>

struct window_change {
	int64_t address, end;
	int target, rank;
};

static int by_place(const struct window_change *a, const struct window_change *b)
{
	if (a->target != b->target)
		return a->target - b->target;
	return (a->address > b->address) - (a->address < b->address);
}

static int by_place_and_end(const void *a, const void *b)
{
	const struct window_change *x = a, *y = b;
	int place = by_place(x, y);
	return place ? place : (x->end > y->end) - (x->end < y->end);
}

/* Returns false if the operation is not one-sided, was aborted, or has not ended. */
static bool change_of(const struct trace *trace, op_id id, struct window_change *change)
{
	const struct world *world = trace->world;
	const struct record *record = op_record(world, id);
	struct operand remote;
	if (record->kind != OP_ONE_SIDED || world->ops[id].flags & OPF_ABORTED ||
	        !world_remote(world, id, &remote))
		return false;
	*change = (struct window_change){.address = remote.address,
	        .target = record->part[0].peer,
	        .rank = world->ops[id].rank,
	        .end = backend_times(trace->backend, id).end};
	return change->end != TIME_UNKNOWN;
}

/* Returns how many sorted changes by other ranks at the place of `at` end after `from` and before
 * at->end. */
static int64_t others_between(
        const struct window_change *changes, size_t count, const struct window_change *at, int64_t from)
{
	struct window_change first = *at;
	int64_t others = 0;
	size_t i;
	first.end = from;
	SEARCH(i, count, by_place_and_end(&changes[i], &first) > 0);
	for (; i < count && by_place(&changes[i], at) == 0 && changes[i].end < at->end; i++)
		others += changes[i].rank != at->rank;
	return others;
}

static enum one_sided what_of(const struct world *world, op_id id)
{
	return (enum one_sided)op_record(world, id)->part[0].direction;
}

static struct window_change *all_changes(const struct trace *trace, size_t *count)
{
	struct window_change *changes = NULL, change;
	for (op_id id = 1; id <= trace->world->op_count; id++)
		if (change_of(trace, id, &change) && what_of(trace->world, id) != ONE_SIDED_GET)
			*MEM_ADD(&changes, count) = change;
	qsort(changes, *count, sizeof *changes, by_place_and_end);
	return changes;
}

int64_t trace_staleness(const struct trace *trace, int section, int rank, double *mean, double *most)
{
	const struct world *world = trace->world;
	struct window_change *changes = NULL, *gets = NULL, *get, change;
	size_t count = 0, places = 0;
	int64_t adds = 0;

	*mean = *most = 0;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		if (!change_of(trace, id, &change))
			continue;
		get = NULL; /* the rank's latest get of this place: a rank has few places */
		for (size_t i = 0; i < places && !get; i++)
			if (by_place(&gets[i], &change) == 0)
				get = &gets[i];
		if (what_of(world, id) == ONE_SIDED_GET) {
			get = get ? get : MEM_ADD(&gets, &places);
			*get = change;
			get->end = backend_times(trace->backend, id).start;
		} else if (what_of(world, id) == ONE_SIDED_ADD && get && trace_in(trace, id, section)) {
			if (!changes)
				changes = all_changes(trace, &count);
			double others = others_between(changes, count, &change, get->end);
			*mean += others;
			*most = others > *most ? others : *most;
			adds++;
		}
	}
	mem_free(changes);
	mem_free(gets);
	*mean = adds ? *mean / adds : 0;
	return adds;
}
