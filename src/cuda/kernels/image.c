/* image.c -- loads the kernels: from fat binaries, from the cache, or by compiling them */
#include "cuda/kernels/image.h"
#include "base/file.h"
#include "base/memory.h"
#include "cuda/kernels/cache.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_MOST = 64 << 20 };

/* ---- compiles a family with NVRTC */

enum { HEADERS_MAX = 32, ARCHITECTURES_MAX = 64 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int find_headers(const char **texts, const char **names)
{
	int count = 0;
	for (const struct embedded *file = embedded_files; file->path && count < HEADERS_MAX; file++)
		if (fnmatch("src/*.cuh", file->path, 0) == 0 || fnmatch("src/*.h", file->path, 0) == 0) {
			texts[count] = file->bytes;
			names[count++] = file->path + strlen("src/");
		}
	return count;
}

/* Returns the architecture to compile for: the device's, or the last earlier one that NVRTC
 * supports; 0: none. */
static int known_architecture(const struct cuda_library *cuda, int wanted)
{
	int known[ARCHITECTURES_MAX], count = 0, best = 0;
	if (cuda->nvrtcGetNumSupportedArchs(&count) || count > ARCHITECTURES_MAX ||
	        cuda->nvrtcGetSupportedArchs(known))
		return 0;
	for (int i = 0; i < count; i++)
		if (known[i] <= wanted && known[i] > best)
			best = known[i];
	return best;
}

static enum status compile_failure(
        const struct cuda_library *cuda, nvrtcProgram program, const char *path, nvrtcResult result)
{
	size_t bytes = 0;
	char *log = NULL;
	if (cuda->nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS && bytes > 1) {
		log = mem_alloc(bytes + 1);
		cuda->nvrtcGetProgramLog(program, log);
		log[strcspn(log, "\n")] = '\0';
	}
	enum status status = fail(ST_GPU, "NVRTC does not compile %s: %s", base_name(path),
	        log && *log ? log : cuda->nvrtcGetErrorString(result));
	mem_free(log);
	return status;
}

static nvrtcResult code_take(
        const struct cuda_library *cuda, nvrtcProgram program, bool exact, char **code, size_t *bytes)
{
	nvrtcResult result =
	        exact ? cuda->nvrtcGetCUBINSize(program, bytes) : cuda->nvrtcGetPTXSize(program, bytes);
	if (result != NVRTC_SUCCESS)
		return result;
	*code = mem_alloc(*bytes + 1);
	return exact ? cuda->nvrtcGetCUBIN(program, *code) : cuda->nvrtcGetPTX(program, *code);
}

/* Compiles to SASS for that architecture, or to PTX for the latest earlier one that this NVRTC
 * supports. The caller frees *code (mem_free); NULL after ST_GPU. */
static enum status image_compile(const struct cuda_library *cuda, const struct embedded *source,
        int architecture, char **code, size_t *bytes)
{
	const char *texts[HEADERS_MAX], *names[HEADERS_MAX];
	int headers = find_headers(texts, names), known = known_architecture(cuda, architecture);
	char target[64];
	const char *options[] = {target, "--fmad=false", "--std=c++17"};
	nvrtcProgram program = NULL;
	*code = NULL;
	*bytes = 0;
	if (!known)
		return fail(ST_GPU, "NVRTC does not compile for a GPU of compute capability %d.%d",
		        architecture / 10, architecture % 10);
	snprintf(target, sizeof target, "--gpu-architecture=%s_%d", known == architecture ? "sm" : "compute",
	        known);
	nvrtcResult result = cuda->nvrtcCreateProgram(
	        &program, source->bytes, base_name(source->path), headers, texts, names);
	if (result != NVRTC_SUCCESS)
		return nvrtc_call(cuda, "nvrtcCreateProgram", result);
	result = cuda->nvrtcCompileProgram(program, sizeof options / sizeof *options, options);
	if (result == NVRTC_SUCCESS)
		result = code_take(cuda, program, known == architecture, code, bytes);
	enum status status = ST_OK;
	if (result != NVRTC_SUCCESS) {
		status = compile_failure(cuda, program, source->path, result);
		mem_free(*code);
		*code = NULL;
	}
	cuda->nvrtcDestroyProgram(&program);
	return status;
}

/* ---- loads */

/* Otherwise the driver loads each function at its first launch, for which it may wait until the
 * whole GPU is idle. Does nothing before CUDA 12.4. */
static enum status load_functions(const struct cuda_library *cuda, CUmodule module)
{
	unsigned count = 0;
	if (!cuda->cuModuleGetFunctionCount || !cuda->cuModuleEnumerateFunctions || !cuda->cuFuncLoad)
		return ST_OK;
	enum status status = CUDA_CALL(cuda, cuModuleGetFunctionCount, &count, module);
	CUfunction *functions = mem_alloc(count * sizeof *functions);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuModuleEnumerateFunctions, functions, count, module);
	for (unsigned i = 0; i < count && status == ST_OK; i++)
		status = CUDA_CALL(cuda, cuFuncLoad, functions[i]);
	mem_free(functions);
	return status;
}

