/* backup.c -- collectives that leave out the last `backup` members (Chen et al., Revisiting
 * distributed synchronous SGD, 2016, arXiv:1604.00981)
 *
 *      rank 0  arrives |---- sum of 0, 1, 2 ----|
 *      rank 1   arrives|---- sum of 0, 1, 2 ----|
 *      rank 2      arrives ---- ... ------------|      third of four, backup=1: it begins
 *      rank 3                                        arrives |- message -|      gets the sum only
 *
 * Several members may arrive at the time of the last that counts. So an event after all others of
 * that time chooses, by readiness and then by rank. It is postponed while a member is stopped,
 * which could still arrive earlier.
 *
 * Only links of the members that count carry the collective. A member that arrives while it runs
 * ends with the others. A later one gets the result in one message from the first member that
 * counts; that message uses no links. OPF_LATE marks members that do not count. */
#include "sim/engine.h"
#include "base/memory.h"
#include "numerics/rank_data.h"

static bool member_arrived(const struct engine *e, op_id id)
{
	return id && op_arrived(e, id);
}

static bool members_agree(const struct engine *e, const struct match *match)
{
	int first = 0;
	while (!member_arrived(e, match->member[first]))
		first++;
	for (int i = first + 1; i < match->n; i++)
		if (member_arrived(e, match->member[i]) && !world_agree(e->world, match, first, i))
			return false;
	return true;
}

void backup_arrived(struct engine *e, struct instance *instance)
{
	const struct match *match = &e->world->matches[instance->match];
	if (instance->arrived + op_record(e->world, instance->last)->backup < (uint32_t)match->n)
		return;
	e->works[instance->work].phase = PHASE_QUORUM;
	agenda_set(e, instance->work, e->s.now, UINT64_MAX);
}

static op_id backup_last(const struct engine *e, const struct match *match)
{
	op_id last = 0;
	for (int i = 0; i < match->n; i++) {
		op_id id = match->member[i];
		if (!member_arrived(e, id) || op_at(e, id)->flags & OPF_LATE)
			continue;
		if (!last || op_at(e, id)->ready > op_at(e, last)->ready ||
		        (op_at(e, id)->ready == op_at(e, last)->ready &&
		                op_at(e, id)->rank > op_at(e, last)->rank))
			last = id;
	}
	return last;
}

void backup_begin(struct engine *e, struct instance *instance)
{
	const struct match *match = &e->world->matches[instance->match];
	e->works[instance->work].phase = PHASE_NONE;
	if (match->mismatch && !members_agree(e, match)) { /* it never begins */
		collective_timeout(e, instance);
		return;
	}
	uint32_t waits_for = (uint32_t)match->n - op_record(e->world, instance->last)->backup;
	sim_rule(14, waits_for > 0 && instance->arrived >= waits_for);
	for (uint32_t more = instance->arrived - waits_for; more > 0; more--)
		op_at(e, backup_last(e, match))->flags |= OPF_LATE;
	instance->last = backup_last(e, match);
	sim_rule(14, instance->last != 0);
	collective_begin(e, instance, match);
}

void backup_ends(struct engine *e, const struct match *match)
{
	if (!data_now(e))
		return;
	bool *counts = mem_alloc((size_t)match->n * sizeof *counts);
	for (int i = 0; i < match->n; i++)
		counts[i] = member_arrived(e, match->member[i]) &&
		        !(op_at(e, match->member[i])->flags & OPF_LATE);
	data_backup(e->data, (uint32_t)(match - e->world->matches), counts);
	mem_free(counts);
}

/* Returns false if the lane's member does not match the others: it then never ends. */
static bool backup_leave_out(struct engine *e, uint32_t lane, int *from)
{
	struct stream_queue *l = &e->lanes[lane];
	struct op *op = op_at(e, l->head);
	const struct match *match = &e->world->matches[op->match];
	*from = flow_member(e, match, 0);
	bool fits = *from >= 0 &&
	        world_agree(e->world, match, *from, e->world->groups[match->group].place_of[op->rank]);
	op->flags |= OPF_LATE;
	l->state = fits ? LANE_RUN : LANE_MATCH;
	if (fits)
		lane_begun(e, l->head);
	return fits;
}

void backup_join(struct engine *e, uint32_t lane)
{
	int from;
	backup_leave_out(e, lane, &from);
	device_hold(e, e->lanes[lane].head, 1);
}

void backup_fetch(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	const struct op *op = op_at(e, id);
	const struct match *match = &e->world->matches[op->match];
	int from;
	if (!backup_leave_out(e, lane, &from)) {
		device_hold(e, id, 1);
		return;
	}
	struct path path;
	machine_path(machine_then(e, id), match->ranks[from], op->rank, &path);
	double ns = path.latency_ns + (double)record_at(e, op)->bytes / path.rate * 1e9;
	lane_schedule(e, lane, e->s.now + round_up(ns), PHASE_FIXED);
}

void backup_fetched(struct engine *e, uint32_t lane)
{
	const struct rank *r = &e->ranks[e->lanes[lane].rank];
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && r->waiting; k++)
		if (e->lanes[r->lanes + k].state == LANE_TURN)
			lane_poke(e, r->lanes + k);
}
