/* cublas.c -- the functions of cuBLAS, queued on the stand-in's streams */
#include "cuda/library/library.h"
#include "kernels/blas.h"
#include "standin/cublas/gemm.h"
#include "standin/standin.h"

#include <stdlib.h>

#define X(name, symbol, needed, result, parameters) result symbol parameters;
CUBLAS_FUNCTIONS(X)
#undef X

struct cublasContext {
	CUstream stream;
};

#define TRY_CALL(name)                                         \
	do {                                                   \
		if (standin_fails(#name))                      \
			return CUBLAS_STATUS_EXECUTION_FAILED; \
	} while (0)

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	TRY_CALL(cublasCreate);
	*handle = blas_open() ? NULL : calloc(1, sizeof **handle);
	return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	TRY_CALL(cublasDestroy);
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

/* X(status, what it means) */
#define CUBLAS_STATUSES(X)                                                                             \
	X(CUBLAS_STATUS_SUCCESS, "success")                                                            \
	X(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")                            \
	X(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed")                                \
	X(CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function") \
	X(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU")                  \
	X(CUBLAS_STATUS_NOT_SUPPORTED, "the requested functionality is not supported")

const char *cublasGetStatusName(cublasStatus_t status)
{
#define X(symbol, words)      \
	if (status == symbol) \
		return #symbol;
	CUBLAS_STATUSES(X)
#undef X
	return "unknown cuBLAS status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
#define X(symbol, words)      \
	if (status == symbol) \
		return words;
	CUBLAS_STATUSES(X)
#undef X
	return "unknown cuBLAS status";
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream)
{
	TRY_CALL(cublasSetStream);
	handle->stream = stream;
	return CUBLAS_STATUS_SUCCESS;
}

/* Nothing here needs room of the user's. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
	(void)handle;
	TRY_CALL(cublasSetWorkspace);
	return workspace || bytes == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* Sums are in f32 whatever the mode, in the same order. */
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
	(void)handle, (void)mode;
	TRY_CALL(cublasSetMathMode);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode)
{
	(void)handle, (void)mode;
	TRY_CALL(cublasSetAtomicsMode);
	return CUBLAS_STATUS_SUCCESS;
}

/* ---- products ---- */

static bool type_of(cudaDataType given, enum dtype *type)
{
	*type = given == CUDA_R_16F ? DT_F16 : given == CUDA_R_16BF ? DT_BF16 : DT_F32;
	return given == CUDA_R_16F || given == CUDA_R_16BF || given == CUDA_R_32F;
}

/* Does op(x), rows x columns, lie in lines of ld? */
static bool fits(const struct operand *x, int rows, int columns)
{
	int length = x->transposed ? columns : rows;
	return x->ld >= 1 && x->ld >= length;
}

static CUresult run(void *argument, struct standin_turn *turn)
{
	(void)turn;
	return gemm_run(argument) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* As long as the operations take, or, where a rate of memory is planted, the factors and the product to be read and written */
static int64_t cost_of(const struct gemm *gemm)
{
	double m = gemm->m, n = gemm->n, k = gemm->k,
	       bytes = m * k * dtype_bytes(gemm->a.type) + k * n * dtype_bytes(gemm->b.type) +
	        m * n * dtype_bytes(gemm->c_type);
	int64_t operations =
	        standin_cost(gemm->a.type == DT_F32 ? COST_PRODUCT : COST_HALF_PRODUCT, 2 * m * n * k);
	int64_t memory = standin_has_rate(COST_ELEMENTS) ? standin_cost(COST_ELEMENTS, bytes) : 0;
	return operations > memory ? operations : memory;
}

static cublasStatus_t queue(cublasHandle_t handle, const struct gemm *gemm)
{
	struct standin_call call = {
	        .work = run, .argument = gemm, .argument_bytes = sizeof *gemm, .cost_ns = cost_of(gemm)};
	return standin_enqueue(handle->stream, &call) == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS
	                                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

static bool in_range(const struct gemm *gemm)
{
	return gemm->m >= 0 && gemm->n >= 0 && gemm->k >= 0 && gemm->ldc >= 1 && gemm->ldc >= gemm->m &&
	        fits(&gemm->a, gemm->m, gemm->k) && fits(&gemm->b, gemm->k, gemm->n);
}

/* a and b of one type; c of theirs, or f32 */
static cublasStatus_t check(struct gemm *gemm, cudaDataType a_type, cudaDataType b_type, cudaDataType c_type,
        cublasComputeType_t compute)
{
	bool known = type_of(a_type, &gemm->a.type) && type_of(b_type, &gemm->b.type) &&
	        type_of(c_type, &gemm->c_type);
	if (!in_range(gemm))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!known || a_type != b_type || (c_type != a_type && c_type != CUDA_R_32F) ||
	        (compute != CUBLAS_COMPUTE_32F && compute != CUBLAS_COMPUTE_32F_PEDANTIC))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_as, cublasOperation_t b_as, int m,
        int n, int k, const void *alpha, const void *a, cudaDataType a_type, int a_pitch, const void *b,
        cudaDataType b_type, int b_pitch, const void *beta, void *c, cudaDataType c_type, int c_pitch,
        cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
	struct gemm gemm = {.m = m,
	        .n = n,
	        .k = k,
	        .alpha = *(const float *)alpha,
	        .beta = *(const float *)beta,
	        .c = c,
	        .ldc = c_pitch};
	(void)algorithm;
	TRY_CALL(cublasGemmEx);
	gemm.a = (struct operand){.data = a, .transposed = a_as == CUBLAS_OP_T, .ld = a_pitch};
	gemm.b = (struct operand){.data = b, .transposed = b_as == CUBLAS_OP_T, .ld = b_pitch};
	cublasStatus_t status = check(&gemm, a_type, b_type, c_type, compute);
	return status == CUBLAS_STATUS_SUCCESS ? queue(handle, &gemm) : status;
}
