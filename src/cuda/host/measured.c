/* measured.c -- times by operation */
#include "cuda/host/measured.h"
#include "base/memory.h"

#include <string.h>

void measurements_release(struct measurements *all)
{
	mem_free(all->at);
	mem_free(all->order);
	*all = (struct measurements){0};
}

enum status measurements_add(struct measurements *all, const struct measured *one)
{
	size_t before = all->room;
	if (one->id == 0 || one->issue > one->ready || one->ready > one->start || one->start > one->end)
		return fail(ST_BUG, "operation %u was reported with times out of order", one->id);
	MEM_ROOM(&all->at, (size_t)one->id + 1, &all->room);
	if (all->room > before)
		memset(all->at + before, 0, (all->room - before) * sizeof *all->at);
	struct measured *place = &all->at[one->id];
	if (place->id)
		return memcmp(place, one, sizeof *one) == 0
		        ? ST_OK
		        : fail(ST_BUG, "operation %u was reported twice, with different times", one->id);
	*place = *one;
	*MEM_ADD(&all->order, &all->known) = one->id;
	return ST_OK;
}

const struct measured *measurements_find(const struct measurements *all, op_id id)
{
	return id < all->room && all->at[id].id ? &all->at[id] : NULL;
}
