/* binary.c -- add sub mul div maximum: two tensors, element by element, broadcast as NumPy does.
 *
 * Types mix as PyTorch's: f32 with anything gives f32, i32 with a float that float, f16 with bf16 gives f32;
 * div of i32s gives f32. */
#include "kernels/common.h"

static enum status cannot_broadcast(const struct kernel_call *call)
{
	struct text a = {0}, b = {0};
	layout_text(&call->in[0].layout, &a);
	layout_text(&call->in[1].layout, &b);
	fail(ST_SHAPE, "%s is %s, %s is %s: %s wants sizes that agree, or are 1, from the last dimension on",
	        call->in[0].name, text_string(&a), call->in[1].name, text_string(&b), call->kernel->name);
	text_release(&a);
	text_release(&b);
	return ST_SHAPE;
}

static enum dtype mixed(enum dtype a, enum dtype b)
{
	if (a == b || b == DT_I32)
		return a;
	return a == DT_I32 ? b : DT_F32;
}

static enum status binary_shape_as(struct kernel_call *call, enum dtype dtype)
{
	const struct layout *a = &call->in[0].layout, *b = &call->in[1].layout;
	int dims = a->dims > b->dims ? a->dims : b->dims;
	int64_t dim[DIMS_MAX];

	for (int i = 1; i <= dims; i++) {
		int64_t x = i <= a->dims ? a->dim[a->dims - i] : 1,
		        y = i <= b->dims ? b->dim[b->dims - i] : 1;
		if (x != y && x != 1 && y != 1)
			return cannot_broadcast(call);
		dim[dims - i] = x > y ? x : y;
	}
	return kernel_out(call, 0, dtype, dims, dim);
}

static enum status binary_shape(struct kernel_call *call)
{
	return binary_shape_as(
	        call, mixed((enum dtype)call->in[0].layout.dtype, (enum dtype)call->in[1].layout.dtype));
}

static enum status div_shape(struct kernel_call *call)
{
	enum dtype dtype = mixed((enum dtype)call->in[0].layout.dtype, (enum dtype)call->in[1].layout.dtype);
	return binary_shape_as(call, dtype == DT_I32 ? DT_F32 : dtype);
}

/* NAME_run computes `result` of a and b */
#define BINARY(name, result)                                                                         \
	static void name##_loop(int64_t count, double *const *in, double *out, const double *option) \
	{                                                                                            \
		(void)option;                                                                        \
		for (int64_t i = 0; i < count; i++) {                                                \
			double a = in[0][i], b = in[1][i];                                           \
			out[i] = result;                                                             \
		}                                                                                    \
	}                                                                                            \
	static enum status name##_compute(const struct kernel_call *call)                            \
	{                                                                                            \
		return kernel_elements(call, name##_loop);                                           \
	}                                                                                            \
	static enum status name##_run(const struct kernel_call *call)                                \
	{                                                                                            \
		return kernel_staged(call, name##_compute);                                          \
	}
BINARY(add, a + b)
BINARY(sub, a - b)
BINARY(mul, a *b)
BINARY(div, a / b)
BINARY(maximum, a > b || a != a ? a : b) /* a NaN on either side stays one */

const struct kernel kernel_add = {
        .name = "add",
        .usage = "y = add a b",
        .help = "a + b, element by element; rows and columns broadcast",
        .torch = "y = a + b",
        .cuda = "add<<<blocks, threads, 0, stream>>>",
        .example = "tensor a[4,8] b[8] = randn\ny = add a b",
        .ins_min = 2,
        .ins_max = 2,
        .outs = 1,
        .shape = binary_shape,
        .cost = kernel_cost_one,
        .run = add_run,
};
const struct kernel kernel_sub = {
        .name = "sub",
        .usage = "y = sub a b",
        .help = "a - b, element by element; rows and columns broadcast",
        .torch = "y = a - b",
        .cuda = "sub<<<blocks, threads, 0, stream>>>",
        .example = "tensor a[4,8] b[4,1] = randn\ny = sub a b",
        .ins_min = 2,
        .ins_max = 2,
        .outs = 1,
        .shape = binary_shape,
        .cost = kernel_cost_one,
        .run = sub_run,
};
const struct kernel kernel_mul = {
        .name = "mul",
        .usage = "y = mul a b",
        .help = "a times b, element by element (matmul is the matrix product)",
        .torch = "y = a * b",
        .cuda = "mul<<<blocks, threads, 0, stream>>>",
        .example = "tensor a[4,8] b[4,8] = randn\ny = mul a b",
        .ins_min = 2,
        .ins_max = 2,
        .outs = 1,
        .shape = binary_shape,
        .cost = kernel_cost_one,
        .run = mul_run,
};
const struct kernel kernel_div = {
        .name = "div",
        .usage = "y = div a b",
        .help = "a / b, element by element; rows and columns broadcast",
        .torch = "y = a / b",
        .cuda = "div<<<blocks, threads, 0, stream>>>",
        .example = "tensor a[4,8] = randn\ntensor b[4,1] = 2\ny = div a b",
        .ins_min = 2,
        .ins_max = 2,
        .outs = 1,
        .shape = div_shape,
        .cost = kernel_cost_one,
        .run = div_run,
};
const struct kernel kernel_maximum = {
        .name = "maximum",
        .usage = "y = maximum a b",
        .help = "the larger of a and b, element by element; rows and columns broadcast",
        .torch = "y = torch.maximum(a, b)",
        .cuda = "maximum<<<blocks, threads, 0, stream>>>",
        .example = "tensor a[4,8] b[1] = randn\ny = maximum a b",
        .ins_min = 2,
        .ins_max = 2,
        .outs = 1,
        .shape = binary_shape,
        .cost = kernel_cost_one,
        .run = maximum_run,
};
