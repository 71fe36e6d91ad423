/* races.c -- conflicts that nothing orders, from the log of operations
 *
 * Each operation is processed once, in log order: its clock (order.c), its conflicts (history.c),
 * and whether other ranks order each conflict. That can be decided only when both operations' past
 * is complete:
 *
 *  @0 copy h -> x on io                   conflict of io's copy and compute's matmul on rank 0
 *  @0 allreduce y on io                   may be ordered by rank 1:
 *  @1 allreduce y on s; barrier on s        io's copy -> allreduce -> rank 1 -> barrier -> matmul
 *  @0 barrier on compute; y = matmul x w    ... but not before rank 1's line is typed
 *
 * Until then the conflict waits at the match that lacks members, until that is complete or
 * aborted. The races are a function of the log, independent of earlier queries. */
#include "races/order.h"
#include "base/search.h"

/* Races with equal keys are one race. */
struct race_key {
	int earlier_name, later_name, rank, earlier_stream, later_stream;
};

static struct race_key key_of(const struct happens_before *order, const struct race *race)
{
	const struct op *earlier = &order->world->ops[race->earlier],
	                *later = &order->world->ops[race->later];

	return (struct race_key){
	        race->earlier_name, race->later_name, later->rank, earlier->stream, later->stream};
}

struct race *race_known(const struct happens_before *order, const struct race *race)
{
	struct race_key key = key_of(order, race);
	int number = names_find(order->known, (const char *)&key, sizeof key);

	return number ? &order->races->race[number - 1] : NULL;
}

bool race_sooner(const struct race *a, const struct race *b)
{
	return a->later < b->later || (a->later == b->later && a->earlier < b->earlier);
}

static void race_report(struct happens_before *order, const struct race *race)
{
	struct races *races = order->races;
	struct race_key key = key_of(order, race);
	struct race *known = race_known(order, race);

	if (known && race_sooner(race, known))
		*known = *race;
	if (known)
		return;
	*MEM_ADD(&races->race, &races->count) = *race;
	names_make(order->known, (const char *)&key, sizeof key);
}

static void race_postpone(struct happens_before *order, const struct race *race, uint32_t match)
{
	uint32_t index = order->free_undecided;

	if (index) {
		order->free_undecided = order->undecided[index].next;
	} else {
		MEM_ROOM(&order->undecided, order->undecided_count + 2, &order->undecided_room);
		index = ++order->undecided_count;
	}
	order->undecided[index] =
	        (struct undecided){*race, order->world->match_count, order->notes[match].undecided};
	order->notes[match].undecided = index;
}

static void race_decide(struct happens_before *order, const struct race *race)
{
	enum runnable runnable = op_runnable(order, race->later);

	if (runnable == RUNNABLE)
		runnable = op_runnable(order, race->earlier);
	if (runnable == RUNNABLE_LACKS)
		race_postpone(order, race, order->lacking);
	else if (runnable == RUNNABLE && !search_before(order, race->earlier, race->later) &&
	        !search_before(order, race->later, race->earlier))
		race_report(order, race);
	else if (order->expires)
		*MEM_ADD(&order->settled, &order->settled_count) =
		        (struct settled){*race, order->world->match_count};
}

static void races_decide_postponed(struct happens_before *order, uint32_t match)
{
	uint32_t next, index = order->notes[match].undecided;

	order->notes[match].undecided = 0;
	for (; index; index = next) {
		struct undecided undecided = order->undecided[index];
		next = undecided.next;
		order->undecided[index] = (struct undecided){.next = order->free_undecided};
		order->free_undecided = index;
		if (undecided.matches)
			race_decide(order, &undecided.race);
	}
}

const char *race_stream(const struct world *world, const struct race *race, op_id id)
{
	const struct launch *launch = world_launch(world, id);
	const struct op *op = &world->ops[id];
	bool whole = launch &&
	        (race->earlier < launch->first || race->later > launch->last || op->stream == launch->stream);
	return names_text(
	        world->names, world_stream(world, op->rank, whole ? launch->stream : op->stream)->name);
}

