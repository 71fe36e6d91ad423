/* blas.h -- operands as the BLAS takes them: f32, rows or columns in one line */
#ifndef RANKSH_BLAS_H
#define RANKSH_BLAS_H

#include "kernels/kernel.h"
#include <cblas.h>

struct matrix {
	float *data; /* the operand's, or */
	float *own;  /* a copy, until matrix_free */
	int ld;      /* elements from line to line */
	CBLAS_TRANSPOSE trans;
};

/* transposes: its columns may be in one line in place of its rows */
struct matrix matrix_in(const struct kernel_tensor *tensor, bool transposes);
/* The result's own memory when the BLAS can write there and no input lies in it; else a copy. += : with what
 * is there */
struct matrix matrix_out(const struct kernel_call *call, int out);
/* y := scale a b + beta y, with y [m,n] and a b summed over k */
void matrix_product(
        int m, int n, int k, float scale, struct matrix a, struct matrix b, float beta, struct matrix y);
/* A copy goes into the tensor, when one is given. */
void matrix_free(struct matrix *matrix, const struct kernel_tensor *tensor);

#endif
