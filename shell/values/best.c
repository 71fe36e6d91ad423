/* best.c -- figures from another world, by expression and rank */
#include "shell/values/best.h"
#include "base/memory.h"

#include <string.h>

static struct best_figure *find(const struct best *best, const char *what, size_t length, int rank)
{
	for (size_t i = 0; i < best->count; i++) {
		struct best_figure *figure = &best->figure[i];
		if (figure->rank == rank && strlen(figure->what) == length &&
		        memcmp(figure->what, what, length) == 0)
			return figure;
	}
	return NULL;
}

void best_keep(struct best *best, const char *what, size_t length, int rank, struct number number)
{
	struct best_figure *figure = find(best, what, length, rank);
	if (!figure) {
		figure = MEM_ADD(&best->figure, &best->count);
		*figure = (struct best_figure){.what = mem_copy_text(what, length), .rank = rank};
	}
	figure->number = number;
}

bool best_find(const struct best *best, const char *what, size_t length, int rank, struct number *number)
{
	const struct best_figure *figure = find(best, what, length, rank);
	if (figure)
		*number = figure->number;
	return figure != NULL;
}

void best_release(struct best *best)
{
	for (size_t i = 0; i < best->count; i++)
		mem_free(best->figure[i].what);
	mem_free(best->figure);
	*best = (struct best){0};
}
