/* matmul.c -- y = a b, 2-D, by the CBLAS and with its bits. Most operands are used in place, and
 * .T costs nothing (blas.c). */
#include "kernels/blas.h"
#include "kernels/common.h"

#include <limits.h>

/* Both operands have one type, as the BLAS and tensor cores require. */
static enum status matmul_shape(struct kernel_call *call)
{
	const struct kernel_tensor *a = &call->in[0], *b = &call->in[1];

	if (a->layout.dims != 2 || b->layout.dims != 2)
		return kernel_shape_failure(call, a, b, "two dimensions each, [m,k] x [k,n]");
	if (a->layout.dim[1] != b->layout.dim[0])
		return fail(ST_SHAPE, "%s is %s, %s is %s: matmul needs %s x [%lld,any]", b->name,
		        shape_text(&b->layout).text, a->name, shape_text(&a->layout).text,
		        shape_text(&a->layout).text, (long long)a->layout.dim[1]);
	if (a->layout.dtype != b->layout.dtype)
		return fail(ST_DTYPE, "%s is %s, %s is %s: matmul needs one type (`cast %s to=%s`)", a->name,
		        dtype_name(a->layout.dtype), b->name, dtype_name(b->layout.dtype), b->name,
		        dtype_name(a->layout.dtype));
	if (blas_ready() != ST_OK)
		return ST_FILE;
	int64_t dim[2] = {a->layout.dim[0], b->layout.dim[1]};
	if (dim[0] > INT_MAX || dim[1] > INT_MAX || a->layout.dim[1] > INT_MAX)
		return fail(ST_RANGE, "matmul: a dimension is above 2^31-1");
	return kernel_out(call, 0, (enum dtype)a->layout.dtype, 2, dim);
}

static void matmul_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	const int64_t *a = call->in[0].layout.dim, *b = call->in[1].layout.dim;
	(void)bytes;
	*flops = 2.0 * (double)a[0] * (double)b[1] * (double)a[1];
}

/* += is the BLAS's beta = 1: the old values are added in f32 and rounded once. */
static void matmul(const struct kernel_call *call)
{
	if (call->in[0].layout.dim[1] == 0) {
		struct lane out = lane_of(&call->out[0]);
		double zero = 0; /* an empty sum; += adds it */
		for (int64_t i = 0; i < layout_count(&call->out[0].layout); i++)
			kernel_put(call, &out, i, 1, &zero);
		return;
	}
	struct matrix a = matrix_in(&call->in[0], true), b = matrix_in(&call->in[1], true),
	              y = matrix_out(call, 0);
	const int64_t *m = call->in[0].layout.dim, *n = call->in[1].layout.dim;

	matrix_product(
	        (int)m[0], (int)n[1], (int)m[1], (float)call->option[0], a, b, call->add ? 1.0f : 0.0f, y);
	matrix_free(&y, &call->out[0]);
	matrix_free(&a, NULL);
	matrix_free(&b, NULL);
}

const struct kernel kernels_matmul[] = {
        {
                KERNEL_ROW("matmul", "cublasSgemm", 2, 1),
                .usage = "y = matmul a b [scale=1]",
                .help = "the matrix product of a [m,k] and b [k,n]; .T transposes",
                .torch = "y = a @ b",
                .example = "tensor x[4,8] w[4,8] = randn\ny = matmul x w.T",
                .option = {{"scale", 1, "factor on the product", KO_NUMBER, 0}},
                .arguments = ARGUMENTS_FLOAT,
                .shape = matmul_shape,
                .cost = matmul_cost,
                .model = 1,
                .run = matmul,
        },
        {0},
};
