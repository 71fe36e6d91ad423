/* windows.c -- windows: tensors that other ranks of a group access, and their addresses
 *
 *      rank 0: window y in ps           rank 1: window y in ps        collectives #7 and #9 match
 *              tensor y, window = #7            tensor y, window = #9
 *      rank 0: put x -> y[4:8]@1        target = #7, offset = 16      rank 1's y is #9's operand
 */
#include "world/books.h"

static struct tensor *window_tensor(const struct world *world, op_id window)
{
	const struct operand *operand = &op_record(world, window)->operand[0];
	int index = world_tensor_at(world, world->ops[window].rank, operand->space, operand->address);

	return index < 0 ? NULL : &world->tensors[index];
}

int window_find(const struct world *world, const struct draft *draft, op_id *waits, int count)
{
	const struct rank_lanes *lanes = &world->inner->lanes[draft->rank];

	for (size_t number = STREAM_DEFAULT; number < lanes->count; number++) {
		op_id last = lane_stream(world, draft->rank, (int)number)->one_sided;
		if (last)
			count = wait_add(world, draft, last, waits, count);
	}
	return count;
}

void window_step(struct world *world, op_id id)
{
	window_tensor(world, id)->window = op_record(world, id)->window == WINDOW_OPEN ? id : 0;
}

void window_used(struct world *world, op_id id)
{
	const struct op *op = &world->ops[id];

	lane_stream(world, op->rank, op->stream)->one_sided = id;
	if (op_record(world, id)->part[0].direction == ONE_SIDED_GET)
		*MEM_ADD(&world->gets, &world->get_count) = id;
}

bool world_window_open(const struct world *world, int rank, op_id window)
{
	const struct tensor *tensor = window_tensor(world, window);
	return tensor && tensor->rank == rank && tensor->window == window;
}

enum status world_window_closed(const struct world *world, const char *what, int tensor)
{
	const struct tensor *owner = &world->tensors[tensor];
	const char *name = names_text(world->names, owner->name);

	if (owner->view || !owner->window)
		return ST_OK;
	return fail(ST_NAME,
	        "%s: %s is in a window of group %s, and other ranks may access it: close %s "
	        "first",
	        what, name,
	        names_text(world->names, world->groups[op_record(world, owner->window)->group].name), name);
}

void windows_abort(struct world *world, int group, int part)
{
	for (size_t i = 0; i < world->tensor_count; i++) {
		struct tensor *tensor = &world->tensors[i];
		if (tensor->used && tensor->window && op_record(world, tensor->window)->group == group &&
		        (part < 0 || world->groups[group].instance_of[tensor->rank] == part))
			tensor->window = 0;
	}
}

bool world_remote(const struct world *world, op_id id, struct operand *remote)
{
	const struct record *record = op_record(world, id);
	const struct part *part = &record->part[0];
	const struct match *match = &world->matches[world->ops[world->ops[id].target].match];
	op_id window = match->member[world->groups[match->group].place_of[part->peer]];

	/* a mismatch never opens a window */
	if (!window || match->mismatch)
		return false;
	const struct operand *whole = &op_record(world, window)->operand[0];
	*remote = (struct operand){.address = whole->address + part->offset,
	        .space = whole->space,
	        .access = part->direction == ONE_SIDED_GET ? ACCESS_READ : ACCESS_WRITE,
	        .tensor = -1,
	        .name = record->object,
	        .layout = record->operand[0].layout};
	return true;
}
