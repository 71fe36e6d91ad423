/* run.c -- one pass in virtual time, as far as events are final
 *
 * Conservative discrete-event simulation (Chandy and Misra, 1979): an event is carried out only if
 * nothing unknown can come before it. The lines not typed yet are unknown. Each host has a
 * horizon, its clock, below which it issues nothing more. A rank with an idle host stops at its
 * horizon, and stops the ranks that it meets:
 *
 *     ms               0         1         2         3
 *     rank 0 host      |--launches--|                        idle at 1.3: its horizon
 *     rank 0 device       [ matmul   #### ]                  rank 0 stops at 1.3
 *     rank 1 host      |--launches-----------------|         idle at 3.0
 *     rank 1 device       [ matmul ][ allreduce ...          reaches the allreduce at 1.7: rank 1
 *                                                            stops, and arrives in a later pass
 *     rank 2           has no line in common with either: goes on to its own horizon
 *
 * Rank 0's matmul must not end, because its next line may be a kernel that shares the
 * multiprocessors from 1.3 on. Rank 1 must not arrive, because it would hold multiprocessors until
 * an end that depends on rank 0.
 *
 * A rank with nothing on its device and no one-sided operation as its target stops at `fixed`, the
 * time that earlier answers have made final. Stopping spreads to ranks at a meeting with a stopped
 * one, now or on arrival, and to the ranks of its open windows. Events of stopped ranks are
 * postponed to the next pass.
 *
 * For an answer (reach.c) or a projection some ranks are quiet: they issue nothing more and do not
 * stop. */
#include "sim/engine.h"

/* ---- stopping */

static void stop_push(struct engine *e, uint32_t *list, uint32_t rank)
{
	if (rank_stopped(e, rank))
		return;
	e->ranks[rank].stopped = e->s.pass;
	e->stopped_count++;
	e->ranks[rank].spreads_next = *list;
	*list = rank;
}

/* In a try (reach.c), notes that the answer depends on this stopped rank. Else returns false. */
static bool rank_need(struct engine *e, uint32_t rank)
{
	if (e->needed && !rank_quiet(e, rank))
		e->needed[rank] = true;
	return e->needed;
}

/* Stops `other`, which has arrived at a meeting with the stopped `rank`; a quiet one only in a
 * try, and only if rank's side is queued. */
static void stop_spread(struct engine *e, uint32_t *list, uint32_t rank, uint32_t other, bool queued)
{
	if (!rank_quiet(e, other) || (queued && rank_need(e, rank)))
		stop_push(e, list, other);
}

/* A part begins no collective while a member is stopped. */
static void spread_collective(struct engine *e, uint32_t *list, uint32_t rank, struct instance *instance)
{
	instance->stopped = e->s.pass;
	if (!instance->arrived)
		return;
	const struct match *match = &e->world->matches[instance->match];
	/* with backup= a collective may start without `rank`, so it depends on rank, queued or
	 * not */
	bool backup = op_record(e->world, instance->last)->backup;
	bool queued = match->member[e->world->groups[match->group].place_of[rank]] != 0 || backup;
	for (int i = 0; i < match->n; i++)
		if (match->member[i] && op_arrived(e, match->member[i]))
			stop_spread(e, list, rank, match->ranks[i], queued);
}

/* A stopped member may begin or end a wait that times out, and a timeout ends all operations at
 * meetings of the part. */
static void spread_part(struct engine *e, uint32_t *list, uint32_t rank, size_t group)
{
	const struct group_instance *part = group_part(&e->world->groups[group], (int)rank);
	for (int i = 0; i < part->n; i++) {
		const struct rank *r = &e->ranks[part->ranks[i]];
		bool meets = false;
		for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && !meets; k++)
			meets = lane_meets(e, &e->lanes[r->lanes + k], (int)group);
		if (meets)
			stop_spread(e, list, rank, part->ranks[i], true);
	}
}

static int lane_parts(const struct engine *e, const struct stream_queue *lane)
{
	return lane->left ? op_record(e->world, lane->head)->parts : 0;
}

/* Transfers at which this rank has arrived */
static void spread_own_transfers(struct engine *e, uint32_t *list, uint32_t rank)
{
	const struct rank *r = &e->ranks[rank];
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count; k++) {
		const struct stream_queue *lane = &e->lanes[r->lanes + k];
		for (int i = 0, n = lane_parts(e, lane); i < n; i++) {
			op_id other = part_other(e, lane->head, i);
			if (other && op_arrived(e, other))
				stop_spread(e, list, rank, e->world->ops[other].rank, true);
		}
	}
}

