/* test_cuda_library.c -- how NVIDIA's libraries are found, opened and refused. The test
 * compiles tiny ones; the libraries of this computer are never used. */
#include "base/memory.h"
#include "cuda/library/library.h"
#include "tests/unit/check.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64]; /* mkdtemp's */

/* ROOT/NAME, in one of a few buffers that take turns */
static const char *at(const char *name)
{
	static char paths[4][256];
	static int seq;
	char *path = paths[seq++ % 4];
	snprintf(path, sizeof *paths, "%s/%s", root, name);
	return path;
}
static void folder(const char *name)
{
	char command[512];
	snprintf(command, sizeof command, "mkdir -p '%s'", at(name));
	assert_int_equal(system(command), 0);
}

/* What the few functions that are called do; FAKE_VERSION and FAKE_INIT steer them. */
static const char *const bodies[][2] = {
        {"cuInit", "int cuInit(unsigned f){return number(\"FAKE_INIT\")+(int)(f&0);}"},
        {"cuDriverGetVersion", "int cuDriverGetVersion(int*v){*v=number(\"FAKE_VERSION\");return 0;}"},
        {"cuGetErrorName",
                "int cuGetErrorName(int e,const char**s){*s=e==2?\"CUDA_ERROR_OUT_OF_MEMORY\":"
                "\"CUDA_ERROR_NO_DEVICE\";return e==77;}"},
        {"cuGetErrorString",
                "int cuGetErrorString(int e,const char**s){*s=e==2?\"full\":\"none\";return 0;}"},
        {"cuDeviceGetCount", "int cuDeviceGetCount(int*n){*n=2;return 0;}"},
        {"cuDeviceGet", "int cuDeviceGet(int*d,int i){*d=i;return 0;}"},
        {"cuDeviceGetName", "int cuDeviceGetName(char*s,int n,int d){s[n-1]=0;s[0]='A'+d;s[1]=0;return 0;}"},
        {"cuDeviceTotalMem_v2",
                "int cuDeviceTotalMem_v2(unsigned long*b,int d){*b=1000+d;return "
                "d==number(\"FAKE_BROKEN\")?2:0;}"},
        {"ncclGetVersion", "int ncclGetVersion(int*v){*v=number(\"FAKE_NCCL\");return 0;}"},
        {"ncclGetErrorString", "const char*ncclGetErrorString(int e){return e==5?\"invalid usage\":\"\";}"},
        {"ncclGetLastError", "const char*ncclGetLastError(void*c){return c?\"\":\"two ranks\";}"},
        {"cublasGetStatusName", "const char*cublasGetStatusName(int e){return e==3?\"NAME\":\"\";}"},
        {"cublasGetStatusString", "const char*cublasGetStatusString(int e){return e==3?\"words\":\"\";}"},
        {"nvrtcGetErrorString", "const char*nvrtcGetErrorString(int e){return e==6?\"compilation\":\"\";}"},
};
static void define(FILE *source, const char *symbol, const char *without)
{
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		if (strcmp(bodies[i][0], symbol) == 0) {
			fprintf(source, "%s\n", bodies[i][1]);
			return;
		}
	if (strcmp(symbol, without) != 0)
		fprintf(source, "int %s(void){return 0;}\n", symbol);
}
/* Compiles a library with all functions of the part but one. */
static void make(enum cuda_part part, const char *name, const char *without)
{
	char command[1024];
	FILE *source = fopen(at("source.c"), "w");
	assert_non_null(source);
	fprintf(source,
	        "char*getenv(const char*);int atoi(const char*);\n"
	        "int number(const char*n){char*v=getenv(n);return v?atoi(v):0;}\n");
	switch (part) {
#define X(function, symbol, needed, result, parameters) define(source, #symbol, without);
	case CUDA_PART_DRIVER:
		CUDA_FUNCTIONS(X)
		break;
	case CUDA_PART_CUBLAS:
		CUBLAS_FUNCTIONS(X)
		break;
	case CUDA_PART_NCCL:
		NCCL_FUNCTIONS(X)
		break;
	default:
		NVRTC_FUNCTIONS(X)
#undef X
	}
	assert_int_equal(fclose(source), 0);
	snprintf(command, sizeof command, "gcc -w -shared -fPIC -o '%s' '%s'", at(name), at("source.c"));
	assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/ranksh-library-XXXXXX");
	assert_non_null(mkdtemp(root));
	folder("good");
	folder("lacking");
	folder("empty");
	make(CUDA_PART_DRIVER, "good/libcuda.so.1", "cuFuncLoad");
	make(CUDA_PART_CUBLAS, "good/libcublas.so.12", "");
	make(CUDA_PART_NCCL, "good/libnccl.so.2", "");
	make(CUDA_PART_NVRTC, "good/libnvrtc.so.13", "");
	make(CUDA_PART_DRIVER, "lacking/libcuda.so.1", "cuIpcOpenMemHandle_v2");
	return 0;
}
static int end(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}
/* A clean environment: CUDA 13, two GPUs, NCCL 2.28.9, all in the folder */
static void environment(const char *name)
{
	setenv("RANKSH_CUDA", at(name), 1);
	setenv("FAKE_VERSION", "13000", 1);
	setenv("FAKE_NCCL", "22809", 1);
	setenv("FAKE_INIT", "0", 1);
	setenv("FAKE_BROKEN", "-1", 1);
}
/* Under the sanitizers no library is ever closed (tests/sanitized.c). */
static void assert_not_open(const char *path)
{
#ifndef __SANITIZE_ADDRESS__
	assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
#else
	(void)path;
#endif
}
/* The library cannot be opened, the words have all of these (NULL ends them), and nothing is left
 * open. */
