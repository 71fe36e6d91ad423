/* search.c -- is one operation before another, by way of other ranks?
 *
 * Backward from b, for each lane of each rank: up to which number are its operations before b? That frontier
 * grows at meetings: behind a collective or transfer, all that was before it on any of its members is done,
 * and its members are. The walk down a lane stops at a meeting that a's own rank has left before a starts:
 * were a before that one, it would be before itself, and could never take place (nobody asks then).
 *
 *      rank 0 io       a #1 --- allreduce #2                            is a before b?
 *                                  |
 *      rank 1 s                 allreduce #1 --- barrier #2
 *                                                   |
 *      rank 0 compute                            barrier #4 --- b #5
 *
 *      1. b's clock: compute up to #4; the walk down compute passes the barrier
 *      2. the barrier: rank 1's s up to #2; the walk down s passes the allreduce #1
 *      3. the allreduce: rank 0's io up to #2, and a is #1 there: yes
 *
 * The frontier of a lane only rises and a lane is stacked when it has risen, so the search ends; each match
 * is passed once a search. */
#include "races/order.h"

static uint32_t cell_of(const struct happens_before *order, int rank, int lane)
{
	return rank * order->stride + lane;
}

static void raise_frontier(struct happens_before *order, int rank, int lane, uint32_t number)
{
	uint32_t index = cell_of(order, rank, lane);
	struct search_cell *cell = &order->cells[index];

	if (lane == STREAM_HOST || cell->frontier >= number)
		return;
	cell->frontier = number;
	if (!cell->stacked) {
		cell->stacked = true;
		cell->below = order->stack;
		order->stack = index;
	}
}

/* All that must be done before the operation starts, by the clocks of its rank; the operation too if
 * `itself`. */
static void raise_past(struct happens_before *order, op_id id, bool itself)
{
	const struct op *op = &order->world->ops[id];
	struct vector_clock clock = clock_of(order, id);

	for (int k = 0; k < clock.lanes; k++)
		raise_frontier(order, op->rank, k, clock.entry[k]);
	raise_frontier(order, op->rank, order->op_lane[id], itself ? op->number : op->number - 1);
}

/* Does a member leave it behind all the others' arrivals? */
static bool match_orders(const struct world *world, const struct match *match)
{
	return !match->aborted && !op_record(world, match->member[match->first])->backup;
}

/* What a meeting brings. itself: its members are done too (not when it is the very operation that we ask
 * about), but those of several parts, of which this one is done:
 *
 *      rank 0   together { send to 1; recv from 3 }      behind rank 3's send: what is before rank 0's together, and not
 *      rank 3   send to 0                                 the together, which may still wait for rank 1
 */
static void pass_match(struct happens_before *order, uint32_t index, bool itself)
{
	const struct match *match = &order->world->matches[index];

	if (!match_orders(order->world, match) || (itself && order->notes[index].seen == order->search))
		return;
	if (itself)
		order->notes[index].seen = order->search;
	for (int i = 0; i < match->n; i++) {
		op_id member = match->member[i];
		if (member)
			raise_past(order, member, itself && op_record(order->world, member)->parts < 2);
	}
}

static bool left_before(
        const struct happens_before *order, const struct match *match, const struct vector_clock *a)
{
	const struct world *world = order->world;
	const struct group *group = &world->groups[match->group];
	int from = match->p2p ? 0 : group->place_of[a->rank], to = match->p2p ? match->n : from + 1;

	if (!match_orders(world, match) || group->instance_of[a->rank] != match->instance)
		return false;
	for (int i = from; i < to; i++) {
		op_id member = match->member[i];
		if (member && world->ops[member].rank == a->rank && before_clock(order, member, a))
			return true;
	}
	return false;
}

/* Passes the meetings of a lane between what was passed already, up to high, and the frontier. */
static void walk_lane(struct happens_before *order, uint32_t index, const struct vector_clock *a)
{
	const struct world *world = order->world;
	const struct lane_order *lane = &order->rank[index / order->stride].lane[index % order->stride];
	struct search_cell *cell = &order->cells[index];
	uint32_t to = lane_matches_up_to(world, lane, cell->frontier);
	uint32_t from = cell->high;

	cell->high = to;
	for (uint32_t i = to; i-- > from;) {
		int count;
		bool stop = false;
		const uint32_t *matches = op_matches(world, lane->matches[i], &count);
		for (int k = 0; k < count; k++) {
			if (left_before(order, &world->matches[matches[k]], a))
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
	const struct search_cell *target =
	        &order->cells[cell_of(order, world->ops[a].rank, order->op_lane[a])];
	struct vector_clock past = clock_of(order, a);
	int count;
	const uint32_t *matches = op_matches(world, b, &count);

	memset(order->cells, 0, world->n * order->stride * sizeof *order->cells);
	order->stack = NO_CELL;
	order->search++;
	raise_past(order, b, false);
	for (int i = 0; i < count; i++)
		pass_match(order, matches[i], false);
	while (order->stack != NO_CELL && target->frontier < world->ops[a].number) {
		uint32_t index = order->stack;
		order->stack = order->cells[index].below;
		order->cells[index].stacked = false;
		walk_lane(order, index, &past);
	}
	return target->frontier >= world->ops[a].number;
}
