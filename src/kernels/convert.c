/* convert.c -- cast nonfinite quantize topk topk_grad transpose
 *
 * quantize is symmetric: one scale per tensor, no zero point. s is rounded to f32 before the
 * division, because the receiver multiplies by the rounded s. */
#include "kernels/common.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- cast ---- */

static enum status cast_shape(struct kernel_call *call)
{
	const struct layout *x = &call->in[0].layout;
	return kernel_out(call, 0, (enum dtype)call->option[0], x->dims, x->dim);
}

/* ---- nonfinite ---- */

static double count_nonfinite(double found, const double *x, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		found += !isfinite(x[i]);
	return found;
}

static void nonfinite(const struct kernel_call *call)
{
	kernel_total(call, count_nonfinite);
}

/* ---- quantize: s = max|x| / 127 (1 if all are 0), q = x / s, rounded ties to even ---- */

static enum status quantize_shape(struct kernel_call *call)
{
	const struct layout *x = &call->in[0].layout;
	enum status status = kernel_out(call, 0, DT_I32, x->dims, x->dim);
	return status != ST_OK ? status : kernel_out(call, 1, DT_F32, 1, (int64_t[]){1});
}

LOOP_EACH(quantize_loop, nearbyint(in[0][i] / option[0]))

/* Returns max|x|. A NaN is kept, and makes the scale NaN. */
static double largest_size(const struct kernel_tensor *tensor)
{
	double x[LANE_CHUNK], most = 0;
	struct lane lane = lane_of(tensor);
	int64_t count = layout_count(&tensor->layout);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		lane_read(&lane, from, n, x);
		for (int64_t i = 0; i < n; i++)
			most = fabs(x[i]) > most || x[i] != x[i] ? fabs(x[i]) : most;
	}
	return most;
}

/* A scale that f32 rounds to 0 becomes 1. */
static void quantize(const struct kernel_call *call)
{
	struct kernel_call scaled = *call;
	double most = largest_size(&call->in[0]), scale = most == 0 ? 1 : (float)(most / 127);
	struct lane out = lane_of(&call->out[1]);

	scaled.option[0] = scale == 0 ? 1 : scale;
	scaled.outs = 1;
	lane_write(&out, 0, 1, &scaled.option[0]);
	kernel_elements(&scaled, quantize_loop);
}

/* ---- topk ---- */

static enum status topk_shape(struct kernel_call *call)
{
	struct layout out = call->in[0].layout;
	int64_t length = kernel_row_length(&call->in[0]);
	enum status status;

	if (call->option[0] > (double)length)
		return fail(ST_RANGE, "topk: k=%g, but a row of %s has %lld", call->option[0],
		        call->in[0].name, (long long)length);
	if (length > INT32_MAX)
		return fail(ST_RANGE,
		        "topk: a row of %s has more than 2^31-1 elements, too many for i32 indices",
		        call->in[0].name);
	out.dim[out.dims - 1] = (int64_t)call->option[0];
	status = kernel_out(call, 0, (enum dtype)out.dtype, out.dims, out.dim);
	return status != ST_OK ? status : kernel_out(call, 1, DT_I32, out.dims, out.dim);
}

struct ranked {
	double value;
	int64_t index;
};

