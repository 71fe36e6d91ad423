/* probe.h -- which GPUs there are */
#ifndef RANKSH_CUDA_PROBE_H
#define RANKSH_CUDA_PROBE_H

#include "cuda/library/library.h"

/* A GPU of this host. No context is made on it. */
struct cuda_device {
	char name[96]; /* "NVIDIA H100" */
	CUuuid uuid; /* the same in every process, and after CUDA_VISIBLE_DEVICES has put GPUs in another order */
	int64_t bytes;
};
struct cuda_devices {
	struct cuda_device *items; /* by CUDA's ordinal */
	int count;
};

/* Starts the driver (opening it, if it is not) and asks it. ST_GPU: there is none, or no GPU that this process may use,
 * worded with what cuInit says; *devices is empty then. A stream gets a queue of its own in the GPU up to 32, unless
 * the user says otherwise (CUDA_DEVICE_MAX_CONNECTIONS). Free with cuda_devices_release. */
enum status cuda_probe(struct cuda_library *library, struct cuda_devices *devices);
void cuda_devices_release(struct cuda_devices *devices);

#endif