void race_remedy(const struct world *world, const struct race *race, struct text *out)
{
	const char *first = race_stream(world, race, race->earlier),
	           *second = race_stream(world, race, race->later);

	if (world->ops[race->later].stream == STREAM_HOST)
		text_add(out, "sync %s", first);
	else
		text_add(out, "wait %s on %s", first, second);
}

static void op_check(struct happens_before *order, op_id id)
{
	const struct handout *handout = order->world->handouts;

	/* blocks handed out before this operation was queued */
	for (; order->handouts < order->world->handout_count && handout[order->handouts].after < id;
	        order->handouts++)
		history_handout(order, &handout[order->handouts]);
	history_conflicts(order, id);
	FOR_MATCHES (of, order->world, id)
		if (match_complete(of.match))
			races_decide_postponed(order, of.index);
	for (size_t i = 0; i < order->conflict_count; i++)
		race_decide(order, &order->conflicts[i]);
	history_add(order, id);
}

/* ---- the log as it is now */

static void order_release(struct happens_before *order)
{
	for (int r = 0; r < order->world->n; r++) {
		struct rank_order *rank = &order->rank[r];
		for (size_t i = 0; i < rank->lanes; i++) {
			mem_free(rank->lane[i].versions);
			mem_free(rank->lane[i].matches);
		}
		for (int space = 0; space < SPACE_COUNT; space++)
			mem_free(rank->history[space].interval);
		mem_free(rank->lane);
		mem_free(rank->stream_lane);
		mem_free(rank->branch);
	}
	wait_search_release(&order->runnable);
	names_free(order->known);
	void *arrays[] = {order->rank, order->op_lane, order->clocks, order->accesses, order->undecided,
	        order->notes, order->settled, order->next_clock, order->conflicts, order->cells,
	        order->runnable.colour};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		mem_free(arrays[i]);
}

/* Decides again all conflicts that were decided or postponed while the log held this match, which
 * is now undone. */
static void races_reopen(struct happens_before *order, uint32_t match)
{
	struct settled *again = NULL;
	size_t from, count = 0;
	SEARCH(from, order->settled_count, order->settled[from].matches >= match);
	for (size_t i = from; i < order->settled_count; i++)
		*MEM_ADD(&again, &count) = order->settled[i];
	order->settled_count = from;
	for (size_t i = 1; i <= order->undecided_count; i++) {
		struct undecided *undecided = &order->undecided[i];
		if (undecided->matches < match)
			continue;
		*MEM_ADD(&again, &count) = (struct settled){undecided->race, undecided->matches};
		undecided->matches = 0;
	}
	for (size_t i = 0; i < count; i++)
		race_decide(order, &again[i].race);
	mem_free(again);
}

/* Decides conflicts that wait for an aborted match. A timeout also aborts complete matches, which
 * then order nothing. Known races stay. */
static void aborted_check(struct happens_before *order)
{
	const struct world *world = order->world;
	uint32_t unmade = UINT32_MAX;

	for (; order->aborted < world->aborted_count; order->aborted++) {
		uint32_t index = world->aborted[order->aborted];
		const struct match *match = &world->matches[index];
		if (match_complete(match) && !match->mismatch)
			unmade = index < unmade ? index : unmade;
		races_decide_postponed(order, index);
	}
	if (unmade != UINT32_MAX)
		races_reopen(order, unmade);
}

const struct races *races_now(struct world *world)
{
	struct happens_before *order = world->races ? world->races->order : NULL;
	if (!order) {
		world->races = mem_alloc(sizeof *world->races);
		order = world->races->order = mem_alloc(sizeof *order);
		*order = (struct happens_before){.world = world,
		        .races = world->races,
		        .rank = mem_alloc(world->n * sizeof *order->rank),
		        .known = names_create(),
		        .runnable = {.self = order, .edges_of = runnable_edges, .stop_at_cycle = true}};
	}
	if (order->done == world->op_count && order->aborted == world->aborted_count)
		return world->races;
	clocks_update(order);
	aborted_check(order);
	for (; order->done < world->op_count; order->done++)
		op_check(order, order->done + 1);
	return world->races;
}

void races_free(struct world *world)
{
	if (!world->races)
		return;
	order_release(world->races->order);
	void *arrays[] = {world->races->order, world->races->race, world->races->unread, world->races};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		mem_free(arrays[i]);
	world->races = NULL;
}
