/* view.c -- reshape and shard: names for parts of a tensor
 *
 * tensor.view() and tensor.chunk(n)[rank]: no copy and no time. A view is an address within its
 * owner's block and a layout. It is freed with its owner. The race check uses addresses. */
#include "base/arithmetic.h"
#include "shell/language/run/command.h"
#include "shell/session/queue.h"

#include <string.h>

/* NAME may be new, or a view, which is then replaced; not a tensor with its own memory. */
static enum status view_name_check(struct call *call, int rank, struct view *result)
{
	const struct world *world = call->shell->world;
	if (call->statement->results != 1 || call->statement->adds || call->statement->result[0].dropped)
		return fail(ST_ARGUMENT, "%s names one view: %s", call->statement->row->name,
		        command_usage(call->statement->row));
	enum status status = call_result(call, 0, rank, result);
	if (status != ST_OK)
		return status;
	const char *name = names_text(world->names, result->name);
	if (result->sliced)
		return fail(ST_NAME, "%s is a part of a tensor: a view needs its own name", name);
	if (result->tensor >= 0 && !world->tensors[result->tensor].view)
		return fail(ST_NAME,
		        "%s is a tensor with its own memory: `free %s` first, or choose another name", name,
		        name);
	return ST_OK;
}

static enum status reshape_part(
        struct call *call, int rank, const struct view *whole, int64_t *address, struct layout *layout)
{
	int64_t dim[DIMS_MAX];
	int dims;
	const char *name = names_text(call->shell->world->names, whole->name);
	enum status status = call_shape(call, 1, 0, rank, &dims, dim);
	if (status == ST_OK)
		status = layout_make(layout, whole->layout.dtype, dims, dim);
	if (status != ST_OK)
		return status;
	*address = whole->address;
	if (!layout_contiguous(&whole->layout))
		return fail(ST_SHAPE,
		        "reshape: the elements of %s are not contiguous: copy it into a new tensor first",
		        name);
	if (layout_count(layout) == layout_count(&whole->layout))
		return ST_OK;
	return fail(ST_SHAPE, "reshape: %s is %s, %lld elements; %s has %lld", name,
	        shape_text(&whole->layout).text, (long long)layout_count(&whole->layout),
	        shape_text(layout).text, (long long)layout_count(layout));
}

/* Finds this rank's part along one axis: strides stay, the address moves by the parts before it.
 * X [4,4], strides 4 and 1, on 2 ranks, rank 1:
 *
 *     dim=0    . . . .     [2,4] at +8, strides 4 1    dim=1    . . x x   [4,2] at +2, strides 4 1
 *              . . . .     contiguous                           . . x x   gaps: refused by
 *              x x x x                                          . . x x   reshape, send ...
 *              x x x x                                          . . x x
 *
 * Parts are those of torch.chunk: ceil(size / n) each, then fewer, then none; 6 rows on 5 ranks
 * are 2 2 2 0 0. A part without elements has the tensor's own address, which is always in its
 * memory. */
static enum status shard_part(
        struct call *call, int rank, const struct view *whole, int64_t *address, struct layout *layout)
{
	struct number number = {0};
	int index;
	enum status status = call_option(call, "dim", rank, &number);
	if (status == ST_OK && !number_is_whole(number.value, 0, whole->layout.dims - 1))
		status = fail(ST_RANGE, "shard: dim=%g, and %s has the dimensions 0-%d", number.value,
		        names_text(call->shell->world->names, whole->name), whole->layout.dims - 1);
	if (status == ST_OK)
		status = call_group(call, rank, &index);
	if (status != ST_OK)
		return status;
	int axis = (int)number.value;
	const struct group *group = &call->shell->world->groups[index];
	if (group->instance_of[rank] < 0)
		return fail(ST_RANK, "shard: rank %d is in no part of group %s", rank,
		        names_text(call->shell->world->names, group->name));
	int n = group_part(group, rank)->n, place = group->place_of[rank];
	int64_t size = whole->layout.dim[axis], from = chunk_at(size, n, place);
	*layout = whole->layout;
	layout->dim[axis] = chunk_at(size, n, place + 1) - from;
	*address = whole->address;
	if (layout_count(layout) > 0)
		*address += from * layout->stride[axis] * dtype_bytes(layout->dtype);
	return ST_OK;
}

static enum status view_one(struct call *call, int rank, bool act)
{
	bool shard = strcmp(call->statement->row->name, "shard") == 0;
	struct view whole, result;
	struct layout layout;
	int64_t address = 0;
	enum status status = view_name_check(call, rank, &result);
	if (status == ST_OK)
		status = call_tensor(call, 0, 0, rank, &whole);
	if (status == ST_OK)
		status = shard ? shard_part(call, rank, &whole, &address, &layout)
		               : reshape_part(call, rank, &whole, &address, &layout);
	return status == ST_OK && act
	        ? shell_view_make(call->shell, rank, result.base_name, whole.tensor, address, &layout)
	        : status;
}

const struct command command_reshape = {
        .name = "reshape",
        .topic = "make",
        .usage = "NAME = reshape TENSOR SHAPE",
        .help = "names the same memory with another shape: no copy, no time",
        .example = "tensor x[8,8] = iota\ny = reshape x [4,16]",
        .torch = "NAME = TENSOR.view(SHAPE)",
        .results_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}, {ARG_SHAPE, 0, NULL, "SHAPE"}},
        .each = view_one,
};

const struct command command_shard = {
        .name = "shard",
        .topic = "make",
        .usage = "NAME = shard TENSOR [dim=0] [in GROUP]",
        .help = "names this rank's part of a tensor, split along a dimension into as many parts as the group "
                "has ranks: no copy, no time. Splits as torch.chunk does: 5 rows on 4 ranks are 2, 2, 1 and "
                "0",
        .example = "tensor X[5,4] = iota\nx = shard X\nprint x",
        .torch = "NAME = TENSOR.chunk(world, dim=0)[rank]   # beyond its last chunk: no rows, as DTensor",
        .group_ok = true,
        .results_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}},
        .option = {{"dim", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the dimension to split (0: the first)"}},
        .each = view_one,
};
