/* device.c -- chooses and opens the backend's device */
#include "shell/session/device.h"
#include "base/memory.h"
#include "cuda/cuda.h"
#include "cuda/kernels/cache.h"
#include "cuda/kernels/image.h"
#include "cuda/library/library.h"
#include "cuda/open.h"
#include "sim/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static enum status check_kind(const char *where, const char *kind)
{
	static const char *const kinds[] = {"auto", "sim", "cuda"};
	const char *nearest = NULL;
	int least = 3;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return ST_OK;
		if (text_nearer(kind, kinds[i], &least))
			nearest = kinds[i];
	}
	return fail(ST_ARGUMENT, "%s is auto, sim or cuda, not '%s'%s%s%s", where, kind,
	        nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

enum status device_choose(struct options *options)
{
	const char *typed = options->device, *set = getenv("RANKSH_DEVICE");
	const char *kind = typed ? typed : set && *set ? set : "auto";
	enum status status = check_kind(typed ? "--device" : "RANKSH_DEVICE", kind);
	if (status == ST_OK && options->dry && typed && strcmp(typed, "cuda") == 0)
		status = fail(ST_ARGUMENT,
		        "--dry --device cuda: --dry only models the work; leave one of them out");
	if (status != ST_OK)
		return status;
	options->device_by = typed ? DEVICE_TYPED : DEVICE_SET;
	if (strcmp(kind, "auto") == 0 || options->dry) {
		/* with --wire, --machine may be a resumed session's, so it does not select the
		 * simulator */
		bool names = options->machine && !options->wire && strcmp(options->machine, "this") != 0;
		bool simulates = options->dry || options->test || options_course(options) || names;
		options->device_by = DEVICE_AUTO;
		kind = simulates ? "sim" : "auto";
	}
	options->device = kind;
	return ST_OK;
}

static enum status start_sim(const struct device *device, struct world *world, struct transport *transport,
        struct backend_hooks hooks, struct backend **backend)
{
	(void)device;
	*backend = sim_start(world, transport, hooks);
	return ST_OK;
}
const struct device device_sim = {.name = "sim", .start = start_sim};

/* Ranks that share a GPU wait for each other within its hardware queues. With more streams two
 * would share a queue, and one could block the stream that it waits for. */
enum { STREAMS_MOST = 30 };

static enum status start_cuda(const struct device *device, struct world *world, struct transport *transport,
        struct backend_hooks hooks, struct backend **backend)
{
	struct cuda_job *job = device->job;
	struct cuda_setup setup = {&job->library, &job->placement, job->scratch_bytes};
	enum status status = cuda_start(world, transport, hooks, &setup, backend);
	if (status == ST_OK) {
		(*backend)->streams_most = STREAMS_MOST;
		(*backend)->streams_refused = job->placement.shared;
	}
	return status;
}

static enum status open_cuda(struct device *device, struct transport *transport, int err)
{
	struct machine *here = mem_alloc(sizeof *here);
	*device = (struct device){
	        .name = "cuda", .start = start_cuda, .here = here, .job = mem_alloc(sizeof *device->job)};
	device->job->library.progress = transport_rank(transport) == 0 ? err : 0;
	enum status status = cuda_open(transport, device->job);
	if (status != ST_OK)
		return status;
	const struct cuda_placement *placement = &device->job->placement;
	int hosts = placement->hosts, gpus = (placement->ranks + hosts - 1) / hosts;
	/* whole pages of CUDA */
	int64_t bytes = placement->rank_bytes - placement->rank_bytes % (1 << 21);
	return machine_here(here, device->job->name, (double)bytes, gpus, hosts);
}

void device_give_up(struct device *device)
{
	struct device given = *device;
	*device = device_sim;
	if (!given.job)
		return;
	if (cuda_has_driver(given.job))
		snprintf(device->missing, sizeof device->missing, "%s", fail_text());
	cuda_close(given.job);
	mem_free(given.job);
	mem_free(given.here);
}

/* What a process says about itself before it opens a device */
struct process_facts {
	char device[8], version[24], host[65];
};

/* All processes must have the same device, because even a refusal is collective, and the same
 * version: mpirun may have found another ranksh on another host. */
static enum status check_alike(const char *kind, struct transport *transport)
{
	int ranks = transport_size(transport), other = 0;
	struct utsname here;
	struct process_facts mine = {.version = RANKSH_VERSION},
	                     *all = mem_alloc((size_t)ranks * sizeof *all);
	snprintf(mine.device, sizeof mine.device, "%s", kind);
	snprintf(mine.host, sizeof mine.host, "%s", uname(&here) == 0 ? here.nodename : "?");
	enum status status = transport_share(transport, &mine, all, sizeof mine);
	while (status == ST_OK && other < ranks && strcmp(all[other].device, all[0].device) == 0 &&
	        strcmp(all[other].version, all[0].version) == 0)
		other++;
	if (status == ST_OK && other < ranks && strcmp(all[other].version, all[0].version) != 0)
		status = fail(ST_ARGUMENT,
		        "rank 0 on %s is ranksh %s, and rank %d on %s is %s: the version must be the same",
		        all[0].host, all[0].version, other, all[other].host, all[other].version);
	else if (status == ST_OK && other < ranks)
		status = fail(ST_ARGUMENT,
		        "rank 0 is for device %s and rank %d for %s (RANKSH_DEVICE of its host?)",
		        all[0].device, other, all[other].device);
	mem_free(all);
	return status;
}

enum status device_open(
        const struct options *options, struct transport *transport, int err, struct device **device)
{
	*device = mem_alloc(sizeof **device);
	**device = device_sim;
	enum status status = check_alike(options->device, transport);
	if (status != ST_OK || strcmp(options->device, "sim") == 0)
		return status;
	status = open_cuda(*device, transport, err);
	if (status == ST_OK)
		return ST_OK;
	if (options->device_by != DEVICE_AUTO)
		return fail_in(
		        status, options->device_by == DEVICE_SET ? "RANKSH_DEVICE=cuda" : "--device cuda");
	device_give_up(*device);
	return ST_OK;
}

void device_close(struct device *device)
{
	if (device)
		device_give_up(device);
	mem_free(device);
}

const char *device_words(const struct device *device)
{
	return device && device->job ? text_string(&device->job->words) : "";
}

const char *device_why(const struct options *options)
{
	return options->dry                         ? "shapes and times only"
	        : options->device_by == DEVICE_AUTO ? "no GPU is used"
	        : options->device_by == DEVICE_SET  ? "by RANKSH_DEVICE=sim"
	                                            : "by --device sim";
}

const char *device_own_machine(const struct device *device)
{
	return device && device->here ? "this" : "classroom";
}

enum status device_machine(const struct device *device, const char *name, struct machine *machine)
{
	const struct machine *here = device ? device->here : NULL;
	unsigned changes = machine->changes;
	enum status status = ST_OK;
	if (strcmp(name, "this") != 0)
		status = machine_load(machine, name);
	else if (here)
		*machine = *here;
	else
		status = fail(ST_ARGUMENT,
		        "the machine `this` is the local GPU, and this session is simulated: it needs "
		        "--device cuda");
	if (status != ST_OK)
		return status;
	machine->changes = changes + 1;
	machine->here = machine->here && here;
	if (here && machine->memory > here->memory) {
		int key = machine_key_find("memory");
		struct text source = {0};
		text_add(&source, "the GPU at hand gives no more to a rank; %s has %s", machine->name,
		        bytes_words((int64_t)machine->memory).text);
		machine->memory = here->memory;
		snprintf(machine->source[key], sizeof machine->source[key], "%s", text_string(&source));
		text_release(&source);
	}
	return ST_OK;
}

enum status device_machine_shared(
        const struct device *device, struct transport *transport, const char *name, struct machine *machine)
{
	struct machine *read = machine;
	size_t count = sizeof *machine;
	bool first = transport_rank(transport) == 0;
	if (!machine_is_file(name))
		return device_machine(device, name, machine);
	enum status status = first ? device_machine(device, name, machine) : ST_OK;
	status = outcome_from(transport, 0, status);
	if (status == ST_OK)
		status = transport_broadcast(transport, 0, (void **)&read, &count);
	if (status == ST_OK && !first) {
		*machine = *read;
		mem_free(read);
	}
	return status;
}

enum status device_holds(const struct device *device, const struct machine *machine)
{
	const struct machine *here = device ? device->here : NULL;
	if (!here || machine->memory <= here->memory)
		return ST_OK;
	return fail(ST_RANGE, "memory: a rank has no more than %s on %s",
	        bytes_words((int64_t)here->memory).text, device->job->name);
}

/* ---- for `doctor` */

static void examine_library(struct cuda_library *cuda, enum cuda_part part, struct device_findings *findings)
{
	struct text why = {0};
	findings->library[part].usable = cuda_library_try(cuda, part, &why) == ST_OK;
	snprintf(findings->library[part].why, sizeof findings->library[part].why, "%s", text_string(&why));
	snprintf(findings->library[part].name, sizeof findings->library[part].name, "%s",
	        cuda_library_name(part));
	const char *package = cuda_library_package(cuda, part);
	snprintf(findings->library[part].package, sizeof findings->library[part].package, "%s",
	        package ? package : "");
	text_release(&why);
}

static void examine_cache(struct cuda_library *cuda, struct device_findings *findings)
{
	struct kernel_cache cache;
	CUdevice device;
	int architecture;
	cache_open(&cache, cuda);
	snprintf(findings->cache, sizeof findings->cache, "%s",
	        *cache.folder[0] ? cache.folder[0] : cache.folder[1]);
	findings->compiled = cuda->cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
	        image_architecture(cuda, device, &architecture) == ST_OK &&
	        cache_complete(&cache, architecture);
	cache_close(&cache);
}

void device_examine(struct device_findings *findings)
{
	static_assert(
	        (int)DEVICE_LIBRARIES == (int)CUDA_PART_COUNT && (int)DEVICE_NVRTC == (int)CUDA_PART_NVRTC,
	        "the parts in their order");
	struct cuda_library cuda = {0};
	struct cuda_devices devices = {0};
	memset(findings, 0, sizeof *findings); /* also the padding: it is sent */
	for (enum cuda_part part = 0; part < CUDA_PART_COUNT; part++)
		examine_library(&cuda, part, findings);
	findings->driver_version = cuda.driver_version;
	findings->nccl_version = cuda.nccl_version;
	findings->built_in = image_binaries[0].path;
	if (!cuda.handles[CUDA_PART_DRIVER])
		return;
	if (cuda_probe(&cuda, &devices) != ST_OK)
		snprintf(findings->no_gpu, sizeof findings->no_gpu, "%s", fail_text());
	findings->gpus = devices.count;
	if (devices.count) {
		snprintf(findings->gpu, sizeof findings->gpu, "%s", devices.items[0].name);
		findings->gpu_bytes = devices.items[0].bytes;
		if (cuda.handles[CUDA_PART_NVRTC])
			examine_cache(&cuda, findings);
	}
	cuda_devices_release(&devices);
	cuda_library_close(&cuda);
}
