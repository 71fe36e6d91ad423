/* device.c -- what the stand-in's GPUs say of themselves: those of an H100, but for their memory */
#include "inside.h"
#include <stdio.h>
#include <string.h>

CUresult cuDriverGetVersion(int *version)
{
	if (standin_fails("cuDriverGetVersion"))
		return CUDA_ERROR_UNKNOWN;
	*version = standin_options() ? standin_options()->driver : 0;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult error;
	const char *name, *words;
} errors[] = {
        {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
        {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
        {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
        {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
        {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
        {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
        {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
        {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
        {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
        {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
        {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
        {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
                "an illegal memory access was encountered"},
        {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
                "part or all of the requested memory range is already mapped"},
        {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
                "pointer does not correspond to a registered memory region"},
        {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
                "operation not permitted when stream is capturing"},
        {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
                "operation failed due to a previous error during capture"},
        {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
                "attempt to terminate a thread-local capture sequence from another thread"},
        {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult words_of(CUresult error, const char **name, const char **words)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].error == error) {
			*name = errors[i].name;
			*words = errors[i].words;
			return CUDA_SUCCESS;
		}
	*name = *words = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	const char *words;
	return standin_fails("cuGetErrorName") ? CUDA_ERROR_INVALID_VALUE : words_of(error, name, &words);
}

CUresult cuGetErrorString(CUresult error, const char **words)
{
	const char *name;
	return standin_fails("cuGetErrorString") ? CUDA_ERROR_INVALID_VALUE : words_of(error, &name, words);
}

CUresult cuDeviceGetCount(int *number)
{
	CUresult result = enter_free("cuDeviceGetCount");
	if (!result)
		*number = standin_options()->gpus;
	return result;
}

/* For calls about a device */
static CUresult about(const char *call, CUdevice device)
{
	CUresult result = enter_free(call);
	return result || valid_device(device) ? result : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult result = about("cuDeviceGet", ordinal);
	if (!result)
		*device = ordinal;
	return result;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	CUresult result = about("cuDeviceGetName", device);
	if (!result)
		snprintf(name, (size_t)length, "Stand-in GPU");
	return result;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	CUresult result = about("cuDeviceGetUuid", device);
	if (!result) {
		memcpy(uuid->bytes, "ranksh stand-in", sizeof uuid->bytes);
		uuid->bytes[15] = (char)device;
	}
	return result;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult result = about("cuDeviceTotalMem", device);
	if (!result)
		*bytes = (size_t)standin_options()->memory_bytes[device];
	return result;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	static const struct {
		CUdevice_attribute attribute;
		int value;
	} attributes[] = {
	        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
	        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
	};
	CUresult result = about("cuDeviceGetAttribute", device);
	for (size_t i = 0; !result && i < sizeof attributes / sizeof *attributes; i++)
		if (attributes[i].attribute == attribute) {
			*value = attributes[i].value;
			return CUDA_SUCCESS;
		}
	return result ? result : CUDA_ERROR_INVALID_VALUE;
}
