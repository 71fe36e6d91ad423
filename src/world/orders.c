/* orders.c -- collectives that two ranks issue in opposite orders, in two groups and in one */
#include "world/books.h"
#include "base/ranks.h"

/* ---- two groups: NCCL can hang (rule 9)
 *
 *     rank 0:  allreduce in tp,  allreduce in dp
 *     rank 1:  allreduce in dp,  allreduce in tp      each may hold what the other needs
 *
 * If a rank joins match M right after a match P of another group, M notes P. Every member of both
 * must then join P before M. */

enum { PAIR_NEW, PAIR_APART, PAIR_CROSSES, PAIR_TOLD }; /* group.crosses */

/* Only ranks that share an instance of `a` and one of `b` can block each other. */
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

static uint8_t *pair_of(const struct world *world, int a, int b)
{
	return a > b ? &world->groups[a].crosses[b] : &world->groups[b].crosses[a];
}

static op_id member_of(const struct world *world, const struct match *match, int rank)
{
	const struct group *group = &world->groups[match->group];
	return group->instance_of[rank] == match->instance ? match->member[group->place_of[rank]] : 0;
}

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

/* Warns unless `rank`, which has joined `later`, joined `earlier` before. `other` joined `earlier`
 * just before `later`. */
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

/* ---- one group: NCCL matches by number and adds the wrong tensors
 *
 *     rank 0:   allreduce g1 (line 5)   allreduce g2 (line 5)
 *     rank 1:   allreduce g2 (line 6)   allreduce g1 (line 6)      each sum mixes both
 *
 * It is a mistake if two calls, known by tensor or by statement, are n-th and m-th on one rank,
 * but m-th and n-th on another. */

enum { SWAP_REACH = 256 }; /* matches searched */
enum identity { BY_TENSOR, BY_STATEMENT };

struct swapped {
	uint32_t match;
	int group, line[2];
	name_id file[2];
};

static const struct record *member_record(const struct world *world, const struct match *match, int place)
{
	return op_record(world, match->member[place]);
}

name_id world_brought(const struct world *world, const struct match *match, int place)
{
	const struct record *record = member_record(world, match, place);
	return record->operands ? record->operand[0].name : 0;
}

static bool brings_one(const struct world *world, enum identity by, const struct match *m, int place,
        const struct match *other_match, int other)
{
	const struct record *a = member_record(world, m, place),
	                    *b = member_record(world, other_match, other);

	if (by == BY_TENSOR)
		return world_brought(world, m, place) == world_brought(world, other_match, other) &&
		        a->title == b->title;
	return a->line == b->line && a->file == b->file;
}

bool world_brings_differ(const struct world *world, const struct match *match)
{
	int first = -1;

	for (int place = 0; place < match->n; place++) {
		if (!match->member[place])
			continue;
		if (first >= 0 && world_brought(world, match, first) != world_brought(world, match, place))
			return true;
		first = first < 0 ? place : first;
	}
	return false;
}

/* Finds an earlier match in which b brought what a brings in `m`, and one in which a brought what
 * b brings. Returns the first of the two; 0 if one is missing. */
static uint32_t swap_find(const struct world *world, enum identity by, const struct match *m, int a, int b)
{
	uint32_t of_a = 0, of_b = 0, at = m->before;

	if (!world_brought(world, m, a) || brings_one(world, by, m, a, m, b))
		return 0;
	for (int steps = 0; at && steps < SWAP_REACH && !(of_a && of_b); steps++) {
		const struct match *n = &world->matches[at];
		/* a root's calls come from a branch of its own, so their order is no mistake */
		int root = member_record(world, m, a)->root, before = member_record(world, n, a)->root;
		bool same_roles = (root == a) == (before == a) && (root == b) == (before == b);
		if (same_roles && !brings_one(world, by, n, a, n, b)) {
			of_a = !of_a && brings_one(world, by, m, a, n, b) ? at : of_a;
			of_b = !of_b && brings_one(world, by, m, b, n, a) ? at : of_b;
		}
		at = n->before;
	}
	return !of_a || !of_b ? 0 : of_a < of_b ? of_a : of_b;
}

