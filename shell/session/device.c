/* device.c -- which backend carries a session's work out, and whether it can */
#include "shell/session/device.h"
#include "cuda/library/library.h"
#include "cuda/library/probe.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* where: "--device" or "RANKSH_DEVICE" */
static enum status check_kind(const char *where, const char *kind)
{
	static const char *const kinds[] = {"auto", "sim", "cuda"};
	const char *nearest = NULL;
	int least = 3; /* a word in which more letters differ means something else */
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return ST_OK;
		if (text_nearer(kind, kinds[i], &least))
			nearest = kinds[i];
	}
	return fail(ST_ARGUMENT, "%s is auto, sim or cuda, not '%s'%s%s%s", where, kind,
	        nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static bool is_cuda(const char *kind)
{
	return strcmp(kind, "cuda") == 0;
}

enum status device_choose(struct options *options)
{
	const char *typed = options->device, *set = getenv("RANKSH_DEVICE");
	const char *kind = typed ? typed : set && *set ? set : "auto";
	enum status status = check_kind(typed ? "--device" : "RANKSH_DEVICE", kind);
	if (status == ST_OK && options->dry && typed && is_cuda(typed))
		status = fail(ST_ARGUMENT,
		        "--dry --device cuda: --dry models the work and carries out nothing; leave one of "
		        "them out");
	if (status != ST_OK)
		return status;
	options->device_by = typed ? DEVICE_TYPED : DEVICE_SET;
	if (strcmp(kind, "auto") == 0 || options->dry) {
		options->device_by = DEVICE_AUTO;
		kind = "sim";
	}
	options->device = kind;
	return ST_OK;
}

static enum status start_sim(struct world *world, struct transport *transport, struct backend_hooks hooks,
        struct backend **backend)
{
	*backend = sim_start(world, transport, hooks);
	return ST_OK;
}
const struct device device_sim = {"sim", start_sim};

/* The driver with a GPU, and cuBLAS: without them nothing could be carried out, whatever the groups are. */
static enum status find_cuda(void)
{
	struct cuda_library library = {0};
	struct cuda_devices gpus = {0};
	enum status status = cuda_probe(&library, &gpus);
	if (status == ST_OK)
		status = cuda_library_open(&library, CUDA_PART_CUBLAS);
	if (status == ST_OK)
		status = fail(ST_ARGUMENT,
		        "CUDA and %s are there, but this version carries out nothing on GPUs yet",
		        gpus.items[0].name);
	cuda_devices_release(&gpus);
	cuda_library_close(&library);
	return status;
}

enum status device_find(const struct options *options, const struct device **device)
{
	*device = &device_sim;
	if (!is_cuda(options->device))
		return ST_OK;
	return fail_in(
	        find_cuda(), options->device_by == DEVICE_SET ? "RANKSH_DEVICE=cuda" : "--device cuda");
}

const char *device_why(const struct options *options)
{
	return options->dry                         ? "shapes and times only"
	        : options->device_by == DEVICE_AUTO ? "no GPU is used"
	        : options->device_by == DEVICE_SET  ? "by RANKSH_DEVICE=sim"
	                                            : "by --device sim";
}
