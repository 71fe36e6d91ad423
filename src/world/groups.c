/* groups.c -- groups of ranks: a name, and disjoint instances
 *
 * A mesh of 2 x 4 has the axes dp and tp; tp is one group of two instances:
 *
 *      tp    instance 0: ranks 0 1 2 3    instance 1: ranks 4 5 6 7    instance_of[5] = 1 */
#include "world/books.h"

enum status world_group_make(struct world *world, name_id name, bool axis, int instances, const int *starts,
        const int *ranks, int *index)
{
	size_t n = world->n;
	const struct group *last = world->group_count ? &world->groups[world->group_count - 1] : NULL;
	int first = last ? last->first + last->instances : 0;

	for (int i = starts[0]; i < starts[instances]; i++) {
		enum status status = world_name_fits(world, ranks[i], name, THING_NONE);
		if (status != ST_OK)
			return status;
	}
	*index = world->group_count;
	struct group *group = MEM_ADD(&world->groups, &world->group_count);
	*group = (struct group){.name = name,
	        .axis = axis,
	        .first = first,
	        .instances = instances,
	        .instance = world_take(world, instances, sizeof *group->instance),
	        .instance_of = world_take(world, n, sizeof *group->instance_of),
	        .place_of = world_take(world, n, sizeof *group->place_of),
	        .crosses = world_take(world, world->group_count, sizeof *group->crosses)};
	for (size_t r = 0; r < n; r++)
		group->instance_of[r] = group->place_of[r] = -1;
	for (int k = 0; k < instances; k++) {
		struct group_instance *instance = &group->instance[k];
		instance->n = starts[k + 1] - starts[k];
		instance->ranks = world_take(world, instance->n, sizeof *instance->ranks);
		instance->at = world_take(world, instance->n, sizeof *instance->at);
		for (int i = 0; i < instance->n; i++) {
			int rank = instance->ranks[i] = ranks[starts[k] + i];
			group->instance_of[rank] = k;
			group->place_of[rank] = i;
			bind_set(world, rank, name, (struct thing){THING_GROUP, *index});
		}
	}
	digest_change(world, CHANGE_GROUP, axis, name);
	for (size_t r = 0; r < n; r++)
		digest_add(world,
		        (uint64_t)(uint16_t)group->instance_of[r] << 16 | (uint16_t)group->place_of[r]);
	return ST_OK;
}

void world_group_timeout(struct world *world, int group, int64_t ns)
{
	world->groups[group].timeout = ns;
	digest_add(world, (uint64_t)ns);
}

static bool same_nodes(
        const struct machine *machine, const struct group_instance *a, const struct group_instance *b)
{
	int apart = machine_node(machine, b->ranks[0]) - machine_node(machine, a->ranks[0]);
	bool same = a->n == b->n;
	for (int i = 1; i < a->n && same; i++)
		same = machine_node(machine, b->ranks[i]) - machine_node(machine, a->ranks[i]) == apart;
	return same;
}

int world_group_like(const struct world *world, int index, int rank)
{
	struct group *group = &world->groups[index];
	unsigned now = world->machine->changes;
	for (int k = 0; k < group->instances && group->compared != now + 1; k++) {
		int like = 0;
		while (like < k &&
		        (group->instance[like].like != like ||
		                !same_nodes(world->machine, &group->instance[like], &group->instance[k])))
			like++;
		group->instance[k].like = like;
	}
	group->compared = now + 1;
	return group_part(group, rank)->like;
}
