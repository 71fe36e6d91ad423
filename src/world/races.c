/* races.c -- conflicts that nothing orders; and the same found on demand by replaying the program order */
#include "world/order.h"

enum status races_reserve(struct world_order *order, size_t more)
{
	struct world *sink = order->sink;

	if (RESERVE(&order->undecided, order->undecided_count + 1, more, &order->undecided_room))
		return ST_MEMORY;
	return sink ? RESERVE(&sink->races, sink->race_count, order->undecided_live + more, &sink->race_room)
	            : ST_OK;
}

static bool same_race(const struct world *world, const struct race *a, const struct race *b)
{
	const struct op *ops = world->ops;

	return ops[a->later].rank == ops[b->later].rank && ops[a->later].stream == ops[b->later].stream &&
	        ops[a->earlier].stream == ops[b->earlier].stream && a->earlier_name == b->earlier_name &&
	        a->later_name == b->later_name;
}

bool race_known(const struct world *world, const struct world_order *order, const struct candidate *candidate,
        int rank, int lane, const struct record *record)
{
	const struct op *earlier = &world->ops[candidate->earlier];
	name_id earlier_name = op_record(world, candidate->earlier)->operand[candidate->earlier_operand].name;
	name_id later_name = record->operand[candidate->operand].name;

	for (size_t i = 0; order->sink && i < order->sink->race_count; i++) {
		const struct race *race = &order->sink->races[i];
		if (race->earlier_name == earlier_name && race->later_name == later_name &&
		        world->ops[race->later].rank == rank && world->ops[race->later].stream == lane &&
		        world->ops[race->earlier].stream == earlier->stream)
			return true;
	}
	return false;
}

/* One a pair of streams and names: the first in program order, whichever was decided first. */
static void report(struct world_order *order, const struct race *race)
{
	struct world *sink = order->sink;

	if (!sink)
		return;
	for (size_t i = 0; i < sink->race_count; i++) {
		if (!same_race(sink, &sink->races[i], race))
			continue;
		if (race->later < sink->races[i].later ||
		        (race->later == sink->races[i].later && race->earlier < sink->races[i].earlier))
			sink->races[i] = *race;
		return;
	}
	sink->races[sink->race_count++] = *race;
}

/* Attaches the race to a meet that lacks members. */
static void postpone(struct world_order *order, const struct race *race, uint32_t meet)
{
	uint32_t index = order->free_undecided;

	if (index)
		order->free_undecided = order->undecided[index].next;
	else
		index = (uint32_t)++order->undecided_count;
	order->undecided[index] = (struct undecided){.race = *race, .next = order->notes[meet].undecided};
	order->notes[meet].undecided = index;
	order->undecided_live++;
}

static void decide(const struct world *world, struct world_order *order, const struct race *race)
{
	uint32_t lacking;
	enum runnable runnable = op_runnable(world, order, race->later, &lacking);

	if (runnable == RUNNABLE)
		runnable = op_runnable(world, order, race->earlier, &lacking);
	if (runnable == RUNNABLE_LACKS)
		postpone(order, race, lacking);
	if (runnable == RUNNABLE && !search_before(world, order, race->earlier, race->later) &&
	        !search_before(world, order, race->later, race->earlier))
		report(order, race);
}

static void word_remedy(const struct world *world, struct race *race)
{
	const struct op *earlier = &world->ops[race->earlier], *later = &world->ops[race->later];
	const char *first =
	        names_text(world->names, lane_stream(world, earlier->rank, earlier->stream)->name);
	const char *second = names_text(world->names, lane_stream(world, later->rank, later->stream)->name);

	if (later->stream == STREAM_HOST)
		snprintf(race->remedy, sizeof race->remedy, "sync %.60s", first);
	else
		snprintf(race->remedy, sizeof race->remedy, "wait %.60s on %.60s", first, second);
}

void races_decide(
        const struct world *world, struct world_order *order, const struct candidate *candidate, op_id later)
{
	const struct operand *first =
	        &op_record(world, candidate->earlier)->operand[candidate->earlier_operand];
	const struct operand *second = &op_record(world, later)->operand[candidate->operand];
	struct race race = {.earlier = candidate->earlier,
	        .later = later,
	        .space = second->space,
	        .earlier_name = first->name,
	        .later_name = second->name,
	        .address = first->address > second->address ? first->address : second->address};

	word_remedy(world, &race);
	decide(world, order, &race);
}

