/* control.c -- the functions of the backend (backend/backend.h), start and stop */
#include "cuda/control.h"
#include "base/memory.h"
#include "cuda/exchange/nccl/nccl.h"
#include "sim/sim.h"

#include <unistd.h>

/* Returns true if the operation starts together with a collective with backup=, or is one. */
static bool joins_spares(const struct control *control, op_id id)
{
	const struct world *world = control->world;
	bool spares = op_record(world, id)->backup > 0;
	if (!(world->ops[id].flags & OPF_TOGETHER))
		return false;
	for (size_t i = control->orders.queued_count; i-- > 0 && !spares;) {
		op_id before = control->orders.queued[i];
		if (world->ops[before].rank != world->ops[id].rank || op_record(world, before)->group < 0)
			continue;
		spares = op_record(world, before)->backup > 0;
		if (!(world->ops[before].flags & OPF_TOGETHER))
			break;
	}
	return spares;
}

static enum status can_be_done(const struct control *control, op_id id)
{
	const struct record *record = op_record(control->world, id);
	if (joins_spares(control, id))
		return fail(ST_ARGUMENT,
		        "backup= in a `together` is for the simulator: on GPUs a fused group waits for all "
		        "of its members");
	if (record->window && control->setup.placement->no_ipc)
		return fail(ST_ARGUMENT,
		        "windows need processes that open each other's memory on the GPU (IPC), which is "
		        "refused here");
	return ST_OK;
}

static enum status control_queued(struct backend *backend, op_id id)
{
	struct control *control = control_of(backend);
	enum status status = control->shadow->queued(control->shadow, id);
	if (status == ST_OK)
		status = can_be_done(control, id);
	if (status == ST_OK)
		order_operation(control, id);
	return status;
}

/* Publishes if an answer is due, or with `pace`; waits for the answer. */
static enum status answer_owed(struct control *control, enum status status, struct budget *budget)
{
	control_cancel(control);
	if (status != ST_OK || !(control->owed || control->clocks.paces))
		return status;
	control->clocks.paces = false;
	status = control_publish(control);
	if (status == ST_OK && control->owed)
		status = control_wait(control, WAIT_FINAL, budget);
	return status;
}

static enum status control_advance(struct backend *backend, struct budget *budget)
{
	struct control *control = control_of(backend);
	return answer_owed(control, control->shadow->advance(control->shadow, budget), budget);
}

static enum status control_reach(struct backend *backend, const op_id *ids, int count, struct budget *budget)
{
	struct control *control = control_of(backend);
	enum status status = control->shadow->reach(control->shadow, ids, count, budget);
	control->owed |= status == ST_OK;
	return answer_owed(control, status, budget);
}

/* If the budget forbids waiting for devices, only exchanges the times of completed operations. */
static enum status publish_and_wait(struct control *control, enum status status, struct budget *budget)
{
	control_cancel(control);
	if (status == ST_OK)
		status = control_publish(control);
	if (status == ST_OK)
		status = control_wait(control, WAIT_PROJECTED, budget);
	return status == ST_WAITS ? ST_OK : status;
}

static enum status control_project(struct backend *backend, struct budget *budget)
{
	struct control *control = control_of(backend);
	return publish_and_wait(control, control->shadow->project(control->shadow, budget), budget);
}

static enum status control_finish(struct backend *backend, struct budget *budget)
{
	struct control *control = control_of(backend);
	enum status status = control->shadow->finish(control->shadow, budget);
	if (status == ST_OK)
		status = control->shadow->project(control->shadow, budget);
	return publish_and_wait(control, status, budget);
}

static void control_cost(struct backend *backend, op_id id, struct op_cost *cost)
{
	struct backend *shadow = control_of(backend)->shadow;
	shadow->cost(shadow, id, cost);
}

static bool control_waiting(struct backend *backend, int rank, op_id *on)
{
	struct backend *shadow = control_of(backend)->shadow;
	return shadow->waiting(shadow, rank, on);
}

static double control_uncertainty(struct backend *backend)
{
	return control_of(backend)->clocks.uncertainty;
}

static void control_clock_at_least(struct backend *backend, int64_t ns)
{
	struct control *control = control_of(backend);
	control->clocks.paces = true;
	control->clocks.paced = ns;
	control->shadow->clock_at_least(control->shadow, ns);
}

static enum status control_abort(struct backend *backend, int group)
{
	struct control *control = control_of(backend);
	enum status status = control->shadow->abort(control->shadow, group);
	if (status != ST_OK)
		return status;
	control_cancel(control); /* before the release, so that it is reported undone */
	orders_restart(control, group, -1);
	return ST_OK;
}

static bool control_expired(struct backend *backend, struct expiry *expiry)
{
	struct control *control = control_of(backend);
	if (!control->shadow->expired(control->shadow, expiry))
		return false;
	const struct match *match = &control->world->matches[expiry->match];
	control_cancel(control);
	orders_restart(control, match->group, match->instance);
	return true;
}

static enum status control_read(struct backend *backend, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	struct control *control = control_of(backend);
	const struct record *record = by ? op_record(control->world, by) : NULL;
	bool kept = record && (record->noted || (record->kind == OP_COPY && !record_target(record)));
	return host_read(control->host, kept ? by : 0, space, address, layout, packed);
}

