/* runnable.c -- can an operation take place with the queued lines?
 *
 * It can if every match in its past is complete and none waits for itself: a search
 * (waits/search.h) in the graph of matches. A match depends on the last match before each member
 * on each stream of its rank, by the clocks. A complete past is final, so each match is searched
 * once. */
#include "races/order.h"
#include "base/search.h"

size_t lane_matches_up_to(const struct world *world, const struct lane_order *lane, uint32_t number)
{
	size_t i;
	SEARCH(i, lane->match_count, world->ops[lane->matches[i]].number > number);
	return i;
}

/* Returns false if all its matches were aborted: it waits for nothing. */
static bool wait_for_matches(struct happens_before *order, op_id id)
{
	int count;
	const uint32_t *matches = op_matches(order->world, id, &count);
	bool waits = false;

	for (int i = 0; i < count; i++)
		if (!order->world->matches[matches[i]].aborted) {
			wait_for(&order->runnable, matches[i]);
			waits = true;
		}
	return waits;
}

/* Waits for the last match of each stream before the clock's operation that was not aborted. */
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
