/* sim.c -- the simulator as a backend; backend/backend.h documents the functions */
#include "sim/lookahead.h"
#include "base/memory.h"
#include "kernels/kernel.h"

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
	/* for the same steps on every rank, even after a look on one */
	if (e->ticks_all != before)
		((struct sim *)backend)->projected = false;
	e->any_invalid |= e->data && data_spoiled(e->data);
	return status;
}

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

static void sim_slow(struct backend *backend, int rank, double factor)
{
	struct engine *e = engine_of(backend);
	*MEM_ADD(&e->log->slows, &e->log->slow_count) = (struct slow){rank, e->world->op_count, factor};
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

/* Readers ask at the end of the OP_SYNC, before later operations of the rank: the memory is as
 * `by` left it. */
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
        .finish = sim_run, /* all that is final */
        .times = sim_times,
        .answer = sim_answer,
        .cost = sim_cost,
        .host = sim_host,
        .waiting = sim_waiting,
        .slow = sim_slow,
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
	kernels_start();
	sim->backend = functions;
	sim->engine = engine_create(world);
	sim->copy = mem_alloc(sizeof *sim->copy);
	sim->engine->hooks = hooks;
	sim->engine->data_until = TIME_UNKNOWN;
	sim->engine->data = transport ? data_create(world, transport) : NULL;
	return &sim->backend;
}
