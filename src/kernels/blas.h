/* blas.h -- operands in the BLAS's form: f32, contiguous rows or columns */
#ifndef RANKSH_BLAS_H
#define RANKSH_BLAS_H

#include "kernels/kernel.h"
#include <cblas.h>

struct matrix {
	float *data; /* the operand's memory, or own */
	float *own;  /* a copy, until matrix_free */
	int ld;      /* elements from one row (column if transposed) to the next */
	CBLAS_TRANSPOSE trans;
};

/* Returns an operand for reading. transposes: contiguous columns are accepted as well as rows. */
struct matrix matrix_in(const struct kernel_tensor *tensor, bool transposes);
/* Returns the result's own memory if the BLAS can write there and no input overlaps it, else a
 * copy. With += the copy starts with the old values. */
struct matrix matrix_out(const struct kernel_call *call, int out);
/* Opens OpenBLAS once, limited to one thread, because ranks share the cores. Any thread may call
 * it. Returns NULL, or the reason if OpenBLAS cannot be opened. */
const char *blas_open(void);
/* The same. Fails with ST_FILE. */
enum status blas_ready(void);
/* Computes y := scale a b + beta y, with y [m,n] and the sum over k. Requires blas_open. */
void matrix_product(
        int m, int n, int k, float scale, struct matrix a, struct matrix b, float beta, struct matrix y);
/* Frees the copy, if any, after writing it to the tensor (NULL: an input). */
void matrix_free(struct matrix *matrix, const struct kernel_tensor *tensor);

#endif
