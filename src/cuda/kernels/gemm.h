/* gemm.h -- matmul as one call of cublasGemmEx */
#ifndef RANKSH_CUDA_GEMM_H
#define RANKSH_CUDA_GEMM_H

#include "cuda/library/library.h"
#include "kernels/kernel.h"

/* Column-major, as cuBLAS: c [m,n] := alpha op(a) op(b) + beta c, with op(a) [m,k] and op(b)
 * [k,n]; ld: elements between columns */
struct gemm {
	bool transpose_a, transpose_b;
	int m, n, k, lda, ldb, ldc;
	float alpha, beta;
	const void *a, *b;
	void *c;
	enum dtype in, out; /* of a and b; of c. Sums are f32. */
};

/* The function of a launch that is a cuBLAS call; its argument is a struct gemm. Compared by
 * address. */
extern const char launch_gemm[];

/* Converts a matmul. Returns false if cuBLAS cannot compute it; matmul_any (matmul.cu) can. */
bool gemm_of(const struct kernel_call *call, struct gemm *gemm);
/* Configures a handle: no TF32, sums of halves in f32, no atomics. */
cublasStatus_t gemm_prepare(const struct cuda_library *cuda, cublasHandle_t handle);
/* Queues the call on the handle's stream. */
cublasStatus_t gemm_queue(const struct cuda_library *cuda, cublasHandle_t handle, const struct gemm *gemm);

#endif
