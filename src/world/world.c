/* world.c -- creation of the state; names of kinds and spaces; marks */
#include "world/books.h"
#include "world/tensor_kind.h"
#include "base/search.h"

const char *space_name(enum space space)
{
	static const char *const names[] = {SPACES(NAME_IN_LIST)};
	return names[space];
}

const char *op_kind_name(enum op_kind kind)
{
	static const char *const names[] = {OP_KINDS(NAME_IN_LIST)};
	return names[kind];
}

/* ---- kinds of memory */

const char *tensor_kind_name(enum tensor_kind kind)
{
	static const char *const names[] = {
#define X(symbol, word, name) name,
		TENSOR_KINDS(X)
#undef X
	};
	return kind < KIND_COUNT ? names[kind] : "other";
}

int tensor_kind_find(const char *word)
{
	return text_place(TENSOR_KIND_WORDS, word, strlen(word));
}

enum tensor_kind tensor_kind_of(char phase)
{
	if (phase == 'F' || phase == 'R')
		return KIND_ACTIVATIONS;
	return phase == 'B' || phase == 'W' ? KIND_ACTIVATION_GRADIENTS : KIND_BUFFERS;
}

/* ---- creation */

void digest_layout(struct world *world, const struct layout *layout)
{
	digest_add(world, layout->dtype << 8 | layout->dims);
	for (int i = 0; i < layout->dims; i++) {
		digest_add(world, layout->dim[i]);
		digest_add(world, layout->stride[i]);
	}
}

#define obstack_chunk_alloc mem_alloc
#define obstack_chunk_free mem_free
void *world_take(struct world *world, size_t count, size_t bytes)
{
	void *piece = obstack_alloc(&world->inner->arena, count * bytes);
	return memset(piece, 0, count * bytes);
}

struct world *world_create(int n, int me, struct machine *machine)
{
	struct world *world = mem_alloc(sizeof *world);
	struct world_inner *inner = world->inner = mem_alloc(sizeof *inner);
	size_t ranks = n;

	obstack_begin(&inner->arena, 1 << 16);
	world->n = n;
	world->me = me;
	world->machine = machine;
	world->digest = n;
	world->names = names_create();
	world->default_name = names_make(world->names, "default", 7);
	world->segment_name = names_make(world->names, "memory", 6);
	world->wait_name = names_make(world->names, "wait", 4);
	world->first = world_take(world, ranks, sizeof *world->first);
	world->last = world_take(world, ranks, sizeof *world->last);
	inner->free_tensor = -1;
	inner->lanes = world_take(world, ranks, sizeof *inner->lanes);
	inner->memory = world_take(world, ranks, sizeof *inner->memory);
	inner->last_collective = world_take(world, ranks, sizeof *inner->last_collective);
	inner->capturing = world_take(world, ranks, sizeof *inner->capturing);
	lanes_make(world);
	int starts[2] = {0, n}, index, *all = mem_alloc(ranks * sizeof *all);
	for (int i = 0; i < n; i++)
		all[i] = i;
	world_group_make(world, names_make(world->names, "world", 5), false, 1, starts, all, &index);
	mem_free(all);
	world_mark(world, 0, 0);
	return world;
}

void world_free(struct world *world)
{
	if (!world)
		return;
	struct world_inner *inner = world->inner;
	memory_free(world);
	graphs_free(world);
	for (int r = 0; r < world->n; r++)
		mem_free(inner->lanes[r].stream);
	void *arrays[] = {inner->bound, inner->warnings, inner->swapped, world->groups, world->ops,
	        world->records, world->matches, world->part_matches, world->tensors, world->streams,
	        world->events, world->sections, world->iterations, world->slowness, world->aborted,
	        world->gets, world->handouts};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		mem_free(arrays[i]);
	obstack_free(&inner->arena, NULL);
	names_free(world->names);
	mem_free(inner);
	mem_free(world);
}

int world_mark(struct world *world, name_id name, int line)
{
	*MEM_ADD(&world->sections, &world->section_count) = (struct section){.name = name, .line = line};
	digest_change(world, CHANGE_MARK, line, name);
	return world->section_count - 1;
}

void world_slow(struct world *world, int rank, double factor)
{
	*MEM_ADD(&world->slowness, &world->slowness_count) = (struct slowness){.rank = rank,
	        .line = world->line,
	        .file = world->file,
	        .after = (op_id)world->op_count,
	        .factor = factor};
}

const struct slowness *world_slow_at(const struct world *world, op_id id)
{
	const struct slowness *found = NULL;
	for (size_t i = 0; i < world->slowness_count && world->slowness[i].after < id; i++)
		if (world->slowness[i].rank == world->ops[id].rank)
			found = &world->slowness[i];
	return found && found->factor != 1 ? found : NULL;
}

void world_iteration_begin(struct world *world, int number)
{
	*MEM_ADD(&world->iterations, &world->iteration_count) =
	        (struct iteration){.number = number, .first = (op_id)world->op_count + 1};
	digest_change(world, CHANGE_ITERATION, number, 0);
}

void world_iteration_end(struct world *world)
{
	struct iteration *last = &world->iterations[world->iteration_count - 1];
	last->end = (op_id)world->op_count + 1;
	digest_change(world, CHANGE_ITERATION, last->number, 1);
}

int world_iteration_of(const struct world *world, op_id id)
{
	size_t next; /* the first that begins after the operation */
	SEARCH(next, world->iteration_count, world->iterations[next].first > id);
	if (!next)
		return -1;
	op_id end = world->iterations[next - 1].end;
	return !end || id < end ? (int)next - 1 : -1;
}