static enum status control_write(struct backend *backend, enum space space, int64_t address,
        const struct layout *layout, const void *packed)
{
	return host_write(control_of(backend)->host, space, address, layout, packed);
}

static enum status control_failure(struct backend *backend)
{
	struct control *control = control_of(backend);
	enum status status = control->failure.status;
	control->failure.status = ST_OK;
	control->failure.looked_up = 0;
	return status == ST_OK ? ST_OK : fail(status, "%s", control->failure.words);
}

static void control_free(struct control *control)
{
	orders_release(control);
	rounds_release(&control->rounds);
	measurements_release(&control->measured);
	if (control->shadow)
		control->shadow->stop(control->shadow);
	if (control->gpu)
		shared_gpu_leave(control->gpu);
	mem_free(control->open);
	mem_free(control->failure.lost);
	mem_free(control->done);
	mem_free(control->times.clock);
	mem_free(control->times.lane_last);
	mem_free(control);
}

static void control_stop(struct backend *backend)
{
	struct control *control = control_of(backend);
	for (size_t group = 0; group < control->world->group_count; group++)
		orders_restart(control, (int)group, -1);
	if (!host_stop(control->host))
		control->gpu = NULL; /* a thread hangs in a call and may still use it */
	control_free(control);
}

static const struct backend functions = {
        .name = "cuda",
        .measures = true,
        .queued = control_queued,
        .advance = control_advance,
        .reach = control_reach,
        .project = control_project,
        .finish = control_finish,
        .times = control_times,
        .predicted = control_predicted,
        .uncertainty = control_uncertainty,
        .cost = control_cost,
        .host = control_host,
        .waiting = control_waiting,
        .clock_at_least = control_clock_at_least,
        .abort = control_abort,
        .expired = control_expired,
        .read = control_read,
        .write = control_write,
        .failure = control_failure,
        .stop = control_stop,
};

/* Called on the host thread. */
static enum status make_exchange(void *self, struct exchange **exchange)
{
	struct control *control = self;
	const struct cuda_placement *placement = control->setup.placement;
	int rank = transport_rank(control->transport);
	enum status status = control->gpu
	        ? shared_gpu_open(control->gpu, control->setup.library, placement->seats[rank].ordinal,
	                  placement->rank_bytes + control->setup.scratch_bytes, exchange)
	        : nccl_make(control->setup.library, placement->seats[rank].ordinal, rank, exchange);
	control->exchange = *exchange;
	return status;
}

static enum status start_hosts(struct control *control)
{
	struct transport *transport = control->transport;
	const struct cuda_placement *placement = control->setup.placement;
	int ranks = transport_size(transport), me = transport_rank(transport), here = 0;
	bool shares = placement->shared || ranks == 1;
	enum status status = shares ? shared_gpu_meet(transport, !placement->no_ipc, &control->gpu) : ST_OK;
	if (status != ST_OK)
		return status;
	for (int rank = 0; rank < ranks; rank++)
		here += placement->seats[rank].host == placement->seats[me].host;
	struct host_setup setup = {.cuda = control->setup.library,
	        .ordinal = placement->seats[me].ordinal,
	        .rank = me,
	        .shares = placement->shared,
	        .naps = sysconf(_SC_NPROCESSORS_ONLN) < 2 * here,
	        .exchange = make_exchange,
	        .self = control};
	status = host_start(&setup, &control->host);
	if (status != ST_OK && control->gpu)
		status = shared_gpu_give_up(control->gpu, status);
	int mine = status, *all = mem_alloc(ranks * sizeof *all);
	enum status shared = transport_share(transport, &mine, all, sizeof mine);
	for (int rank = 0; rank < ranks && shared == ST_OK && status == ST_OK; rank++)
		if (all[rank] != ST_OK)
			status = fail((enum status)all[rank], "rank %d has no GPU that works", rank);
	mem_free(all);
	if (shared == ST_OK && status == ST_OK && placement->hosts > 1)
		shared = clocks_compare(transport, control->setup.library, &control->clocks.offset);
	return shared != ST_OK ? shared : status;
}

enum status cuda_start(struct world *world, struct transport *transport, struct backend_hooks hooks,
        const struct cuda_setup *setup, struct backend **backend)
{
	struct control *control = mem_alloc(sizeof *control);
	*control = (struct control){.backend = functions,
	        .world = world,
	        .transport = transport,
	        .hooks = hooks,
	        .setup = *setup,
	        .rounds = {.transport = transport}};
	control->times.clock = mem_alloc(world->n * sizeof *control->times.clock);
	control->times.lane_last =
	        mem_alloc((size_t)world->n * (STREAMS_MAX + 1) * sizeof *control->times.lane_last);
	control->shadow = sim_start(world, NULL, (struct backend_hooks){control, control_done});
	enum status status = start_hosts(control);
	if (status != ST_OK) {
		if (control->host)
			host_stop(control->host);
		control_free(control);
		return status;
	}
	*backend = &control->backend;
	return ST_OK;
}
