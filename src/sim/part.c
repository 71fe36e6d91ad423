/* part.c -- operations at a rendezvous of a part of a group, and their early end (abort.c;
 * collective.c at a timeout) */
#include "sim/engine.h"

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

/* Ends the lane's head now and marks its outputs invalid. */
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

/* Calls act() for each lane of the part with lane_meets(). */
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