void races_met(const struct world *world, struct world_order *order, uint32_t meet)
{
	if (meet >= order->note_room)
		return;
	uint32_t next, index = order->notes[meet].undecided;
	order->notes[meet].undecided = 0;
	for (; index; index = next) {
		struct race race = order->undecided[index].race;
		next = order->undecided[index].next;
		order->undecided[index].next = order->free_undecided;
		order->free_undecided = index;
		order->undecided_live--;
		decide(world, order, &race);
	}
}

/* ---- on demand */

static struct draft draft_of(const struct world *world, op_id id)
{
	const struct op *op = &world->ops[id];
	return (struct draft){.rank = op->rank,
	        .stream = op->stream,
	        .record = op_record(world, id),
	        .target = op->target,
	        .number = op->number};
}

/* The clocks of everything queued so far. */
static enum status replay_clocks(const struct world *world, struct world_order *order)
{
	enum status status = ST_OK;

	for (int r = 0; r < world->n && !status; r++)
		status = lanes_reserve(order, r, world->lanes->rank[r].count);
	if (!status)
		status = order_scratch(world, order);
	for (op_id id = 1; id <= world->op_count && !status; id++) {
		struct draft draft = draft_of(world, id);
		status = clock_prepare(world, order, &draft);
		if (!status)
			clock_commit(world, order, id, draft.number);
	}
	return status;
}

static enum status replay_fresh(
        const struct world *world, struct world_order *order, size_t *next, op_id before)
{
	const struct world_memory *memory = world->memory;

	for (; *next < memory->fresh_count && memory->fresh[*next].after < before; (*next)++) {
		const struct fresh *fresh = &memory->fresh[*next];
		if (history_fresh_reserve(order, fresh->rank, (enum space)fresh->space))
			return ST_MEMORY;
		history_fresh(world, order, fresh);
	}
	return ST_OK;
}

static enum status replay_accesses(const struct world *world, struct world_order *order)
{
	enum status status = ST_OK;
	size_t fresh = 0;

	for (op_id id = 1; id <= world->op_count && !status; id++) {
		const struct record *record = op_record(world, id);
		struct moment moment = moment_of(world, order, id);
		status = replay_fresh(world, order, &fresh, id);
		if (!status)
			status = history_prepare(world, order, record, &moment);
		if (!status)
			status = races_reserve(order, order->candidate_count);
		for (size_t i = 0; i < order->candidate_count && !status; i++)
			races_decide(world, order, &order->candidates[i], id);
		if (!status)
			history_commit(world, order, record, id);
	}
	return status;
}

enum status world_races_now(struct world *world)
{
	if (world->order || world->races_digest == world->digest)
		return ST_OK;
	struct world_order *order = order_new(world->n);
	if (!order)
		return ST_MEMORY;
	enum status status = replay_clocks(world, order);
	if (!status) {
		world->race_count = world->unread_count = 0;
		order->sink = world;
		status = replay_accesses(world, order);
	}
	if (!status)
		world->races_digest = world->digest;
	order_free(order);
	return status;
}

static bool meets_with(const struct world *world, op_id a, op_id b)
{
	int count;
	const uint32_t *meets = meets_of(world, a, &count);

	for (int i = 0; i < count; i++) {
		const struct meet *meet = &world->meets[meets[i]];
		for (int k = 0; k < meet->n && !meet->aborted; k++) {
			if (world->meet_ops[meet->first_op + (uint32_t)k] == b)
				return true;
		}
	}
	return false;
}

/* Work of the host lane is before whatever its rank queued later, and so before all that meets it or comes
 * after it. */
static bool host_op_before(const struct world *world, struct world_order *order, op_id a, op_id b)
{

	for (op_id next = world->ops[a].next_program; next; next = world->ops[next].next_program) {
		if (next == b || meets_with(world, next, b))
			return true;
		if (world->ops[next].stream != STREAM_HOST && search_before(world, order, next, b))
			return true;
	}
	return false;
}

bool world_happens_before(const struct world *world, op_id a, op_id b)
{
	struct world_order *order = world->order;
	const struct op *first = &world->ops[a], *second = &world->ops[b];

	if (first->rank == second->rank && first->stream == second->stream)
		return first->number < second->number;
	if (first->rank == second->rank && first->stream == STREAM_HOST && first->number < second->number)
		return true;
	if (!order) {
		order = order_new(world->n);
		if (!order || replay_clocks(world, order)) {
			order_free(order);
			return false;
		}
	}
	bool before = order_scratch(world, order) ? false
	        : first->stream == STREAM_HOST    ? host_op_before(world, order, a, b)
	                                          : search_before(world, order, a, b);
	if (order != world->order)
		order_free(order);
	return before;
}
