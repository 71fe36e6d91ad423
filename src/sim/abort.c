/* abort.c -- a group's unfinished operations end, undone, and hosts go on: when a line asks for it, at the latest
 * of its ranks' clocks and events; when a collective has waited for longer than the group's timeout, at that time
 *
 * All that happens before that time is carried out first, as for an answer that is owed. Operations that are
 * not at the head of their stream yet end as soon as they get there. */
#include "sim/inside.h"
#include "base/memory.h"

void mark_outputs(struct engine *e, op_id id, op_id by)
{
	if (e->base != UINT32_MAX)
		return;
	world_mark_outputs(e->world, id, by);
	e->any_invalid |= by != 0;
}

static bool belongs(const struct record *record, int group)
{
	return (record->kind == OP_COLLECTIVE || record->kind == OP_P2P || record->kind == OP_ONE_SIDED) &&
	        record->group == group;
}

/* Takes the lane's head out of its rendezvous, or out of the wait for its turn: it holds nothing any more. */
static void leave(struct engine *e, uint32_t index)
{
	struct stream_queue *lane = &e->lanes[index];
	if (op_record(e->world, lane->head)->kind == OP_P2P)
		transfers_forget(e, index);
	else if (op_record(e->world, lane->head)->kind == OP_ONE_SIDED)
		one_sided_forget(e, index);
	else if (lane->state == LANE_TURN)
		e->ranks[lane->rank].waiting--;
	else if (e->works[lane->work].at != NOWHERE) /* backup.c: it fetches the result */
		agenda_drop(e, lane->work);
	else
		device_hold(e, lane->head, -1);
}

/* The lane's head ends at the time of the abort, and spoils what it was to write. */
static void end_now(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	struct op *op = op_at(e, id);
	if (!(op->flags & OPF_STARTED))
		op->start = e->s.now;
	op->flags |= OPF_STARTED | OPF_ABORTED;
	mark_outputs(e, id, id);
	lane_finish(e, lane);
}

bool stands_in(const struct engine *e, const struct stream_queue *lane, int group)
{
	bool stands = lane->head &&
	        (lane->state == LANE_MATCH || lane->state == LANE_RUN || lane->state == LANE_TURN);
	return stands && belongs(op_record(e->world, lane->head), group);
}

/* Every lane of the part's ranks whose head stands in a rendezvous of the group, or waits for its turn */
static void for_lanes(struct engine *e, int group, const struct group_instance *part,
        void (*act)(struct engine *e, uint32_t lane))
{
	for (int i = 0; i < part->n; i++) {
		const struct rank *r = &e->ranks[part->ranks[i]];
		for (uint32_t k = STREAM_DEFAULT; k < r->lane_count; k++)
			if (stands_in(e, &e->lanes[r->lanes + k], group))
				act(e, r->lanes + k);
	}
}

/* First everybody leaves, then all end: the end of one may start the next operation of a stream. */
void part_abort(struct engine *e, int group, int part)
{
	const struct group *of = &e->world->groups[group];
	for_lanes(e, group, &of->instance[part], leave);
	collective_forget(e, &e->instances[of->first + part]);
	for_lanes(e, group, &of->instance[part], end_now);
}

/* Operations of a part of the group, or (-1) of all, that are queued anywhere and not over will do nothing. */
static void abort_queued(struct engine *e, int group, int part)
{
	const struct group *of = &e->world->groups[group];
	for (op_id id = 1; id <= e->world->op_count; id++) {
		struct op *op = &e->world->ops[id];
		if (!(op->flags & OPF_DONE) && belongs(record_at(e, op), group) &&
		        (part < 0 || of->instance_of[op->rank] == part))
			op->flags |= OPF_ABORTED;
	}
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
	/* all that the group's ranks do before that time, for good */
	status = commit(sim, NULL, 0, time, members, NULL);
	mem_free(members);
	if (status != ST_OK)
		return status;
	e->s.now = time;
	abort_queued(e, group, -1);
	for (int part = 0; part < e->world->groups[group].instances; part++)
		part_abort(e, group, part);
	lanes_step(e);
	sim->projected = false;
	return sim_run(backend, NULL);
}

/* Of the parts that have expired the one that did first. For the books it is over from now on: what is queued so far does
 * nothing, and what comes is numbered anew. */
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