/* Largest first, NaN before all (as PyTorch); ties by index, so the sort does not matter. */
static int by_value(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	bool a_nan = a->value != a->value, b_nan = b->value != b->value;
	if (a_nan != b_nan)
		return a_nan ? -1 : 1;
	if (!a_nan && a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Sorts one row x, which is overwritten; sorted has room for it. Writes the first k to row
 * `row`. */
static void topk_row(
        const struct kernel_call *call, int64_t row, int64_t length, double *x, struct ranked *sorted)
{
	struct lane values = lane_of(&call->out[0]), indices = lane_of(&call->out[1]);
	int64_t k = (int64_t)call->option[0];

	for (int64_t i = 0; i < length; i++)
		sorted[i] = (struct ranked){x[i], i};
	qsort(sorted, (size_t)length, sizeof *sorted, by_value);
	for (int64_t i = 0; i < k; i++)
		x[i] = sorted[i].value;
	lane_write(&values, row * k, k, x);
	for (int64_t i = 0; i < k; i++)
		x[i] = (double)sorted[i].index;
	lane_write(&indices, row * k, k, x);
}

static void topk(const struct kernel_call *call)
{
	int64_t length = kernel_row_length(&call->in[0]), rows = layout_rows(&call->in[0].layout);
	double *x = mem_alloc((size_t)length * sizeof *x);
	struct ranked *sorted = mem_alloc((size_t)length * sizeof *sorted);
	struct lane in = lane_of(&call->in[0]);

	for (int64_t r = 0; r < rows; r++) {
		lane_read(&in, r * length, length, x);
		topk_row(call, r, length, x, sorted);
	}
	mem_free(x);
	mem_free(sorted);
}

/* ---- topk_grad: each value at its index, 0 elsewhere ---- */

static enum status topk_grad_shape(struct kernel_call *call)
{
	const struct kernel_tensor *dv = &call->in[0], *i = &call->in[1];
	struct layout out = dv->layout;
	enum status status = kernel_wants_float(call, 0);
	if (status == ST_OK && i->layout.dtype != DT_I32)
		return fail(ST_DTYPE, "%s is %s: topk_grad takes places in i32", i->name,
		        dtype_name((enum dtype)i->layout.dtype));
	if (status == ST_OK && !layout_same_shape(&dv->layout, &i->layout))
		return kernel_shape_failure(call, dv, i, "the same shape");
	out.dim[out.dims - 1] = (int64_t)call->option[0];
	return status == ST_OK ? kernel_out(call, 0, (enum dtype)out.dtype, out.dims, out.dim) : status;
}

static struct kernel_indices topk_places(const struct kernel_call *call)
{
	return (struct kernel_indices){.argument = 1,
	        .end = kernel_row_length(&call->out[0]),
	        .unused = NAN,
	        .names = "an element of a row"};
}

static void topk_grad(const struct kernel_call *call)
{
	int64_t length = kernel_row_length(&call->out[0]), k = kernel_row_length(&call->in[0]),
	        rows = layout_rows(&call->in[0].layout);
	double *row = mem_alloc((size_t)(length + 2 * k) * sizeof *row), *dv = row + length, *at = dv + k;
	struct lane values = lane_of(&call->in[0]), places = lane_of(&call->in[1]),
	            out = lane_of(&call->out[0]);

	for (int64_t r = 0; r < rows; r++) {
		for (int64_t i = 0; i < length; i++)
			row[i] = 0;
		lane_read(&values, r * k, k, dv);
		lane_read(&places, r * k, k, at);
		for (int64_t i = 0; i < k; i++)
			if (at[i] >= 0 && at[i] < (double)length)
				row[(int64_t)at[i]] += dv[i];
		kernel_put(call, &out, r * length, length, row);
	}
	mem_free(row);
}

/* ---- transpose ---- */

static enum status transpose_shape(struct kernel_call *call)
{
	struct layout out = kernel_turned(call->in[0].layout);
	if (out.dims < 2)
		return fail(ST_SHAPE, "%s is %s: transpose needs two dimensions or more", call->in[0].name,
		        shape_text(&call->in[0].layout).text);
	return kernel_out(call, 0, (enum dtype)out.dtype, out.dims, out.dim);
}

LOOP_EACH(copy, in[0][i])

static void transpose(const struct kernel_call *call)
{
	struct kernel_call turned = *call;
	turned.in[0].layout = kernel_turned(call->in[0].layout);
	kernel_elements(&turned, copy);
}

const struct kernel kernels_convert[] = {
        {
                KERNEL_LAUNCHED("cast", "blocks", 1, 1),
                .usage = "y = cast x to=f32|f16|bf16|i32",
                .help = "x in another type; to i32 it is truncated toward 0",
                .torch = "y = x.to(torch.bfloat16)",
                .example = "tensor x[4,8] = randn\ny = cast x to=bf16",
                .option = {{"to", NAN, "the type", KO_DTYPE, 0}},
                .shape = cast_shape,
        },
        {
                KERNEL_LAUNCHED("quantize", "blocks", 1, 2),
                .usage = "q s = quantize x",
                .help = "x as whole numbers q from -127 to 127 (the range of int8, stored as i32) and one "
                        "scale s [1]: x is about `mul q s`",
                .torch = "s = x.abs().max() / 127; q = torch.round(x / s)",
                .example = "tensor x[4,8] = randn\nq s = quantize x\ny = mul q s",
                .arguments = ARGUMENTS_FLOAT,
                .shape = quantize_shape,
                .operations = 8,
                .run = quantize,
        },
        {
                KERNEL_ROW("nonfinite", "multi_tensor_apply<NonFiniteCheck>", 1, 1),
                .usage = "n = nonfinite x",
                .help = "counts x's elements that are inf or NaN, as [1] f32: not 0 if f16 overflowed",
                .torch = "n = (~torch.isfinite(x)).sum(dtype=torch.float)",
                .example = "tensor x[4,8] = randn\nn = nonfinite x",
                .shape = kernel_one_number,
                .operations = 1,
                .run = nonfinite,
        },
        {
                KERNEL_ROW("topk", "cub::DeviceSegmentedRadixSort::SortPairsDescending", 1, 2),
                .usage = "v i = topk x k=NUMBER",
                .help = "the k largest elements of each row, in descending order, and their indices in the"
                        " row (i32)",
                .torch = "v, i = torch.topk(x, k)",
                .example = "tensor x[4,8] = randn\nv i = topk x k=2",
                .option = {{"k", NAN, "the number of elements", KO_WHOLE, 1}},
                .shape = topk_shape,
                .operations = 8,
                .run = topk,
        },
        {
                KERNEL_LAUNCHED("topk_grad", "rows", 2, 1),
                .usage = "dx = topk_grad dv i length=NUMBER",
                .help = "topk's gradient: rows of that length, with each value of dv at its index i and 0 "
                        "elsewhere",
                .torch = "dx = torch.zeros(n, length).scatter_(-1, i, dv)",
                .example = "tensor x[4,8] = randn\nv i = topk x k=2\ndx = topk_grad v i length=8",
                .option = {{"length", NAN, "elements in a row of x", KO_WHOLE, 1}},
                .shape = topk_grad_shape,
                .indices = topk_places,
                .run = topk_grad,
        },
        {
                KERNEL_LAUNCHED("transpose", "blocks", 1, 1),
                .usage = "y = transpose x",
                .help = "x with its first two dimensions exchanged: [n,m,...] gives [m,n,...]",
                .torch = "y = x.transpose(0, 1).contiguous()",
                .example = "tensor x[4,8,2] = iota\ny = transpose x",
                .shape = transpose_shape,
                .run = transpose,
        },
        {0},
};