static void refused(enum cuda_part part, const char *const *words)
{
	static const struct cuda_library closed;
	struct cuda_library library = {0};
	assert_int_equal(cuda_library_open(&library, part), ST_GPU);
	for (; *words; words++)
		if (!strstr(fail_text(), *words))
			fail_msg("no \"%s\" in: %s", *words, fail_text());
	assert_memory_equal(&library, &closed, sizeof closed);
	const char *const files[] = {"good/libcuda.so.1", "good/libnccl.so.2", "lacking/libcuda.so.1"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		assert_not_open(at(files[i]));
}
#define REFUSED(part, ...) refused((part), (const char *const[]){__VA_ARGS__, NULL})

static void opens_all(void **state)
{
	(void)state;
	static const struct cuda_library closed;
	struct cuda_library library = {0};
	environment("good");
	for (int part = CUDA_PART_COUNT; part-- > 0;) {
		assert_int_equal(cuda_library_open(&library, (enum cuda_part)part), ST_OK);
		assert_int_equal(cuda_library_open(&library, (enum cuda_part)part), ST_OK);
	}
	assert_int_equal(library.driver_version, 13000);
	assert_int_equal(library.nccl_version, 22809);
#define X(name, symbol, needed, result, parameters) assert_true(library.name || !(needed));
	CUDA_FUNCTIONS(X);
	CUBLAS_FUNCTIONS(X);
	NCCL_FUNCTIONS(X);
	NVRTC_FUNCTIONS(X);
#undef X
	assert_true(library.cuFuncLoad == NULL);
	int64_t now = library.host_now();
	library.host_sleep_until(now + 1000);
	assert_true(library.host_now() >= now + 1000);
	uint32_t word = 0;
	library.host_store(&word, 5, now);
	assert_int_equal(word, 5);
	cuda_library_close(&library);
	assert_memory_equal(&library, &closed, sizeof closed);
}

static void refuses_what_is_missing(void **state)
{
	(void)state;
	environment("empty");
	REFUSED(CUDA_PART_DRIVER, "NVIDIA's driver (libcuda.so.1) is not there", at("empty"),
	        "nvidia-driver");
	REFUSED(CUDA_PART_NCCL, "NVIDIA's driver");
	environment("good");
	setenv("FAKE_VERSION", "12040", 1); /* cuBLAS is there for 12, NVRTC only for a later driver */
	REFUSED(CUDA_PART_NVRTC, "NVRTC (libnvrtc.so.12) is not there", at("good"), "nvidia-cuda-nvrtc-cu12");
	assert_int_equal(rename(at("good/libnccl.so.2"), at("good/aside")), 0);
	setenv("FAKE_VERSION", "13000", 1);
	REFUSED(CUDA_PART_NCCL, "NCCL (libnccl.so.2) is not there", "nvidia-nccl-cu13", "libnccl2");
	assert_int_equal(rename(at("good/aside"), at("good/libnccl.so.2")), 0);
}

static void refuses_what_is_too_old(void **state)
{
	(void)state;
	environment("lacking");
	REFUSED(CUDA_PART_DRIVER, "too old", "no function cuIpcOpenMemHandle_v2", at("lacking/libcuda.so.1"));
	environment("good");
	setenv("FAKE_VERSION", "11080", 1);
	REFUSED(CUDA_PART_CUBLAS, "a driver for CUDA 11.8, and 12.0 is the least");
	environment("good");
	setenv("FAKE_NCCL", "21705", 1);
	REFUSED(CUDA_PART_NCCL, "is NCCL 2.17.5, and 2.18 is the least", "nvidia-nccl-cu13");
}

static void refuses_what_is_no_library(void **state)
{
	(void)state;
	environment("empty");
	FILE *file = fopen(at("empty/libcuda.so.1"), "w");
	assert_non_null(file);
	fputs("no library", file);
	fclose(file);
	REFUSED(CUDA_PART_DRIVER, "NVIDIA's driver cannot be used", at("empty/libcuda.so.1"),
	        "nvidia-driver");
	unlink(at("empty/libcuda.so.1"));
}

/* A folder whose library is too old is passed by, if a later one has a good one. */
static void takes_the_first_that_suits(void **state)
{
	(void)state;
	environment("good");
	struct cuda_library library = {0};
	struct text folders = {0};
	text_add(&folders, "%s\n%s\n%s\n", at("empty"), at("lacking"), at("good"));
	assert_int_equal(cuda_open_in(&library, CUDA_PART_DRIVER, text_string(&folders)), ST_OK);
	assert_not_open(at("lacking/libcuda.so.1"));
	cuda_library_close(&library);
	text_clear(&folders);
	text_add(&folders, "%s\n%s\n", at("lacking"), at("empty"));
	assert_int_equal(cuda_open_in(&library, CUDA_PART_DRIVER, text_string(&folders)), ST_GPU);
	assert_non_null(strstr(fail_text(), at("lacking/libcuda.so.1")));
	text_release(&folders);
}

static void looks_in_order(void **state)
{
	(void)state;
	struct text folders = {0}, wanted = {0};
	const char *const there[] = {"home/lib64", "venv/lib/python3.11/site-packages/nvidia/nccl/lib",
	        "venv/lib/python3.11/site-packages/nvidia/cu13/lib", "usr/local/cuda-12.4/lib64",
	        "usr/local/cuda-13.0/lib64", "other/lib/python3/dist-packages/nvidia/nccl/lib",
	        "usr/lib/python3/dist-packages/nvidia/nccl/lib", "usr/lib/wsl/lib", "other/bin"};
	for (size_t i = 0; i < sizeof there / sizeof *there; i++)
		folder(there[i]);
	assert_int_equal(symlink("/bin/sh", at("other/bin/python3")), 0);
	char *path = mem_copy_text(getenv("PATH"), strlen(getenv("PATH")));
	const char *home = getenv("HOME");
	char *old_home = home ? mem_copy_text(home, strlen(home)) : NULL;
	unsetenv("RANKSH_CUDA");
	unsetenv("CUDA_PATH");
	unsetenv("CONDA_PREFIX");
	unsetenv("HOME");
	setenv("CUDA_HOME", at("home"), 1);
	setenv("VIRTUAL_ENV", at("venv"), 1);
	setenv("PATH", at("other/bin"), 1);
	cuda_folders(&folders, CUDA_PART_NCCL, root);
	const char *const order[] = {there[0], there[1], there[2], there[5], there[4], there[3], there[6]};
	text_add(&wanted, "\n");
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		text_add(&wanted, "%s\n", at(order[i]));
	assert_string_equal(text_string(&folders), text_string(&wanted));
	text_clear(&folders);
	cuda_folders(&folders, CUDA_PART_DRIVER, root);
	text_clear(&wanted);
	text_add(&wanted, "\n%s\n", at("usr/lib/wsl/lib"));
	assert_string_equal(text_string(&folders), text_string(&wanted));
	text_clear(&folders);
	setenv("RANKSH_CUDA", "/alone", 1);
	cuda_folders(&folders, CUDA_PART_NCCL, root);
	assert_string_equal(text_string(&folders), "/alone\n");
	setenv("PATH", path, 1);
	if (old_home)
		setenv("HOME", old_home, 1);
	mem_free(path);
	mem_free(old_home);
	text_release(&folders);
	text_release(&wanted);
}

static void looks_beside_the_program(void **state)
{
	(void)state;
	struct text folders = {0}, wanted = {0};
	const char *const there[] = {"env/lib/python3.12/site-packages/nvidia/cublas/lib",
	        "env/lib/python3.12/site-packages/nvidia/cu13/lib"};
	for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
		folder(there[i]);
		text_add(&wanted, "%s\n", at(there[i]));
	}
	cuda_folders_beside(&folders, at("env/lib/python3.12/site-packages/ranksh/bin/ranksh"));
	assert_string_equal(text_string(&folders), text_string(&wanted));
	text_clear(&folders);
	cuda_folders_beside(&folders, at("env/lib/python3.12/site-packages/bin/ranksh"));
	cuda_folders_beside(&folders, "/ranksh/bin/ranksh");
	assert_int_equal(folders.count, 0);
	text_release(&folders);
	text_release(&wanted);
}

