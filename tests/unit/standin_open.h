/* standin_open.h -- the stand-in's libcuda as a table of functions, opened from the folder of
 * the test's executable. Each test opens it in its own process: RANKSH_STANDIN is read once,
 * and no test sees the state of another. */
#ifndef STANDIN_OPEN_H
#define STANDIN_OPEN_H

#include "cuda/library/library.h"
#include "tests/standin/standin.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cuda_library cuda;
static void *standin;

/* In a child a failed check has to end it: what stands here is a value that cmocka does not know. */
#define is(wanted, found) is_at(__FILE__, __LINE__, #found, (long long)(wanted), (long long)(found))
static inline void is_at(const char *file, int line, const char *words, long long wanted, long long found)
{
	if (wanted == found)
		return;
	fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, words, found, wanted);
	_exit(1);
}
#define ok(call) is(CUDA_SUCCESS, call)

/* The stand-in's libraries are what cuda_library_open finds, with those options; no folder of the user's is touched. */
static inline void point_to_standin(const char *options)
{
	char path[PATH_MAX + 40] = {0};
	setenv("RANKSH_STANDIN", options, 1);
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	if (readlink("/proc/self/exe", path, PATH_MAX) < 0)
		_exit(1);
	char *folder = dirname(path);
	snprintf(folder + strlen(folder), 40, "/../standin");
	setenv("RANKSH_CUDA", folder, 1);
}

/* Opens it and takes GPU 0; the options are in force from here on. NULL as they are from the environment's beginning: none */
static inline CUresult open_standin(const char *options)
{
	char path[PATH_MAX + 40] = {0};
	setenv("RANKSH_STANDIN", options ? options : "", 1);
	if (readlink("/proc/self/exe", path, PATH_MAX) < 0)
		_exit(1);
	char *folder = dirname(path);
	snprintf(folder + strlen(folder), 40, "/../standin/libcuda.so.1");
	if (!(standin = dlopen(path, RTLD_NOW | RTLD_GLOBAL))) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(1);
	}
#define X(name, symbol, needed, result, parameters) *(void **)&cuda.name = dlsym(standin, #symbol);
	CUDA_FUNCTIONS(X)
	CLOCK_FUNCTIONS(X)
#undef X
	return cuda.cuInit(0);
}

static inline CUcontext begin(const char *options)
{
	CUcontext context;
	ok(open_standin(options));
	ok(cuda.cuDevicePrimaryCtxRetain(&context, 0));
	ok(cuda.cuCtxSetCurrent(context));
	return context;
}

static inline void finish(void)
{
	ok(cuda.cuDevicePrimaryCtxRelease(0));
}

static inline CUstream stream_new(unsigned flags)
{
	CUstream stream;
	ok(cuda.cuStreamCreateWithPriority(&stream, flags, 0));
	return stream;
}

static inline CUdeviceptr device_new(size_t bytes)
{
	CUdeviceptr at;
	ok(cuda.cuMemAlloc(&at, bytes));
	return at;
}

static inline void *pinned_new(size_t bytes)
{
	void *at;
	ok(cuda.cuMemHostAlloc(&at, bytes, 0));
	return at;
}

static inline CUevent event_new(unsigned flags)
{
	CUevent event;
	ok(cuda.cuEventCreate(&event, flags));
	return event;
}

/* Below 8 ms a float has it to the nanosecond. */
static inline long nanoseconds(CUevent from, CUevent to)
{
	float between = -1;
	ok(cuda.cuEventElapsedTime(&between, from, to));
	return (long)((double)between * 1e6 + 0.5);
}

/* A cmocka test: runs *state in a child of its own, which has to leave with 0. */
static inline void run_apart(void **state)
{
	int status;
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		alarm(300);
		((void (*)(void))(uintptr_t)*state)();
		exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#define apart(body)                                                     \
	{                                                               \
#body, run_apart, NULL, NULL, (void *)(uintptr_t)(body) \
	}

#endif