/* Transfers of others that wait for this rank */
static void spread_awaited(struct engine *e, uint32_t *list, uint32_t rank)
{
	for (uint32_t other = 0; other < e->ranks_count && e->ranks[rank].awaited; other++) {
		const struct rank *r = &e->ranks[other];
		for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && other != rank; k++) {
			const struct stream_queue *lane = &e->lanes[r->lanes + k];
			for (int i = 0, n = lane_parts(e, lane); i < n; i++) {
				op_id own = part_other(e, lane->head, i);
				if (op_record(e->world, lane->head)->part[i].peer == (int)rank &&
				        !(own && (op_arrived(e, own) || op_done(e, own))))
					stop_spread(e, list, rank, other, own != 0);
			}
		}
	}
}

/* Stops a rank and, depth first, all that depend on it. Quiet ranks stop only in a try, for a
 * needed rank. */
static void stop_rank(struct engine *e, uint32_t rank)
{
	uint32_t list = NOWHERE;
	stop_push(e, &list, rank);
	while (list != NOWHERE) {
		uint32_t next = list;
		list = e->ranks[next].spreads_next;
		for (size_t g = 0; g < e->world->group_count; g++) {
			const struct group *group = &e->world->groups[g];
			int number = group->instance_of[next];
			if (number < 0)
				continue;
			struct instance *instance = &e->instances[group->first + number];
			spread_collective(e, &list, next, instance);
			if (group->timeout)
				spread_part(e, &list, next, g);
			/* Any rank of an open window may still access the others' memory. A quiet
			 * one stops only if `next` has queued one-sided operations or is the
			 * target of some. */
			const struct group_instance *members = &group->instance[number];
			bool queued = e->ranks[next].one_sided || e->ranks[next].reached;
			for (int i = 0; i < members->n && instance->windows; i++)
				stop_spread(e, &list, next, members->ranks[i], queued);
		}
		spread_own_transfers(e, &list, next);
		spread_awaited(e, &list, next);
	}
}

/* At a quiet rank's meeting, notes as needed each stopped rank whose side is queued. Returns true
 * if there is one. */
static bool meets_needed(struct engine *e, op_id id)
{
	const struct op *op = op_at(e, id);
	const struct record *record = record_at(e, op);
	bool needs = false;
	if (record->kind == OP_COLLECTIVE) {
		const struct match *match = &e->world->matches[op->match];
		for (int i = 0; i < match->n; i++)
			if ((match->member[i] || record->backup) && rank_stopped(e, match->ranks[i]))
				needs |= rank_need(e, match->ranks[i]);
		return needs;
	}
	for (int i = 0; i < record->parts; i++)
		if (rank_stopped(e, record->part[i].peer) && part_other(e, id, i))
			needs |= rank_need(e, record->part[i].peer);
	return needs;
}

/* Lets members arrive in order of time and read final memory. With a timeout, all lanes of a part
 * are at one meeting, because the timeout ends them all. */
bool match_put_off(struct engine *e, uint32_t lane, const struct group_instance *part)
{
	uint32_t rank = e->lanes[lane].rank;
	bool needs = !rank_quiet(e, rank);
	if (!needs && !part)
		needs = meets_needed(e, e->lanes[lane].head);
	for (int i = 0; part && i < part->n; i++)
		if (rank_stopped(e, part->ranks[i]))
			needs |= rank_need(e, part->ranks[i]);
	if (!needs)
		return false;
	stop_rank(e, rank);
	lane_schedule(e, lane, e->s.now, PHASE_ARRIVE);
	return true;
}

/* Sets the stop event at the horizon, after the host's own events of that time. */
void rank_idle(struct engine *e, uint32_t rank)
{
	struct rank *r = &e->ranks[rank];
	if (!e->in_pass || r->state != RANK_IDLE || rank_quiet(e, rank))
		return;
	int64_t at = most_of(r->clock, r->settled);
	/* a one-sided operation on its memory counts as work: a later line may come before it */
	if (!r->unfinished && !r->reached)
		at = most_of(at, e->s.fixed);
	agenda_set(e, r->stop, at, (uint64_t)rank << 40 | UINT32_MAX);
}

/* ---- the pass */

