/* devices.c -- the GPUs of this host */
#include "base/memory.h"
#include "cuda/library/library.h"
#include <stdlib.h>

static enum status device_query(const struct cuda_library *library, struct cuda_device *into, int ordinal)
{
	CUdevice device;
	size_t bytes = 0;
	enum status status = CUDA_CALL(library, cuDeviceGet, &device, ordinal);
	if (status == ST_OK)
		status = CUDA_CALL(library, cuDeviceGetName, into->name, sizeof into->name, device);
	if (status == ST_OK)
		status = CUDA_CALL(library, cuDeviceGetUuid, &into->uuid, device);
	if (status == ST_OK)
		status = CUDA_CALL(library, cuDeviceTotalMem, &bytes, device);
	into->bytes = (int64_t)bytes;
	return status;
}

enum status cuda_probe(struct cuda_library *library, struct cuda_devices *devices)
{
	*devices = (struct cuda_devices){0};
	enum status status = cuda_library_open(library, CUDA_PART_DRIVER);
	if (status != ST_OK)
		return status;
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
	int count = 0;
	status = CUDA_CALL(library, cuInit, 0);
	if (status == ST_OK)
		status = CUDA_CALL(library, cuDeviceGetCount, &count);
	if (status == ST_OK && count < 1)
		status = fail(ST_GPU, "cuDeviceGetCount: 0");
	if (status != ST_OK)
		return fail_in(ST_GPU, "NVIDIA's driver (CUDA %d.%d) is there, but no GPU for it",
		        library->driver_version / 1000, library->driver_version % 1000 / 10);
	devices->items = mem_alloc((size_t)count * sizeof *devices->items);
	devices->count = count;
	for (int i = 0; i < count && status == ST_OK; i++)
		status = device_query(library, &devices->items[i], i);
	if (status != ST_OK)
		cuda_devices_release(devices);
	return status;
}

void cuda_devices_release(struct cuda_devices *devices)
{
	mem_free(devices->items);
	*devices = (struct cuda_devices){0};
}
