/* gemm.c -- matmul as a cuBLAS call, or as matmul_any (matmul.cu) for other operands
 *
 * cuBLAS is column-major: the memory of our y is y.T for it. So it computes y.T = b.T a.T, without
 * copies of operands:
 *
 *      strides        such as         for cuBLAS
 *      (ld, 1)        x, x[2:4]       x.T, as y.T = b.T a.T needs it
 *      (1, ld)        x.T             x: to be transposed
 *      (a, b)         x[:, 0:8:2]     not supported
 *
 * If y has strides (1, ld), y.T has (ld, 1), and y.T = b.T a.T is a matmul, too. */
#include "cuda/kernels/gemm.h"
#include "base/arithmetic.h"
#include "cuda/kernels/launch.h"

#include <limits.h>

const char launch_gemm[] = "cublasGemmEx";

/* Returns the elements between lines if the elements of a line (dimension `along`) are
 * contiguous, else 0. */
static int leading_along(const struct layout *layout, int lines, int along)
{
	int64_t wanted = layout->dim[along], ld = layout->dim[lines] == 1 ? wanted : layout->stride[lines];
	bool neighbours = layout->dim[along] == 1 || layout->stride[along] == 1;
	return neighbours && ld >= wanted && ld <= INT_MAX ? (int)ld : 0;
}

/* Returns an operand's ld, 0 if none. *transpose: cuBLAS has to transpose it */
static int leading_of(const struct layout *layout, bool *transpose)
{
	int rows = leading_along(layout, 0, 1);
	*transpose = rows == 0;
	return rows ? rows : leading_along(layout, 1, 0);
}

bool gemm_of(const struct kernel_call *call, struct gemm *gemm)
{
	struct layout a = call->in[0].layout, b = call->in[1].layout, y = call->out[0].layout;
	const void *first = call->in[1].data, *second = call->in[0].data;
	if (!leading_along(&y, 0, 1) && leading_along(&y, 1, 0)) {
		struct layout turned = kernel_turned(b);
		b = kernel_turned(a);
		a = turned;
		y = kernel_turned(y);
		first = call->in[0].data;
		second = call->in[1].data;
	}
	*gemm = (struct gemm){.m = (int)y.dim[1],
	        .n = (int)y.dim[0],
	        .k = (int)a.dim[1],
	        .alpha = (float)call->option[0],
	        .beta = call->add ? 1 : 0,
	        .a = first,
	        .b = second,
	        .c = call->out[0].data,
	        .in = (enum dtype)a.dtype,
	        .out = (enum dtype)y.dtype};
	gemm->lda = leading_of(&b, &gemm->transpose_a);
	gemm->ldb = leading_of(&a, &gemm->transpose_b);
	gemm->ldc = leading_along(&y, 0, 1);
	bool widens = gemm->out == DT_F32 && (gemm->in == DT_F16 || gemm->in == DT_BF16);
	return gemm->k > 0 && gemm->lda && gemm->ldb && gemm->ldc && (gemm->in == gemm->out || widens);
}

cublasStatus_t gemm_prepare(const struct cuda_library *cuda, cublasHandle_t handle)
{
	cublasStatus_t status = cuda->cublasSetMathMode(
	        handle, CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = cuda->cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED);
	return status;
}

/* COMPUTE_32F does not use TF32; only COMPUTE_32F_FAST_TF32 would. */
cublasStatus_t gemm_queue(const struct cuda_library *cuda, cublasHandle_t handle, const struct gemm *gemm)
{
	static const cudaDataType types[DT_COUNT] = {
	        [DT_F32] = CUDA_R_32F, [DT_F16] = CUDA_R_16F, [DT_BF16] = CUDA_R_16BF, [DT_I32] = CUDA_R_32I};
	return cuda->cublasGemmEx(handle, gemm->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
	        gemm->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, gemm->m, gemm->n, gemm->k, &gemm->alpha,
	        gemm->a, types[gemm->in], gemm->lda, gemm->b, types[gemm->in], gemm->ldb, &gemm->beta,
	        gemm->c, types[gemm->out], gemm->ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

struct device_matrix device_matrix_of(const struct kernel_tensor *tensor)
{
	const struct layout *layout = &tensor->layout;
	return (struct device_matrix){tensor->data, layout->stride[0], layout->stride[1], layout->dtype};
}

void plan_matmul(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct gemm gemm;
	if (gemm_of(call, &gemm)) {
		launch_add(plan, launch_gemm, 1, 1, 1, &gemm, sizeof gemm);
		return;
	}
	struct product product = {.a = device_matrix_of(&call->in[0]),
	        .b = device_matrix_of(&call->in[1]),
	        .y = device_matrix_of(&call->out[0]),
	        .m = call->out[0].layout.dim[0],
	        .n = call->out[0].layout.dim[1],
	        .k = (int)call->in[0].layout.dim[1],
	        .add = call->add,
	        .scale = (float)call->option[0]};
	launch_add(plan, function, parts_of(product.m, TILE) * parts_of(product.n, TILE), TILE_THREADS, 1,
	        &product, sizeof product);
}