static bool event_put_off(const struct engine *e, const struct activity *work)
{
	const struct transfer *t;
	switch (work->owner) {
	case OWNER_LANE:
		return rank_stopped(e, e->lanes[work->index].rank);
	case OWNER_GROUP:
		return e->instances[work->index].stopped == e->s.pass;
	case OWNER_TRANSFER:
		t = &e->transfers[work->index];
		return rank_stopped(e, e->world->ops[t->send].rank) ||
		        rank_stopped(e, e->world->ops[t->receive].rank);
	case OWNER_FILL:
		return rank_stopped(e, e->world->me);
	default:
		return false;
	}
}

static void lane_due(struct engine *e, uint32_t index)
{
	enum { FLOPS_A_TICK = 5000, BYTES_A_TICK = 50000 };
	struct stream_queue *lane = &e->lanes[index];
	struct activity *work = &e->works[lane->work];
	const struct record *record = op_record(e->world, lane->head);
	e->ranks[lane->rank].seen = e->s.now;
	switch (work->phase) {
	case PHASE_ARRIVE:
		lane_begin(e, index);
		return;
	case PHASE_KERNEL:
		/* computing takes real time; all processes count the same */
		if (e->data)
			e->ticks += (int64_t)((record->flops / FLOPS_A_TICK +
			                              (double)record->bytes / BYTES_A_TICK) /
			        e->world->n);
		kernel_end(e, index);
		break;
	case PHASE_FIXED:
		work->phase = PHASE_NONE;
		if (record->kind == OP_COLLECTIVE)
			backup_fetched(e, index);
		break;
	default:
		if (!flow_over(e, lane->work)) {
			flow_due(e, lane->work);
			return;
		}
		if (record->kind == OP_ONE_SIDED)
			one_sided_end(e, index);
		else
			copy_end(e, index, copy_way(record));
	}
	lane_finish(e, index);
}

static void event_carry_out(struct engine *e, struct due due)
{
	uint32_t index = e->works[due.work].index;
	e->s.now = due.time;
	e->latest = most_of(e->latest, due.time);
	switch ((enum owner)e->works[due.work].owner) {
	case OWNER_RANK:
		stop_rank(e, index);
		return;
	case OWNER_FILL:
		fill_due(e);
		return;
	case OWNER_LANE:
		lane_due(e, index);
		break;
	case OWNER_GROUP:
		collective_due(e, index);
		break;
	case OWNER_TRANSFER:
		transfer_due(e, index);
		break;
	}
	lanes_step(e);
}

static void begin_pass(struct engine *e)
{
	e->s.pass++;
	e->in_pass = true;
	e->stopped_count = 0;
	for (uint32_t i = 0; i < e->ranks_count; i++) {
		struct rank *r = &e->ranks[i];
		if (!r->next || r->state != RANK_IDLE)
			continue;
		r->state = RANK_RUN;
		host_run(e, i);
	}
	for (uint32_t i = 0; i < e->ranks_count; i++)
		rank_idle(e, i);
}

/* Fails with ST_INTERRUPTED between two events. */
enum status engine_run(struct engine *e, struct budget *budget)
{
	enum status status = ST_OK;
	begin_pass(e);
	while (e->agenda_count && e->agenda[0].time < e->until && e->status == ST_OK &&
	        e->stopped_count < e->ranks_count && e->goal_left) {
		struct due due = e->agenda[0];
		agenda_drop(e, due.work);
		if (event_put_off(e, &e->works[due.work])) {
			e->held[e->held_count++] = due;
			continue;
		}
		bool counts = e->works[due.work].owner < OWNER_RANK;
		event_carry_out(e, due);
		e->ticks += counts;
		e->ticks_all += counts;
		if (!budget || e->ticks < EVENTS_A_STEP)
			continue;
		budget->steps -= e->ticks / EVENTS_A_STEP;
		e->ticks %= EVENTS_A_STEP;
		if (budget->steps <= 0 && budget->more && !budget->more(budget)) {
			status = fail(ST_INTERRUPTED, "interrupted");
			break;
		}
	}
	/* postponed events are due again; a new pass sets new stop events */
	for (size_t i = 0; i < e->held_count; i++)
		agenda_set(e, e->held[i].work, e->held[i].time, e->held[i].order);
	e->held_count = 0;
	for (size_t i = 0; i < e->ranks_count; i++)
		agenda_drop(e, e->ranks[i].stop);
	e->in_pass = false;
	return e->status != ST_OK ? e->status : status;
}
