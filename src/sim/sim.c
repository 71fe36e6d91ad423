/* sim.c -- the simulator's functions as a backend; what each means stands in backend.h, how it is done in the
 * file named there */
#include "sim/sim.h"
#include "base/memory.h"
#include "kernels/kernel.h"

static struct sim *sim_of(struct backend *backend)
{
	return (struct sim *)backend;
}

static enum status sim_queued(struct backend *backend, op_id id)
{
	struct sim *sim = sim_of(backend);
	struct engine *e = sim->engine;
	const struct op *op = &e->world->ops[id];
	struct rank *r = &e->ranks[op->rank];
	sim->projected = false;
	if (!r->next)
		r->next = id;
	if (!r->fresh)
		e->fresh[e->fresh_count++] = op->rank;
	r->fresh = true;
	r->transfers |= record_at(e, op)->kind == OP_P2P;
	if (op->stream >= r->streams)
		r->streams = op->stream + 1u;
	if (record_at(e, op)->kind == OP_COLLECTIVE)
		e->s.sms = e->world->machine->collective_sms;
	return cost_record(e, id);
}

static enum status ready_once(struct sim *sim)
{
	enum status status = engine_reserve(sim->engine);
	if (status == ST_OK && sim->data)
		status = data_groups(sim->data);
	if (status == ST_OK && sim->data) {
		const struct rank *me = &sim->engine->ranks[sim->engine->world->me];
		size_t running = me->lane_count;
		for (uint32_t k = 0; k < me->lane_count; k++)
			running += sim->engine->lanes[me->lanes + k].parts;
		status = data_reserve(sim->data, running);
	}
	return status;
}

/* Other processes go on to messages that want this one: one failed allocation is tried again. */
enum status sim_ready(struct sim *sim)
{
	enum status status = ready_once(sim);
	return status == ST_MEMORY ? ready_once(sim) : status;
}

enum status sim_run(struct sim *sim, struct budget *budget)
{
	enum status status = sim_ready(sim);
	if (status == ST_OK)
		status = engine_run(sim->engine, budget);
	sim->engine->spoiled |= sim->data && data_spoiled(sim->data);
	return status == ST_OK && sim->data ? data_stranded(sim->data) : status;
}

enum status sim_advance(struct backend *backend, struct budget *budget)
{
	struct sim *sim = sim_of(backend);
	enum status status = sim_run(sim, budget);
	bool blind = sim->blind;
	sim->blind = false;
	return status == ST_OK && blind ? fail(ST_MEMORY, "this computer is out of memory for the projection")
	                                : status;
}

static enum status sim_failure(struct backend *backend)
{
	struct sim *sim = sim_of(backend);
	return sim->data ? data_failure(sim->data) : ST_OK;
}

static void sim_host(struct backend *backend, int rank, struct host_now *now)
{
	const struct rank *r = &sim_of(backend)->engine->ranks[rank];
	now->clock = r->clock;
	now->state = r->state == RANK_BLOCKED ? HOST_BLOCKED
	        : r->state == RANK_CRASHED    ? HOST_CRASHED
	                                      : HOST_IDLE;
	now->on = r->state == RANK_BLOCKED ? r->on : 0;
}

static enum status sim_slow(struct backend *backend, int rank, double factor)
{
	struct engine *e = sim_of(backend)->engine;
	enum status status = MEM_GROW(&e->slows, e->slow_count, &e->slow_room);
	if (status == ST_OK)
		e->slows[e->slow_count++] = (struct slow){rank, (op_id)e->world->op_count, factor};
	sim_of(backend)->projected = false; /* it borrows the list */
	return status;
}

static double sim_slowness(struct backend *backend, op_id id)
{
	return slow_factor(sim_of(backend)->engine, id);
}

static enum status sim_clock_at_least(struct backend *backend, int64_t ns)
{
	struct engine *e = sim_of(backend)->engine;
	e->s.least_clock = later(e->s.least_clock, ns);
	for (size_t i = 0; i < e->ranks_count; i++)
		if (e->ranks[i].state == RANK_IDLE && !e->ranks[i].fresh)
			e->ranks[i].clock = later(e->ranks[i].clock, e->s.least_clock);
	sim_of(backend)->projected = false;
	return ST_OK;
}

static enum status sim_peek(
        struct backend *backend, enum space space, int64_t address, const struct layout *layout, void *out)
{
	const struct world *world = sim_of(backend)->engine->world;
	const void *bytes = world_data(world, space, address);
	if (!sim_of(backend)->data)
		return fail(ST_ARGUMENT, "there is no data here: shapes and times only");
	if (!bytes)
		return fail(ST_ARGUMENT, "no memory of rank %d at this address", world->me);
	layout_pack(layout, bytes, out);
	return ST_OK;
}

/* Copies share a few arrays with the machine. */
static void free_copy(struct engine *copy)
{
	if (!copy)
		return;
	copy->instance_of = NULL;
	copy->floors = NULL;
	copy->slows = NULL;
	engine_free(copy);
}

static void sim_stop(struct backend *backend)
{
	struct sim *sim = sim_of(backend);
	if (!sim)
		return;
	free_copy(sim->trial);
	free_copy(sim->future);
	engine_free(sim->engine);
	data_free(sim->data);
	mem_free(sim);
}

static const struct backend functions = {
        .name = "sim",
        .queued = sim_queued,
        .advance = sim_advance,
        .reach = sim_reach,
        .project = sim_project,
        .times = sim_times,
        .host = sim_host,
        .waiting = sim_waiting,
        .slow = sim_slow,
        .slowness = sim_slowness,
        .clock_at_least = sim_clock_at_least,
        .abort = sim_abort,
        .peek = sim_peek,
        .failure = sim_failure,
        .sent = sim_sent,
        .stop = sim_stop,
};

enum status sim_start(
        struct backend **backend, struct world *world, struct plane *plane, struct backend_hooks hooks)
{
	struct sim *sim = mem_alloc(sizeof *sim);
	if (!sim)
		return ST_MEMORY;
	kernels_start();
	sim->backend = functions;
	sim->plane = plane;
	enum status status = engine_create(&sim->engine, world);
	if (status == ST_OK && plane)
		status = data_create(&sim->data, world, plane);
	if (status != ST_OK) {
		sim_stop(&sim->backend);
		return status;
	}
	sim->engine->hooks = hooks;
	sim->engine->data = sim->data;
	*backend = &sim->backend;
	return ST_OK;
}
