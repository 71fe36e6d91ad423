/* groups.c -- groups of ranks: a name, and disjoint instances of it
 *
 * A mesh of 2 x 4 has the axes dp and tp; tp is one group of two instances:
 *
 *      tp    instance 0: ranks 0 1 2 3    instance 1: ranks 4 5 6 7      instance_of[5] = 1, place_of[5] = 1
 *
 * A group is one block of memory, because there may be hundreds and they are never freed alone: the arrays by
 * rank first, then instances, then their arrays by place, of which each instance has a stretch. */
#include "world/books.h"

static size_t up8(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static void group_alloc(struct group *group, int n, int instances, int members)
{
	size_t by_rank = up8((size_t)n * sizeof(int16_t)),
	       list = up8((size_t)instances * sizeof *group->instance);
	size_t by_place = up8((size_t)members * sizeof(int));
	unsigned char *block = mem_alloc(2 * by_rank + list + 3 * by_place);
	group->instance_of = (int16_t *)(void *)block;
	group->place_of = (int16_t *)(void *)(block + by_rank);
	group->instance = (struct group_instance *)(void *)(block + 2 * by_rank);
	group->instances = instances;
	group->instance[0].ranks = (int *)(void *)(block + 2 * by_rank + list);
	group->instance[0].issued = (uint32_t *)(void *)(block + 2 * by_rank + list + by_place);
	group->instance[0].at = (uint32_t *)(void *)(block + 2 * by_rank + list + 2 * by_place);
}

static void group_fill(struct group *group, int n, const int *starts, const int *ranks)
{
	struct group_instance base = group->instance[0];

	for (int r = 0; r < n; r++)
		group->instance_of[r] = group->place_of[r] = -1;
	for (int k = 0; k < group->instances; k++) {
		int from = starts[k] - starts[0];
		group->instance[k] = (struct group_instance){.n = starts[k + 1] - starts[k],
		        .ranks = base.ranks + from,
		        .issued = base.issued + from,
		        .at = base.at + from};
		for (int i = 0; i < group->instance[k].n; i++) {
			int rank = ranks[starts[k] + i];
			group->instance[k].ranks[i] = rank;
			group->instance_of[rank] = (int16_t)k;
			group->place_of[rank] = (int16_t)i;
		}
	}
}

enum status world_group_make(struct world *world, name_id name, bool axis, int instances, const int *starts,
        const int *ranks, int *index)
{
	struct group group = {.name = name, .axis = axis};

	for (int i = starts[0]; i < starts[instances]; i++) {
		enum status status = world_name_fits(world, ranks[i], name, THING_NONE);
		if (status != ST_OK)
			return status;
	}
	MEM_GROW(&world->groups, world->group_count, &world->group_room);
	group_alloc(&group, world->n, instances, starts[instances] - starts[0]);
	group_fill(&group, world->n, starts, ranks);
	*index = (int)world->group_count;
	world->groups[world->group_count++] = group;
	for (int i = starts[0]; i < starts[instances]; i++)
		bind_set(world, ranks[i], name, (struct thing){THING_GROUP, *index});
	digest_change(world, CHANGE_GROUP, axis, name);
	for (int r = 0; r < world->n; r++)
		digest_add(
		        world, (uint64_t)(uint16_t)group.instance_of[r] << 16 | (uint16_t)group.place_of[r]);
	return ST_OK;
}
