/* cuda_launch.h -- a kernel's call by its launches, with the GPU's kernels as the C++ compiler made them for the CPU */
#ifndef RANKSH_TEST_CUDA_LAUNCH_H
#define RANKSH_TEST_CUDA_LAUNCH_H

#include "check.h"
#include "cuda/kernels/gemm.h"
#include "cuda/kernels/launch.h"
#include "tests/standin/kernels.h"

#include <stdlib.h>
#include <string.h>

static inline double scene_element(cudaDataType type, const void *matrix, int64_t at)
{
	return dtype_get(type == CUDA_R_16F ? DT_F16 : type == CUDA_R_16BF ? DT_BF16 : DT_F32, matrix, at);
}

/* As cuBLAS's manual has it: column by column */
static inline cublasStatus_t scene_gemm(cublasHandle_t handle, cublasOperation_t a_as, cublasOperation_t b_as,
        int m, int n, int k, const void *alpha, const void *a, cudaDataType a_type, int a_pitch,
        const void *b, cudaDataType b_type, int b_pitch, const void *beta, void *c, cudaDataType c_type,
        int c_pitch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
	assert_int_equal(compute, CUBLAS_COMPUTE_32F);
	assert_int_equal(algorithm, CUBLAS_GEMM_DEFAULT);
	assert_null(handle);
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			double sum = 0, old = 0, by = (double)*(const float *)beta;
			for (int64_t l = 0; l < k; l++)
				sum += scene_element(a_type, a, a_as ? i * a_pitch + l : l * a_pitch + i) *
				        scene_element(b_type, b, b_as ? l * b_pitch + j : j * b_pitch + l);
			if (by != 0)
				old = by * scene_element(c_type, c, j * c_pitch + i);
			dtype_set(c_type == CUDA_R_16F          ? DT_F16
			                : c_type == CUDA_R_16BF ? DT_BF16
			                                        : DT_F32,
			        c, j * c_pitch + i, (float)((double)*(const float *)alpha * sum + old));
		}
	return CUBLAS_STATUS_SUCCESS;
}

/* Scratch memory holds numbers that nobody expects. */
static inline void scene_run(const struct kernel_call *call)
{
	struct launch_plan *plan = malloc(sizeof *plan);
	void *workspace = NULL;
	assert_non_null(plan);
	launch_plan_make(plan, call, NULL);
	if (plan->workspace_bytes) {
		workspace = aligned_alloc(256, (size_t)plan->workspace_bytes);
		assert_non_null(workspace);
		memset(workspace, 0xa5, (size_t)plan->workspace_bytes);
		launch_plan_make(plan, call, workspace);
	}
	for (int i = 0; i < plan->launches; i++) {
		struct kernel_launch *launch = &plan->launch[i];
		if (launch->function == launch_gemm) {
			struct cuda_library cuda = {.cublasGemmEx = scene_gemm};
			assert_int_equal(gemm_queue(&cuda, NULL, (struct gemm *)launch->argument), 0);
			continue;
		}
		standin_kernel_code *code = standin_kernel(launch->function);
		if (!code)
			fail_msg("no kernel %s", launch->function);
		code(launch->grid, launch->block, launch->shared_bytes, (void *[]){launch->argument});
	}
	free(workspace);
	free(plan);
}

#endif
