/* otherwise.c -- changed operations of a what-if run
 *
 *      before        kernel a ====----====      copy b .......=====   host |launch|sync ........|
 *      otherwise     alone: a ========          ns 0   b |            no_launch, not_held: ||
 *
 * They share nothing; others run as if they did not exist. */
#include "sim/engine.h"
#include "base/search.h"

static const struct op_otherwise *otherwise_find(const struct engine *e, op_id id)
{
	const struct engine_log *log = e->log;
	size_t i;
	if (!log->otherwise_count || !id)
		return NULL;
	SEARCH(i, log->otherwise_count, log->otherwise[i].id >= id);
	return i < log->otherwise_count && log->otherwise[i].id == id ? &log->otherwise[i] : NULL;
}

/* A change of one member changes its meeting. */
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
