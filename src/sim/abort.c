/* abort.c -- a group's unfinished operations end, undone, at the latest of its ranks' clocks and events;
 * hosts go on
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
	else
		device_hold(e, lane->head, -1);
}

/* The lane's head ends at the time of the abort. */
static void end_now(struct engine *e, uint32_t lane)
{
	struct op *op = op_at(e, e->lanes[lane].head);
	if (!(op->flags & OPF_STARTED))
		op->start = e->s.now;
	op->flags |= OPF_STARTED;
	lane_finish(e, lane);
}

/* Every lane whose head stands in a rendezvous of the group, or waits for its turn */
static void for_lanes(struct engine *e, int group, void (*act)(struct engine *e, uint32_t lane))
{
	for (uint32_t i = 0; i < e->ranks_count; i++)
		for (uint32_t k = STREAM_DEFAULT; k < e->ranks[i].lane_count; k++) {
			const struct stream_queue *lane = &e->lanes[e->ranks[i].lanes + k];
			bool stands = lane->head &&
			        (lane->state == LANE_MATCH || lane->state == LANE_RUN ||
			                lane->state == LANE_TURN);
			if (stands && belongs(op_record(e->world, lane->head), group))
				act(e, e->ranks[i].lanes + k);
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
	/* the group's unfinished operations, queued anywhere, will do nothing, and spoil their outputs */
	for (op_id id = 1; id <= e->world->op_count; id++) {
		struct op *op = &e->world->ops[id];
		if (op->flags & (OPF_DONE | OPF_ABORTED) || !belongs(record_at(e, op), group))
			continue;
		op->flags |= OPF_ABORTED;
		mark_outputs(e, id, id);
	}
	/* first everybody leaves, then all end: the end of one may start the next operation of a stream */
	e->s.now = time;
	for_lanes(e, group, leave);
	collective_forget(e, group);
	for_lanes(e, group, end_now);
	lanes_step(e);
	sim->projected = false;
	return sim_run(backend, NULL);
}