static enum status module_load(struct image *image, const void *code)
{
	const struct cuda_library *cuda = image->cuda;
	CUmodule module;
	enum status status = CUDA_CALL(cuda, cuModuleLoadDataEx, &module, code, 0, NULL, NULL);
	if (status != ST_OK)
		return status;
	status = load_functions(cuda, module);
	if (status == ST_OK)
		image->module[image->modules++] = module;
	else
		cuda->cuModuleUnload(module);
	return status;
}

/* A file that the driver refuses is ignored and written again. */
static bool load_cached(struct image *image, const struct kernel_cache *cache, const struct embedded *source,
        int architecture)
{
	char path[CACHE_PATH_BYTES], *code = NULL;
	size_t bytes = 0;
	bool loaded = false;
	for (int i = 0; i < CACHE_FOLDERS && !loaded; i++) {
		loaded = cache_path(cache, i, source->path, architecture, path) &&
		        file_read(path, CODE_MOST, &code, &bytes) == ST_OK && bytes > 0 &&
		        module_load(image, code) == ST_OK;
		mem_free(code);
		code = NULL;
	}
	return loaded;
}

/* Loads nothing if another process compiles the family, unless `wait`. */
static enum status load_source(struct image *image, struct kernel_cache *cache, const struct embedded *source,
        int architecture, bool wait)
{
	char *code = NULL;
	size_t bytes = 0;
	if (load_cached(image, cache, source, architecture) || !cache_lock(cache, source, wait) ||
	        load_cached(image, cache, source, architecture))
		return ST_OK;
	enum status status = image_compile(image->cuda, source, architecture, &code, &bytes);
	if (status == ST_OK)
		status = module_load(image, code);
	if (status == ST_OK)
		cache_write(cache, source->path, architecture, code, bytes);
	mem_free(code);
	return status;
}

static bool is_of(const char *path, const char *family)
{
	const char *name = base_name(path);
	return !family || (strncmp(name, family, strlen(family)) == 0 && name[strlen(family)] == '.');
}

/* Compiles the families that no other process is compiling, then waits for the others' code. */
static enum status load_sources(struct image *image, int architecture, const char *family)
{
	struct kernel_cache cache;
	const struct embedded *others[IMAGE_MODULES_MAX];
	int busy = 0;
	enum status status = cuda_library_open(image->cuda, CUDA_PART_NVRTC);
	if (status != ST_OK)
		return status;
	cache_open(&cache, image->cuda);
	for (const struct embedded *file = embedded_files; file->path && status == ST_OK; file++) {
		const char *ending = strrchr(file->path, '.');
		if (ending && strcmp(ending, ".cu") == 0 && is_of(file->path, family)) {
			int before = image->modules;
			status = load_source(image, &cache, file, architecture, false);
			if (image->modules == before && status == ST_OK)
				others[busy++] = file;
		}
	}
	for (int i = 0; i < busy && status == ST_OK; i++)
		status = load_source(image, &cache, others[i], architecture, true);
	cache_close(&cache);
	return status;
}

enum status image_prepare(struct cuda_library *cuda)
{
	return image_binaries[0].path ? ST_OK : cuda_library_open(cuda, CUDA_PART_NVRTC);
}

enum status image_architecture(struct cuda_library *cuda, CUdevice device, int *architecture)
{
	static const CUdevice_attribute capability[] = {
	        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR};
	int part[2] = {0};
	enum status status = ST_OK;
	for (int i = 0; i < 2 && status == ST_OK; i++)
		status = CUDA_CALL(cuda, cuDeviceGetAttribute, &part[i], capability[i], device);
	*architecture = part[0] * 10 + part[1];
	return status;
}

enum status image_load(struct image *image, struct cuda_library *cuda, int architecture, const char *family)
{
	*image = (struct image){.cuda = cuda};
	enum status status = ST_OK;
	for (const struct embedded *file = image_binaries; file->path && status == ST_OK; file++)
		if (is_of(file->path, family))
			status = module_load(image, file->bytes);
	if (status == ST_OK && image->modules)
		return ST_OK;
	image_unload(image);
	status = load_sources(image, architecture, family);
	if (status != ST_OK)
		image_unload(image);
	return status;
}

enum status image_load_family(struct image *image, struct cuda_library *cuda, int ordinal, const char *family,
        const struct image_wanted *wanted)
{
	CUdevice device;
	int architecture;
	enum status status = CUDA_CALL(cuda, cuDeviceGet, &device, ordinal);
	if (status == ST_OK)
		status = image_architecture(cuda, device, &architecture);
	if (status == ST_OK)
		status = image_load(image, cuda, architecture, family);
	for (; wanted->name && status == ST_OK; wanted++)
		status = image_function(image, wanted->name, wanted->function);
	return status;
}

enum status image_function(const struct image *image, const char *name, CUfunction *function)
{
	CUresult result = CUDA_ERROR_NOT_FOUND;
	for (int i = 0; i < image->modules && result != CUDA_SUCCESS; i++)
		result = image->cuda->cuModuleGetFunction(function, image->module[i], name);
	return cuda_call(image->cuda, "cuModuleGetFunction", result);
}

void image_unload(struct image *image)
{
	while (image->modules)
		image->cuda->cuModuleUnload(image->module[--image->modules]);
}