static void probes(void **state)
{
	(void)state;
	struct cuda_library library = {0};
	struct cuda_devices devices;
	environment("good");
	unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
	assert_int_equal(cuda_probe(&library, &devices), ST_OK);
	assert_string_equal(getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "32");
	assert_int_equal(devices.count, 2);
	assert_string_equal(devices.items[1].name, "B");
	assert_int_equal(devices.items[1].bytes, 1001);
	cuda_devices_release(&devices);
	setenv("FAKE_BROKEN", "1", 1);
	assert_int_equal(cuda_probe(&library, &devices), ST_DEVICE_MEMORY);
	assert_non_null(strstr(fail_text(), "cuDeviceTotalMem"));
	assert_null(devices.items);
	setenv("FAKE_INIT", "100", 1);
	assert_int_equal(cuda_probe(&library, &devices), ST_GPU);
	assert_string_equal(fail_text(),
	        "NVIDIA's driver (CUDA 13.0) is there, but no GPU for it: cuInit: CUDA_ERROR_NO_DEVICE "
	        "(none)");
	cuda_library_close(&library);
}

static void words_calls(void **state)
{
	(void)state;
	struct cuda_library library = {0};
	environment("good");
	for (int part = 0; part < CUDA_PART_COUNT; part++)
		assert_int_equal(cuda_library_open(&library, (enum cuda_part)part), ST_OK);
	assert_int_equal(cuda_call(&library, "cuMemAlloc", CUDA_SUCCESS), ST_OK);
	assert_int_equal(cuda_call(&library, "cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY), ST_DEVICE_MEMORY);
	assert_string_equal(fail_text(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (full)");
	assert_int_equal(cuda_call(&library, "cuInit", (CUresult)77), ST_GPU);
	assert_string_equal(fail_text(), "cuInit: error 77, which the driver has no name for");
	assert_int_equal(cublas_call(&library, "cublasGemmEx", CUBLAS_STATUS_ALLOC_FAILED), ST_DEVICE_MEMORY);
	assert_string_equal(fail_text(), "cublasGemmEx: NAME (words)");
	assert_int_equal(nccl_call(&library, "ncclSend", ncclInProgress), ST_OK);
	assert_int_equal(nccl_call(&library, "ncclSend", ncclInvalidUsage), ST_GPU);
	assert_string_equal(fail_text(), "ncclSend: invalid usage (two ranks)");
	assert_int_equal(nvrtc_call(&library, "nvrtcCompileProgram", NVRTC_ERROR_COMPILATION), ST_GPU);
	assert_string_equal(fail_text(), "nvrtcCompileProgram: compilation");
	cuda_library_close(&library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(opens_all),
	        cmocka_unit_test(refuses_what_is_missing),
	        cmocka_unit_test(refuses_what_is_too_old),
	        cmocka_unit_test(refuses_what_is_no_library),
	        cmocka_unit_test(takes_the_first_that_suits),
	        cmocka_unit_test(looks_in_order),
	        cmocka_unit_test(looks_beside_the_program),
	        cmocka_unit_test(probes),
	        cmocka_unit_test(words_calls),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
