/* fill.c -- initial data: the host of this process's rank writes a tensor, in no time
 *
 * If earlier operations use the memory, the write is an event at the host's time, in order with
 * the device's; otherwise it is done at once. */
#include "sim/engine.h"

#include "numerics/rank_data.h"

/* Returns true if an issued, unfinished operation uses the memory, or another fill waits. */
static bool fill_must_wait(const struct engine *e, op_id fill)
{
	const struct rank *r = &e->ranks[e->world->me];
	bool waits = data_next_fill(e->data) != 0;
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && !waits; k++)
		for (op_id id = e->lanes[r->lanes + k].head; id && op_at(e, id)->flags & OPF_ISSUED && !waits;
		        id = op_at(e, id)->next_stream)
			waits = data_fill_touches(e->data, fill, id);
	return waits;
}

/* Schedules the first fill of the queue. */
static void fill_schedule(struct engine *e)
{
	op_id id = data_next_fill(e->data);
	if (id)
		agenda_set(e, e->s.fill, op_at(e, id)->issue, op_order(op_at(e, id)));
}

void fill_reached(struct engine *e, op_id id)
{
	if (!fill_must_wait(e, id)) {
		data_fill(e->data, id);
		return;
	}
	data_fill_later(e->data, id);
	fill_schedule(e);
}

void fill_due(struct engine *e)
{
	if (!data_now(e))
		return;
	data_fill_now(e->data);
	fill_schedule(e);
}
