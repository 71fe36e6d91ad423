/* knot.c -- the graph of waiting, from the times of a projection: whatever has no end there waits for
 * something
 *
 * An unfinished operation waits for all of these that are unfinished: its host (when it is not issued), the
 * head of its stream, the group's earlier collective on its rank, the target of its wait or sync, the other
 * members of its meetings. So any path into a circle, a mismatch or a crashed rank is one that no further
 * line can mend. */
#include "trace/knot.h"
#include "base/memory.h"

#include <string.h>

enum { UNSEEN, OPEN, CLOSED };

/* ---- the books of the unfinished ---- */

static enum status make_arrays(struct knot *knot, const struct world *world)
{
	size_t ops = world->op_count + 1, n = (size_t)world->n;

	knot->head = mem_alloc(ops * sizeof *knot->head);
	knot->turn = mem_alloc(ops * sizeof *knot->turn);
	knot->seen = mem_alloc(ops);
	knot->blocked = mem_alloc(n * sizeof *knot->blocked);
	knot->last = mem_alloc(n * sizeof *knot->last);
	knot->first = mem_alloc(n * sizeof *knot->first);
	knot->crashed = mem_alloc(n * sizeof *knot->crashed);
	return knot->head && knot->turn && knot->seen && knot->blocked && knot->last && knot->first &&
	                knot->crashed
	        ? ST_OK
	        : ST_MEMORY;
}

/* One rank in program order; turn_of: by group, the first unfinished collective. */
static void read_rank(struct knot *knot, int rank, op_id *turn_of)
{
	const struct world *world = knot->trace->world;
	op_id head_of[STREAMS_MAX + 2] = {0};
	struct times t;

	memset(turn_of, 0, world->group_count * sizeof *turn_of);
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		uint8_t stream = world->ops[id].stream;
		knot->trace->backend->times(knot->trace->backend, id, &t);
		knot->crashed[rank] =
		        knot->crashed[rank] || (record->kind == OP_CRASH && t.end != TIME_UNKNOWN);
		if (t.end != TIME_UNKNOWN) {
			knot->last[rank] =
			        record->kind == OP_FILL || record->kind == OP_SEGMENT ? knot->last[rank] : id;
			continue;
		}
		if (!knot->first[rank])
			knot->first[rank] = id;
		if (op_kind_is_host(record->kind) && !knot->blocked[rank])
			knot->blocked[rank] = id;
		if (!head_of[stream])
			head_of[stream] = id;
		knot->head[id] = head_of[stream];
		if (record->kind == OP_COLLECTIVE) {
			if (!turn_of[record->group])
				turn_of[record->group] = id;
			knot->turn[id] = turn_of[record->group];
		}
	}
}

enum status knot_make(struct knot *knot, const struct trace *trace)
{
	*knot = (struct knot){.trace = trace, .crash = -1};
	enum status status = make_arrays(knot, trace->world);
	op_id *turn_of = mem_alloc((trace->world->group_count + 1) * sizeof *turn_of);

	if (!turn_of)
		status = ST_MEMORY;
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++)
		read_rank(knot, rank, turn_of);
	mem_free(turn_of);
	return status;
}

void knot_release(struct knot *knot)
{
	mem_free(knot->head);
	mem_free(knot->turn);
	mem_free(knot->seen);
	mem_free(knot->blocked);
	mem_free(knot->last);
	mem_free(knot->first);
	mem_free(knot->crashed);
	mem_free(knot->path);
	mem_free(knot->circle);
	*knot = (struct knot){0};
}

/* ---- what an operation waits for ---- */

static bool issued(const struct knot *knot, op_id id)
{
	struct times t;
	knot->trace->backend->times(knot->trace->backend, id, &t);
	return t.issue != TIME_UNKNOWN;
}

/* On its own rank: the unfinished operation that comes first, or 0 when only others are waited for. */
static op_id own_reason(const struct knot *knot, op_id id)
{
	const struct world *world = knot->trace->world;
	const struct op *op = &world->ops[id];
	bool host = op_kind_is_host(op_record(world, id)->kind);

	if (!issued(knot, id) && knot->crashed[op->rank])
		return 0; /* nobody will: knot_follow says so */
	if (!issued(knot, id) && knot->blocked[op->rank] != id)
		return knot->blocked[op->rank];
	if (!host && knot->head[id] != id)
		return knot->head[id];
	if (op->target == OP_EVERYTHING)
		return knot->first[op->rank] != id ? knot->first[op->rank] : 0;
	if (op->target && !knot_finished(knot, op->target))
		return op->target;
	return knot->turn[id] != id ? knot->turn[id] : 0;
}

static const struct meet *meet_of(const struct world *world, op_id id, int part)
{
	const struct op *op = &world->ops[id];
	bool p2p = op_record(world, id)->kind == OP_P2P;
	return &world->meets[p2p ? world->part_meets[op->meet + (uint32_t)part] : op->meet];
}

