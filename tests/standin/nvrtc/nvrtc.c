/* nvrtc.c -- NVRTC's place: the kernels of the stand-in are compiled into its libcuda, so that a program here is looked
 * at for whole brackets, and its image says only where it came from. */
#include "cuda/library/library.h"
#include "standin/nvrtc/source.h"
#include "standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name, symbol, needed, result, parameters) result symbol parameters;
NVRTC_FUNCTIONS(X)
#undef X

struct _nvrtcProgram {
	char *source, *name;
	char log[400], image[200]; /* image: empty until it is compiled */
	bool is_cubin;             /* else PTX */
};

static const int supported[] = {75, 80, 86, 89, 90, 100, 120};
enum { SUPPORTED = sizeof supported / sizeof *supported };

#define TRY_CALL(error)                      \
	do {                                 \
		if (standin_fails(__func__)) \
			return error;        \
	} while (0)

const char *nvrtcGetErrorString(nvrtcResult result)
{
	static const char *const text[] = {"NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY",
	        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT",
	        "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION"};
	return (unsigned)result < sizeof text / sizeof *text ? text[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	TRY_CALL(NVRTC_ERROR_INVALID_INPUT);
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
	TRY_CALL(NVRTC_ERROR_INVALID_INPUT);
	*count = SUPPORTED;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *architectures)
{
	TRY_CALL(NVRTC_ERROR_INVALID_INPUT);
	memcpy(architectures, supported, sizeof supported);
	return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static void program_free(nvrtcProgram program)
{
	free(program->source);
	free(program->name);
	free(program);
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
        const char *const *headers, const char *const *names)
{
	(void)headers, (void)names;
	TRY_CALL(NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
	if (!program || !source || count < 0)
		return NVRTC_ERROR_INVALID_INPUT;
	nvrtcProgram made = calloc(1, sizeof *made);
	if (!made)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	made->source = strdup(source);
	made->name = strdup(name ? name : "default_program");
	if (made->source && made->name) {
		*program = made;
		return NVRTC_SUCCESS;
	}
	program_free(made);
	return NVRTC_ERROR_OUT_OF_MEMORY;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	if (!program || !*program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	program_free(*program);
	*program = NULL;
	return NVRTC_SUCCESS;
}

/* The architecture of "--gpu-architecture=sm_90": 90, and whether it is a real one (sm) or PTX (compute); 0: another
 * option; -1: one that is not supported */
static int architecture_of(const char *option, bool *real)
{
	static const char *const spelled[] = {"--gpu-architecture=", "-arch="};
	for (int i = 0; i < 2; i++) {
		size_t length = strlen(spelled[i]);
		if (strncmp(option, spelled[i], length) != 0)
			continue;
		const char *at = option + length;
		int number = 0;
		*real = strncmp(at, "sm_", 3) == 0;
		sscanf(at, *real ? "sm_%d" : "compute_%d", &number);
		for (int s = 0; s < SUPPORTED; s++)
			if (supported[s] == number)
				return number;
		return -1;
	}
	return 0;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
	int architecture = 75, line;
	const char *words;
	TRY_CALL(NVRTC_ERROR_COMPILATION);
	program->is_cubin = false;
	program->image[0] = '\0';
	for (int i = 0; i < count; i++) {
		int found = options[i][0] == '-' ? architecture_of(options[i], &program->is_cubin) : -1;
		if (found < 0) {
			snprintf(program->log, sizeof program->log,
			        "nvrtc: error: invalid value or option %.100s\n", options[i]);
			return NVRTC_ERROR_INVALID_OPTION;
		}
		architecture = found ? found : architecture;
	}
	if (!source_whole(program->source, &line, &words)) {
		snprintf(program->log, sizeof program->log,
		        "%.100s(%d): error: %s\n\n1 error detected in the compilation of \"%.100s\".\n",
		        program->name, line, words, program->name);
		return NVRTC_ERROR_COMPILATION;
	}
	program->log[0] = '\0';
	snprintf(program->image, sizeof program->image, "%s of %.100s for %d, %zu bytes of source",
	        program->is_cubin ? "cubin" : "PTX", program->name, architecture, strlen(program->source));
	return NVRTC_SUCCESS;
}

/* ---- what came of it: each with its final 0 ---- */

static bool has(nvrtcProgram program, bool cubin)
{
	return program->image[0] && program->is_cubin == cubin;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	*bytes = has(program, false) ? strlen(program->image) + 1 : 0;
	return program->image[0] ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	if (!has(program, false))
		return NVRTC_ERROR_INVALID_PROGRAM;
	strcpy(ptx, program->image);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	*bytes = has(program, true) ? strlen(program->image) + 1 : 0;
	return program->image[0] ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	if (!has(program, true))
		return NVRTC_ERROR_INVALID_PROGRAM;
	strcpy(cubin, program->image);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	*bytes = strlen(program->log) + 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
	TRY_CALL(NVRTC_ERROR_INVALID_PROGRAM);
	strcpy(log, program->log);
	return NVRTC_SUCCESS;
}
