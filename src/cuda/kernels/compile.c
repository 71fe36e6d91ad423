/* compile.c -- compiles a family with NVRTC */
#include "base/memory.h"
#include "cuda/kernels/image.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { HEADERS_MAX = 32, ARCHITECTURES_MAX = 64 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* the headers that the sources include, by the names in #include */
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

enum status image_compile(const struct cuda_library *cuda, const struct embedded *source, int architecture,
        char **code, size_t *bytes)
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
