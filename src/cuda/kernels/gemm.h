/* gemm.h -- matmul as one call of cublasGemmEx */
#ifndef RANKSH_CUDA_GEMM_H
#define RANKSH_CUDA_GEMM_H

#include "cuda/library/library.h"
#include "kernels/kernel.h"

/* As cuBLAS counts, column by column: c [m,n] := alpha op(a) op(b) + beta c, with op(a) [m,k] and op(b)
 * [k,n]; ld: elements from one column to the next */
struct gemm {
	bool transpose_a, transpose_b;
	int m, n, k, lda, ldb, ldc;
	float alpha, beta;
	const void *a, *b;
	void *c;
	enum dtype in, out; /* of a and b; of c. Sums are f32. */
};

/* The function of a launch that is a call of cuBLAS: its argument is a struct gemm. Compared by address */
extern const char launch_gemm[];

/* What call, a matmul, is as a gemm. false: cuBLAS does not take it, but matmul_any does (matmul.cu). */
bool gemm_of(const struct kernel_call *call, struct gemm *gemm);
/* Once a handle: f32 is f32, halves add in f32, and nothing is added by atomics */
cublasStatus_t gemm_prepare(const struct cuda_library *cuda, cublasHandle_t handle);
/* Queues it on the handle's stream */
cublasStatus_t gemm_queue(const struct cuda_library *cuda, cublasHandle_t handle, const struct gemm *gemm);

#endif
