/* test_standin_memory.c -- the stand-in's memory and copies: engines, calls that block the
 * caller, bounds, invalid addresses */
#include "standin_open.h"

enum { MB = 1000000, KB = 1000 };

/* Two streams' copies in one direction share an engine; the other direction has its own. 2.5 MB of pinned memory take 101.5 us. */
static void engines(void)
{
	begin(NULL);
	CUstream a = stream_new(1), b = stream_new(1), c = stream_new(1);
	CUdeviceptr at = device_new(7500 * KB);
	char *host = pinned_new(7500 * KB);
	CUevent from = event_new(0), end[3] = {event_new(0), event_new(0), event_new(0)};
	ok(cuda.cuEventRecord(from, a));
	ok(cuda.cuMemcpyHtoDAsync(at, host, 2500 * KB, a));
	ok(cuda.cuMemcpyHtoDAsync(at + 2500 * KB, host + 2500 * KB, 2500 * KB, b));
	ok(cuda.cuMemcpyDtoHAsync(host + 5000 * KB, at + 5000 * KB, 2500 * KB, c));
	ok(cuda.cuEventRecord(end[0], a));
	ok(cuda.cuEventRecord(end[1], b));
	ok(cuda.cuEventRecord(end[2], c));
	is(1, cuda.host_now() < 1000000000 + 10000);
	ok(cuda.cuCtxSynchronize());
	is(102500, nanoseconds(from, end[0]));
	is(204000, nanoseconds(from, end[1]));
	is(104500, nanoseconds(from, end[2]));
	finish();
}

/* Memory of malloc keeps the caller until the copy is done; fills by bytes and words */
static void pageable(void)
{
	char *host = malloc(2 * MB), back[4];
	begin(NULL);
	CUstream stream = stream_new(1);
	CUdeviceptr at = device_new(2 * MB);
	for (int i = 0; i < 2 * MB; i++)
		host[i] = (char)(i % 251);
	int64_t before = cuda.host_now();
	ok(cuda.cuMemcpyHtoDAsync(at, host, 2 * MB, stream));
	is(before + 3000 + 1500 + 200000, cuda.host_now());
	ok(cuda.cuMemsetD8Async(at + 1, 7, 2, stream));
	ok(cuda.cuMemcpyDtoDAsync(at + MB, at, MB, stream));
	ok(cuda.cuMemcpyAsync((CUdeviceptr)(uintptr_t)back, at + MB, 4, stream));
	is(7, back[1]);
	is(7, back[2]);
	is(3, back[3]);
	free(host);
	finish();
}

static void limits(void)
{
	size_t unused, all;
	CUdeviceptr at[3], last;
	void *pinned;
	static char own[10000];
	begin("memory=100MB used=20MB");
	ok(cuda.cuMemGetInfo(&unused, &all));
	is(80, unused / MB);
	is(CUDA_ERROR_OUT_OF_MEMORY, cuda.cuMemAlloc(&last, 81 * MB));
	for (int i = 0; i < 3; i++)
		at[i] = device_new(26 * MB);
	is(CUDA_ERROR_OUT_OF_MEMORY, cuda.cuMemAlloc(&last, 3 * MB));
	ok(cuda.cuMemFree(at[1]));
	is(CUDA_ERROR_INVALID_VALUE, cuda.cuMemFree(at[1]));
	is(CUDA_ERROR_INVALID_VALUE, cuda.cuMemFree(at[0] + 4096));
	ok(cuda.cuMemAlloc(&last, 26 * MB));
	is(1, last == at[1]);
	ok(cuda.cuMemHostAlloc(&pinned, 100, 0));
	ok(cuda.cuMemHostGetDevicePointer(&last, pinned, 0));
	is(1, last == (uintptr_t)pinned);
	is(CUDA_ERROR_INVALID_VALUE, cuda.cuMemHostGetDevicePointer(&last, own, 0));
	ok(cuda.cuMemHostRegister(own, sizeof own, 0));
	is(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuda.cuMemHostRegister(own + 50, 10, 0));
	ok(cuda.cuMemHostUnregister(own));
	is(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuda.cuMemHostUnregister(own));
	ok(cuda.cuMemFreeHost(pinned));
	finish();
}

