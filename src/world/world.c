/* world.c -- the books open and close; names of kinds and spaces; marks */
#include "world/books.h"

const char *space_name(enum space space)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		SPACES(X)
#undef X
	};
	return names[space];
}

const char *op_kind_name(enum op_kind kind)
{
	static const char *const names[] = {
#define X(symbol, name, host) name,
		OP_KINDS(X)
#undef X
	};
	return names[kind];
}

bool op_kind_is_host(enum op_kind kind)
{
	static const bool is_host[] = {
#define X(symbol, name, host) host,
		OP_KINDS(X)
#undef X
	};
	return is_host[kind];
}

void digest_layout(struct world *world, const struct layout *layout)
{
	digest_add(world, (uint64_t)layout->dtype << 8 | layout->dims);
	for (int i = 0; i < layout->dims; i++) {
		digest_add(world, (uint64_t)layout->dim[i]);
		digest_add(world, (uint64_t)layout->stride[i]);
	}
}

static enum status make_names(struct world *world)
{
	world->names = names_create();
	if (!world->names)
		return ST_MEMORY;
	world->default_name = names_make(world->names, "default", 7);
	world->world_name = names_make(world->names, "world", 5);
	return world->default_name && world->world_name ? ST_OK : ST_MEMORY;
}

static enum status make_world_group(struct world *world)
{
	int starts[2] = {0, world->n}, index;
	int *ranks = mem_alloc((size_t)world->n * sizeof *ranks);

	if (!ranks)
		return ST_MEMORY;
	for (int i = 0; i < world->n; i++)
		ranks[i] = i;
	enum status status = world_group_make(world, world->world_name, false, 1, starts, ranks, &index);
	mem_free(ranks);
	return status;
}

static enum status open_books(struct world *world)
{
	enum status status = make_names(world);
	int section;

	world->first = mem_alloc((size_t)world->n * sizeof *world->first);
	world->last = mem_alloc((size_t)world->n * sizeof *world->last);
	if (!status && (!world->first || !world->last))
		status = ST_MEMORY;
	if (!status)
		status = bindings_create(world);
	if (!status)
		status = memory_create(world);
	if (!status)
		status = matching_create(world);
	if (!status)
		status = graphs_create(world);
	if (!status && world->me >= 0)
		status = order_create(world);
	if (!status)
		status = lanes_create(world);
	if (!status)
		status = make_world_group(world);
	if (!status)
		status = world_mark(world, 0, 0, &section);
	return status;
}

struct world *world_create(int n, int me, struct machine *machine)
{
	struct world *world = mem_alloc(sizeof *world);

	if (!world)
		return NULL;
	world->n = n;
	world->me = me;
	world->machine = machine;
	world->digest = (uint64_t)n;
	world->free_tensor = -1;
	if (open_books(world)) {
		world_free(world);
		return NULL;
	}
	return world;
}

void world_free(struct world *world)
{
	if (!world)
		return;
	memory_free(world);
	matching_free(world);
	graphs_free(world);
	order_free(world->order);
	lanes_free(world);
	bindings_free(world);
	for (size_t i = 0; i < world->group_count; i++)
		mem_free(world->groups[i].instance_of); /* one block: groups.c */
	mem_free(world->groups);
	mem_free(world->ops);
	mem_free(world->records);
	mem_free(world->meets);
	mem_free(world->meet_ops);
	mem_free(world->part_meets);
	mem_free(world->first);
	mem_free(world->last);
	mem_free(world->tensors);
	mem_free(world->streams);
	mem_free(world->events);
	mem_free(world->sections);
	mem_free(world->races);
	mem_free(world->unread);
	arena_free(world->arena);
	names_free(world->names);
	mem_free(world);
}

enum status world_mark(struct world *world, name_id name, int line, int *section)
{
	if (RESERVE(&world->sections, world->section_count, 1, &world->section_room))
		return ST_MEMORY;
	*section = (int)world->section_count;
	world->sections[world->section_count++] = (struct section){.name = name, .line = line};
	digest_change(world, CHANGE_MARK, line, name);
	return ST_OK;
}
