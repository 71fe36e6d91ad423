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

/* The digest is a running hash of every change; equal digests after a line mean equal books. */
void digest_layout(struct world *world, const struct layout *layout)
{
	digest_add(world, (uint64_t)layout->dtype << 8 | layout->dims);
	for (int i = 0; i < layout->dims; i++) {
		digest_add(world, (uint64_t)layout->dim[i]);
		digest_add(world, (uint64_t)layout->stride[i]);
	}
}

/* The group "world": one instance, every rank at its own place. Index 0. */
static void make_world_group(struct world *world)
{
	int starts[2] = {0, world->n}, index;
	int *ranks = mem_alloc((size_t)world->n * sizeof *ranks);

	for (int i = 0; i < world->n; i++)
		ranks[i] = i;
	world_group_make(world, world->world_name, false, 1, starts, ranks, &index);
	mem_free(ranks);
}

/* The names made here have the same numbers in every process: they are the first ones. Lanes bind "default"
 * and take a name, so bindings come before them; the group joins the matching's tables. */
struct world *world_create(int n, int me, struct machine *machine)
{
	struct world *world = mem_alloc(sizeof *world);

	world->n = n;
	world->me = me;
	world->machine = machine;
	world->digest = (uint64_t)n;
	world->free_tensor = -1;
	world->names = names_create();
	world->default_name = names_make(world->names, "default", 7);
	world->world_name = names_make(world->names, "world", 5);
	world->first = mem_alloc((size_t)n * sizeof *world->first);
	world->last = mem_alloc((size_t)n * sizeof *world->last);
	bindings_create(world);
	memory_create(world);
	matching_create(world);
	graphs_create(world);
	lanes_create(world);
	make_world_group(world);
	world_mark(world, 0, 0);
	return world;
}

void world_keep_names(struct world *world, struct world *old)
{
	struct names *own = world->names;
	world->names = old->names;
	old->names = own;
}

void world_free(struct world *world)
{
	if (!world)
		return;
	memory_free(world);
	matching_free(world);
	graphs_free(world);
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
	arena_free(world->arena);
	names_free(world->names);
	mem_free(world);
}

int world_mark(struct world *world, name_id name, int line)
{
	MEM_GROW(&world->sections, world->section_count, &world->section_room);
	world->sections[world->section_count] = (struct section){.name = name, .line = line};
	digest_change(world, CHANGE_MARK, line, name);
	return (int)world->section_count++;
}
