/* matmul.c -- y = a b, 2-D, by the CBLAS.
 *
 * The BLAS takes f32 with rows or columns in one line: so are most operands, and .T costs nothing. Others
 * (f16, bf16, both strides above 1) are copied to f32 first; a result of theirs is accumulated in f32 and
 * rounded once, as tensor cores do. */
#include "kernels/common.h"
#include "base/memory.h"

#include <cblas.h>
#include <limits.h>

void openblas_set_num_threads(int threads); /* OpenBLAS's own; not in every cblas.h */

void kernels_start(void)
{
	openblas_set_num_threads(1);
}

/* ---- shape and cost ---- */

static enum status wrong_shapes(const struct kernel_tensor *a, const struct kernel_tensor *b)
{
	struct text x = {0}, y = {0};
	layout_text(&a->layout, &x);
	layout_text(&b->layout, &y);
	if (a->layout.dims != 2 || b->layout.dims != 2)
		fail(ST_SHAPE, "%s is %s, %s is %s: matmul wants two dimensions each, [m,k] x [k,n]", a->name,
		        text_string(&x), b->name, text_string(&y));
	else
		fail(ST_SHAPE, "%s is %s, %s is %s: matmul wants %s x [%lld,any]", b->name, text_string(&y),
		        a->name, text_string(&x), text_string(&x), (long long)a->layout.dim[1]);
	text_release(&x);
	text_release(&y);
	return ST_SHAPE;
}

static enum status matmul_shape(struct kernel_call *call)
{
	const struct kernel_tensor *a = &call->in[0], *b = &call->in[1];
	enum status status = kernel_wants_floats(call);

	if (status)
		return status;
	if (a->layout.dims != 2 || b->layout.dims != 2 || a->layout.dim[1] != b->layout.dim[0])
		return wrong_shapes(a, b);
	if (a->layout.dtype != b->layout.dtype)
		return fail(ST_DTYPE, "%s is %s, %s is %s: matmul wants one type (`cast %s to=%s`)", a->name,
		        dtype_name(a->layout.dtype), b->name, dtype_name(b->layout.dtype), b->name,
		        dtype_name(a->layout.dtype));
	int64_t dim[2] = {a->layout.dim[0], b->layout.dim[1]};
	if (dim[0] > INT_MAX || dim[1] > INT_MAX || a->layout.dim[1] > INT_MAX)
		return fail(ST_RANGE, "matmul: a dimension is above 2^31-1");
	return kernel_out(call, 0, (enum dtype)a->layout.dtype, 2, dim);
}

static void matmul_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	const int64_t *a = call->in[0].layout.dim, *b = call->in[1].layout.dim;
	kernel_cost_move(call, flops, bytes);
	*flops = 2.0 * (double)a[0] * (double)b[1] * (double)a[1];
}

/* ---- computing ---- */

struct matrix {
	float *data;
	float *own;
	int ld;
	CBLAS_TRANSPOSE trans;
};

/* The distance of rows (row, col) strides apart if the BLAS can take it, else 0 */
static int leading(const struct layout *layout, int row, int col)
{
	int64_t wanted = layout->dim[col], ld = layout->dim[row] == 1 ? wanted : layout->stride[row];
	bool lines = layout->dim[col] == 1 || layout->stride[col] == 1;
	return layout->dtype == DT_F32 && lines && ld >= wanted && ld <= INT_MAX ? (int)ld : 0;
}

static enum status make_own(struct matrix *matrix, const struct kernel_tensor *tensor)
{
	matrix->data = matrix->own = mem_alloc((size_t)layout_count(&tensor->layout) * sizeof(float));
	matrix->ld = (int)tensor->layout.dim[1];
	return matrix->own ? ST_OK : ST_MEMORY;
}

static enum status copy_in(struct matrix *matrix, const struct kernel_tensor *tensor)
{
	if (make_own(matrix, tensor))
		return ST_MEMORY;
	kernel_floats(tensor, matrix->own);
	return ST_OK;
}

static enum status matrix_in(struct matrix *matrix, const struct kernel_tensor *tensor)
{
	*matrix = (struct matrix){
	        .data = tensor->data, .ld = leading(&tensor->layout, 0, 1), .trans = CblasNoTrans};
	if (matrix->ld)
		return ST_OK;
	matrix->ld = leading(&tensor->layout, 1, 0);
	matrix->trans = CblasTrans;
	if (matrix->ld)
		return ST_OK;
	matrix->trans = CblasNoTrans;
	return copy_in(matrix, tensor);
}

/* The result's own memory when the BLAS can write there and no input lies in it; else a copy, which
 * matrix_back returns */
static enum status matrix_out(struct matrix *matrix, const struct kernel_call *call)
{
	const struct kernel_tensor *out = &call->out[0];
	*matrix = (struct matrix){.data = out->data, .ld = leading(&out->layout, 0, 1)};
	if (matrix->ld && !kernel_overlap(out, &call->in[0]) && !kernel_overlap(out, &call->in[1]))
		return ST_OK;
	return call->add ? copy_in(matrix, out) : make_own(matrix, out);
}

static enum status matmul_run(const struct kernel_call *call)
{
	struct matrix a = {0}, b = {0}, y = {0};
	const int64_t *m = call->in[0].layout.dim, *n = call->in[1].layout.dim;
	enum status status = matrix_in(&a, &call->in[0]);

	if (!status)
		status = matrix_in(&b, &call->in[1]);
	if (!status)
		status = matrix_out(&y, call);
	if (!status)
		cblas_sgemm(CblasRowMajor, a.trans, b.trans, (int)m[0], (int)n[1], (int)m[1],
		        (float)call->option[0], a.data, a.ld, b.data, b.ld, call->add ? 1.0f : 0.0f, y.data,
		        y.ld);
	if (!status && y.own)
		kernel_from_floats(&call->out[0], y.own);
	mem_free(a.own);
	mem_free(b.own);
	mem_free(y.own);
	return status;
}

const struct kernel kernel_matmul = {
        .name = "matmul",
        .usage = "y = matmul a b [scale=1]",
        .help = "the matrix product of a [m,k] and b [k,n]; .T transposes",
        .torch = "y = a @ b",
        .cuda = "cublasSgemm",
        .example = "tensor x[4,8] w[4,8] = randn\ny = matmul x w.T",
        .ins_min = 2,
        .ins_max = 2,
        .outs = 1,
        .option = {{"scale", 1, "the product is multiplied by this", KO_NUMBER}},
        .shape = matmul_shape,
        .cost = matmul_cost,
        .run = matmul_run,
};
