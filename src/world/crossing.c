/* crossing.c -- groups whose collectives two ranks queue in opposite orders: NCCL can hang there (rule 9)
 *
 *     rank 0:  allreduce in tp,  allreduce in dp
 *     rank 1:  allreduce in dp,  allreduce in tp      each may hold the multiprocessors that the other needs
 *
 * When a rank joins meet M right after a meet P of another group, M remembers "P came first". Every member of
 * both must then have joined P before M; one that has not is in the opposite order. It is looked at when the
 * note is made (for the members that are in M already) and when a member joins M, so that it does not matter
 * whose line is typed first. */
#include "world/books.h"

/* Do two ranks share an instance of `a` and one of `b`? Only such a pair can hold what the other needs; a
 * rank alone in both orders its own collectives. */
static bool instances_overlap(const struct group *a, const struct group *b)
{
	for (int k = 0; k < a->instances; k++) {
		const struct group_instance *instance = &a->instance[k];
		for (int i = 0; i < instance->n; i++) {
			int in_b = b->instance_of[instance->ranks[i]];
			for (int j = 0; j < i && in_b >= 0; j++) {
				if (b->instance_of[instance->ranks[j]] == in_b)
					return true;
			}
		}
	}
	return false;
}

/* instances_overlap, asked once for a pair of groups: a table of pairs, made anew when a group is added. */
static bool can_cross(struct world *world, int a, int b)
{
	struct world_matching *matching = world->matching;
	size_t n = world->group_count;

	if (matching->overlap_groups != n) { /* what was found of fewer groups is found again */
		mem_free(matching->overlap);
		matching->overlap = mem_alloc(n * n);
		matching->overlap_groups = n;
	}
	uint8_t *known = &matching->overlap[(size_t)a * matching->overlap_groups + (size_t)b];

	if (*known == 0)
		*known = instances_overlap(&world->groups[a], &world->groups[b]) ? 2 : 1;
	return *known == 2;
}

static op_id member_of(const struct world *world, const struct meet *meet, int rank)
{
	const struct group *group = &world->groups[meet->group];
	return group->instance_of[rank] == meet->instance
	        ? world->meet_ops[meet->first_op + (uint32_t)group->place_of[rank]]
	        : 0;
}

/* Once a pair of groups: a loop would say it for every iteration. */
static void warn(struct world *world, int a, int b, int rank, int other)
{
	struct world_matching *matching = world->matching;
	int low = a < b ? a : b, high = a < b ? b : a;

	for (size_t i = 0; i < matching->warning_count; i++) {
		if (matching->warnings[i].group[0] == low && matching->warnings[i].group[1] == high)
			return;
	}
	MEM_GROW(&matching->warnings, matching->warning_count, &matching->warning_room);
	struct order_warning *warning = &matching->warnings[matching->warning_count++];
	warning->group[0] = low;
	warning->group[1] = high;
	snprintf(warning->text, sizeof warning->text,
	        "ranks %d and %d queue collectives of %.40s and %.40s in opposite orders: NCCL can hang",
	        rank < other ? rank : other, rank < other ? other : rank,
	        names_text(world->names, world->groups[low].name),
	        names_text(world->names, world->groups[high].name));
}

/* `rank` has joined `later`; somebody else joined `earlier` just before `later`. */
static void check(struct world *world, uint32_t earlier, uint32_t later, int rank, int other)
{
	const struct meet *p = &world->meets[earlier], *m = &world->meets[later];

	if (rank == other || world->groups[p->group].instance_of[rank] != p->instance || p->aborted)
		return;
	op_id first = member_of(world, p, rank), second = member_of(world, m, rank);
	if (!first || first > second)
		warn(world, p->group, m->group, rank, other);
}

static void note(struct world *world, uint32_t meet, uint32_t earlier, int rank)
{
	struct world_matching *matching = world->matching;
	const struct meet *m = &world->meets[meet];

	for (uint32_t i = m->crossings; i; i = matching->crossings[i].next)
		if (matching->crossings[i].earlier == earlier)
			return;
	MEM_ROOM(&matching->crossings, matching->crossing_count + 2, &matching->crossing_room);
	matching->crossings[++matching->crossing_count] =
	        (struct crossing){.earlier = earlier, .next = m->crossings, .rank = rank};
	world->meets[meet].crossings = (uint32_t)matching->crossing_count;
	for (int place = 0; place < m->n; place++) {
		op_id id = world->meet_ops[m->first_op + (uint32_t)place];
		if (id)
			check(world, earlier, meet, world->ops[id].rank, rank);
	}
}

void crossing_join(struct world *world, op_id id, uint32_t meet)
{
	struct world_matching *matching = world->matching;
	int rank = world->ops[id].rank;
	uint32_t before = matching->last_collective[rank];

	for (uint32_t i = world->meets[meet].crossings; i; i = matching->crossings[i].next)
		check(world, matching->crossings[i].earlier, meet, rank, matching->crossings[i].rank);
	if (before && world->meets[before].group != world->meets[meet].group &&
	        can_cross(world, world->meets[before].group, world->meets[meet].group))
		note(world, meet, before, rank);
	matching->last_collective[rank] = meet;
}

const char *world_order_warning(const struct world *world, size_t i)
{
	return i < world->matching->warning_count ? world->matching->warnings[i].text : NULL;
}
