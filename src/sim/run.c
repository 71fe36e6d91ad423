/* run.c -- one pass in virtual time, as far as what happens is final
 *
 * This is conservative discrete-event simulation (Chandy and Misra, 1979): an event may be carried out only
 * when nothing that is still unknown can come before it. What is unknown here are the lines that a user has
 * not typed yet. So there is no look-ahead to negotiate, only a clock for each host below which it will
 * queue nothing more: its horizon. A rank whose host is idle is blocked when time reaches its horizon, and
 * blocks whom it meets:
 *
 *     ms               0         1         2         3
 *     rank 0 host      |--launches--|                        idle at 1.3: its horizon
 *     rank 0 device       [ matmul   #### ]                  1.3 is reached in the midst of it: rank 0 stops
 *     rank 1 host      |--launches-----------------|         idle at 3.0
 *     rank 1 device       [ matmul ][ allreduce ...          reaches the allreduce at 1.7, rank 0 is stopped:
 *                                                            rank 1 stops at 1.7, arrives in a later pass
 *     rank 2           no line in common with either: goes on to its own horizon
 *
 * Why rank 0's matmul must not end: the next line may be a kernel that is queued at 1.3 and shares the
 * multiprocessors from then on. Why rank 1 must not arrive: from its arrival on it holds multiprocessors,
 * and its end depends on rank 0's.
 *
 * A rank with nothing on its device, whose memory no one-sided operation is to reach, has no horizon of its own but can
 * still join links and groups: it stops at `fixed`, the time up to which an earlier answer has settled everything.
 * Stopping spreads to every rank that stands in a meeting with a stopped one, now or as soon as it reaches it, and to
 * the ranks of its open windows. Within a pass ranks only ever stop; their events are put off and are due again in the
 * next pass, when there may be more lines.
 *
 * Quiet ranks. When an answer is owed (`print`), or for a projection, the hosts of some ranks are taken to
 * queue nothing more: they do not stop. When one of them meets a stopped rank whose side is already queued,
 * that rank is needed for the answer: it is noted, and the caller (reach.c) tries again with it quiet too. A
 * side that is not queued yet cannot come before `fixed`, and `fixed` will be later than the answer. */
#include "sim/engine.h"

/* ---- stopping */

/* The rank stops, and joins the list of those whose stopping has not spread yet. */
static void stop_push(struct engine *e, uint32_t *list, uint32_t rank)
{
	if (rank_stopped(e, rank))
		return;
	e->ranks[rank].stopped = e->s.pass;
	e->stopped_count++;
	e->ranks[rank].spreads_next = *list;
	*list = rank;
}

/* The answer depends on this stopped rank: it must be quiet in the next try, which goes on from here. So a quiet rank
 * that meets it stops for this one. False: this is no try. */
static bool rank_need(struct engine *e, uint32_t rank)
{
	if (e->needed && !rank_quiet(e, rank))
		e->needed[rank] = true;
	return e->needed;
}

/* The meeting's members that have arrived stop with `rank`, who is one of them or could be. queued: rank's
 * side is in the books. */
static void stop_spread(struct engine *e, uint32_t *list, uint32_t rank, uint32_t other, bool queued)
{
	if (!rank_quiet(e, other) || (queued && rank_need(e, rank)))
		stop_push(e, list, other);
}

/* The group can begin nothing while one of its members is stopped; those that have arrived stop too. */
static void spread_collective(struct engine *e, uint32_t *list, uint32_t rank, struct instance *instance)
{
	instance->stopped = e->s.pass;
	if (!instance->arrived)
		return;
	const struct match *match = &e->world->matches[instance->match];
	/* with backup= it goes on without those that do not come, so it hangs on them too */
	bool backup = op_record(e->world, instance->last)->backup;
	bool queued = match->member[e->world->groups[match->group].place_of[rank]] != 0 || backup;
	for (int i = 0; i < match->n; i++)
		if (match->member[i] && op_arrived(e, match->member[i]))
			stop_spread(e, list, rank, match->ranks[i], queued);
}

/* A member that is stopped could still begin or end a wait that is too long. With that ends all that stands in the part
 * of the group, so those ranks stop too. */
static void spread_part(struct engine *e, uint32_t *list, uint32_t rank, size_t group)
{
	const struct group_instance *part = group_part(&e->world->groups[group], (int)rank);
	for (int i = 0; i < part->n; i++) {
		const struct rank *r = &e->ranks[part->ranks[i]];
		bool stands = false;
		for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && !stands; k++)
			stands = stands_in(e, &e->lanes[r->lanes + k], (int)group);
		if (stands)
			stop_spread(e, list, rank, part->ranks[i], true);
	}
}

/* How many transfers stand at the head of the stream */
static int lane_parts(const struct engine *e, const struct stream_queue *lane)
{
	return lane->left ? op_record(e->world, lane->head)->parts : 0;
}

/* Transfers for which this rank's side has arrived. */
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

/* Others whose transfers wait for this rank's side. */
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

/* The ranks of an open window stop together: any of them may yet reach the memory of the others. A quiet one stops for a
 * rank that has one-sided operations queued, or is to be reached by some: those are what the answer may depend on. */
