/* lane.c -- streams: operations in issue order, one at a time; waits; the legacy default stream
 *
 * After an event, lanes that may depend on it are poked, and lanes_step() steps them in that
 * order. */
#include "sim/engine.h"
#include "base/search.h"
#include "numerics/rank_data.h"

/* Rule 7: returns an earlier operation of a blocking stream that holds back the default stream,
 * or the reverse; 0: none. */
static op_id lane_holder(const struct engine *e, const struct stream_queue *lane, const struct op *op)
{
	const struct rank *r = &e->ranks[lane->rank];
	if (lane->stream != STREAM_DEFAULT && !lane->blocking)
		return 0;
	for (uint32_t i = STREAM_DEFAULT; i < r->lane_count; i++) {
		const struct stream_queue *other = &e->lanes[r->lanes + i];
		bool counts = lane->stream == STREAM_DEFAULT ? other->blocking : i == STREAM_DEFAULT;
		if (counts && other != lane && other->head && e->world->ops[other->head].number < op->number)
			return other->head;
	}
	return 0;
}

void lane_begun(struct engine *e, op_id id)
{
	struct op *op = op_at(e, id);
	const struct stream_queue *lane = &e->lanes[lane_of(e, op)];
	sim_rule(1, lane->head == id && !(op->flags & OPF_STARTED));
	op->start = e->s.now;
	op->flags |= OPF_STARTED;
	sim_rule(1, op->ready != TIME_UNKNOWN && op->start >= op->ready);
	sim_rule(2, op->flags & OPF_ISSUED && op->start >= op->issue);
	sim_rule(7, !e->ranks[lane->rank].blocking || !lane_holder(e, lane, op));
	if (data_now(e) && op->rank == e->world->me)
		data_begin(e->data, id);
}

/* Uses a list, not recursion, because streams may free one another. */
void lane_poke(struct engine *e, uint32_t lane)
{
	if (e->lanes[lane].poked)
		return;
	e->lanes[lane].poked = true;
	e->lanes[lane].next_poked = NOWHERE;
	if (e->s.first_poked == NOWHERE)
		e->s.first_poked = lane;
	else
		e->lanes[e->s.last_poked].next_poked = lane;
	e->s.last_poked = lane;
}

void lane_schedule(struct engine *e, uint32_t lane, int64_t time, enum work_phase phase)
{
	struct stream_queue *l = &e->lanes[lane];
	struct activity *work = &e->works[l->work];
	work->op = l->head;
	work->phase = phase;
	agenda_set(e, l->work, time, op_order(&e->world->ops[l->head]));
}

void lane_finish(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	struct rank *r = &e->ranks[l->rank];
	op_id id = l->head;
	struct op *op = op_at(e, id);
	const struct record *record = record_at(e, op);
	sim_rule(1, op->flags & OPF_STARTED && op->start <= e->s.now);
	sim_rule(1, r->unfinished > 0);
	sim_rule(1, !op->next_stream || e->world->ops[op->next_stream].number > op->number);
	op->end = e->s.now;
	op_set_done(e, op);
	if (record->kind == OP_ONE_SIDED)
		one_sided_done(e, op, record);
	if (e->any_invalid && !(op->flags & OPF_ABORTED))
		mark_outputs(e, id, 0);
	if (data_now(e) && op->rank == e->world->me)
		(op->flags & OPF_ABORTED ? data_drop : data_end)(e->data, id);
	if (record->noted && e->hooks.done && op->rank == e->world->me)
		e->hooks.done(e->hooks.self, id);
	l->head = op->next_stream;
	l->state = LANE_QUIET;
	r->unfinished--;
	r->last_done = id;
	/* lanes that wait on their own device, by stream */
	for (uint32_t i = STREAM_DEFAULT; i < r->lane_count && r->waiting; i++) {
		const struct stream_queue *other = &e->lanes[r->lanes + i];
		if (other->state == LANE_EVENT ? op_done(e, op_at(e, other->head)->target)
		                               : other->state == LANE_DEFAULT)
			lane_poke(e, r->lanes + i);
	}
	if (r->state == RANK_BLOCKED)
		host_resume(e, l->rank);
	if (l->head)
		lane_poke(e, lane);
}

static void lane_wait(struct engine *e, struct stream_queue *lane, enum lane_state state)
{
	lane->state = state;
	e->ranks[lane->rank].waiting++;
}

static void lane_instant(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	if (op_at(e, id)->flags & OPF_ABORTED)
		mark_outputs(e, id, id);
	lane_begun(e, id);
	lane_finish(e, lane);
}

static void lane_fixed_time(struct engine *e, uint32_t lane, double ns)
{
	lane_begun(e, e->lanes[lane].head);
	lane_schedule(e, lane, e->s.now + round_up(ns), PHASE_FIXED);
}

static void begin_wait(struct engine *e, uint32_t lane, struct op *op)
{
	sim_rule(3, op->target < e->lanes[lane].head);
	lane_begun(e, e->lanes[lane].head);
	if (op_done(e, op->target)) {
		lane_finish(e, lane);
		return;
	}
	op->blame = op->target;
	lane_wait(e, &e->lanes[lane], LANE_EVENT);
}

