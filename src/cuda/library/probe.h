/* probe.h -- queries the GPUs of this host */
#ifndef RANKSH_CUDA_PROBE_H
#define RANKSH_CUDA_PROBE_H

#include "cuda/library/library.h"

/* a GPU; no context is made on it */
struct cuda_device {
	char name[96]; /* "NVIDIA H100" */
	CUuuid uuid;   /* the same in every process, whatever CUDA_VISIBLE_DEVICES is */
	int64_t bytes;
};
struct cuda_devices {
	struct cuda_device *items; /* by CUDA's ordinal */
	int count;
};

/* Opens and starts the driver and queries it. Fails with ST_GPU and an empty *devices if there is
 * no driver or no usable GPU, with cuInit's words. Up to 32 streams get a hardware queue of their
 * own unless the user sets CUDA_DEVICE_MAX_CONNECTIONS. Free with cuda_devices_release. */
enum status cuda_probe(struct cuda_library *library, struct cuda_devices *devices);
void cuda_devices_release(struct cuda_devices *devices);

#endif
