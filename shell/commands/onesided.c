/* onesided.c -- put, get, add: one-sided operations on a window (MPI_Put, MPI_Get, MPI_Accumulate)
 *
 * Checks use this rank's own tensor of the window, because `window` has verified that all have one
 * size and type.
 *
 *     put g[0:4] -> w[8:12]@2     operand g[0:4]    offset 32 bytes    group rank 2 */
#include "kernels/kernel.h"
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

#include <stdio.h>

enum { FROM, ARROW, TO };

static enum status one_sided_check(struct call *call, const struct view *own, const struct view *window)
{
	const struct names *names = call->shell->world->names;
	const char *title = call->statement->row->name;
	const char *x = names_text(names, own->name), *y = names_text(names, window->name);
	if (!layout_contiguous(&window->layout))
		return fail(ST_SHAPE, "%s: the elements of %s are not contiguous", title, y);
	if (!layout_same_shape(&own->layout, &window->layout))
		return fail(ST_SHAPE, "%s: %s is %s, %s is %s: both must have the same shape", title, x,
		        shape_text(&own->layout).text, y, shape_text(&window->layout).text);
	if (own->layout.dtype != window->layout.dtype)
		return fail(ST_DTYPE, "%s: %s is %s, %s is %s: types are not converted", title, x,
		        dtype_name(own->layout.dtype), y, dtype_name(window->layout.dtype));
	return ST_OK;
}

/* Fills in the part. Fails with ST_NAME without a window, with ST_RANK outside its group. */
static enum status one_sided_target(
        struct call *call, int rank, int row, const struct view *window, struct submit_plan *plan)
{
	const struct world *world = call->shell->world;
	const struct tensor *owner = &world->tensors[world->tensors[window->tensor].base];
	const char *title = call->statement->row->name, *name = names_text(world->names, window->name);
	const char *whole = names_text(world->names, owner->name);
	struct number place = {0};
	if (!owner->window)
		return fail(ST_NAME,
		        "%s: %s is in no window: `window %s in GROUP` opens one, on all ranks of the group",
		        title, whole, whole);
	plan->record.group = op_record(world, owner->window)->group;
	int n = plan_part(call->shell, plan, rank)->n;
	enum status status = call_number(call, row, 0, rank, &place);
	if (status == ST_OK && !number_is_whole(place.value, 0, n - 1))
		status = fail(ST_RANK, "%s: %s@%g: in %s, the window's group, %s", title, name, place.value,
		        names_text(world->names, world->groups[plan->record.group].name),
		        ranks_of_text(n).text);
	if (status != ST_OK)
		return status;
	char object[128];
	int length = snprintf(object, sizeof object, "%.100s@%d", name, (int)place.value);
	plan->record.object = names_make(world->names, object, length);
	plan->window = owner->address;
	plan->part[0].peer = plan_part(call->shell, plan, rank)->ranks[(int)place.value];
	plan->part[0].offset = window->address - owner->address;
	return ST_OK;
}

static enum status one_sided_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	char first = call->statement->row->name[0];
	enum one_sided what = first == 'p' ? ONE_SIDED_PUT : first == 'g' ? ONE_SIDED_GET : ONE_SIDED_ADD;
	bool gets = what == ONE_SIDED_GET;
	struct view own, window;
	struct number scale = {1, UNIT_PLAIN};
	enum status status = call_tensor(call, gets ? TO : FROM, 0, rank, &own);
	if (status == ST_OK)
		status = call_tensor(call, gets ? FROM : TO, 0, rank, &window);
	plan->part[0] = (struct part){.direction = what};
	plan->parts = 1;
	if (status == ST_OK)
		status = one_sided_target(call, rank, gets ? FROM : TO, &window, plan);
	if (status == ST_OK)
		status = one_sided_check(call, &own, &window);
	if (status != ST_OK)
		return status;
	plan_operand(plan, &own, gets ? ACCESS_WRITE : ACCESS_READ);
	if (what == ONE_SIDED_ADD) {
		status = call_option(call, "scale", rank, &scale);
		plan->record.kernel = kernel_find("scale");
		plan->record.parameter[0] = scale.value;
	}
	return status;
}

static enum status one_sided_complete(struct call *call, int rank, struct submit_plan *plan)
{
	(void)rank;
	plan->record.bytes = layout_bytes(&plan->operand[0].layout);
	plan->record.dtype = plan->operand[0].layout.dtype;
	return plan_for_nccl(call->shell, plan);
}

static enum status one_sided_run(struct call *call)
{
	return plans_run(call, OP_ONE_SIDED, one_sided_resolve, one_sided_complete);
}

const struct command command_put = {
        .name = "put",
        .topic = "move",
        .usage = "put TENSOR -> WINDOW@RANK [on STREAM]",
        .help = "writes a tensor into another rank's window; that rank needs no line for it. It completes "
                "when the bytes have arrived",
        .example = "tensor x[4] = rank; tensor y[4] = zeros\nwindow y\n@0 put x[0:2] -> "
                   "y[2:4]@1\nbarrier\n@1 print y",
        .torch = "symm_mem: buffer.copy_(TENSOR)   # of handle.get_buffer(RANK, ...)",
        .cuda = "nvshmemx_putmem_on_stream(WINDOW, TENSOR, bytes, RANK, STREAM); MPI_Put and MPI_Win_flush",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}, {ARG_ARROW, 0, NULL, "->"},
                {ARG_REMOTE, 0, NULL, "WINDOW@RANK"}},
        .run = one_sided_run,
};

const struct command command_get = {
        .name = "get",
        .topic = "move",
        .usage = "get WINDOW@RANK -> TENSOR [on STREAM]",
        .help = "reads another rank's window into a tensor, with the contents when the operation starts",
        .example = "tensor x[4] = zeros; tensor y[4] = rank\nwindow y\nget y@((rank+1)%world) -> x\nprint x",
        .torch = "symm_mem: TENSOR.copy_(buffer)   # of handle.get_buffer(RANK, ...)",
        .cuda = "nvshmemx_getmem_on_stream(TENSOR, WINDOW, bytes, RANK, STREAM); MPI_Get and MPI_Win_flush",
        .stream_ok = true,
        .argument = {{ARG_REMOTE, 0, NULL, "WINDOW@RANK"}, {ARG_ARROW, 0, NULL, "->"},
                {ARG_TENSOR, 0, NULL, "TENSOR"}},
        .run = one_sided_run,
};

const struct command command_add = {
        .name = "add",
        .beside_kernel = true,
        .topic = "move",
        .usage = "add TENSOR -> WINDOW@RANK [scale=1] [on STREAM]",
        .help = "adds a tensor, times scale, to another rank's window; no add is lost if several ranks add"
                " to one element",
        .example = "tensor g[4] = ones; tensor w[4] = zeros\nwindow w\nadd g -> w@0 scale=-0.1\nbarrier\n@0 "
                   "print w",
        .cuda = "MPI_Accumulate(TENSOR, ..., RANK, ..., MPI_SUM, window) and MPI_Win_flush; atomicAdd in a "
                "kernel",
        .stream_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}, {ARG_ARROW, 0, NULL, "->"},
                {ARG_REMOTE, 0, NULL, "WINDOW@RANK"}},
        .option = {{"scale", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the factor of the tensor"}},
        .run = one_sided_run,
};
