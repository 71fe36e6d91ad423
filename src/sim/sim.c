/* sim.c -- the simulator as a backend; backend/backend.h documents the functions
 *
 * The projection is a copy of the machine in which nothing more is issued, run to its end and kept
 * until the next line. All of its hosts are quiet, so no rank stops. It shares engine_log and the
 * finished operations with the machine, and overlays the open ones. An operation that does not end
 * in the projection waits for a line, or for ever (waits/). */
#include "sim/lookahead.h"
#include "base/memory.h"
#include "base/search.h"

static enum status sim_queued(struct backend *backend, op_id id)
{
	struct sim *sim = (struct sim *)backend;
	struct engine *e = sim->engine;
	const struct op *op = &e->world->ops[id];
	struct rank *r = &e->ranks[op->rank];
	sim->projected = false;
	if (!r->next)
		r->next = id;
	if (op->stream >= r->lane_count)
		make_streams(e, op->rank, op->stream + 1u);
	enum op_kind kind = record_at(e, op)->kind;
	if (kind == OP_COLLECTIVE || kind == OP_P2P || kind == OP_ONE_SIDED)
		machine_note(e, id);
	if (kind == OP_ONE_SIDED)
		one_sided_queued(e, id);
	return cost_record(e->world, id);
}

enum status sim_run(struct backend *backend, struct budget *budget)
{
	struct engine *e = engine_of(backend);
	make_instances(e);
	if (e->data)
		data_groups(e->data);
	int64_t before = e->ticks_all;
	enum status status = engine_run(e, budget);
	/* so that all ranks count the same steps, even after a look on one */
	if (e->ticks_all != before)
		((struct sim *)backend)->projected = false;
	e->any_invalid |= e->data && data_spoiled(e->data);
	return status;
}

/* ---- the projection */

/* A pass on the copy runs the hosts' new lines first, like a pass on the machine, so that final
 * times are the same. */
static enum status project_run(struct sim *sim, struct budget *budget)
{
	make_instances(sim->engine); /* makes no communicators, because rank 0 may look alone */
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

/* If there is a projection, which rank 0 may have made alone (`view`), counts its steps again, so
 * that all processes count the same. */
static enum status sim_project(struct backend *backend, struct budget *budget)
{
	struct sim *sim = (struct sim *)backend;
	if (!sim->projected)
		return project_run(sim, budget);
	for (int64_t step = sim->copy->ticks_all / EVENTS_A_STEP; step > 0; step--)
		if (--budget->steps <= 0 && budget->more && !budget->more(budget))
			return fail(ST_INTERRUPTED, "interrupted");
	return ST_OK;
}

/* Returns alone_ns, for a kernel times its rank's `slow`. */
static inline int64_t op_alone(const struct engine *e, op_id id, const struct record *record)
{
	if (e->world->slowness_count && record->kind == OP_KERNEL)
		return (int64_t)((double)record->alone_ns * slow_factor(e, id));
	return record->alone_ns;
}

static void sim_cost(struct backend *backend, op_id id, struct op_cost *cost)
{
	const struct engine *e = engine_of(backend);
	const struct record *record = op_record(e->world, id);
	cost->launch = launch_of(e, id, record);
	cost->alone = op_alone(e, id, record);
}

/* Sets field by field, because drawing spends most of its time here. */
static void sim_times(struct backend *backend, op_id id, struct times *times)
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

/* Returns `by` of the latest earlier answer whose time is the operation's `ready`; 0 if none. */
static op_id sim_answer(struct backend *backend, op_id id)
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

/* Prefers a stream's head at a meeting, then the SYNC that blocks the host, then another head. */
static bool sim_waiting(struct backend *backend, int rank, op_id *on)
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

/* ---- the others */

static enum status sim_failure(struct backend *backend)
{
	const struct engine *e = engine_of(backend);
	return e->data ? data_failure(e->data) : ST_OK;
}

static void sim_host(struct backend *backend, int rank, struct host_now *now)
{
	const struct rank *r = &engine_of(backend)->ranks[rank];
	now->clock = r->clock;
	now->state = r->state == RANK_BLOCKED ? HOST_BLOCKED
	        : r->state == RANK_CRASHED    ? HOST_CRASHED
	                                      : HOST_IDLE;
	now->on = r->state == RANK_BLOCKED ? r->on : 0;
}

static void sim_otherwise(struct backend *backend, const struct op_otherwise *list, size_t count)
{
	struct engine_log *log = engine_of(backend)->log;
	log->otherwise = list;
	log->otherwise_count = count;
}

static void sim_data_until(struct backend *backend, int64_t time)
{
	engine_of(backend)->data_until = time;
}

static void sim_clock_at_least(struct backend *backend, int64_t ns)
{
	struct engine *e = engine_of(backend);
	e->s.least_clock = most_of(e->s.least_clock, ns);
	for (size_t i = 0; i < e->ranks_count; i++)
		if (e->ranks[i].state == RANK_IDLE && !e->ranks[i].next)
			e->ranks[i].clock = most_of(e->ranks[i].clock, e->s.least_clock);
	((struct sim *)backend)->projected = false;
}

static enum status find_bytes(struct backend *backend, enum space space, int64_t address, void **bytes)
{
	const struct world *world = engine_of(backend)->world;
	*bytes = world_data(world, space, address);
	if (!engine_of(backend)->data)
		return fail(ST_ARGUMENT, "there is no data here: shapes and times only");
	return *bytes ? ST_OK : fail(ST_ARGUMENT, "no memory of rank %d at this address", world->me);
}

/* Ignores `by`: callers read at the end of the OP_SYNC, when memory is still as `by` left it. */
static enum status sim_read(struct backend *backend, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	void *bytes;
	enum status status = find_bytes(backend, space, address, &bytes);
	(void)by;
	if (status == ST_OK)
		layout_pack(layout, bytes, packed);
	return status;
}

static enum status sim_write(struct backend *backend, enum space space, int64_t address,
        const struct layout *layout, const void *packed)
{
	void *bytes;
	enum status status = find_bytes(backend, space, address, &bytes);
	if (status == ST_OK)
		layout_unpack(layout, packed, bytes);
	return status;
}

static void sim_stop(struct backend *backend)
{
	struct sim *sim = (struct sim *)backend;
	engine_free(sim->copy);
	data_free(sim->engine->data);
	engine_free(sim->engine);
	mem_free(sim);
}

static const struct backend functions = {
        .name = "sim",
        .queued = sim_queued,
        .advance = sim_run,
        .reach = sim_reach,
        .project = sim_project,
        .finish = sim_run,
        .times = sim_times,
        .answer = sim_answer,
        .cost = sim_cost,
        .host = sim_host,
        .waiting = sim_waiting,
        .otherwise = sim_otherwise,
        .data_until = sim_data_until,
        .clock_at_least = sim_clock_at_least,
        .abort = sim_abort,
        .expired = sim_expired,
        .read = sim_read,
        .write = sim_write,
        .failure = sim_failure,
        .stop = sim_stop,
};

struct backend *sim_start(struct world *world, struct transport *transport, struct backend_hooks hooks)
{
	struct sim *sim = mem_alloc(sizeof *sim);
	sim->backend = functions;
	sim->engine = engine_create(world);
	sim->copy = mem_alloc(sizeof *sim->copy);
	sim->engine->hooks = hooks;
	sim->engine->data_until = TIME_UNKNOWN;
	sim->engine->data = transport ? data_create(world, transport) : NULL;
	return &sim->backend;
}
