/* gpu.h -- the first GPU with a stream and two events, for the programs here */
#ifndef RANKSH_TESTS_GPU_H
#define RANKSH_TESTS_GPU_H

#include "cuda/library/library.h"

/* `cuda` is the caller's, all else gpu_open's. */
struct gpu {
	struct cuda_library *cuda;
	CUcontext context;
	CUdevice device;
	CUstream stream;
	CUevent from, to;
};

#define CALL(gpu, name, ...) cuda_call((gpu)->cuda, #name, (gpu)->cuda->name(__VA_ARGS__))

static inline enum status gpu_open(struct gpu *gpu)
{
	struct cuda_devices devices;
	enum status status = cuda_probe(gpu->cuda, &devices);
	cuda_devices_release(&devices);
	if (status == ST_OK)
		status = CALL(gpu, cuDeviceGet, &gpu->device, 0);
	if (status == ST_OK)
		status = CALL(gpu, cuDevicePrimaryCtxRetain, &gpu->context, gpu->device);
	if (status == ST_OK)
		status = CALL(gpu, cuCtxSetCurrent, gpu->context);
	if (status == ST_OK)
		status = CALL(gpu, cuStreamCreateWithPriority, &gpu->stream, CU_STREAM_NON_BLOCKING, 0);
	if (status == ST_OK)
		status = CALL(gpu, cuEventCreate, &gpu->from, CU_EVENT_DEFAULT);
	if (status == ST_OK)
		status = CALL(gpu, cuEventCreate, &gpu->to, CU_EVENT_DEFAULT);
	return status;
}

/* Also after a gpu_open that failed */
static inline void gpu_close(struct gpu *gpu)
{
	if (gpu->from)
		gpu->cuda->cuEventDestroy(gpu->from);
	if (gpu->to)
		gpu->cuda->cuEventDestroy(gpu->to);
	if (gpu->stream)
		gpu->cuda->cuStreamDestroy(gpu->stream);
	if (gpu->context)
		gpu->cuda->cuDevicePrimaryCtxRelease(gpu->device);
	cuda_library_close(gpu->cuda);
}

#endif
