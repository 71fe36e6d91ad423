/* gpu.c -- GPUs and their libraries */
#include "base/number.h"
#include "shell/doctor/check.h"
#include "shell/session/options.h"
#include "shell/doctor/gpu_ask.h"
#include "shell/session/device.h"
#include "shell/terminal/room.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CACHE_BYTES = 16 << 20 }; /* the compiled kernels take less */

/* from check_gpu, for the later checks */
static struct gpu_answer gpu;

/* ---- the GPUs */

/* Returns true if a file has that content, without its newline. */
static bool file_is(const char *path, const char *content)
{
	char line[64] = "";
	FILE *file = fopen(path, "re");
	if (file && !fgets(line, sizeof line, file))
		*line = '\0';
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return strncmp(line, content, strlen(content)) == 0;
}

/* Returns true if this computer has an NVIDIA GPU, with or without a driver. */
static bool gpu_on_bus(void)
{
	glob_t found = {0};
	bool any = false;
	if (glob("/sys/bus/pci/devices/*", 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && !any; i++) {
			char path[256];
			snprintf(path, sizeof path, "%s/vendor", found.gl_pathv[i]);
			any = file_is(path, "0x10de");
			snprintf(path, sizeof path, "%s/class", found.gl_pathv[i]);
			any = any && file_is(path, "0x03"); /* a display controller */
		}
	globfree(&found);
	return any;
}

/* Returns the first of the driver's files that this user may not open; "" if there is none. */
static const char *gpu_forbidden(void)
{
	static char path[256];
	static const char *const patterns[] = {"/dev/nvidiactl", "/dev/nvidia[0-9]*", "/dev/nvidia-uvm"};
	for (size_t p = 0; p < sizeof patterns / sizeof *patterns && !*path; p++) {
		glob_t found = {0};
		if (glob(patterns[p], 0, NULL, &found) == 0)
			for (size_t i = 0; i < found.gl_pathc && !*path; i++)
				if (access(found.gl_pathv[i], R_OK | W_OK) != 0 && errno == EACCES)
					snprintf(path, sizeof path, "%s", found.gl_pathv[i]);
		globfree(&found);
	}
	return path;
}

/* Without a driver, or without a GPU for it. follows: what that means for the session */
static void gpu_absent(const char *follows, struct finding *finding)
{
	const char *only = getenv("RANKSH_CUDA"), *forbidden = gpu_forbidden();
	const char *unusable = gpu.found.library[DEVICE_DRIVER].why;
	bool usable = gpu.found.library[DEVICE_DRIVER].usable, there = gpu_on_bus();
	finding->severity = CHECK_NOTE;
	if (!usable && !*unusable && only && *only) {
		text_add(&finding->text, "RANKSH_CUDA=%s has no driver", only);
		text_add(&finding->consequence, "%s: `unset RANKSH_CUDA` looks elsewhere, too", follows);
	} else if (*forbidden) {
		text_add(&finding->text, "no permission on %s", forbidden);
		text_add(&finding->consequence,
		        "%s: join its group (`ls -l %s`; usermod -aG), then log in again", follows,
		        forbidden);
	} else if (usable) {
		text_add(&finding->text, "%s", gpu.found.no_gpu);
		text_add(&finding->consequence, "%s: %s", follows,
		        access("/dev/nvidiactl", F_OK) == 0
		                ? "`nvidia-smi` says more"
		                : "in a container, `docker run --gpus all` or `apptainer --nv` brings GPUs");
	} else if (there || *unusable) {
		text_add(&finding->text, "%s", *unusable ? unusable : "one of NVIDIA's without a driver");
		text_add(&finding->consequence, "%s: install a driver for CUDA 12.0 or later", follows);
	} else {
		finding->severity = CHECK_OK;
		text_add(&finding->text, "none of NVIDIA's");
		text_add(&finding->consequence, "%s", follows);
	}
}

/* A start would hang or die, too. */
static void gpu_silent(struct finding *finding)
{
	finding->severity = CHECK_PROBLEM;
	if (gpu.hung)
		text_add(&finding->text, "NVIDIA's driver does not answer in %d s", GPU_LIMIT_MS / 1000);
	else
		text_add(&finding->text, "NVIDIA's driver ends the process (signal %d, %s)", gpu.signal,
		        strsignal(gpu.signal));
	text_add(&finding->consequence, "a start %s: ask `nvidia-smi`, or simulate",
	        gpu.hung ? "hangs, too" : "dies of it, too");
	text_add(&finding->type, "export RANKSH_DEVICE=sim");
}

static void gpu_present(const struct doctor *doctor, struct finding *finding)
{
	const struct device_findings *found = &gpu.found;
	if (found->gpus > 1)
		text_add(&finding->text, "%d x ", found->gpus);
	text_add(&finding->text, "%s, %s, CUDA %d.%d", found->gpu, bytes_words(found->gpu_bytes).text,
	        found->driver_version / 1000, found->driver_version % 1000 / 10);
	text_add(&finding->consequence,
	        doctor->n == 1                     ? "the rank has one for itself"
	                : doctor->n <= found->gpus ? "%d ranks have one each"
	                : found->gpus == 1         ? "%d ranks share it"
	                                           : "%d ranks share them",
	        doctor->n);
	finding_number(finding, "gpus", found->gpus);
	finding_number(finding, "gpu_bytes", found->gpu_bytes);
	finding_number(finding, "cuda_version", found->driver_version);
}

void check_gpu(const struct doctor *doctor, struct finding *finding)
{
	struct options options = *doctor->options;
	if (device_choose(&options) != ST_OK) {
		finding->severity = CHECK_PROBLEM;
		text_add(&finding->text, "%s", fail_text());
		text_add(&finding->consequence, "no session starts");
		text_add(&finding->type, "%s", doctor->options->device ? "ranksh" : "unset RANKSH_DEVICE");
		return;
	}
	if (strcmp(options.device, "sim") == 0) {
		text_add(&finding->text, "not looked for");
		text_add(&finding->consequence, "the ranks are simulated, %s", device_why(&options));
		return;
	}
	gpu_ask(&gpu);
	bool cuda = strcmp(options.device, "cuda") == 0;
	if (!gpu.valid)
		gpu_silent(finding);
	else if (gpu.found.gpus)
		gpu_present(doctor, finding);
	else
		gpu_absent(cuda ? "--device cuda is refused" : "the ranks are simulated", finding);
	if (cuda && gpu.valid && !gpu.found.gpus) {
		finding->severity = CHECK_PROBLEM;
		text_add(&finding->type, "%s",
		        doctor->options->device ? "ranksh --device sim" : "export RANKSH_DEVICE=sim");
	}
}

/* ---- their libraries and kernels */

/* Returns true if the session needs this library. Ranks that share a GPU need no NCCL. */
static bool library_is_needed(const struct doctor *doctor, enum device_library library)
{
	return library == DEVICE_NCCL     ? doctor->n > 1 && doctor->n <= gpu.found.gpus
	        : library == DEVICE_NVRTC ? !gpu.found.built_in
	                                  : true;
}

void check_libraries(const struct doctor *doctor, struct finding *finding)
{
	const struct device_findings *found = &gpu.found;
	const char *device = doctor->options->device;
	struct text packages = {0};
	if (!gpu.valid || !found->gpus)
		return;
	bool cuda = device && strcmp(device, "cuda") == 0;
	for (enum device_library i = DEVICE_CUBLAS; i < DEVICE_LIBRARIES; i++) {
		const char *unusable = found->library[i].why;
		if (found->library[i].usable || !library_is_needed(doctor, i))
			continue;
		text_add(&finding->text, "%s%s%s", finding->text.count ? ", " : "", *unusable ? "" : "no ",
		        *unusable ? unusable : found->library[i].name);
		text_add(&packages, " %s", found->library[i].package);
	}
	if (finding->text.count) {
		finding->severity = cuda ? CHECK_PROBLEM : CHECK_NOTE;
		text_add(&finding->consequence, "%s: `pip install%s`",
		        cuda ? "--device cuda is refused" : "the ranks are simulated",
		        text_string(&packages));
		text_add(&finding->type, "pip install%s", text_string(&packages));
		text_release(&packages);
		return;
	}
	text_add(&finding->text, "cuBLAS, NVRTC");
	if (found->nccl_version)
		text_add(&finding->text, ", NCCL %d.%d.%d", found->nccl_version / 10000,
		        found->nccl_version / 100 % 100, found->nccl_version % 100);
	text_add(&finding->consequence, "the ranks run on GPUs");
	finding_number(finding, "nccl_version", found->nccl_version);
}

void check_kernels(const struct doctor *doctor, struct finding *finding)
{
	const struct device_findings *found = &gpu.found;
	(void)doctor;
	if (!gpu.valid || !found->gpus || !(found->built_in || found->library[DEVICE_NVRTC].usable))
		return;
	if (found->built_in) {
		text_add(&finding->text, "built in");
		text_add(&finding->consequence, "a start compiles nothing, unless this GPU is newer");
	} else if (found->compiled) {
		text_add(&finding->text, "compiled");
		text_add(&finding->consequence, "a start compiles nothing");
	} else if (*found->cache && room_free(found->cache) > CACHE_BYTES) {
		text_add(&finding->text, "not compiled yet for this GPU");
		text_add(&finding->consequence, "the first start takes up to a minute more");
	} else {
		finding->severity = CHECK_NOTE;
		text_add(&finding->text, "no folder can keep them compiled");
		text_add(&finding->consequence,
		        "each start takes up to a minute more: set XDG_CACHE_HOME to a folder");
	}
	finding_number(finding, "compiled", found->built_in || found->compiled);
}
