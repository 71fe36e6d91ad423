/* log.c -- a rank's slowness and the machine as they were when an operation was queued; the
 * changes of a what-if run; broken rules
 *
 * An operation with a changed duration shares nothing; others run as if it did not exist. */
#include "sim/engine.h"
#include "base/memory.h"
#include "base/search.h"

double slow_factor(const struct engine *e, op_id id)
{
	const struct op *op = &e->world->ops[id];
	const struct slowness *slow = world_slow_at(e->world, id);
	return slow && !world_stream(e->world, op->rank, op->stream)->host ? slow->factor : 1;
}

void machine_note(struct engine *e, op_id id)
{
	struct engine_log *log = e->log;
	const struct machine *now = e->world->machine;
	if (log->machine_count && log->machines[log->machine_count - 1].machine.changes == now->changes)
		return;
	*MEM_ADD(&log->machines, &log->machine_count) = (struct machine_then){id, *now};
}

const struct machine *machine_then(const struct engine *e, op_id id)
{
	size_t i;
	SEARCH(i, e->log->machine_count, e->log->machines[i].first > id);
	return &e->log->machines[i - 1].machine;
}

static const struct op_otherwise *otherwise_find(const struct engine *e, op_id id)
{
	const struct engine_log *log = e->log;
	size_t i;
	if (!log->otherwise_count || !id)
		return NULL;
	SEARCH(i, log->otherwise_count, log->otherwise[i].id >= id);
	return i < log->otherwise_count && log->otherwise[i].id == id ? &log->otherwise[i] : NULL;
}

/* A change of one member applies to its whole meeting. */
static const struct op_otherwise *otherwise_find_met(const struct engine *e, op_id id)
{
	const struct op *op = &e->world->ops[id];
	const struct record *record = record_at(e, op);
	const struct op_otherwise *found = otherwise_find(e, id);
	if (!e->log->otherwise_count || found)
		return found;
	if (record->kind == OP_COLLECTIVE && op->match) {
		const struct match *match = &e->world->matches[op->match];
		for (int i = 0; i < match->n && !found; i++)
			found = otherwise_find(e, match->member[i]);
	}
	for (int i = 0; record->kind == OP_P2P && i < record->parts && !found; i++)
		found = otherwise_find(e, part_other(e, id, i));
	return found;
}

int64_t launch_of(const struct engine *e, op_id id, const struct record *record)
{
	const struct op_otherwise *other = otherwise_find(e, id);
	return other && other->no_launch ? 0 : record->launch_ns;
}

bool otherwise_takes(const struct engine *e, op_id id, double alone, double *ns)
{
	const struct op_otherwise *other = otherwise_find_met(e, id);
	if (!other || (other->ns < 0 && !other->alone))
		return false;
	*ns = other->ns >= 0 ? (double)other->ns : alone;
	return true;
}

bool otherwise_not_held(const struct engine *e, op_id id)
{
	const struct op_otherwise *other = otherwise_find(e, id);
	return other && other->not_held;
}

void rule_broken(struct engine *e, int rule, const char *condition, const char *file, int line)
{
	if (e->status == ST_OK)
		e->status = fail(ST_BUG, "%s:%d: rule %d of the simulator does not hold at %lld ns: %s", file,
		        line, rule, (long long)e->s.now, condition);
}