/* Giving memory back waits for all streams. A fill of 15 MB takes 11.5 us. */
static void frees_wait(void)
{
	begin("cost=call:0us");
	CUstream stream = stream_new(1);
	CUdeviceptr at = device_new(15 * MB), other = device_new(4);
	void *pinned = pinned_new(4);
	int64_t before = cuda.host_now();
	ok(cuda.cuMemsetD8Async(at, 0, 15 * MB, stream));
	is(before, cuda.host_now());
	ok(cuda.cuMemFree(other));
	is(before + 3000 + 11500, cuda.host_now());
	ok(cuda.cuMemsetD8Async(at, 0, 15 * MB, stream));
	ok(cuda.cuMemFreeHost(pinned));
	is(before + 2 * (3000 + 11500), cuda.host_now());
	finish();
}

static void sticky(CUstream stream)
{
	is(CUDA_ERROR_ILLEGAL_ADDRESS, cuda.cuStreamSynchronize(stream));
	is(CUDA_ERROR_ILLEGAL_ADDRESS, cuda.cuMemAlloc(&(CUdeviceptr){0}, 4));
	is(CUDA_ERROR_ILLEGAL_ADDRESS, cuda.cuCtxSynchronize());
	ok(cuda.cuDevicePrimaryCtxRelease(0));
}

static void illegal_copy(void)
{
	begin(NULL);
	CUstream stream = stream_new(1);
	CUdeviceptr at = device_new(1000);
	char *host = pinned_new(2000);
	ok(cuda.cuMemcpyHtoDAsync(at, host, 1000, stream));
	ok(cuda.cuStreamSynchronize(stream));
	ok(cuda.cuMemcpyHtoDAsync(at, host, 1001, stream));
	sticky(stream);
	begin(NULL);
	stream = stream_new(1);
	ok(cuda.cuMemsetD32Async(device_new(1000) + 4, 0, 250, stream));
	sticky(stream);
}

static void far_kernel(const unsigned grid[3], const unsigned block[3], unsigned shared, void **arguments)
{
	(void)grid, (void)block, (void)shared;
	**(volatile int *volatile *)arguments[0] = 1;
}

/* A kernel that writes where nothing is allocated spoils the context, what is behind it does not run, and the next context is whole. */
static void illegal_kernel(void)
{
	static char no_argument[4096]; /* which may be that long */
	void (*add)(const char *, standin_kernel_code *, size_t);
	for (int again = 0; again < 2; again++) {
		begin(NULL);
		*(void **)&add = dlsym(standin, "standin_add_kernel");
		add("far", far_kernel, sizeof(CUdeviceptr));
		CUmodule module;
		CUfunction function;
		ok(cuda.cuModuleLoadDataEx(&module, "image", 0, NULL, NULL));
		ok(cuda.cuModuleGetFunction(&function, module, "far"));
		CUstream stream = stream_new(1);
		CUdeviceptr at = device_new(4096), freed = device_new(4096);
		int *host = pinned_new(4);
		*host = 5;
		ok(cuda.cuMemFree(freed));
		ok(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&at}, NULL));
		ok(cuda.cuStreamSynchronize(stream));
		is(CUDA_ERROR_INVALID_VALUE,
		        cuda.cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, stream, (void *[]){&at}, NULL));
		CUfunction bounded; /* __launch_bounds__(256) */
		ok(cuda.cuModuleGetFunction(&bounded, module, "attention_merge"));
		is(CUDA_ERROR_INVALID_VALUE,
		        cuda.cuLaunchKernel(
		                bounded, 1, 1, 1, 512, 1, 1, 0, stream, (void *[]){no_argument}, NULL));
		ok(cuda.cuModuleUnload(module));
		ok(cuda.cuModuleLoadDataEx(&module, "image", 0, NULL, NULL));
		ok(cuda.cuModuleGetFunction(&function, module, "far"));
		ok(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&freed}, NULL));
		cuda.cuMemcpyDtoHAsync(host, at, 4, stream);
		is(CUDA_ERROR_ILLEGAL_ADDRESS, cuda.cuStreamSynchronize(stream));
		is(5, *host);
		sticky(stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {apart(engines), apart(pageable), apart(limits), apart(frees_wait),
	        apart(illegal_copy), apart(illegal_kernel)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
