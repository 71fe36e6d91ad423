/* binary.c -- add sub mul div maximum fmax fmin: two tensors, element by element, broadcast as in
 * NumPy.
 *
 * Shapes are aligned at the right; a size of 1, or a missing dimension, is repeated:
 *
 *      a    [4,8]      [4,8]      [4,1]
 *      b      [8]      [4,1]      [1,8]
 *      y    [4,8]      [4,8]      [4,8]
 *
 * Types mix as in PyTorch: f32 with anything gives f32, i32 with a float that float, f16 with bf16
 * gives f32; div on two i32 gives f32. i32 wraps. */
#include "kernels/common.h"

static enum dtype mixed(enum dtype a, enum dtype b)
{
	if (a == b || b == DT_I32)
		return a;
	return a == DT_I32 ? b : DT_F32;
}

/* of_whole: the result's type for two i32. i counts from 1 at the right. */
static enum status binary_shape_as(struct kernel_call *call, enum dtype of_whole)
{
	const struct layout *a = &call->in[0].layout, *b = &call->in[1].layout;
	int dims = a->dims > b->dims ? a->dims : b->dims;
	int64_t dim[DIMS_MAX];

	for (int i = 1; i <= dims; i++) {
		int64_t x = i <= a->dims ? a->dim[a->dims - i] : 1,
		        y = i <= b->dims ? b->dim[b->dims - i] : 1;
		if (x != y && x != 1 && y != 1)
			return kernel_shape_failure(call, &call->in[0], &call->in[1],
			        "sizes that agree, or are 1, from the last dimension on");
		dim[dims - i] = x == 1 ? y : x; /* 0 and 1 give 0 */
	}
	enum dtype dtype = mixed((enum dtype)a->dtype, (enum dtype)b->dtype);
	return kernel_out(call, 0, dtype == DT_I32 ? of_whole : dtype, dims, dim);
}

static enum status binary_shape(struct kernel_call *call)
{
	return binary_shape_as(call, DT_I32);
}

static enum status div_shape(struct kernel_call *call)
{
	return binary_shape_as(call, DT_F32);
}

/* NAME is the loop for floats; NAME_whole computes two i32s in 64 bits and wraps, as GPUs do. A
 * product has up to 62 bits, too many for a double. */
#define BINARY(name, result)                               \
	LOOP(name)                                         \
	{                                                  \
		for (int64_t i = 0; i < count; i++) {      \
			double a = in[0][i], b = in[1][i]; \
			out[i] = result;                   \
		}                                          \
	}
#define BINARY_WHOLE(name, result)                                            \
	static void name##_whole LOOP_PARAMETERS                              \
	{                                                                     \
		for (int64_t i = 0; i < count; i++) {                         \
			int64_t a = (int64_t)in[0][i], b = (int64_t)in[1][i]; \
			out[i] = wrapped(result);                             \
		}                                                             \
	}
BINARY(add, a + b)
BINARY_WHOLE(add, a + b)
BINARY(sub, a - b)
BINARY_WHOLE(sub, a - b)
BINARY(mul, a *b)
BINARY_WHOLE(mul, a *b)
BINARY(divide, a / b)
BINARY(maximum, a > b || a != a ? a : b) /* a NaN on either side stays NaN */
BINARY(larger, a > b || b != b ? a : b)  /* a number wins over a NaN, as in C's fmax */
BINARY(smaller, a < b || b != b ? a : b)

#define BINARY_ROW(row, shape_rule)                                         \
	.usage = "y = " row " a b", .shape = (shape_rule), .operations = 1, \
	KERNEL_LAUNCHED(row, "blocks", 2, 1)

const struct kernel kernels_binary[] = {
        {
                BINARY_ROW("add", binary_shape),
                .help = "a + b, element by element; rows and columns broadcast",
                .torch = "y = a + b",
                .example = "tensor a[4,8] b[8] = randn\ny = add a b",
                .elements = add,
                .whole = add_whole,
        },
        {
                BINARY_ROW("sub", binary_shape),
                .help = "a - b, element by element; rows and columns broadcast",
                .torch = "y = a - b",
                .example = "tensor a[4,8] b[4,1] = randn\ny = sub a b",
                .elements = sub,
                .whole = sub_whole,
        },
        {
                BINARY_ROW("mul", binary_shape),
                .help = "a times b, element by element (matmul is the matrix product)",
                .torch = "y = a * b",
                .example = "tensor a[4,8] b[4,8] = randn\ny = mul a b",
                .elements = mul,
                .whole = mul_whole,
        },
        {
                BINARY_ROW("div", div_shape),
                .help = "a / b, element by element; rows and columns broadcast",
                .torch = "y = a / b",
                .example = "tensor a[4,8] = randn\ntensor b[4,1] = 2\ny = div a b",
                .elements = divide,
        },
        {
                BINARY_ROW("maximum", binary_shape),
                .help = "max(a, b), element by element; rows and columns broadcast",
                .torch = "y = torch.maximum(a, b)",
                .example = "tensor a[4,8] b[1] = randn\ny = maximum a b",
                .elements = maximum,
        },
        {
                BINARY_ROW("fmax", binary_shape),
                .help = "max(a, b), element by element; a number wins over a NaN, as in allreduce op=max",
                .torch = "y = torch.fmax(a, b)",
                .example = "tensor a[4,8] b[1] = randn\ny = fmax a b",
                .elements = larger,
        },
        {
                BINARY_ROW("fmin", binary_shape),
                .help = "min(a, b), element by element; a number wins over a NaN, as in allreduce op=min",
                .torch = "y = torch.fmin(a, b)",
                .example = "tensor a[4,8] b[1] = randn\ny = fmin a b",
                .elements = smaller,
        },
        {0},
};
