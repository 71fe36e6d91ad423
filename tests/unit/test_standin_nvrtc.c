/* test_standin_nvrtc.c -- the stand-in's NVRTC: an image of a complete source, and a log for a
 * broken one */
#include "standin_ranks.h"

static nvrtcResult compile(struct rank *me, nvrtcProgram *program, const char *source, const char *option)
{
	CALL(nvrtcCreateProgram(program, source, "rows.cu", 0, NULL, NULL));
	return me->cuda.nvrtcCompileProgram(*program, 1, &option);
}

static void compile_all(struct rank *me, void *self)
{
	const char *whole =
	        "// '\n/* \" { */\nextern \"C\" __global__ void f(float *x)\n{\n\tx[0] = '\\'';\n}\n";
	nvrtcProgram program;
	size_t bytes;
	char image[500] = "";
	int count, supported[50];
	(void)self;
	open_part(me, CUDA_PART_NVRTC);
	CALL(nvrtcGetNumSupportedArchs(&count));
	RIGHT(count > 0 && count <= 50);
	CALL(nvrtcGetSupportedArchs(supported));
	RIGHT(supported[0] == 75);

	RIGHT(compile(me, &program, whole, "--gpu-architecture=sm_90") == NVRTC_SUCCESS);
	CALL(nvrtcGetCUBINSize(program, &bytes));
	RIGHT(bytes > 0 && bytes <= sizeof image);
	CALL(nvrtcGetCUBIN(program, image));
	RIGHT(strstr(image, "rows.cu for 90"));
	CALL(nvrtcGetPTXSize(program, &bytes));
	RIGHT(bytes == 0);
	CALL(nvrtcDestroyProgram(&program));
	RIGHT(!program);

	RIGHT(compile(me, &program, whole, "-arch=compute_75") == NVRTC_SUCCESS);
	CALL(nvrtcGetPTXSize(program, &bytes));
	CALL(nvrtcGetPTX(program, image));
	RIGHT(bytes == strlen(image) + 1);
	CALL(nvrtcDestroyProgram(&program));
}

static void an_image_of_what_is_whole(void **state)
{
	(void)state;
	run_ranks(1, "", compile_all, NULL);
}

/* sources, and what the log says of them */
static const char *const wrong[][2] = {
        {"__global__ void f()\n{\n", "rows.cu(3): error: a bracket is still open at end of file"},
        {"void f(]\n", "rows.cu(1): error: a bracket closes what is not open"},
        {"\nconst char *x = \"a;\n", "rows.cu(2): error: missing closing quote"},
        {"\n\n/* {", "rows.cu(3): error: comment unclosed at end of file"},
};

static void compile_wrong(struct rank *me, void *self)
{
	nvrtcProgram program;
	size_t bytes;
	char log[500];
	(void)self;
	open_part(me, CUDA_PART_NVRTC);
	for (size_t i = 0; i < LENGTH_OF(wrong); i++) {
		RIGHT(compile(me, &program, wrong[i][0], "-arch=sm_75") == NVRTC_ERROR_COMPILATION);
		CALL(nvrtcGetProgramLogSize(program, &bytes));
		RIGHT(bytes <= sizeof log);
		CALL(nvrtcGetProgramLog(program, log));
		RIGHT(strstr(log, wrong[i][1]));
		RIGHT(me->cuda.nvrtcGetCUBINSize(program, &bytes) == NVRTC_ERROR_INVALID_PROGRAM);
		CALL(nvrtcDestroyProgram(&program));
	}
	RIGHT(compile(me, &program, "", "-arch=sm_12") == NVRTC_ERROR_INVALID_OPTION);
	CALL(nvrtcDestroyProgram(&program));
	RIGHT(strcmp(me->cuda.nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION") == 0);
}

static void a_log_of_what_is_not(void **state)
{
	(void)state;
	run_ranks(1, "", compile_wrong, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_image_of_what_is_whole),
	        cmocka_unit_test(a_log_of_what_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
