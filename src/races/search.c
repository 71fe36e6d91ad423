/* search.c -- is one operation before another, by way of other ranks?
 *
 * Backward from b, for each lane of each rank: up to which number are its operations before b? That frontier
 * grows at meetings: behind a collective or transfer, all that was before it on any of its members is done,
 * and its members are. The walk down a lane stops at a good meeting (runnable.c) that a's own rank has left
 * before a starts: nothing before it can lead to a. */
#include "races/order.h"

static size_t cell_of(const struct happens_before *order, int rank, int lane)
{
	return (size_t)rank * order->stride + (size_t)lane;
}

static void raise_to(struct happens_before *order, int rank, int lane, uint32_t number)
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
static void raise_past(struct happens_before *order, op_id id, bool itself)
{
	const struct op *op = &order->world->ops[id];
	struct vector_clock clock = clock_of(order, id);

	for (int k = 0; k < clock.lanes; k++)
		raise_to(order, op->rank, k, clock.entry[k]);
	raise_to(order, op->rank, op->stream, itself ? op->number : op->number - 1);
}

/* What a meeting brings. itself: its members are done too (not when it is the very operation that we ask
 * about). */
static void pass_match(struct happens_before *order, uint32_t index, bool itself)
{
	const struct match *match = &order->world->matches[index];

	if (match->aborted || (itself && order->notes[index].seen == order->search))
		return;
	if (itself)
		order->notes[index].seen = order->search;
	for (int i = 0; i < match->n; i++) {
		op_id member = match->member[i];
		if (member)
			raise_past(order, member, itself);
	}
}

static bool left_before(const struct world *world, const struct match *match, const struct vector_clock *a)
{
	const struct group *group = &world->groups[match->group];
	int from = match->p2p ? 0 : group->place_of[a->rank], to = match->p2p ? match->n : from + 1;

	if (match->aborted || group->instance_of[a->rank] != match->instance)
		return false;
	for (int i = from; i < to; i++) {
		op_id member = match->member[i];
		if (member && world->ops[member].rank == a->rank && before_clock(&world->ops[member], a))
			return true;
	}
	return false;
}

/* Passes the meetings of a lane between what was passed already, up to high, and the frontier. */
static void walk_lane(struct happens_before *order, size_t cell, const struct vector_clock *a)
{
	const struct world *world = order->world;
	const struct lane_order *lane = &order->rank[cell / order->stride].lane[cell % order->stride];
	uint32_t to = (uint32_t)lane_matches_up_to(world, lane, order->frontier[cell]);
	uint32_t from = order->high[cell];

	order->high[cell] = to;
	for (uint32_t i = to; i-- > from;) {
		int count;
		bool stop = false;
		const uint32_t *matches = op_matches(world, lane->matches[i], &count);
		for (int k = 0; k < count; k++) {
			if (match_is_good(order, matches[k]) &&
			        left_before(world, &world->matches[matches[k]], a))
				stop = true;
			else
				pass_match(order, matches[k], true);
		}
		if (stop)
			return;
	}
}

bool search_before(struct happens_before *order, op_id a, op_id b)
{
	const struct world *world = order->world;
	size_t cells = (size_t)world->n * order->stride,
	       target = cell_of(order, world->ops[a].rank, world->ops[a].stream);
	struct vector_clock past = clock_of(order, a);
	int count;
	const uint32_t *matches = op_matches(world, b, &count);

	memset(order->frontier, 0, cells * sizeof *order->frontier);
	memset(order->high, 0, cells * sizeof *order->high);
	memset(order->stacked, 0, cells * sizeof *order->stacked);
	order->stack_count = 0;
	order->search++;
	raise_past(order, b, false);
	for (int i = 0; i < count; i++)
		pass_match(order, matches[i], false);
	while (order->stack_count > 0 && order->frontier[target] < world->ops[a].number) {
		size_t cell = order->stack[--order->stack_count];
		order->stacked[cell] = false;
		walk_lane(order, cell, &past);
	}
	return order->frontier[target] >= world->ops[a].number;
}
