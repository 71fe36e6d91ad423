/* intervals.c -- interval sets of time: sorted once, then walked
 *
 *      added     |--2--|      |-1-|        in any order
 *                   |---3---| |----4----|
 *      joined    |----------| |---------|  sorted; parts that overlap or touch are one
 *
 * Joining is O(n log n), every question after it O(n). */
#include "trace/lanes.h"
#include "base/memory.h"

#include <stdlib.h>

void intervals_add(struct intervals *set, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	*MEM_ADD(&set->part, &set->count) = (struct interval){from, to};
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void intervals_join(struct intervals *set)
{
	size_t kept = 0;

	if (set->count)
		qsort(set->part, set->count, sizeof *set->part, by_start);
	for (size_t i = 0; i < set->count; i++) {
		struct interval *part = &set->part[i];
		if (kept && part->from <= set->part[kept - 1].to) {
			if (part->to > set->part[kept - 1].to)
				set->part[kept - 1].to = part->to;
		} else {
			set->part[kept++] = *part;
		}
	}
	set->count = kept;
}

int64_t intervals_length(const struct intervals *set)
{
	int64_t length = 0;
	for (size_t i = 0; i < set->count; i++)
		length += set->part[i].to - set->part[i].from;
	return length;
}

int64_t intervals_common(const struct intervals *a, const struct intervals *b)
{
	int64_t length = 0;

	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		const struct interval *x = &a->part[i], *y = &b->part[j];
		int64_t from = x->from > y->from ? x->from : y->from, to = x->to < y->to ? x->to : y->to;
		if (to > from)
			length += to - from;
		if (x->to < y->to)
			i++;
		else
			j++;
	}
	return length;
}

void intervals_release(struct intervals *set)
{
	mem_free(set->part);
	*set = (struct intervals){0};
}
