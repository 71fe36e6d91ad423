/* abort.c -- aborts a group's unfinished operations and resumes hosts: on request at the latest
 * clock or event of its ranks, for a timeout (collective.c) at the deadline
 *
 * Operations not yet at the head of their stream end when they get there. */
#include "sim/lookahead.h"
#include "base/memory.h"

void mark_outputs(struct engine *e, op_id id, op_id by)
{
	if (e->base != UINT32_MAX)
		return;
	world_mark_outputs(e->world, id, by);
	e->any_invalid |= by != 0;
}

bool of_group(const struct record *record, int group)
{
	return (record->kind == OP_COLLECTIVE || record->kind == OP_P2P || record->kind == OP_ONE_SIDED) &&
	        record->group == group;
}

/* Takes the lane's head out of its rendezvous or its wait for a turn: it holds nothing any more.
 */
static void head_leave(struct engine *e, uint32_t index)
{
	struct stream_queue *lane = &e->lanes[index];
	if (op_record(e->world, lane->head)->kind == OP_P2P)
		transfers_forget(e, index);
	else if (op_record(e->world, lane->head)->kind == OP_ONE_SIDED)
		one_sided_forget(e, index);
	else if (lane->state == LANE_TURN)
		e->ranks[lane->rank].waiting--;
	else if (e->works[lane->work].at != NOWHERE) /* backup.c: fetching the result */
		agenda_drop(e, lane->work);
	else
		device_hold(e, lane->head, -1);
}

static void head_end(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	struct op *op = op_at(e, id);
	e->ranks[op->rank].seen = e->s.now;
	if (!(op->flags & OPF_STARTED))
		op->start = e->s.now;
	op->flags |= OPF_STARTED | OPF_ABORTED;
	mark_outputs(e, id, id);
	lane_finish(e, lane);
}

bool lane_meets(const struct engine *e, const struct stream_queue *lane, int group)
{
	bool meets = lane->head &&
	        (lane->state == LANE_MATCH || lane->state == LANE_RUN || lane->state == LANE_TURN);
	return meets && of_group(op_record(e->world, lane->head), group);
}

static void part_for_lanes(struct engine *e, int group, const struct group_instance *part,
        void (*act)(struct engine *e, uint32_t lane))
{
	for (int i = 0; i < part->n; i++) {
		const struct rank *r = &e->ranks[part->ranks[i]];
		for (uint32_t k = STREAM_DEFAULT; k < r->lane_count; k++)
			if (lane_meets(e, &e->lanes[r->lanes + k], group))
				act(e, r->lanes + k);
	}
}

/* All leave before any ends, because an end may start the stream's next operation. */
void part_abort(struct engine *e, int group, int part)
{
	const struct group *of = &e->world->groups[group];
	part_for_lanes(e, group, &of->instance[part], head_leave);
	collective_forget(e, &e->instances[of->first + part]);
	part_for_lanes(e, group, &of->instance[part], head_end);
}

/* Aborts all unfinished operations of a part of the group (-1: of all) and marks their outputs
 * invalid. */
static void abort_queued(struct engine *e, int group, int part)
{
	const struct group *of = &e->world->groups[group];
	while (e->over < e->world->op_count && e->world->ops[e->over + 1].flags & OPF_DONE)
		e->over++;
	for (op_id id = e->over + 1; id <= e->world->op_count; id++) {
		struct op *op = &e->world->ops[id];
		if (op->flags & (OPF_DONE | OPF_ABORTED) || !of_group(record_at(e, op), group) ||
		        (part >= 0 && of->instance_of[op->rank] != part))
			continue;
		op->flags |= OPF_ABORTED;
		mark_outputs(e, id, id); /* now, and again at its end */
	}
}

/* Returns the group's first operation, by rank, stream, number, that the abort ended at that time
 * (for sim_answer); 0 if none. */
static op_id first_ended(const struct engine *e, int group, int64_t time)
{
	op_id first = 0;
	for (op_id id = 1; id <= e->world->op_count; id++) {
		const struct op *op = &e->world->ops[id];
		if ((op->flags & (OPF_ABORTED | OPF_DONE)) == (OPF_ABORTED | OPF_DONE) && op->end == time &&
		        of_group(record_at(e, op), group) &&
		        (!first || op_order(op) < op_order(&e->world->ops[first])))
			first = id;
	}
	return first;
}

enum status sim_abort(struct backend *backend, int group)
{
	struct sim *sim = (struct sim *)backend;
	struct engine *e = sim->engine;
	int64_t time = 0;
	enum status status = sim_run(backend, NULL);
	if (status != ST_OK)
		return status;
	bool *members = mem_alloc(e->ranks_count);
	for (size_t i = 0; i < e->ranks_count; i++) {
		members[i] = e->world->groups[group].instance_of[i] >= 0;
		if (members[i])
			time = most_of(time, most_of(e->ranks[i].clock, e->ranks[i].seen));
	}
	/* carries out all that the group's ranks do before that time */
	status = commit(sim, NULL, 0, time, members, NULL);
	mem_free(members);
	if (status != ST_OK)
		return status;
	e->s.now = time;
	abort_queued(e, group, -1);
	for (int part = 0; part < e->world->groups[group].instances; part++)
		part_abort(e, group, part);
	lanes_step(e);
	e->log->answers[e->log->answer_count - 1].by = first_ended(e, group, time);
	sim->projected = false;
	return sim_run(backend, NULL);
}

/* Reports the part that timed out first: its queued operations are aborted, and new ones are
 * numbered from 0. */
bool sim_expired(struct backend *backend, struct expiry *expiry)
{
	struct sim *sim = (struct sim *)backend;
	struct engine *e = sim->engine;
	if (!e->s.expired)
		return false;
	struct instance *instance = NULL;
	for (size_t i = 0; i < e->instances_count; i++)
		if (e->instances[i].expired &&
		        (!instance || e->instances[i].expired_at < instance->expired_at))
			instance = &e->instances[i];
	const struct match *match = &e->world->matches[instance->expired];
	*expiry = (struct expiry){instance->expired, instance->expired_at};
	abort_queued(e, match->group, match->instance);
	instance->expired = 0;
	instance->turn = 0;
	e->s.expired--;
	sim->projected = false;
	return true;
}
