/* crossing.c -- groups whose collectives two ranks queue in opposite orders: NCCL can hang (rule
 * 9)
 *
 *     rank 0:  allreduce in tp,  allreduce in dp
 *     rank 1:  allreduce in dp,  allreduce in tp      each may hold what the other needs
 *
 * If a rank joins match M right after a match P of another group, M notes it. Every member of
 * both must then join P before M. */
#include "world/books.h"

enum { PAIR_NEW, PAIR_APART, PAIR_CROSSES, PAIR_TOLD }; /* group.crosses */

/* Returns true if two ranks share an instance of `a` and one of `b`: only they can block each
 * other. */
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

/* Returns the state of a pair of groups, stored with the later one. */
static uint8_t *pair_of(const struct world *world, int a, int b)
{
	return a > b ? &world->groups[a].crosses[b] : &world->groups[b].crosses[a];
}

static op_id member_of(const struct world *world, const struct match *match, int rank)
{
	const struct group *group = &world->groups[match->group];
	return group->instance_of[rank] == match->instance ? match->member[group->place_of[rank]] : 0;
}

/* Warns once a pair of groups. */
static void crossing_warn(struct world *world, int a, int b, int rank, int other)
{
	struct world_inner *inner = world->inner;
	int low = a < b ? a : b, high = a < b ? b : a;
	uint8_t *pair = pair_of(world, a, b);

	if (*pair == PAIR_TOLD)
		return;
	*pair = PAIR_TOLD;
	struct order_warning *warning = MEM_ADD(&inner->warnings, &inner->warning_count);
	snprintf(warning->text, sizeof warning->text,
	        "ranks %d and %d queue collectives of %.40s and %.40s in opposite orders: NCCL can hang",
	        rank < other ? rank : other, rank < other ? other : rank,
	        names_text(world->names, world->groups[low].name),
	        names_text(world->names, world->groups[high].name));
}

/* `rank` joined `later`; `other` joined `earlier` just before `later`. A match not joined yet (0)
 * comes later. */
static void crossing_check(struct world *world, uint32_t earlier, uint32_t later, int rank, int other)
{
	const struct match *p = &world->matches[earlier], *m = &world->matches[later];

	if (rank == other || world->groups[p->group].instance_of[rank] != p->instance || p->aborted)
		return;
	op_id first = member_of(world, p, rank), second = member_of(world, m, rank);
	if (!first || first > second)
		crossing_warn(world, p->group, m->group, rank, other);
}

static void crossing_note(struct world *world, uint32_t match, uint32_t earlier, int rank)
{
	struct match *m = &world->matches[match];

	for (const struct crossing *known = m->crossings; known; known = known->next)
		if (known->earlier == earlier)
			return;
	struct crossing *crossing = world_take(world, 1, sizeof *crossing);
	*crossing = (struct crossing){.earlier = earlier, .next = m->crossings, .rank = rank};
	m->crossings = crossing;
	for (int place = 0; place < m->n; place++)
		if (m->member[place])
			crossing_check(world, earlier, match, m->ranks[place], rank);
}

void crossing_join(struct world *world, op_id id, uint32_t match)
{
	int rank = world->ops[id].rank;
	uint32_t before = world->inner->last_collective[rank];

	for (const struct crossing *at = world->matches[match].crossings; at; at = at->next)
		crossing_check(world, at->earlier, match, rank, at->rank);
	int a = world->matches[match].group, b = before ? world->matches[before].group : a;
	if (a != b) {
		uint8_t *pair = pair_of(world, a, b);
		if (*pair == PAIR_NEW)
			*pair = instances_overlap(&world->groups[b], &world->groups[a]) ? PAIR_CROSSES
			                                                                : PAIR_APART;
		if (*pair != PAIR_APART)
			crossing_note(world, match, before, rank);
	}
	world->inner->last_collective[rank] = match;
}

bool world_order_reported(const struct world *world, int a, int b)
{
	return *pair_of(world, a, b) == PAIR_TOLD;
}

const char *world_order_warning(const struct world *world, size_t i)
{
	return i < world->inner->warning_count ? world->inner->warnings[i].text : NULL;
}
