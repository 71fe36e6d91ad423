/* bindings.c -- (name, rank) -> thing: an array by rank for each bound name
 *
 * A name may mean different things on different ranks. */
#include "world/books.h"

const char *thing_kind_name(enum thing_kind kind)
{
	static const char *const names[] = {
	        "nothing", "tensor", "stream", "event", "group", "variable", "graph"};
	return names[kind];
}

struct thing world_find(const struct world *world, int rank, name_id name)
{
	const struct world_inner *inner = world->inner;

	if (name <= 0 || (size_t)name >= inner->bound_room || !inner->bound[name].on)
		return (struct thing){THING_NONE, -1};
	return inner->bound[name].on[rank];
}

enum status world_name_fits(const struct world *world, int rank, name_id name, enum thing_kind kind)
{
	enum thing_kind now = world_find(world, rank, name).kind;

	if (now == THING_NONE || now == kind)
		return ST_OK;
	return fail(ST_NAME, "'%s' is already a%s %s: choose another name", names_text(world->names, name),
	        now == THING_EVENT ? "n" : "", thing_kind_name(now));
}

void bind_set(struct world *world, int rank, name_id name, struct thing thing)
{
	struct world_inner *inner = world->inner;
	size_t old = inner->bound_room;

	if (name == 0)
		return;
	MEM_ROOM(&inner->bound, (size_t)name + 1, &inner->bound_room);
	for (size_t i = old; i < inner->bound_room; i++)
		inner->bound[i] = (struct bound){0};
	struct bound *bound = &inner->bound[name];
	if (!bound->on)
		*bound = (struct bound){world_take(world, world->n, sizeof *bound->on), inner->turns++};
	bound->on[rank] = thing;
	digest_change(world, CHANGE_BIND, rank, (int64_t)name << 32 | (uint32_t)thing.index);
}

enum status world_bind(struct world *world, int rank, name_id name, struct thing thing)
{
	enum status status = world_name_fits(world, rank, name, thing.kind);

	if (status == ST_OK)
		bind_set(world, rank, name, thing);
	return status;
}

void world_unbind(struct world *world, int rank, name_id name)
{
	if (world_find(world, rank, name).kind == THING_NONE)
		return;
	world->inner->bound[name].on[rank] = (struct thing){THING_NONE, -1};
	digest_change(world, CHANGE_UNBIND, rank, name);
}

uint32_t world_name_turn(const struct world *world, name_id name)
{
	return world->inner->bound[name].turn;
}

/* Of names at equal distance returns the alphabetically first, because name_ids depend on refused
 * lines. */
const char *world_nearest(const struct world *world, int rank, const char *name, enum thing_kind kind)
{
	/* a third of the letters may be wrong, at least one, at most three */
	size_t third = (strlen(name) + 2) / 3;
	int best = third > 3 ? 4 : third < 1 ? 2 : third + 1;
	const char *nearest = NULL;

	for (name_id id = 1; id <= names_count(world->names); id++) {
		enum thing_kind is = world_find(world, rank, id).kind;
		if (is == THING_NONE || (kind != THING_NONE && kind != is))
			continue;
		const char *text = names_text(world->names, id);
		int distance = text_distance(text, name);
		bool nearer = distance < best || (nearest && distance == best && strcmp(text, nearest) < 0);
		if (nearer && (size_t)distance < strlen(name)) {
			best = distance;
			nearest = text;
		}
	}
	return nearest;
}
