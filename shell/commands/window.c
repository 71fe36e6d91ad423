/* window.c -- window, close: memory that other ranks of a group access by one-sided operations
 *
 * window and close are collectives of one element, like a barrier, and every host waits for them
 * (MPI_Win_create, MPI_Win_free). Until `close`, the tensor cannot be freed or remade. */
#include "collectives/collective.h"
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

#include <string.h>

/* Resolves a whole tensor; ST_NAME if it is part of another. */
static enum status window_tensor(struct call *call, int rank, struct view *view)
{
	const char *title = call->statement->row->name;
	enum status status = call_tensor(call, 0, 0, rank, view);
	if (status != ST_OK)
		return status;
	const struct world *world = call->shell->world;
	if (view->sliced || view->transposed || world->tensors[view->tensor].view)
		return fail(ST_NAME, "%s: %s is a part of %s: a window needs a whole tensor", title,
		        names_text(world->names, view->name),
		        names_text(world->names, world->tensors[world->tensors[view->tensor].base].name));
	if (world_capturing(world, rank))
		return fail(ST_ARGUMENT,
		        "%s: the host waits for it, so it goes before or after the graph (put, get and add "
		        "are captured)",
		        title);
	return ST_OK;
}

static enum status window_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	const struct world *world = call->shell->world;
	bool opens = strcmp(call->statement->row->name, "window") == 0;
	struct record *record = &plan->record;
	struct view view;
	enum status status = window_tensor(call, rank, &view);
	if (status != ST_OK)
		return status;
	op_id window = world->tensors[view.tensor].window;
	if (opens)
		status = world_window_closed(world, "window", view.tensor);
	else if (!window)
		status = fail(ST_NAME, "close: %s is in no window", names_text(world->names, view.name));
	else
		record->group = op_record(world, window)->group;
	if (status == ST_OK && opens)
		status = call_group(call, rank, &record->group);
	record->collective = &collective_barrier;
	plan->waits = true;
	record->window = opens ? WINDOW_OPEN : WINDOW_CLOSE;
	record->object = view.name;
	record->dtype = view.layout.dtype;
	plan_operand(plan, &view, 0);
	return status;
}

static enum status window_complete(struct call *call, int rank, struct submit_plan *plan)
{
	(void)rank;
	return plan_on_device(call->shell, plan);
}

static enum status window_run(struct call *call)
{
	return plans_run(call, OP_COLLECTIVE, window_resolve, window_complete);
}

const struct command command_window = {
        .name = "window",
        .topic = "move",
        .usage = "window TENSOR [on STREAM] [in GROUP]",
        .help = "opens the tensor with that name on every rank in the group to the others: put, get and "
                "add access it until `close`. The hosts wait until all of them have reached this line",
        .example = "tensor x[4] = rank; tensor y[4] = zeros\nwindow y\n@0 put x -> y@1\n@1 get y@0 -> x\n"
                   "sync\nclose y",
        .torch = "symm_mem.rendezvous(TENSOR, group)   # of symm_mem.empty(...)",
        .cuda = "ncclCommWindowRegister(comm, TENSOR, bytes, &window, 0); MPI_Win_create; nvshmem_malloc",
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}},
        .run = window_run,
};

const struct command command_close = {
        .name = "close",
        .topic = "move",
        .usage = "close TENSOR [on STREAM]",
        .help = "ends the tensor's window: each rank waits for its own put, get and add, then for the "
                "group's other ranks",
        .example = "tensor y[4] = zeros\nwindow y\nclose y\nfree y",
        .cuda = "ncclCommWindowDeregister(comm, window); MPI_Win_free",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}},
        .run = window_run,
};