static bool same_origin(const struct world *world, const struct match *match, int a, int b, int by)
{
	(void)by;
	return world->ops[match->member[a]].record == world->ops[match->member[b]].record ||
	        (brings_one(world, BY_TENSOR, match, a, match, b) &&
	                brings_one(world, BY_STATEMENT, match, a, match, b));
}

int world_brings(
        const struct world *world, const struct match *match, int first[BRINGS_MOST], struct ranks *ranks)
{
	return member_sets(world, match, same_origin, 0, first, ranks);
}

static bool swap_is_reported(const struct world *world, const struct swapped *swapped)
{
	for (size_t i = 0; i < world->inner->swapped_count; i++) {
		const struct swapped *known = &world->inner->swapped[i];
		for (int k = 0; k < 2 && known->group == swapped->group; k++)
			if (known->line[0] == swapped->line[k] && known->file[0] == swapped->file[k] &&
			        known->line[1] == swapped->line[!k] && known->file[1] == swapped->file[!k])
				return true;
	}
	return false;
}

/* Returns the first match that two members issued in the opposite order to this one, and their
 * places; 0: none. Compares each set with the first and the previous one. */
static uint32_t swap_find_any(const struct world *world, const struct match *match, int *a, int *b)
{
	int place[BRINGS_MOST], count = world_brings(world, match, place, NULL);
	uint32_t first = 0;

	for (int k = 1; k < count && !first; k++) {
		*b = place[k];
		for (int i = 0; i < (k > 1 ? 4 : 2) && !first; i++) {
			*a = place[i < 2 ? 0 : k - 1];
			first = swap_find(world, i % 2 ? BY_STATEMENT : BY_TENSOR, match, *a, *b);
		}
	}
	return first;
}

void swapped_join(struct world *world, uint32_t index)
{
	const struct match *match = &world->matches[index];
	struct group_instance *instance = &world->groups[match->group].instance[match->instance];
	int a, b;

	if (match->count < match->n || match->mismatch || member_record(world, match, 0)->window)
		return;
	uint32_t first = swap_find_any(world, match, &a, &b);
	/* the ranks hang there; `stuck` reports it */
	if (!first || world->matches[first].mismatch)
		return;
	const struct record *of_a = member_record(world, match, a), *of_b = member_record(world, match, b);
	struct swapped swapped = {first, match->group, {of_a->line, of_b->line}, {of_a->file, of_b->file}};
	if (instance->swapped != match->before && !swap_is_reported(world, &swapped))
		*MEM_ADD(&world->inner->swapped, &world->inner->swapped_count) = swapped;
	instance->swapped = index;
}

uint32_t world_swapped(const struct world *world, size_t i)
{
	return i < world->inner->swapped_count ? world->inner->swapped[i].match : 0;
}

/* Returns true if b has joined m, and a brings to the match after m what b brought to m. */
static bool is_shifted(const struct world *world, const struct match *m, int a, int b)
{
	const struct match *next = &world->matches[m->next];
	if (!m->member[b])
		return false;
	bool tensor =
	        !brings_one(world, BY_TENSOR, m, a, m, b) && brings_one(world, BY_TENSOR, next, a, m, b);
	return tensor ||
	        (!brings_one(world, BY_STATEMENT, m, a, m, b) &&
	                brings_one(world, BY_STATEMENT, next, a, m, b));
}

uint32_t world_shifted(const struct world *world, uint32_t match)
{
	const struct match *last = &world->matches[match];
	uint32_t first = 0, at = last->before;
	int a = 0, b = 0;

	if (last->p2p || match_complete(last))
		return 0;
	while (!last->member[a])
		a++;
	while (last->member[b])
		b++;
	for (int steps = 0; at && steps < SWAP_REACH && is_shifted(world, &world->matches[at], a, b);
	        steps++) {
		first = at;
		at = world->matches[at].before;
	}
	return first;
}
