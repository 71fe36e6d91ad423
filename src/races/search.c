/* search.c -- through other ranks: can an operation take place, and is it before another one? */
#include "races/order.h"
#include "base/search.h"

/* ---- can an operation take place with the queued lines?
 *
 * It can if every match in its past is complete and none waits for itself: a search
 * (waits/search.h) in the graph of matches. A match depends on the last match before each member
 * on each stream of its rank. A complete past is final, so each match is searched once. */

/* Returns how many of a lane's matches have numbers up to this. */
static size_t lane_matches_up_to(const struct world *world, const struct lane_order *lane, uint32_t number)
{
	size_t i;
	SEARCH(i, lane->match_count, world->ops[lane->matches[i]].number > number);
	return i;
}

/* Returns false if all its matches were aborted: it waits for nothing. */
static bool wait_for_matches(struct happens_before *order, op_id id)
{
	bool waits = false;

	FOR_MATCHES (of, order->world, id)
		if (!of.match->aborted) {
			wait_for(&order->runnable, of.index);
			waits = true;
		}
	return waits;
}

/* Waits, for each stream, for its last match before the clock's operation that was not
 * aborted. */
static void wait_for_past(struct happens_before *order, const struct vector_clock *clock)
{
	for (int lane = STREAM_DEFAULT; lane < (int)order->rank[clock->rank].lanes; lane++) {
		const struct lane_order *own = &order->rank[clock->rank].lane[lane];
		uint32_t number = lane == clock->lane ? clock->number - 1
		        : lane < clock->lanes         ? clock->entry[lane]
		                                      : 0;
		size_t count = lane_matches_up_to(order->world, own, number);
		while (count && !wait_for_matches(order, own->matches[count - 1]))
			count--;
	}
}

/* Example: is c runnable?
 *
 *  rank 0   allreduce #1, then on another stream  wait, c     0 -> allreduce     (c's clock)
 *  rank 1   recv #1 from 0, then allreduce #2                 allreduce -> recv  (rank 1's clock)
 *  rank 0   send to 1: not queued                             recv lacks a member: RUNNABLE_LACKS
 *
 * Node 0 is the operation in question; all others are matches. */
void runnable_edges(struct wait_search *search, uint32_t node)
{
	struct happens_before *order = search->self;
	const struct match *match = &order->world->matches[node];

	if (node == 0) {
		struct vector_clock clock = clock_of(order, order->asked);
		wait_for_past(order, &clock);
		wait_for_matches(order, order->asked);
		return;
	}
	if (!match_complete(match) || match->mismatch) {
		order->lacking = node;
		search->stop = true;
		return;
	}
	for (int place = 0; place < match->n; place++) {
		struct vector_clock clock = clock_of(order, match->member[place]);
		wait_for_past(order, &clock);
	}
}

enum runnable op_runnable(struct happens_before *order, op_id id)
{
	struct wait_search *search = &order->runnable;

	order->asked = id;
	search->colour[0] = WAIT_UNSEEN;
	search->cycle_count = 0;
	wait_follow(search, 0);
	return search->cycle_count ? RUNNABLE_NEVER : search->stop ? RUNNABLE_LACKS : RUNNABLE;
}

/* ---- is one operation before another?
 *
 * The search walks back from b. Each lane of each rank has a frontier, the number up to which its
 * operations are before b. Frontiers rise at matches: after a match its members, and all
 * operations before any of them, are done. The walk down a lane stops at a match whose member on
 * a's rank is done before a starts: a cannot be before that match.
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
 * Frontiers only rise, and each match is passed once, so the search ends. */

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

static void raise_past(struct happens_before *order, op_id id, bool itself)
{
	const struct op *op = &order->world->ops[id];
	struct vector_clock clock = clock_of(order, id);

	for (int k = 0; k < clock.lanes; k++)
		raise_frontier(order, op->rank, k, clock.entry[k]);
	raise_frontier(order, op->rank, order->op_lane[id], itself ? op->number : op->number - 1);
}

/* True if members leave it only after all have arrived. */
static bool match_orders(const struct world *world, const struct match *match)
{
	return !match->aborted && !op_record(world, match->member[match->first])->backup;
}

/* Passes a match. itself: its members are done too (not for b's own matches), except fused ones,
 * of which only this part is done:
 *
 * rank 0   together { send to 1; recv from 3 }     after rank 3's send: only rank 0's past, since
 * rank 3   send to 0                               its together may still wait for rank 1 */
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

static void walk_lane(struct happens_before *order, uint32_t index, const struct vector_clock *a)
{
	const struct world *world = order->world;
	const struct lane_order *lane = &order->rank[index / order->stride].lane[index % order->stride];
	struct search_cell *cell = &order->cells[index];
	uint32_t to = lane_matches_up_to(world, lane, cell->frontier);
	uint32_t from = cell->high;

	cell->high = to;
	for (uint32_t i = to; i-- > from;) {
		bool stop = false;
		FOR_MATCHES (of, world, lane->matches[i]) {
			if (left_before(order, of.match, a))
				stop = true;
			else
				pass_match(order, of.index, true);
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

	memset(order->cells, 0, world->n * order->stride * sizeof *order->cells);
	order->stack = NO_CELL;
	order->search++;
	raise_past(order, b, false);
	FOR_MATCHES (of, world, b)
		pass_match(order, of.index, false);
	while (order->stack != NO_CELL && target->frontier < world->ops[a].number) {
		uint32_t index = order->stack;
		order->stack = order->cells[index].below;
		order->cells[index].stacked = false;
		walk_lane(order, index, &past);
	}
	return target->frontier >= world->ops[a].number;
}