static int meets_of(const struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	if (!world->ops[id].meet)
		return 0;
	return record->kind == OP_P2P ? record->parts : record->kind == OP_COLLECTIVE;
}

/* The world rank of place i of a meeting */
static int member_rank(const struct world *world, op_id id, int part, int i)
{
	const struct record *record = op_record(world, id);
	if (record->kind == OP_COLLECTIVE) {
		const struct meet *meet = meet_of(world, id, part);
		return world->groups[meet->group].instance[meet->instance].ranks[i];
	}
	bool sends = record->part[part].direction == P2P_SEND;
	return (i == 0) == sends ? world->ops[id].rank : record->part[part].peer;
}

op_id knot_root(const struct knot *knot, op_id id)
{
	for (int steps = 0; steps < 1000; steps++) {
		op_id reason = own_reason(knot, id);
		if (!reason)
			break;
		id = reason;
	}
	return id;
}

void knot_absent(const struct knot *knot, op_id id, struct ranks *absent)
{
	const struct world *world = knot->trace->world;
	struct backend *backend = knot->trace->backend;

	*absent = (struct ranks){{0}};
	for (int part = 0; part < meets_of(world, id); part++) {
		const struct meet *meet = meet_of(world, id, part);
		for (int i = 0; i < meet->n; i++) {
			op_id member = world->meet_ops[meet->first_op + (uint32_t)i];
			struct times t = {.ready = TIME_UNKNOWN};
			if (member)
				backend->times(backend, member, &t);
			if (t.ready == TIME_UNKNOWN)
				ranks_add(absent, member_rank(world, id, part, i));
		}
	}
}

/* ---- the search ---- */

static enum status note_circle(struct knot *knot, op_id id)
{
	size_t from = knot->deep;

	while (from > 0 && knot->path[from - 1] != id)
		from--;
	if (knot->circle_count || !from)
		return ST_OK;
	knot->circle = mem_alloc((knot->deep - from + 1) * sizeof *knot->circle);
	if (!knot->circle)
		return ST_MEMORY;
	for (size_t i = from - 1; i < knot->deep; i++)
		knot->circle[knot->circle_count++] = knot->path[i];
	return ST_OK;
}

/* Its own side is ready: nobody waits for it any more. */
static bool arrived(const struct knot *knot, op_id id)
{
	struct times t;
	knot->trace->backend->times(knot->trace->backend, id, &t);
	return t.ready != TIME_UNKNOWN;
}

static enum status follow_meets(struct knot *knot, op_id id)
{
	const struct world *world = knot->trace->world;
	enum status status = ST_OK;

	for (int part = 0; part < meets_of(world, id); part++) {
		const struct meet *meet = meet_of(world, id, part);
		if (meet->mismatch) {
			knot->mismatch = knot->mismatch ? knot->mismatch : id;
			continue;
		}
		for (int i = 0; i < meet->n && status == ST_OK; i++) {
			op_id member = world->meet_ops[meet->first_op + (uint32_t)i];
			int rank = member_rank(world, id, part, i);
			if (member && arrived(knot, member))
				continue;
			if (member)
				status = knot_follow(knot, member);
			else if (!member && knot->crashed[rank])
				knot->crash = knot->crash < 0 ? rank : knot->crash;
			else if (!member && knot->blocked[rank])
				status = knot_follow(knot, knot->blocked[rank]);
			else if (!member)
				ranks_add(&knot->lacking, rank);
		}
	}
	return status;
}

/* A sync for everything waits for every stream, not for the first unfinished operation alone. */
static enum status follow_everything(struct knot *knot, op_id id)
{
	const struct world *world = knot->trace->world;
	enum status status = ST_OK;

	for (op_id at = world->first[world->ops[id].rank]; at != id && at && status == ST_OK;
	        at = world->ops[at].next_program)
		if (!knot_finished(knot, at) && knot->head[at] == at)
			status = knot_follow(knot, at);
	return status;
}

enum status knot_follow(struct knot *knot, op_id id)
{
	if (knot_finished(knot, id) || knot->seen[id] == CLOSED)
		return ST_OK;
	if (knot->seen[id] == OPEN)
		return note_circle(knot, id);
	if (MEM_GROW(&knot->path, knot->deep, &knot->path_room) != ST_OK)
		return ST_MEMORY;
	knot->path[knot->deep++] = id;
	knot->seen[id] = OPEN;
	op_id own = own_reason(knot, id);
	enum status status = ST_OK;
	if (knot->trace->world->ops[id].target == OP_EVERYTHING && issued(knot, id))
		status = follow_everything(knot, id);
	else if (own)
		status = knot_follow(knot, own);
	else if (!issued(knot, id) && knot->crashed[knot->trace->world->ops[id].rank])
		knot->crash = knot->trace->world->ops[id].rank;
	else
		status = follow_meets(knot, id);
	knot->seen[id] = CLOSED;
	knot->deep--;
	return status;
}
