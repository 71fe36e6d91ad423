/* gemm.h -- the product of matrices as cuBLAS is told it: column-major, each type, f32 inside */
#ifndef RANKSH_STANDIN_GEMM_H
#define RANKSH_STANDIN_GEMM_H

#include "base/dtype.h"
#include <stdbool.h>
#include <stdint.h>

struct operand {
	const void *data;
	enum dtype type; /* f32, f16 or bf16 */
	bool transposed;
	int ld;
};

/* c (m x n) := alpha op(a) (m x k) op(b) (k x n) + beta c. What lies in c is not read where beta is 0. */
struct gemm {
	int m, n, k;
	float alpha, beta;
	struct operand a, b;
	void *c;
	enum dtype c_type;
	int ldc;
};

/* Sums are in f32 and rounded once. False: no memory. */
bool gemm_run(const struct gemm *gemm);

#endif