static void spread_windows(
        struct engine *e, uint32_t *list, uint32_t rank, const struct group_instance *members)
{
	bool queued = e->ranks[rank].one_sided || e->ranks[rank].reached;
	for (int i = 0; i < members->n; i++)
		stop_spread(e, list, rank, members->ranks[i], queued);
}

/* A closure over the graph of rendezvous, depth first:
 *
 *      rank 0 reaches its horizon   -> 1 stands in an allreduce with it            -> 1 stops
 *      rank 1 stops                 -> 2 waits for a message of it                 -> 2 stops
 *      rank 2 stops                 -> a window of it is open to rank 3 as well    -> 3 stops
 *      rank 3 stops                 -> its other matches are with 0 and 1          -> nobody is new: the end
 *
 * A rank is pushed at most once a pass, so it ends after as many rounds as there are ranks. Quiet ranks are
 * pushed in a try only: what a stopped rank owes them makes it needed. */
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
			if (instance->windows)
				spread_windows(e, &list, next, &group->instance[number]);
		}
		spread_own_transfers(e, &list, next);
		spread_awaited(e, &list, next);
	}
}

/* A quiet rank reaches a rendezvous: members that are queued and stopped are needed. */
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

/* A rank that reaches a meeting with a stopped one stops and reaches it in a later pass: everybody arrives in
 * the order of time, and what begins reads memory whose past is over. */
bool match_put_off(struct engine *e, uint32_t lane)
{
	uint32_t rank = e->lanes[lane].rank;
	if (rank_quiet(e, rank) && !meets_needed(e, e->lanes[lane].head))
		return false;
	stop_rank(e, rank);
	lane_schedule(e, lane, e->s.now, PHASE_ARRIVE);
	return true;
}

/* The same for a group with a timeout: the part of it is one meeting, whatever in it the lane is for. */
bool part_put_off(struct engine *e, uint32_t lane, const struct group_instance *part)
{
	uint32_t rank = e->lanes[lane].rank;
	bool needs = !rank_quiet(e, rank);
	for (int i = 0; i < part->n; i++)
		if (rank_stopped(e, part->ranks[i]))
			needs |= rank_need(e, part->ranks[i]);
	if (!needs)
		return false;
	stop_rank(e, rank);
	lane_schedule(e, lane, e->s.now, PHASE_ARRIVE);
	return true;
}

/* Sets the event at which the rank stops: its horizon. Behind the host's own events of that time. */
void rank_idle(struct engine *e, uint32_t rank)
{
	struct rank *r = &e->ranks[rank];
	if (!e->in_pass || r->state != RANK_IDLE || rank_quiet(e, rank))
		return;
	int64_t at = most_of(r->clock, r->settled);
	/* what reaches its memory is something on its device: a kernel of the next line may be before that */
	if (!r->unfinished && !r->reached)
		at = most_of(at, e->s.fixed);
	agenda_set(e, r->stop, at, (uint64_t)rank << 40 | UINT32_MAX); /* behind the host's own lane */
}

/* ---- the pass */

/* Does the event belong to a rank or a meeting that is stopped? */
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

/* An event of a stream: its head arrives, its kernel or copy ends, or its flow leaves the latency behind. */
static void lane_due(struct engine *e, uint32_t index)
{
	enum { FLOPS_A_TICK = 5000, BYTES_A_TICK = 50000 };
	struct stream_queue *lane = &e->lanes[index];
	struct activity *work = &e->works[lane->work];
	const struct record *record = op_record(e->world, lane->head);
	e->ranks[lane->rank].seen = e->s.now;
	switch (work->phase) {
	case PHASE_ARRIVE:
		lane_arrive(e, index);
		return;
	case PHASE_KERNEL:
		/* computing takes this process wall time too; every process counts the same */
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

/* One event; then whatever became possible by it at the same time. */
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

/* Hosts run through their new lines first: that takes no event, they wait for nobody until a SYNC blocks
 * them. */
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

/* ST_OK: all that is final, or the goal, is carried out. ST_INTERRUPTED: between two events. */
enum status engine_run(struct engine *e, struct budget *budget)
{
	enum status status = ST_OK;
	begin_pass(e);
	while (e->agenda_count && e->status == ST_OK && e->stopped_count < e->ranks_count && e->goal_left) {
		if (e->agenda[0].time >= e->until)
			break;
		struct due due = agenda_take(e);
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
		/* counted in steps of the budget, between two events only: a stop leaves the machine whole */
		budget->steps -= e->ticks / EVENTS_A_STEP;
		e->ticks %= EVENTS_A_STEP;
		if (budget->steps <= 0 && budget->more && !budget->more(budget)) {
			status = fail(ST_INTERRUPTED, "interrupted");
			break;
		}
	}
	/* what was put off is due again, and horizons are forgotten: hosts may have moved by the next pass */
	for (size_t i = 0; i < e->held_count; i++)
		agenda_set(e, e->held[i].work, e->held[i].time, e->held[i].order);
	e->held_count = 0;
	for (size_t i = 0; i < e->ranks_count; i++)
		agenda_drop(e, e->ranks[i].stop);
	e->in_pass = false;
	return e->status != ST_OK ? e->status : status;
}
