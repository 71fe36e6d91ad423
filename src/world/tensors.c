/* tensors.c -- tensors: memory with a shape and a name; views of them
 *
 * An owner lists its views; a view of a view belongs to the same owner:
 *
 *      g (owner) --next_view--> g1 --next_view--> g0 --> -1         views = 2
 *
 * Free slots form a list by next_view, last freed first. */
#include "world/books.h"
#include "base/arithmetic.h"

static int slot_next(const struct world *world)
{
	return world->inner->free_tensor >= 0 ? world->inner->free_tensor : (int)world->tensor_count;
}

static void slot_give(struct world *world, int index)
{
	world->tensors[index] = (struct tensor){.next_view = world->inner->free_tensor};
	world->inner->free_tensor = index;
}

static void digest_tensor(struct world *world, enum change change, int index)
{
	const struct tensor *tensor = &world->tensors[index];

	digest_change(world, change, tensor->rank, (int64_t)tensor->name << 32 | index);
	digest_add(world, (uint64_t)tensor->address << 8 | tensor->space);
	digest_layout(world, &tensor->layout);
}

static void tensor_add(struct world *world, enum change change, const struct tensor *tensor, int slot)
{
	if (world->inner->free_tensor == slot) {
		world->inner->free_tensor = world->tensors[slot].next_view;
	} else {
		MEM_ADD(&world->tensors, &world->tensor_count);
	}
	world->tensors[slot] = *tensor;
	bind_set(world, tensor->rank, tensor->name, (struct thing){THING_TENSOR, slot});
	digest_tensor(world, change, slot);
}

enum status world_tensor_make(struct world *world, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int kind, int *index)
{
	int slot = slot_next(world);
	struct tensor tensor = {.name = name,
	        .rank = rank,
	        .space = space,
	        .used = true,
	        .base = slot,
	        .next_view = -1,
	        .layout = *layout};
	enum status status = world_name_fits(world, rank, name, THING_TENSOR);

	if (status == ST_OK)
		status = memory_take(world, &tensor, pool, use, kind, &tensor.address);
	if (status != ST_OK)
		return status;
	tensor_add(world, CHANGE_TENSOR, &tensor, slot);
	*index = slot;
	return ST_OK;
}

enum status world_view_make(struct world *world, int rank, name_id name, int base_tensor, int64_t address,
        const struct layout *layout, int *index)
{
	enum status status = world_name_fits(world, rank, name, THING_TENSOR);

	if (status != ST_OK)
		return status;
	int slot = slot_next(world), base = world->tensors[base_tensor].base;
	struct tensor *owner = &world->tensors[base];
	struct tensor view = {.name = name,
	        .rank = rank,
	        .space = owner->space,
	        .view = true,
	        .used = true,
	        .base = base,
	        .next_view = owner->next_view,
	        .address = address,
	        .layout = *layout,
	        .invalid = owner->invalid};
	owner->next_view = slot;
	owner->views++;
	tensor_add(world, CHANGE_VIEW, &view, slot);
	*index = slot;
	return ST_OK;
}

static void tensor_unbind(struct world *world, int index)
{
	const struct tensor *tensor = &world->tensors[index];
	struct thing thing = world_find(world, tensor->rank, tensor->name);

	if (thing.kind == THING_TENSOR && thing.index == index)
		world_unbind(world, tensor->rank, tensor->name);
}

static void free_owner(struct world *world, int index, int after_stream)
{
	struct tensor *tensor = &world->tensors[index];
	int rank = tensor->rank;
	enum space space = tensor->space;

	for (int view = tensor->next_view, next; view >= 0; view = next) {
		next = world->tensors[view].next_view;
		tensor_unbind(world, view);
		slot_give(world, view);
	}
	tensor_unbind(world, index);
	memory_give(world, rank, space, tensor->address, after_stream);
	slot_give(world, index);
}

void world_tensor_free(struct world *world, int index, int after_stream)
{
	digest_tensor(world, CHANGE_FREE, index);
	digest_add(world, after_stream);
	if (!world->tensors[index].view) {
		free_owner(world, index, after_stream);
		return;
	}
	tensor_unbind(world, index);
	struct tensor *view = &world->tensors[index], *owner = &world->tensors[view->base];
	int *link = &owner->next_view;
	while (*link != index)
		link = &world->tensors[*link].next_view;
	*link = view->next_view;
	owner->views--;
	slot_give(world, index);
}

int world_tensor_at(const struct world *world, int rank, enum space space, int64_t address)
{
	const struct heap *heap = world_heap(world, rank, space);
	size_t at = heap_find(heap, address);

	return at == heap->count || heap->blocks[at].free ? -1 : heap->blocks[at].tensor;
}

/* The owner and each view have marks of their own, so a view can be valid while its owner is not:
 *
 *      g        |------- invalid -------|      an operation that was to write all of g was aborted
 *      g0 = half|- written -|                  g0 is valid again, g is not */
static void tensor_mark(struct world *world, int rank, const struct operand *written, op_id by)
{
	int owner = world_tensor_at(world, rank, written->space, written->address);
	int64_t address = written->address, end = address + layout_span(&written->layout);

	for (int i = owner; i >= 0; i = world->tensors[i].next_view) {
		struct tensor *tensor = &world->tensors[i];
		int64_t from = tensor->address, to = from + layout_span(&tensor->layout);
		if (by && most_of(from, address) < least_of(to, end))
			tensor->invalid = by;
		if (!by && from >= address && to <= end)
			tensor->invalid = 0;
	}
}

void world_mark_outputs(struct world *world, op_id id, op_id by)
{
	const struct record *record = op_record(world, id);

	struct operand remote;
	/* a get writes nothing on the target; adding to undefined numbers leaves them undefined */
	if (record->kind == OP_ONE_SIDED && record->part[0].direction != ONE_SIDED_GET &&
	        (by || record->part[0].direction == ONE_SIDED_PUT) && world_remote(world, id, &remote))
		tensor_mark(world, record->part[0].peer, &remote, by);

	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].access & ACCESS_WRITE)
			tensor_mark(world, world->ops[id].rank, &record->operand[i], by);
}
