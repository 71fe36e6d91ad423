/* project.c -- the projection: a copy of the machine in which nothing more is issued, run to its
 * end and kept until the next line
 *
 * In the copy all hosts are quiet, so no rank stops. It shares engine_log and the finished
 * operations with the machine, and overlays the open ones. An operation without an end in it
 * waits for a line, or for ever (waits/). */
#include "sim/lookahead.h"
#include "base/search.h"

/* The copy also runs the hosts' new lines first, so that what is final comes out the same. */
static enum status project_run(struct sim *sim, struct budget *budget)
{
	make_instances(sim->engine); /* no communicators: rank 0 may look alone */
	struct engine *future = fresh_copy(sim);
	future->everybody_quiet = true;
	enum status status = engine_run(future, budget);
	sim->projected = status == ST_OK;
	return status;
}

/* Returns the projection; NULL within a pass. */
static const struct engine *sim_future(struct sim *sim)
{
	if (!sim->projected && sim->engine->in_pass) /* by a hook, during an event */
		return NULL;
	return sim->projected || project_run(sim, NULL) == ST_OK ? sim->copy : NULL;
}

/* Counts the steps even if rank 0 has made the projection alone (`view`). */
enum status sim_project(struct backend *backend, struct budget *budget)
{
	struct sim *sim = (struct sim *)backend;
	if (!sim->projected)
		return project_run(sim, budget);
	for (int64_t step = sim->copy->ticks_all / EVENTS_A_STEP; step > 0; step--)
		if (--budget->steps <= 0 && budget->more && !budget->more(budget))
			return fail(ST_INTERRUPTED, "interrupted");
	return ST_OK;
}

/* With its rank's `slow` for a kernel */
static inline int64_t op_alone(const struct engine *e, op_id id, const struct record *record)
{
	if (e->log->slow_count && record->kind == OP_KERNEL)
		return (int64_t)((double)record->alone_ns * slow_factor(e, id));
	return record->alone_ns;
}

void sim_cost(struct backend *backend, op_id id, struct op_cost *cost)
{
	const struct engine *e = engine_of(backend);
	const struct record *record = op_record(e->world, id);
	cost->launch = launch_of(e, id, record);
	cost->alone = op_alone(e, id, record);
}

/* Final, or projected. Set field by field: most of a picture's cost. */
void sim_times(struct backend *backend, op_id id, struct times *times)
{
	const struct engine *e = engine_of(backend), *future = NULL;
	const struct op *op = &e->world->ops[id];
	const struct record *record = op_record(e->world, id);
	times->projected = !(op->flags & OPF_DONE);
	if (times->projected && (future = sim_future((struct sim *)backend)) != NULL)
		op = op_at(future, id);
	times->issue = op->issue;
	times->ready = op->ready;
	times->start = op->start;
	times->end = op->end;
	times->launch = op->flags & OPF_FREE_LAUNCH ? 0 : launch_of(e, id, record);
	times->alone = op_alone(e, id, record);
	times->blame = op->blame;
	times->sent_nothing = (op->flags & (OPF_ABORTED | OPF_LATE)) != 0;
	times->divided = false;
	times->answered = true; /* launches take no time to arrive */
}

/* Returns the latest earlier answer that fixed the time at which the operation was ready. */
op_id sim_answer(struct backend *backend, op_id id)
{
	const struct engine_log *log = engine_of(backend)->log;
	struct times t;
	size_t i;
	sim_times(backend, id, &t);
	SEARCH(i, log->answer_count, log->answers[i].first > id);
	while (i > 0 && log->answers[i - 1].time != t.ready)
		i--;
	return i > 0 ? log->answers[i - 1].by : 0;
}

/* Sets *on to where the rank waits without end: a stream's head at a meeting, else the SYNC that
 * blocks the host, else another head. */
bool sim_waiting(struct backend *backend, int rank, op_id *on)
{
	const struct engine *e = sim_future((struct sim *)backend);
	*on = 0;
	if (!e)
		return false;
	const struct rank *r = &e->ranks[rank];
	op_id other = r->state == RANK_BLOCKED ? r->on : 0;
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && !*on; k++) {
		const struct stream_queue *lane = &e->lanes[r->lanes + k];
		if (!lane->head || !(op_at(e, lane->head)->flags & OPF_ISSUED))
			continue;
		if (lane->state == LANE_MATCH || lane->state == LANE_RUN)
			*on = lane->head;
		else if (!other)
			other = lane->head;
	}
	if (!*on)
		*on = other;
	return *on != 0;
}
