/* log.c -- the rank's slowness and the machine when an operation was queued: later lines change
 * neither */
#include "sim/engine.h"
#include "base/memory.h"
#include "base/search.h"

double slow_factor(const struct engine *e, op_id id)
{
	const struct op *op = &e->world->ops[id];
	for (size_t i = e->log->slow_count; i-- > 0;)
		if (e->log->slows[i].rank == op->rank && e->log->slows[i].after < id)
			return world_stream(e->world, op->rank, op->stream)->host ? 1
			                                                          : e->log->slows[i].factor;
	return 1;
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
