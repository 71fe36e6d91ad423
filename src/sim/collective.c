/* collective.c -- collectives: one at a time for a group instance, started by the last arrival
 *
 * A member arrives when its operation is at the head of its stream and the collective has its
 * turn. From then on it holds multiprocessors. The collective is one flow on all members' links.
 *
 *      rank 0  .... arrives |<- holds SMs ->|========== flow ==========|
 *      rank 1  .................... arrives |========== flow ==========|  rank 1 is to blame
 *
 * Before its turn a member waits in LANE_TURN and holds nothing: NCCL runs the collectives of a
 * communicator in issue order. */
#include "sim/engine.h"

static struct instance *instance_at(const struct engine *e, const struct match *match)
{
	return &e->instances[e->world->groups[match->group].first + match->instance];
}

/* With backup= the rank's own part in the previous collective may end after the others'. */
static bool previous_over(const struct engine *e, const struct op *op, const struct match *match)
{
	if (!match->before)
		return true;
	const struct match *before = &e->world->matches[match->before];
	op_id own = before->member[e->world->groups[match->group].place_of[op->rank]];
	return !op_record(e->world, own)->backup || op_done(e, own);
}

bool collective_turn(const struct engine *e, const struct op *op)
{
	const struct match *match = &e->world->matches[op->match];
	return instance_at(e, match)->turn == match->sequence && previous_over(e, op, match);
}

bool collective_over(const struct engine *e, const struct op *op)
{
	const struct match *match = &e->world->matches[op->match];
	return record_at(e, op)->backup && match->sequence < instance_at(e, match)->turn &&
	        previous_over(e, op, match);
}

/* Returns the record with the longest flow. Members differ only in an alltoall with counts. */
static const struct record *slowest_member(const struct engine *e, const struct match *match)
{
	const struct record *most = op_record(e->world, match->member[0]);
	for (int i = 1; i < match->n && most->split.n; i++) {
		const struct record *record = op_record(e->world, match->member[i]);
		if (record->flow_bytes / record->rate > most->flow_bytes / most->rate)
			most = record;
	}
	return most;
}

/* Returns true if the member, which with backup= may be missing, is in that state. */
static bool member_in_state(const struct engine *e, op_id id, enum lane_state state)
{
	return id && op_arrived(e, id) && e->lanes[lane_of(e, op_at(e, id))].state == state;
}

/* The last to arrive is blamed for the wait of the others. */
void collective_begin(struct engine *e, struct instance *instance, const struct match *match)
{
	const op_id *op = match->member;
	const struct record *record = op_record(e->world, instance->last);
	sim_rule(9, !instance->running && instance->turn == match->sequence);
	sim_rule(9, record->backup || (instance->arrived == (uint32_t)match->n && !match->mismatch));
	sim_rule(12, record->window != WINDOW_CLOSE || instance->windows > 0);
	if (!record->backup)
		record = slowest_member(e, match);
	for (int i = 0; i < match->n; i++) {
		if (!member_in_state(e, op[i], LANE_MATCH))
			continue;
		struct op *member = op_at(e, op[i]);
		e->lanes[lane_of(e, member)].state = LANE_RUN;
		if (op[i] != instance->last)
			member->blame = instance->last;
		lane_begun(e, op[i]);
	}
	instance->windows -= record->window == WINDOW_CLOSE;
	instance->running = true;
	instance->members = (uint32_t)match->n - record->backup;
	instance->kinds = collective_links(machine_then(e, instance->last), match);
	e->works[instance->work].op = record->backup ? instance->last : op[0];
	flow_begin(e, instance->work, record->latency_ns, record->flow_bytes, record->rate);
}

/* collective_begin reuses the event. An arrival exactly at the deadline is in time. */
void collective_timeout(struct engine *e, struct instance *instance)
{
	int64_t timeout = e->world->groups[e->world->matches[instance->match].group].timeout;
	if (!timeout)
		return;
	e->works[instance->work].phase = PHASE_TIMEOUT;
	agenda_set(e, instance->work, instance->first_time + timeout, UINT64_MAX);
}

