/* gather.c -- what each rank reports at the start */
#include "cuda/gather.h"
#include "cuda/kernels/image.h"
#include "cuda/library/library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MPS's daemon creates a pipe at CUDA's default place. */
static bool has_mps(void)
{
	char path[512];
	const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
	snprintf(path, sizeof path, "%s/control", folder && *folder ? folder : "/tmp/nvidia-mps");
	return access(path, F_OK) == 0;
}

void cuda_report_make(struct cuda_report *report, struct cuda_library *library)
{
	struct cuda_devices devices = {0};
	memset(report, 0, sizeof *report); /* also the padding: it is sent */
	gethostname(report->host, sizeof report->host - 1);
	FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");
	if (boot && !fgets(report->boot, sizeof report->boot, boot))
		report->boot[0] = '\0';
	if (boot)
		fclose(boot);
	if (cuda_probe(library, &devices) != ST_OK || cuda_library_open(library, CUDA_PART_CUBLAS) != ST_OK ||
	        image_prepare(library) != ST_OK)
		snprintf(report->refusal, sizeof report->refusal, "%s", fail_text());
	report->driver_version = library->driver_version;
	report->mps = has_mps();
	const char *shares = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
	report->nccl_shares = shares && strcmp(shares, "1") == 0;
	for (int i = 0; i < devices.count && i < REPORT_GPUS; i++) {
		struct cuda_report_gpu *gpu = &report->gpus[report->gpu_count++];
		snprintf(gpu->name, sizeof gpu->name, "%.63s", devices.items[i].name);
		gpu->uuid = devices.items[i].uuid;
		gpu->bytes = devices.items[i].bytes;
	}
	cuda_devices_release(&devices);
}

void cuda_report_nccl(struct cuda_report *report, struct cuda_library *library)
{
	/* a communicator makes all its connections at once; a connection made by a later call
	 * would block the host until all members have arrived */
	setenv("NCCL_RUNTIME_CONNECT", "0", 0);
	if (cuda_library_open(library, CUDA_PART_NCCL) != ST_OK)
		snprintf(report->nccl_refusal, sizeof report->nccl_refusal, "%s", fail_text());
	report->nccl_version = library->nccl_version;
}
