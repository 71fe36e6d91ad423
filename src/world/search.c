/* search.c -- is one operation before another, by way of other ranks?
 *
 * Backward from b, for each lane of each rank: up to which number are its operations before b? That frontier
 * grows at meetings: behind a collective or transfer, all that was before it on any of its members is done,
 * and its members are. The walk down a lane stops at a good meeting (runnable.c) that a's own rank has left
 * before a starts: nothing before it can lead to a. */
#include "world/order.h"

static enum status scratch_arrays(struct world_order *order, size_t cells)
{
	uint32_t **arrays[] = {&order->frontier, &order->high, &order->stack};
	bool *stacked = mem_resize(order->stacked, cells * sizeof *stacked);

	if (!stacked)
		return ST_MEMORY;
	order->stacked = stacked;
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
		uint32_t *array = mem_resize(*arrays[i], cells * sizeof *array);
		if (!array)
			return ST_MEMORY;
		*arrays[i] = array;
	}
	order->scratch_room = cells;
	return ST_OK;
}

enum status order_scratch(const struct world *world, struct world_order *order)
{
	if (order->stride_streams == world->stream_count)
		return ST_OK;
	size_t stride = 0;
	for (int r = 0; r < order->n; r++)
		stride = order->rank[r].lanes > stride ? order->rank[r].lanes : stride;
	if ((size_t)order->n * stride > order->scratch_room &&
	        scratch_arrays(order, (size_t)order->n * stride))
		return ST_MEMORY;
	order->stride = stride;
	order->stride_streams = world->stream_count;
	return ST_OK;
}

static size_t cell_of(const struct world_order *order, int rank, int lane)
{
	return (size_t)rank * order->stride + (size_t)lane;
}

static void raise_to(struct world_order *order, int rank, int lane, uint32_t number)
{
	size_t cell = cell_of(order, rank, lane);

	if (lane == STREAM_HOST || order->frontier[cell] >= number)
		return;
	order->frontier[cell] = number;
	if (!order->stacked[cell]) {
		order->stacked[cell] = true;
		order->stack[order->stack_count++] = (uint32_t)cell;
	}
}

/* All that must be done before the operation starts, by the clocks of its rank; the operation too if
 * `itself`. */
static void raise_past(const struct world *world, struct world_order *order, op_id id, bool itself)
{
	const struct op *op = &world->ops[id];
	struct moment moment = moment_of(world, order, id);

	for (int k = 0; k < moment.lanes; k++)
		raise_to(order, op->rank, k, moment.clock[k]);
	raise_to(order, op->rank, op->stream, itself ? op->number : op->number - 1);
}

/* What a meeting brings. itself: its members are done too (not when it is the very operation that we ask
 * about). */
static void pass_meet(const struct world *world, struct world_order *order, uint32_t index, bool itself)
{
	const struct meet *meet = &world->meets[index];

	if (meet->aborted || (itself && order->notes[index].seen == (order->search & SEARCH_BITS)))
		return;
	if (itself)
		order->notes[index].seen = order->search & SEARCH_BITS;
	for (int i = 0; i < meet->n; i++) {
		op_id member = world->meet_ops[meet->first_op + (uint32_t)i];
		if (member)
			raise_past(world, order, member, itself);
	}
}

static bool left_before(const struct world *world, const struct meet *meet, const struct moment *a)
{
	const struct group *group = &world->groups[meet->group];
	int from = meet->p2p ? 0 : group->place_of[a->rank], to = meet->p2p ? meet->n : from + 1;

	if (meet->aborted || group->instance_of[a->rank] != meet->instance)
		return false;
	for (int i = from; i < to; i++) {
		op_id member = world->meet_ops[meet->first_op + (uint32_t)i];
		if (member && world->ops[member].rank == a->rank && before_moment(&world->ops[member], a))
			return true;
	}
	return false;
}

/* Passes the meetings of a lane between what was passed already, up to high, and the frontier. */
static void walk_lane(
        const struct world *world, struct world_order *order, size_t cell, const struct moment *a)
{
	const struct lane_order *lane = &order->rank[cell / order->stride].lane[cell % order->stride];
	uint32_t to = (uint32_t)lane_meets_up_to(world, lane, order->frontier[cell]);
	uint32_t from = order->high[cell];

	order->high[cell] = to;
	for (uint32_t i = to; i-- > from;) {
		int count;
		bool stop = false;
		const uint32_t *meets = meets_of(world, lane->meets[i], &count);
		for (int k = 0; k < count; k++) {
			if (order->notes[meets[k]].good && left_before(world, &world->meets[meets[k]], a))
				stop = true;
			else
				pass_meet(world, order, meets[k], true);
		}
		if (stop)
			return;
	}
}

bool search_before(const struct world *world, struct world_order *order, op_id a, op_id b)
{
	size_t cells = (size_t)order->n * order->stride,
	       target = cell_of(order, world->ops[a].rank, world->ops[a].stream);
	struct moment past = moment_of(world, order, a);
	int count;
	const uint32_t *meets = meets_of(world, b, &count);

	memset(order->frontier, 0, cells * sizeof *order->frontier);
	memset(order->high, 0, cells * sizeof *order->high);
	memset(order->stacked, 0, cells * sizeof *order->stacked);
	order->stack_count = 0;
	order->search++;
	raise_past(world, order, b, false);
	for (int i = 0; i < count; i++)
		pass_meet(world, order, meets[i], false);
	while (order->stack_count > 0 && order->frontier[target] < world->ops[a].number) {
		size_t cell = order->stack[--order->stack_count];
		order->stacked[cell] = false;
		walk_lane(world, order, cell, &past);
	}
	return order->frontier[target] >= world->ops[a].number;
}
