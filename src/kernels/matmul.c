/* matmul.c -- y = a b, 2-D, by the CBLAS.
 *
 * The BLAS takes f32 with rows or columns in one line: so are most operands, and .T costs nothing. Others
 * (f16, bf16, both strides above 1) are copied to f32 first; a result of theirs is accumulated in f32 and
 * rounded once, as tensor cores do.
 *
 * How an operand [rows,columns] is told to the BLAS, by its strides (in elements):
 *
 *      strides        such as         told as
 *      (ld, 1)        x, x[2:4]       rows in one line, ld apart
 *      (1, ld)        x.T             transposed: its columns are in one line, ld apart
 *      (a, b)         x[:, 0:8:2]     copied to (columns, 1)
 *
 * The bits are the BLAS's: they depend on its version and on the processor, not on the ranks of a job, which
 * share both. */
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
	struct shape_text x = shape_text(&a->layout), y = shape_text(&b->layout);
	if (a->layout.dims != 2 || b->layout.dims != 2)
		return fail(ST_SHAPE, "%s is %s, %s is %s: matmul wants two dimensions each, [m,k] x [k,n]",
		        a->name, x.text, b->name, y.text);
	return fail(ST_SHAPE, "%s is %s, %s is %s: matmul wants %s x [%lld,any]", b->name, y.text, a->name,
	        x.text, x.text, (long long)a->layout.dim[1]);
}

static enum status matmul_shape(struct kernel_call *call)
{
	const struct kernel_tensor *a = &call->in[0], *b = &call->in[1];
	enum status status = kernel_wants_floats(call);

	if (status != ST_OK)
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

/* As the BLAS takes it. own: memory to be freed, or NULL. ld: elements from row to row. */
struct matrix {
	float *data, *own;
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

/* Memory of its own, which the caller frees, filled with the tensor's elements if they are wanted */
static struct matrix copy_of(const struct kernel_tensor *tensor, bool filled)
{
	float *own = mem_alloc((size_t)layout_count(&tensor->layout) * sizeof *own);
	if (filled)
		kernel_floats(tensor, own);
	return (struct matrix){own, own, (int)tensor->layout.dim[1], CblasNoTrans};
}

static struct matrix matrix_in(const struct kernel_tensor *tensor)
{
	int rows = leading(&tensor->layout, 0, 1), columns = leading(&tensor->layout, 1, 0);
	if (rows)
		return (struct matrix){tensor->data, NULL, rows, CblasNoTrans};
	if (columns)
		return (struct matrix){tensor->data, NULL, columns, CblasTrans};
	return copy_of(tensor, true);
}

/* The result's own memory when the BLAS can write there and no input lies in it; else a copy, to be put
 * back */
static struct matrix matrix_out(const struct kernel_call *call)
{
	const struct kernel_tensor *out = &call->out[0];
	int ld = leading(&out->layout, 0, 1);
	if (ld && !kernel_overlap(out, &call->in[0]) && !kernel_overlap(out, &call->in[1]))
		return (struct matrix){out->data, NULL, ld, CblasNoTrans};
	return copy_of(out, call->add);
}

static void matmul(const struct kernel_call *call)
{
	struct matrix a = matrix_in(&call->in[0]), b = matrix_in(&call->in[1]), y = matrix_out(call);
	const int64_t *m = call->in[0].layout.dim, *n = call->in[1].layout.dim;

	cblas_sgemm(CblasRowMajor, a.trans, b.trans, (int)m[0], (int)n[1], (int)m[1], (float)call->option[0],
	        a.data, a.ld, b.data, b.ld, call->add ? 1.0f : 0.0f, y.data, y.ld);
	if (y.own)
		kernel_from_floats(&call->out[0], y.own);
	mem_free(a.own);
	mem_free(b.own);
	mem_free(y.own);
}

const struct kernel kernel_matmul = {
        .name = "matmul",
        .usage = "y = matmul a b [scale=1]",
        .help = "the matrix product of a [m,k] and b [k,n]; .T transposes",
        .torch = "y = a @ b",
        .cuda = "cublasSgemm",
        .example = "tensor x[4,8] w[4,8] = randn\ny = matmul x w.T",
        KERNEL_TAKES(2, 1),
        .option = {{"scale", 1, "the product is multiplied by this", KO_NUMBER}},
        .shape = matmul_shape,
        .cost = matmul_cost,
        .run = matmul,
};
