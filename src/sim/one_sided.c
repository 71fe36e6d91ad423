/* one_sided.c -- put, get, add: a flow over the links of two ranks, begun by one of them
 *
 *      rank 0  s     |latency|====== put x -> y@1 ======|      reads x at its start
 *      rank 1                                           y      changes at its end
 *
 * It is the head of its stream, like a copy. Its target has no operation for it and cannot know
 * when it comes: so the ranks of an open window stop together (run.c), and `one_sided` and
 * `reached` count queued operations. */
#include "sim/engine.h"
#include "numerics/rank_data.h"

static const struct part *part_of(const struct engine *e, op_id id)
{
	return &op_record(e->world, id)->part[0];
}

void one_sided_queued(struct engine *e, op_id id)
{
	e->ranks[e->world->ops[id].rank].one_sided++;
	e->ranks[part_of(e, id)->peer].reached++;
}

void one_sided_done(struct engine *e, const struct op *op, const struct record *record)
{
	sim_rule(12, e->ranks[op->rank].one_sided > 0 && e->ranks[record->part[0].peer].reached > 0);
	e->ranks[op->rank].one_sided--;
	e->ranks[record->part[0].peer].reached--;
}

void one_sided_begin(struct engine *e, uint32_t lane)
{
	struct stream_queue *l = &e->lanes[lane];
	op_id id = l->head;
	struct path path = one_sided_path(machine_then(e, id), e->world, id);
	sim_rule(12, op_done(e, op_at(e, id)->target));
	e->works[l->work].op = id;
	if (data_now(e))
		data_one_sided_begin(e->data, id);
	flow_begin(e, l->work, path.latency_ns, layout_bytes(&op_record(e->world, id)->operand[0].layout),
	        path.rate);
}

void one_sided_end(struct engine *e, uint32_t lane)
{
	op_id id = e->lanes[lane].head;
	flow_leave(e, e->lanes[lane].work);
	e->ranks[part_of(e, id)->peer].seen = e->s.now;
	if (data_now(e))
		data_one_sided_end(e->data, id);
}

/* Aborts it: the write never comes. */
void one_sided_forget(struct engine *e, uint32_t lane)
{
	flow_leave(e, e->lanes[lane].work);
	if (data_now(e))
		data_drop(e->data, e->lanes[lane].head);
}
