/* blas.c -- an operand [rows,columns] in the BLAS's form, by its strides (in elements):
 *
 *      strides        such as         passed as
 *      (ld, 1)        x, x[2:4]       contiguous rows, ld apart
 *      (1, ld)        x.T             transposed: contiguous columns, ld apart
 *      (a, b)         x[:, 0:8:2]     a copy with strides (columns, 1)
 *
 * Types other than f32 are copied too; their results accumulate in f32 and round once. */
#include "kernels/blas.h"
#include "base/memory.h"
#include "kernels/common.h"

#include <limits.h>

enum status blas_ready(void)
{
	const char *why = blas_open();
	return !why ? ST_OK
	            : fail(ST_FILE,
	                      "cannot open OpenBLAS, which multiplies matrices: %s; install it "
	                      "(Debian: `apt install libopenblas0`)",
	                      why);
}

/* Returns the leading dimension for strides (row, col) if the BLAS accepts it, else 0. */
static int leading(const struct layout *layout, int row, int col)
{
	int64_t wanted = layout->dim[col], ld = layout->dim[row] == 1 ? wanted : layout->stride[row];
	bool lines = layout->dim[col] == 1 || layout->stride[col] == 1;
	return layout->dtype == DT_F32 && lines && ld >= wanted && ld <= INT_MAX ? (int)ld : 0;
}

/* filled: with the tensor's elements */
static struct matrix copy_of(const struct kernel_tensor *tensor, bool filled)
{
	const struct layout *layout = &tensor->layout;
	int64_t count = layout_count(layout);
	float *own = mem_alloc((size_t)count * sizeof *own);
	if (filled) {
		void *packed = mem_alloc((size_t)layout_bytes(layout));
		layout_pack(layout, tensor->data, packed);
		dtype_to_f32((enum dtype)layout->dtype, packed, own, count);
		mem_free(packed);
	}
	return (struct matrix){own, own, (int)layout->dim[1], CblasNoTrans};
}

struct matrix matrix_in(const struct kernel_tensor *tensor, bool transposes)
{
	int rows = leading(&tensor->layout, 0, 1), columns = leading(&tensor->layout, 1, 0);
	if (rows)
		return (struct matrix){tensor->data, NULL, rows, CblasNoTrans};
	if (columns && transposes)
		return (struct matrix){tensor->data, NULL, columns, CblasTrans};
	return copy_of(tensor, true);
}

struct matrix matrix_out(const struct kernel_call *call, int out)
{
	const struct kernel_tensor *tensor = &call->out[out];
	int rows = leading(&tensor->layout, 0, 1);
	for (int i = 0; i < call->ins; i++)
		if (kernel_overlap(tensor, &call->in[i]))
			rows = 0;
	return rows ? (struct matrix){tensor->data, NULL, rows, CblasNoTrans} : copy_of(tensor, call->add);
}

void matrix_free(struct matrix *matrix, const struct kernel_tensor *tensor)
{
	if (matrix->own && tensor) {
		void *packed = mem_alloc((size_t)layout_bytes(&tensor->layout));
		dtype_from_f32(
		        (enum dtype)tensor->layout.dtype, matrix->own, packed, layout_count(&tensor->layout));
		layout_unpack(&tensor->layout, packed, tensor->data);
		mem_free(packed);
	}
	mem_free(matrix->own);
}
