/* project.c -- the forecast: what would be if nobody issued anything more. A copy of the machine run to its
 * end, kept until the next line
 *
 * In the copy all hosts are taken to be quiet, so no rank stops at its horizon. It shares nothing with the
 * machine but what a pass only reads (engine_log, the books): operations from the first open one on are in
 * its overlay, so their times there are the forecast's, and the books keep what is final. An operation
 * without an end in the forecast waits for a line, or for ever: waits/ tells which. */
#include "sim/lookahead.h"
#include "base/search.h"

/* The copy begins where the machine stands, with the hosts' new lines, which it runs through as the machine
 * will: what is final there comes out the same here. Only then does it go on where the machine would stop. */
static enum status project_run(struct sim *sim, struct budget *budget)
{
	make_instances(sim->engine); /* and no communicators: rank 0 may look by itself, at its prompt */
	struct engine *future = fresh_copy(sim);
	future->everybody_quiet = true;
	enum status status = engine_run(future, budget);
	sim->projected = status == ST_OK;
	return status;
}

/* The projection; NULL when asked within a pass */
static const struct engine *sim_future(struct sim *sim)
{
	if (!sim->projected && sim->engine->in_pass) /* asked by a hook in the middle of an event */
		return NULL;
	return sim->projected || project_run(sim, NULL) == ST_OK ? sim->copy : NULL;
}

/* Rank 0 may have looked (`view`) where the others did not: the steps are those of the work, whether it was
 * done before or not. */
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

/* A kernel's under its rank's `slow` */
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

/* As it has ended, else as it will if nothing more is queued. Most of what a picture costs: field by field. */
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

/* The latest answer before the operation's line that made the time final at which its stream was ready for it */
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

/* What a host or a stream of the rank hangs on for ever, unless lines come: the stream's head that meets
 * nobody, else what holds it. */
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
