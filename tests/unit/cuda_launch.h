/* cuda_launch.h -- runs a kernel's call by its launches, with the GPU's kernels compiled by the
 * C++ compiler for the CPU; with RANKSH_DEVICE=cuda on the real GPU, by CUDA and cuBLAS, with
 * tensors in pinned memory */
#ifndef RANKSH_TEST_CUDA_LAUNCH_H
#define RANKSH_TEST_CUDA_LAUNCH_H

#include "kernel_scene.h"

#include "cuda/kernels/gemm.h"
#include "cuda/kernels/image.h"
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

/* ---- on a GPU */

enum { SCENE_ROOM = 64 << 20 };
static struct scene_gpu {
	bool here;
	struct cuda_library cuda;
	struct image image;
	cublasHandle_t cublas;
	char *room; /* of SCENE_ROOM bytes, used up to `used`, from its beginning again once nothing there lives */
	size_t used, live;
} scene_gpu;

#define scene_ok(call) assert_int_equal(call, 0)

static inline void *scene_room(size_t bytes)
{
	size_t at = (scene_gpu.used + 255) / 256 * 256;
	assert_true(at + bytes <= SCENE_ROOM);
	scene_gpu.used = at + bytes;
	scene_gpu.live++;
	return scene_gpu.room + at;
}

static inline void scene_room_free(void *memory)
{
	if (memory && --scene_gpu.live == 0)
		scene_gpu.used = 0;
}

/* A group's setup: takes the first GPU */
static inline int scene_open(void **state)
{
	const char *device = getenv("RANKSH_DEVICE");
	struct cuda_library *cuda = &scene_gpu.cuda;
	CUcontext context;
	int major, minor;
	(void)state;
	if (!device || strcmp(device, "cuda") != 0)
		return 0;
	if (cuda_library_open(cuda, CUDA_PART_DRIVER) || cuda_library_open(cuda, CUDA_PART_CUBLAS))
		fail_msg("%s", fail_text());
	scene_ok(cuda->cuInit(0));
	scene_ok(cuda->cuDevicePrimaryCtxRetain(&context, 0));
	scene_ok(cuda->cuCtxSetCurrent(context));
	scene_ok(cuda->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	scene_ok(cuda->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
	if (image_load(&scene_gpu.image, cuda, 10 * major + minor, NULL) != ST_OK)
		fail_msg("%s", fail_text());
	scene_ok(cuda->cublasCreate(&scene_gpu.cublas));
	scene_ok(gemm_prepare(cuda, scene_gpu.cublas));
	scene_ok(cuda->cuMemHostAlloc(
	        (void **)&scene_gpu.room, SCENE_ROOM, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
	scene_gpu.here = true;
	operand_room = scene_room;
	operand_room_free = scene_room_free;
	return 0;
}

static inline int scene_close(void **state)
{
	(void)state;
	if (!scene_gpu.here)
		return 0;
	assert_int_equal(scene_gpu.live, 0);
	scene_ok(scene_gpu.cuda.cublasDestroy(scene_gpu.cublas));
	image_unload(&scene_gpu.image);
	scene_ok(scene_gpu.cuda.cuMemFreeHost(scene_gpu.room));
	scene_ok(scene_gpu.cuda.cuDevicePrimaryCtxRelease(0));
	cuda_library_close(&scene_gpu.cuda);
	return 0;
}

static inline void scene_launch_there(struct kernel_launch *launch)
{
	const struct cuda_library *cuda = &scene_gpu.cuda;
	CUfunction function;
	if (launch->function == launch_gemm) {
		scene_ok(gemm_queue(cuda, scene_gpu.cublas, (struct gemm *)launch->argument));
		return;
	}
	if (image_function(&scene_gpu.image, launch->function, &function) != ST_OK)
		fail_msg("%s", fail_text());
	scene_ok(cuda->cuLaunchKernel(function, launch->grid[0], launch->grid[1], launch->grid[2],
	        launch->block[0], launch->block[1], launch->block[2], 0, NULL, (void *[]){launch->argument},
	        NULL));
}

/* ---- wherever */

static inline void scene_launch(struct kernel_launch *launch)
{
	if (scene_gpu.here) {
		scene_launch_there(launch);
		return;
	}
	if (launch->function == launch_gemm) {
		struct cuda_library cuda = {.cublasGemmEx = scene_gemm};
		assert_int_equal(gemm_queue(&cuda, NULL, (struct gemm *)launch->argument), 0);
		return;
	}
	standin_kernel_code *code = standin_kernel(launch->function);
	if (!code)
		fail_msg("no kernel %s", launch->function);
	code(launch->grid, launch->block, 0, (void *[]){launch->argument});
}

/* Scratch memory holds numbers that nobody expects. */
static inline void scene_run(const struct kernel_call *call)
{
	struct launch_plan *plan = malloc(sizeof *plan);
	void *room = NULL, *workspace = NULL;
	assert_non_null(plan);
	launch_plan_make(plan, call, NULL);
	if (plan->workspace_bytes) {
		room = operand_room((size_t)plan->workspace_bytes + 256);
		assert_non_null(room);
		workspace = (void *)(((uintptr_t)room + 255) / 256 * 256);
		memset(workspace, 0xa5, (size_t)plan->workspace_bytes);
		launch_plan_make(plan, call, workspace);
	}
	for (int i = 0; i < plan->launches; i++)
		scene_launch(&plan->launch[i]);
	if (scene_gpu.here)
		scene_ok(scene_gpu.cuda.cuCtxSynchronize());
	operand_room_free(room);
	free(plan);
}

#endif