/* Until sim_expired reports it, later operations of the part end on arrival. */
static void collective_expire(struct engine *e, struct instance *instance)
{
	const struct match *match = &e->world->matches[instance->match];
	sim_rule(13, !instance->running);
	sim_rule(13, e->s.now == instance->first_time + e->world->groups[match->group].timeout);
	instance->expired = instance->match;
	instance->expired_at = e->s.now;
	e->s.expired++;
	part_abort(e, match->group, match->instance);
}

void collective_arrive(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	op_id id = l->head;
	const struct op *op = op_at(e, id);
	const struct match *match = &e->world->matches[op->match];
	struct instance *instance = instance_at(e, match);
	bool backup = record_at(e, op)->backup;
	bool last = instance->arrived + 1 == (uint32_t)match->n && !match->mismatch && !backup;

	if (instance->stopped == e->s.pass && match_put_off(e, lane, NULL))
		return;
	if (instance->running) {
		backup_join(e, lane);
		return;
	}
	sim_rule(9, !instance->match || instance->match == op->match);
	l->state = LANE_MATCH;
	instance->match = op->match;
	/* of arrivals at one time, that which was ready last is blamed, then the last in event
	 * order */
	const struct op *known = op_at(e, instance->last);
	bool together = instance->last && instance->last_time == e->s.now;
	if (!together || op->ready > known->ready ||
	        (op->ready == known->ready && op_order(op) > op_order(known)))
		instance->last = id;
	instance->last_time = e->s.now;
	if (instance->arrived++ == 0) {
		instance->first_time = e->s.now;
		collective_timeout(e, instance);
	}
	device_hold(e, id, 1);
	if (last)
		collective_begin(e, instance, match);
	else if (backup)
		backup_arrived(e, instance);
}

/* Lanes in LANE_TURN may arrive now; operations not issued yet find their turn later. The wait is
 * blamed on the rank's own part in the previous collective. */
static void collective_next_turn(
        struct engine *e, const struct instance *instance, const struct match *before)
{
	for (int i = 0; i < before->n; i++) {
		const struct rank *r = &e->ranks[before->ranks[i]];
		for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && r->waiting; k++) {
			struct stream_queue *lane = &e->lanes[r->lanes + k];
			if (lane->state != LANE_TURN)
				continue;
			struct op *op = op_at(e, lane->head);
			const struct match *match = &e->world->matches[op->match];
			if (instance_at(e, match) != instance || !collective_turn(e, op))
				continue;
			op->blame = before->member[i];
			lane_poke(e, r->lanes + k);
		}
	}
}

static void collective_leave(struct engine *e, struct instance *instance, uint32_t turn)
{
	flow_leave(e, instance->work);
	instance->running = false;
	instance->arrived = 0;
	instance->match = 0;
	instance->last = 0;
	instance->turn = turn;
}

/* After an abort: numbers restart, and no window is open. */
void collective_forget(struct engine *e, struct instance *instance)
{
	collective_leave(e, instance, 0);
	instance->windows = 0;
}

static void collective_end(struct engine *e, struct instance *instance)
{
	const struct match *match = &e->world->matches[instance->match];
	const struct record *record = op_record(e->world, instance->last);
	sim_rule(9, instance->running);
	instance->windows += record->window == WINDOW_OPEN;
	if (record->backup)
		backup_ends(e, match);
	collective_leave(e, instance, instance->turn + 1);
	for (int i = 0; i < match->n; i++) {
		if (!member_in_state(e, match->member[i], LANE_RUN))
			continue;
		struct op *member = op_at(e, match->member[i]);
		e->ranks[member->rank].seen = e->s.now;
		device_hold(e, match->member[i], -1);
		lane_finish(e, lane_of(e, member));
	}
	collective_next_turn(e, instance, match);
}

void collective_due(struct engine *e, uint32_t index)
{
	struct instance *instance = &e->instances[index];
	if (e->works[instance->work].phase == PHASE_TIMEOUT)
		collective_expire(e, instance);
	else if (e->works[instance->work].phase == PHASE_QUORUM)
		backup_begin(e, instance);
	else if (flow_over(e, instance->work))
		collective_end(e, instance);
	else
		flow_due(e, instance->work);
}
