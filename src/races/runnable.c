/* runnable.c -- can an operation take place, going by what is queued?
 *
 * It can when every meeting in its past has all its members and none waits for itself. Depth first over the
 * meetings: before a meeting lie, for each member and each lane of the member's rank, the last meeting that
 * the clocks put before the member. A meeting found good stays good (what is before it does not change any
 * more), so each is looked at once. */
#include "races/order.h"

size_t lane_meets_up_to(const struct world *world, const struct lane_order *lane, uint32_t number)
{
	size_t low = 0, high = lane->meet_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (world->ops[lane->meets[middle]].number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last operation with a meeting on that stream that is before the clock, or 0. */
static op_id last_meeting(const struct happens_before *order, const struct vector_clock *clock, int lane)
{
	const struct lane_order *own = &order->rank[clock->rank].lane[lane];
	uint32_t number = lane == clock->lane ? clock->number - 1
	        : lane < clock->lanes         ? clock->entry[lane]
	                                      : 0;
	size_t count = lane_meets_up_to(order->world, own, number);

	return count ? own->meets[count - 1] : 0;
}

/* A meeting of the operation that is not known to be good, or 0. */
static uint32_t doubtful(const struct happens_before *order, op_id id)
{
	int count;
	const uint32_t *meets = op_meets(order->world, id, &count);

	for (int i = 0; i < count; i++) {
		if (!order->notes[meets[i]].good && !order->world->meets[meets[i]].aborted)
			return meets[i];
	}
	return 0;
}

/* The next doubtful meeting right before the visited one, or 0 when there is none left. */
static uint32_t next_before(const struct happens_before *order, struct visit *visit)
{
	const struct world *world = order->world;
	const struct meet *meet = &world->meets[visit->meet];

	for (; visit->place < meet->n; visit->place++, visit->lane = STREAM_DEFAULT) {
		struct vector_clock clock =
		        clock_of(order, world->meet_ops[meet->first_op + (uint32_t)visit->place]);
		for (; visit->lane < (int)order->rank[clock.rank].lanes; visit->lane++) {
			op_id id = last_meeting(order, &clock, visit->lane);
			uint32_t found = id ? doubtful(order, id) : 0;
			if (found)
				return found;
		}
	}
	return 0;
}

static enum runnable visit_all(struct happens_before *order, uint32_t first, uint32_t *lacking)
{
	size_t depth = 0;
	uint32_t next = first, round = ++order->search & SEARCH_BITS;

	for (;;) {
		if (next) {
			const struct meet *meet = &order->world->meets[next];
			if (!meet_complete(meet) || meet->mismatch) {
				*lacking = next;
				return RUNNABLE_LACKS;
			}
			if (order->notes[next].seen == round)
				return RUNNABLE_NEVER; /* it is among the visits: it waits for itself */
			order->notes[next].seen = round;
			order->visits[depth++] = (struct visit){.meet = next, .lane = STREAM_DEFAULT};
		} else {
			order->notes[order->visits[--depth].meet].good = true;
			if (depth == 0)
				return RUNNABLE;
		}
		next = next_before(order, &order->visits[depth - 1]);
	}
}

enum runnable op_runnable(struct happens_before *order, op_id id, uint32_t *lacking)
{
	struct vector_clock clock = clock_of(order, id);
	enum runnable runnable = RUNNABLE;
	uint32_t meet;

	for (int lane = STREAM_DEFAULT; lane < (int)order->rank[clock.rank].lanes && !runnable; lane++) {
		op_id before = last_meeting(order, &clock, lane);
		while (before && !runnable && (meet = doubtful(order, before)))
			runnable = visit_all(order, meet, lacking);
	}
	while (!runnable && (meet = doubtful(order, id)))
		runnable = visit_all(order, meet, lacking);
	return runnable;
}