/* `slow` stretches kernels and spin only. */
static void begin_kernel(struct engine *e, uint32_t lane, const struct record *record)
{
	op_id id = e->lanes[lane].head;
	double ns = record->alone_ns * slow_factor(e, id);
	e->lanes[lane].state = LANE_RUN;
	if (otherwise_takes(e, id, ns, &ns) || record_is_spin(record)) {
		lane_fixed_time(e, lane, ns);
		return;
	}
	lane_begun(e, id);
	kernel_begin(e, lane, ns);
}

static void begin_copy(struct engine *e, uint32_t lane, const struct record *record)
{
	enum copy_way way = copy_way(record);
	double ns = (double)record->alone_ns;
	e->lanes[lane].state = LANE_RUN;
	if (otherwise_takes(e, e->lanes[lane].head, ns, &ns) || way == COPY_ON_HOST) {
		lane_fixed_time(e, lane, ns);
	} else if (way == COPY_ON_DEVICE) {
		lane_begun(e, e->lanes[lane].head);
		kernel_begin(e, lane, record->alone_ns);
	} else {
		copy_arrive(e, lane, way);
	}
}

/* Operations of lines typed after an answer use links and join collectives no earlier than the
 * answer's time. */
static bool lane_too_early(struct engine *e, uint32_t lane, const struct record *record)
{
	const struct answer *answers = e->log->answers;
	size_t i; /* after the last answer before the head was queued */
	if (record->kind != OP_COPY && record->kind != OP_COLLECTIVE && record->kind != OP_P2P &&
	        record->kind != OP_ONE_SIDED)
		return false;
	SEARCH(i, e->log->answer_count, answers[i].first > e->lanes[lane].head);
	if (i == 0 || answers[i - 1].floor <= e->s.now)
		return false;
	lane_schedule(e, lane, answers[i - 1].floor, PHASE_ARRIVE);
	return true;
}

/* Returns true if the head does not arrive now: a stopped member may still end the meeting, so it
 * is postponed, or the part has timed out, so it is aborted. */
static bool meeting_may_end(struct engine *e, uint32_t lane, struct op *op, const struct record *record)
{
	const struct instance *instance = instance_of(e, record->group, op->rank);
	if (instance->stopped == e->s.pass &&
	        match_put_off(e, lane, group_part(&e->world->groups[record->group], op->rank)))
		return true;
	if (!instance->expired)
		return false;
	op->flags |= OPF_ABORTED | OPF_LATE;
	lane_instant(e, lane);
	return true;
}

static void begin_meeting(struct engine *e, uint32_t lane, struct op *op, const struct record *record)
{
	if (e->world->groups[record->group].timeout && meeting_may_end(e, lane, op, record))
		return;
	if (record->kind == OP_P2P) {
		transfers_arrive(e, lane);
	} else if (record->kind == OP_ONE_SIDED) {
		e->lanes[lane].state = LANE_RUN;
		lane_begun(e, e->lanes[lane].head);
		one_sided_begin(e, lane);
	} else if (collective_turn(e, op)) {
		collective_arrive(e, lane);
	} else if (collective_over(e, op)) {
		backup_fetch(e, lane);
	} else {
		lane_wait(e, &e->lanes[lane], LANE_TURN);
	}
}

void lane_begin(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	struct op *op = op_at(e, l->head);
	const struct record *record = record_at(e, op);
	op_id holder;

	e->works[l->work].phase = PHASE_NONE;
	if (e->s.fixed > e->s.now && lane_too_early(e, lane, record))
		return;
	if (op->ready == TIME_UNKNOWN && e->ranks[l->rank].blocking &&
	        (holder = lane_holder(e, l, op)) != 0) {
		op->blame = holder;
		lane_wait(e, l, LANE_DEFAULT);
		return;
	}
	if (op->ready == TIME_UNKNOWN)
		op->ready = e->s.now;
	if (op->flags & OPF_ABORTED) {
		lane_instant(e, lane);
		return;
	}
	switch (record->kind) {
	case OP_KERNEL:
		begin_kernel(e, lane, record);
		return;
	case OP_COPY:
		begin_copy(e, lane, record);
		return;
	case OP_WAIT:
		begin_wait(e, lane, op);
		return;
	case OP_P2P:
	case OP_ONE_SIDED:
	case OP_COLLECTIVE:
		begin_meeting(e, lane, op, record);
		return;
	default:
		lane_instant(e, lane);
		return; /* OP_RECORD */
	}
}

static void lane_step(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	enum lane_state state = l->state;
	struct op *op = l->head ? op_at(e, l->head) : NULL;
	if (!op || !(op->flags & OPF_ISSUED))
		return;
	if (state == LANE_EVENT || state == LANE_DEFAULT || state == LANE_TURN) {
		e->ranks[l->rank].waiting--;
		l->state = LANE_QUIET;
		if (state == LANE_EVENT) {
			sim_rule(3, op_done(e, op->target));
			lane_finish(e, lane);
			return;
		}
	} else if (state != LANE_QUIET || e->works[l->work].at != NOWHERE) {
		return;
	}
	if (op->issue > e->s.now)
		lane_schedule(e, lane, op->issue, PHASE_ARRIVE);
	else
		lane_begin(e, lane);
}

void lanes_step(struct engine *e)
{
	while (e->s.first_poked != NOWHERE) {
		uint32_t lane = e->s.first_poked;
		e->s.first_poked = e->lanes[lane].next_poked;
		e->lanes[lane].poked = false;
		lane_step(e, lane);
	}
}
