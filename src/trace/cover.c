/* cover.c -- sets of time */
#include "trace/cover.h"
#include "base/memory.h"

#include <stdlib.h>

void cover_add(struct cover *cover, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	MEM_GROW(&cover->part, cover->count, &cover->room);
	cover->part[cover->count++] = (struct interval){from, to};
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void cover_join(struct cover *cover)
{
	size_t kept = 0;

	if (cover->count)
		qsort(cover->part, cover->count, sizeof *cover->part, by_start);
	for (size_t i = 0; i < cover->count; i++) {
		struct interval *part = &cover->part[i];
		if (kept && part->from <= cover->part[kept - 1].to) {
			if (part->to > cover->part[kept - 1].to)
				cover->part[kept - 1].to = part->to;
		} else {
			cover->part[kept++] = *part;
		}
	}
	cover->count = kept;
}

int64_t cover_length(const struct cover *cover)
{
	int64_t length = 0;
	for (size_t i = 0; i < cover->count; i++)
		length += cover->part[i].to - cover->part[i].from;
	return length;
}

int64_t cover_common(const struct cover *a, const struct cover *b)
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

void cover_release(struct cover *cover)
{
	mem_free(cover->part);
	*cover = (struct cover){0};
}
