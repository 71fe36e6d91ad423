/* test_standin_cublas.c -- the stand-in's cuBLAS against sums by hand, in double precision */
#include "base/dtype.h"
#include "kernels/blas.h"
#include "standin_ranks.h"

#include <math.h>

struct shape {
	enum dtype type, c_type;
	bool a_as_t, b_as_t;
	float beta;
	int m, n, k;
};

static cudaDataType named(enum dtype type)
{
	return type == DT_F16 ? CUDA_R_16F : type == DT_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

/* Element i of matrix `which`, which every type holds: 1/16 of a small number */
static float element(int which, int64_t i)
{
	return (float)((i * 37 + which * 101) % 65 - 32) / 16;
}

enum { PAD = 3, MATRIX = 60 * 60 }; /* columns are PAD longer than they must be; elements of room */

/* op(x)[row,column] of matrix x with columns of ld */
static double at(int which, bool as_t, int ld, int row, int column)
{
	int64_t i = as_t ? (int64_t)row * ld + column : (int64_t)column * ld + row;
	return (double)element(which, i);
}

static CUdeviceptr matrix(struct rank *me, int which, enum dtype type)
{
	static char elements[4 * MATRIX];
	for (int64_t i = 0; i < MATRIX; i++)
		dtype_set(type, elements, i, element(which, i));
	return on_device(me, elements, (size_t)(dtype_bytes(type) * MATRIX));
}

static void check(struct rank *me, const struct shape *s, CUdeviceptr c, int lda, int ldb, int ldc)
{
	static char host[4 * MATRIX];
	double allowed = s->c_type == DT_F16 ? 6e-4 : s->c_type == DT_BF16 ? 4e-3 : 1e-6;
	to_host(me, host, c, (size_t)(dtype_bytes(s->c_type) * MATRIX));
	for (int64_t i = 0; i < MATRIX; i++) {
		int row = (int)(i % ldc), column = (int)(i / ldc);
		double old = (double)element(2, i), sum = (double)s->beta * old;
		float found = dtype_get(s->c_type, host, i);
		if (row >= s->m || column >= s->n) { /* what lies between is not written */
			RIGHT((double)found == old);
			continue;
		}
		for (int l = 0; l < s->k; l++)
			sum += 0.5 * at(0, s->a_as_t, lda, row, l) * at(1, s->b_as_t, ldb, l, column);
		RIGHT(fabs((double)found - sum) <= allowed * (1 + fabs(sum)));
	}
}

static void product(struct rank *me, cublasHandle_t handle, const struct shape *s)
{
	float alpha = 0.5f;
	int lda = (s->a_as_t ? s->k : s->m) + PAD, ldb = (s->b_as_t ? s->n : s->k) + PAD, ldc = s->m + PAD;
	CUdeviceptr a = matrix(me, 0, s->type), b = matrix(me, 1, s->type), c = matrix(me, 2, s->c_type);
	CALL(cublasGemmEx(handle, s->a_as_t ? CUBLAS_OP_T : CUBLAS_OP_N,
	        s->b_as_t ? CUBLAS_OP_T : CUBLAS_OP_N, s->m, s->n, s->k, &alpha, (void *)(uintptr_t)a,
	        named(s->type), lda, (void *)(uintptr_t)b, named(s->type), ldb, &s->beta,
	        (void *)(uintptr_t)c, named(s->c_type), ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	check(me, s, c, lda, ldb, ldc);
	CALL(cuMemFree(a));
	CALL(cuMemFree(b));
	CALL(cuMemFree(c));
}

static cublasHandle_t start(struct rank *me)
{
	cublasHandle_t handle;
	take_gpu(me, 0);
	open_part(me, CUDA_PART_CUBLAS);
	CALL(cublasCreate(&handle));
	CALL(cublasSetStream(handle, me->stream));
	return handle;
}

static void products(struct rank *me, void *self)
{
	static const enum dtype types[][2] = {
	        {DT_F32, DT_F32}, {DT_F16, DT_F16}, {DT_BF16, DT_BF16}, {DT_F16, DT_F32}, {DT_BF16, DT_F32}};
	cublasHandle_t handle = start(me);
	(void)self;
	for (size_t t = 0; t < LENGTH_OF(types); t++)
		for (int as = 0; as < 4; as++)
			for (int beta = 0; beta < 2; beta++) {
				struct shape shape = {types[t][0], types[t][1], as & 1, as & 2,
				        2.0f * (float)beta, 17, 31, 23};
				product(me, handle, &shape);
				shape.k = 0; /* sums of nothing */
				product(me, handle, &shape);
			}
	CALL(cublasDestroy(handle));
}

static void products_of_each_type_and_layout(void **state)
{
	(void)state;
	run_ranks(1, "gpus=1", products, NULL);
}

/* The bits are the same at every run, and the time is. */
static void queued(struct rank *me, void *self)
{
	enum { SIDE = 40, BYTES = SIDE * SIDE * 4 };
	static float first[SIDE * SIDE], second[SIDE * SIDE];
	float one = 1, zero = 0, milliseconds;
	CUevent before, behind;
	cublasHandle_t handle = start(me);
	(void)self;
	CUdeviceptr a = matrix(me, 0, DT_F32), c = matrix(me, 1, DT_F32);
	void *from = (void *)(uintptr_t)a, *to = (void *)(uintptr_t)c;
	CALL(cuEventCreate(&before, CU_EVENT_DEFAULT));
	CALL(cuEventCreate(&behind, CU_EVENT_DEFAULT));
	for (int again = 0; again < 2; again++) {
		CALL(cuEventRecord(before, me->stream));
		CALL(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, SIDE, SIDE, SIDE, &one, from, CUDA_R_32F,
		        SIDE, from, CUDA_R_32F, SIDE, &zero, to, CUDA_R_32F, SIDE, CUBLAS_COMPUTE_32F,
		        CUBLAS_GEMM_DEFAULT));
		CALL(cuEventRecord(behind, me->stream));
		to_host(me, again ? second : first, c, BYTES);
		CALL(cuEventElapsedTime(&milliseconds, before, behind));
		RIGHT((int)(milliseconds * 1e6f + 0.5f) == 5000 + 128000); /* 2 * 40^3 operations */
	}
	RIGHT(memcmp(first, second, BYTES) == 0);
	double sum = 0;
	for (int l = 0; l < SIDE; l++)
		sum += (double)element(0, l * SIDE) * (double)element(0, l * SIDE + 1);
	RIGHT(fabs((double)first[SIDE] - sum) < 1e-4);
	CALL(cublasDestroy(handle));
}

static void same_bits_and_time_at_every_run(void **state)
{
	(void)state;
	run_ranks(1, "gpus=1 cost=call:0us cost=product:5us,1GFLOP/s", queued, NULL);
}

/* y = x w by rows is y' = w' x' by columns: the same bits as the simulator's kernel, which cuts it into parts. */
static void as_simulated(struct rank *me, void *self)
{
	enum { ROWS = 512, SIDE = 64 };
	static float x[ROWS * SIDE], w[SIDE * SIDE], y[ROWS * SIDE], found[ROWS * SIDE];
	float one = 1, zero = 0;
	cublasHandle_t handle = start(me);
	(void)self;
	for (int i = 0; i < ROWS * SIDE; i++)
		x[i] = element(0, i) / 3;
	for (int i = 0; i < SIDE * SIDE; i++)
		w[i] = element(1, i) / 7;
	CUdeviceptr a = on_device(me, w, sizeof w), b = on_device(me, x, sizeof x),
	            c = on_device(me, y, sizeof y);
	CALL(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, ROWS, SIDE, &one, (void *)(uintptr_t)a,
	        CUDA_R_32F, SIDE, (void *)(uintptr_t)b, CUDA_R_32F, SIDE, &zero, (void *)(uintptr_t)c,
	        CUDA_R_32F, SIDE, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	to_host(me, found, c, sizeof found);
	RIGHT(!blas_open());
	matrix_product(ROWS, SIDE, SIDE, 1, (struct matrix){x, NULL, SIDE, CblasNoTrans},
	        (struct matrix){w, NULL, SIDE, CblasNoTrans}, 0,
	        (struct matrix){y, NULL, SIDE, CblasNoTrans});
	RIGHT(memcmp(y, found, sizeof y) == 0);
	CALL(cublasDestroy(handle));
}

static void the_bits_are_the_simulators(void **state)
{
	(void)state;
	run_ranks(1, "gpus=1", as_simulated, NULL);
}

static void wrong(struct rank *me, void *self)
{
	float one = 1, x[4] = {0};
	cublasHandle_t handle = start(me);
	(void)self;
#define GEMM(m, a_type, ld, compute)                                                                         \
	me->cuda.cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 2, 2, &one, x, a_type, ld, x, CUDA_R_32F, \
	        2, &one, x, CUDA_R_32F, 2, compute, CUBLAS_GEMM_DEFAULT)
	RIGHT(GEMM(-1, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);
	RIGHT(GEMM(2, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);
	RIGHT(GEMM(2, CUDA_R_16F, 2, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	RIGHT(GEMM(2, CUDA_R_32I, 2, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	RIGHT(strcmp(me->cuda.cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED),
	              "CUBLAS_STATUS_NOT_SUPPORTED") == 0);
	CALL(cublasDestroy(handle));
}

static void what_is_wrong_is_refused(void **state)
{
	(void)state;
	run_ranks(1, "gpus=1", wrong, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(products_of_each_type_and_layout),
	        cmocka_unit_test(same_bits_and_time_at_every_run),
	        cmocka_unit_test(the_bits_are_the_simulators),
	        cmocka_unit_test(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
