/* calls.c -- results of NVIDIA's functions as a status with words; common sequences of calls */
#include "cuda/library/library.h"

#include <string.h>

enum status cuda_call(const struct cuda_library *library, const char *call, CUresult result)
{
	if (result == CUDA_SUCCESS)
		return ST_OK;
	const char *name = NULL, *words = NULL;
	if (library->cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
		return fail(ST_GPU, "%s: error %d, which the driver has no name for", call, (int)result);
	library->cuGetErrorString(result, &words);
	return fail(result == CUDA_ERROR_OUT_OF_MEMORY ? ST_DEVICE_MEMORY : ST_GPU, "%s: %s (%s)", call, name,
	        words ? words : "no words");
}

enum status cublas_call(const struct cuda_library *library, const char *call, cublasStatus_t result)
{
	if (result == CUBLAS_STATUS_SUCCESS)
		return ST_OK;
	return fail(result == CUBLAS_STATUS_ALLOC_FAILED ? ST_DEVICE_MEMORY : ST_GPU, "%s: %s (%s)", call,
	        library->cublasGetStatusName(result), library->cublasGetStatusString(result));
}

enum status nccl_call(const struct cuda_library *library, const char *call, ncclResult_t result)
{
	if (result == ncclSuccess || result == ncclInProgress)
		return ST_OK;
	const char *more = library->ncclGetLastError(NULL);
	return fail(ST_GPU, "%s: %s%s%s%s", call, library->ncclGetErrorString(result),
	        more && *more ? " (" : "", more && *more ? more : "", more && *more ? ")" : "");
}

enum status nvrtc_call(const struct cuda_library *library, const char *call, nvrtcResult result)
{
	if (result == NVRTC_SUCCESS)
		return ST_OK;
	return fail(ST_GPU, "%s: %s", call, library->nvrtcGetErrorString(result));
}

enum status cuda_mapped_alloc(
        const struct cuda_library *library, size_t bytes, void **memory, CUdeviceptr *at)
{
	*memory = NULL;
	enum status status = CUDA_CALL(
	        library, cuMemHostAlloc, memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
	if (status != ST_OK)
		return status;
	memset(*memory, 0, bytes);
	status = CUDA_CALL(library, cuMemHostGetDevicePointer, at, *memory, 0);
	if (status != ST_OK) {
		library->cuMemFreeHost(*memory);
		*memory = NULL;
	}
	return status;
}

enum status cuda_launch(const struct cuda_library *library, CUfunction function, unsigned blocks,
        unsigned threads, const void *argument, CUstream stream)
{
	void *arguments[] = {(void *)(uintptr_t)argument};
	return CUDA_CALL(
	        library, cuLaunchKernel, function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, NULL);
}
