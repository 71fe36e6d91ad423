/* host.c -- hosts: each issues its program, with one launch per operation
 *
 * A host needs no events: it runs through its lines at once and stops at the first SYNC whose
 * target has no end; that end resumes it (host_resume).
 *
 *      host    launch a | launch b | sync b ............. | launch c      the host's clock
 *      device       [======== a ========][=== b ===]      [ c             arrivals at issue times
 */
#include "sim/engine.h"
#include "base/memory.h"
#include "numerics/rank_data.h"

#include <string.h>

static void host_op_done(struct engine *e, struct rank *r, op_id id)
{
	struct op *op = op_at(e, id);
	sim_rule(4, op->issue <= r->clock);
	op->end = r->clock;
	op->flags |= OPF_ISSUED | OPF_STARTED;
	op_set_done(e, op);
	if (e->hooks.done && record_at(e, op)->kind == OP_SYNC)
		e->hooks.done(e->hooks.self, id);
	if (e->data && op->rank == e->world->me && record_at(e, op)->kind == OP_SEGMENT)
		world_segment_done(e->world, id);
}

static void host_issue(struct engine *e, struct rank *r, op_id id, const struct record *record)
{
	struct op *op = op_at(e, id);
	struct stream_queue *lane = &e->lanes[r->lanes + op->stream];
	sim_rule(2, record->launch_ns >= 0);
	if (!(op->flags & OPF_FREE_LAUNCH))
		r->clock += launch_of(e, id, record);
	op->issue = r->clock;
	op->flags |= OPF_ISSUED;
	r->unfinished++;
	sim_rule(1, !lane->head || e->world->ops[lane->head].number <= op->number);
	if (!lane->head)
		lane->head = id;
	if (lane->head == id)
		lane_schedule(e, r->lanes + op->stream, most_of(r->clock, r->settled), PHASE_ARRIVE);
}

static int64_t host_time(const struct engine *e, op_id id, const struct record *record)
{
	double ns;
	return otherwise_takes(e, id, (double)record->alone_ns, &ns) ? (int64_t)ns : record->alone_ns;
}

static bool sync_satisfied(const struct engine *e, const struct rank *r, op_id target)
{
	return target == OP_EVERYTHING ? r->unfinished == 0 : op_done(e, target);
}

/* The clock rises to the end of the target, which is blamed; a SEGMENT then takes its time. */
static void sync_end(struct engine *e, struct rank *r, op_id id)
{
	struct op *op = op_at(e, id);
	const struct record *record = record_at(e, op);
	op_id last = op->target == OP_EVERYTHING ? r->last_done : op->target;
	if (last && op_at(e, last)->end > r->clock) {
		r->clock = op_at(e, last)->end;
		op->blame = last;
	}
	sim_rule(4, r->clock != TIME_UNKNOWN);
	if (record->kind == OP_SEGMENT)
		r->clock += host_time(e, id, record);
	host_op_done(e, r, id);
}

/* ---- initial data: the host of this process's rank writes a tensor, in no time. If earlier
 * operations use the memory, the write is an event at the host's time, in order with the device's;
 * otherwise it is done at once. */

/* Returns true if an issued, unfinished operation uses the memory, or another fill waits. */
static bool fill_must_wait(const struct engine *e, op_id fill)
{
	const struct rank *r = &e->ranks[e->world->me];
	bool waits = e->fill_count > 0;
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && !waits; k++)
		for (op_id id = e->lanes[r->lanes + k].head; id && op_at(e, id)->flags & OPF_ISSUED && !waits;
		        id = op_at(e, id)->next_stream)
			waits = data_fill_touches(e->data, fill, id);
	return waits;
}

static void fill_schedule(struct engine *e)
{
	if (e->fill_count)
		agenda_set(e, e->s.fill, op_at(e, e->fills[0])->issue, op_order(op_at(e, e->fills[0])));
}

void fill_due(struct engine *e)
{
	if (!data_now(e))
		return;
	data_fill(e->data, e->fills[0]);
	memmove(e->fills, e->fills + 1, --e->fill_count * sizeof *e->fills);
	fill_schedule(e);
}

static void host_op(struct engine *e, uint32_t rank, op_id id)
{
	struct rank *r = &e->ranks[rank];
	struct op *op = op_at(e, id);
	const struct record *record = record_at(e, op);
	op->issue = op->ready = op->start = r->clock;
	op->flags |= OPF_ISSUED | OPF_STARTED;
	sim_rule(10, record->kind != OP_SEGMENT || record->operands == 0);
	switch (record->kind) {
	case OP_CRASH:
		r->state = RANK_CRASHED;
		break;
	case OP_SYNC:
	case OP_SEGMENT:
		sim_rule(4, op->target == OP_EVERYTHING || op->target < id);
		sim_rule(5,
		        !op->target || op->target == OP_EVERYTHING || e->world->ops[op->target].rank == rank);
		if (otherwise_not_held(e, id))
			break;
		if (sync_satisfied(e, r, op->target)) {
			sync_end(e, r, id);
			return;
		}
		r->state = RANK_BLOCKED;
		r->on = id;
		return;
	case OP_FILL:
		if (e->any_invalid)
			mark_outputs(e, id, 0);
		if (!e->data || r->clock > e->data_until || (int)rank != e->world->me)
			break;
		if (fill_must_wait(e, id)) {
			*MEM_ADD(&e->fills, &e->fill_count) = id;
			fill_schedule(e);
		} else {
			data_fill(e->data, id);
		}
		break;
	default: /* OP_HOST */
		r->clock += host_time(e, id, record);
	}
	host_op_done(e, r, id);
}

void host_run(struct engine *e, uint32_t rank)
{
	struct rank *r = &e->ranks[rank];
	if (r->state != RANK_RUN)
		return;
	while (r->next && r->state == RANK_RUN) {
		op_id id = r->next;
		const struct op *op = op_at(e, id);
		const struct record *record = record_at(e, op);
		r->next = op->next_program;
		/* lines of a rank are far apart in memory */
		__builtin_prefetch(op_at(e, r->next));
		if (op_kind_is_host(record->kind))
			host_op(e, rank, id);
		else
			host_issue(e, r, id, record);
	}
	if (r->state != RANK_RUN)
		return;
	r->state = RANK_IDLE;
	r->clock = most_of(r->clock, e->s.least_clock);
	rank_idle(e, rank);
}

void host_resume(struct engine *e, uint32_t rank)
{
	struct rank *r = &e->ranks[rank];
	op_id id = r->on;
	if (r->state != RANK_BLOCKED || !sync_satisfied(e, r, op_at(e, id)->target))
		return;
	r->state = RANK_RUN;
	r->on = 0;
	sync_end(e, r, id);
	host_run(e, rank);
}
