/* spares.c -- collectives that do not wait for their latest members (backup=): the simulator
 * decides which members count, never a race of GPUs
 *
 *      rank 0   allreduce x backup=1 ............ (0 and 1 count)
 *      rank 1   allreduce x backup=1 ............
 *      rank 2   spin; ....... allreduce x backup=1 ... late: gets the result when it arrives
 *
 * The simulator knows the decision when enough members have arrived in its projection, which is
 * then made final. If it projects no end, because lines are missing, the operation is withheld,
 * and so are later operations of its rank without a projected end. */
#include "cuda/control.h"
#include "base/memory.h"

bool spares_counts(const struct world *world, op_id id)
{
	return id && world->ops[id].start != TIME_UNKNOWN && !(world->ops[id].flags & OPF_LATE);
}

/* Returns true until the members that count are decided. That is final, because they are marked
 * before the collective starts. */
static bool is_open(const struct world *world, op_id id)
{
	const struct op *op = &world->ops[id];
	int backup = op_record(world, id)->backup, n = 0;
	if (!backup || op->flags & OPF_ABORTED)
		return false;
	const struct match *match = &world->matches[op->match];
	for (int p = 0; p < match->n; p++)
		n += spares_counts(world, match->member[p]);
	return n != match->n - backup;
}

static bool has_end(const struct control *control, op_id id)
{
	return control->world->ops[id].flags & OPF_ABORTED ||
	        backend_times(control->shadow, id).end != TIME_UNKNOWN;
}

bool *spares_withheld(struct control *control)
{
	const struct world *world = control->world;
	bool some = false;
	for (size_t i = 0; i < control->orders.queued_count; i++) {
		op_id id = control->orders.queued[i];
		if (is_open(world, id) && has_end(control, id))
			(void)control->shadow->reach(control->shadow, &id, 1, NULL);
		some |= is_open(world, id);
	}
	if (!some)
		return NULL;
	bool *behind = mem_alloc((size_t)world->n * sizeof *behind),
	     *withheld = mem_alloc(control->orders.queued_count * sizeof *withheld);
	for (size_t i = 0; i < control->orders.queued_count; i++) {
		op_id id = control->orders.queued[i];
		int rank = world->ops[id].rank;
		withheld[i] = is_open(world, id) || (behind[rank] && !has_end(control, id));
		behind[rank] |= withheld[i];
	}
	mem_free(behind);
	return withheld;
}

int spares_first(const struct control *control, const struct match *match)
{
	int place = 0;
	while (place < match->n - 1 && !spares_counts(control->world, match->member[place]))
		place++;
	return place;
}

void spares_decide(struct control *control, struct host_order *order)
{
	const struct world *world = control->world;
	const struct match *match = &world->matches[world->ops[order->id].match];
	int first = spares_first(control, match), own = order->match->place;
	for (int p = 0; p < match->n; p++)
		order->match->counts[p] = spares_counts(world, match->member[p]);
	order->never = false;
	if (order->match->counts[own])
		return;
	order->never = !world_agree(world, match, first, own);
	struct times late = backend_times(control->shadow, order->id),
	             others = backend_times(control->shadow, match->member[first]);
	bool joins = late.end == TIME_UNKNOWN || late.end <= others.end;
	if (order->least_ns > 0)
		order->least_ns = joins ? 0 : late.end - late.start;
}
