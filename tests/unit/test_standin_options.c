/* test_standin_options.c -- RANKSH_STANDIN: the effect of each word, and the message for a
 * wrong one */
#include "cuda/kernels/arguments.h"
#include "standin_open.h"

static void machine(void)
{
	int count;
	size_t bytes;
	char name[100];
	CUdevice device;
	ok(open_standin("gpus=3 memory=1GB,2.5GB"));
	ok(cuda.cuDeviceGetCount(&count));
	is(3, count);
	ok(cuda.cuDeviceTotalMem(&bytes, 0));
	is(1000000000, bytes);
	ok(cuda.cuDeviceTotalMem(&bytes, 2));
	is(2500000000, bytes);
	ok(cuda.cuDeviceGetName(name, sizeof name, 1));
	is(0, strcmp(name, "Stand-in GPU"));
	is(CUDA_ERROR_INVALID_DEVICE, cuda.cuDeviceGet(&device, 3));
	is(CUDA_ERROR_INVALID_CONTEXT, cuda.cuCtxSynchronize());
}

static void no_gpu(void)
{
	is(CUDA_ERROR_NO_DEVICE, open_standin("gpus=0"));
	is(CUDA_ERROR_NOT_INITIALIZED, cuda.cuDeviceGetCount(&(int){0}));
}

static void fails_once(void)
{
	begin("fail=cuMemAlloc:2");
	CUdeviceptr at = device_new(4);
	is(CUDA_ERROR_OUT_OF_MEMORY, cuda.cuMemAlloc(&at, 4));
	at = device_new(4);
	finish();
}

static void fails_from_then_on(void)
{
	begin("fail=cuStreamSynchronize:2 sticky");
	CUstream stream = stream_new(0);
	ok(cuda.cuStreamSynchronize(stream));
	for (int i = 0; i < 3; i++)
		is(CUDA_ERROR_UNKNOWN, cuda.cuStreamSynchronize(stream));
	ok(cuda.cuCtxSynchronize());
	finish();
}

static void late(void)
{
	begin("delay=cuStreamQuery:3ms");
	CUstream stream = stream_new(0);
	int64_t before = cuda.host_now();
	ok(cuda.cuStreamQuery(stream));
	is(3000000, cuda.host_now() - before);
	ok(cuda.cuStreamSynchronize(stream));
	is(3000000, cuda.host_now() - before);
	finish();
}

static void nothing(const unsigned grid[3], const unsigned block[3], unsigned shared, void **arguments)
{
	(void)grid, (void)block, (void)shared, (void)arguments;
}

static CUfunction function_of(const char *name)
{
	CUmodule module;
	CUfunction function;
	ok(cuda.cuModuleLoadDataEx(&module, "image", 0, NULL, NULL));
	ok(cuda.cuModuleGetFunction(&function, module, name));
	return function;
}

/* Behind a long fill the stream is never idle: what lies between two events is a cost alone. */
static void planted(void)
{
	enum { BYTES = 1000000 };
	begin("cost=call:2us cost=start:5us cost=h2d:7us,1GB/s cost=d2h:3us,500MB/s cost=device:1us,2GB/s "
	      "cost=pageable:9us,100MB/s cost=kernel:4us,1G/s cost=elements:6us,1GB/s");
	CUstream stream = stream_new(1);
	CUdeviceptr at = device_new(BYTES);
	void *pinned = pinned_new(BYTES);
	CUevent end[7];
	void (*add)(const char *, standin_kernel_code *, size_t);
	*(void **)&add = dlsym(standin, "standin_add_kernel");
	add("nothing", nothing, 0);
	/* 1000 floats of one tensor, and one number */
	struct elements scale = {.count = 1000, .dims = 1, .dim = {1000}};
	scale.tensor[0].data = scale.tensor[1].data = (void *)(uintptr_t)at;
	scale.tensor[1].stride[0] = 1;
	CUfunction kernel = function_of("nothing"), by_elements = function_of("unary_relu");
	int64_t before = cuda.host_now();
	for (int i = 0; i < 7; i++) {
		if (i == 0)
			ok(cuda.cuMemsetD8Async(at, 0, BYTES, stream));
		if (i == 1)
			ok(cuda.cuMemcpyHtoDAsync(at, pinned, BYTES, stream));
		if (i == 2)
			ok(cuda.cuMemcpyDtoHAsync(pinned, at, BYTES, stream));
		if (i == 3)
			ok(cuda.cuMemcpyDtoDAsync(at, at, BYTES, stream));
		if (i == 4)
			ok(cuda.cuLaunchKernel(kernel, 10, 1, 1, 100, 1, 1, 0, stream, NULL, NULL));
		if (i == 5)
			ok(cuda.cuLaunchKernel(
			        by_elements, 4, 1, 1, 256, 1, 1, 0, stream, (void *[]){&scale}, NULL));
		ok(cuda.cuEventRecord(end[i] = event_new(0), stream));
	}
	is(before + 13 * 2000, cuda.host_now());
	ok(cuda.cuStreamSynchronize(stream));
	static const long wanted[] = {
	        7000 + BYTES, 3000 + 2 * BYTES, 1000 + BYTES / 2, 4000 + 1000, 6000 + 4004, 0};
	for (int i = 0; i < 6; i++)
		is(wanted[i], nanoseconds(end[i], end[i + 1]));
	before = cuda.host_now();
	ok(cuda.cuMemcpyHtoDAsync(at, (char[1000]){0}, 1000, stream));
	is(before + 5000 + 9000 + 10000, cuda.host_now());
	finish();
}

/* Nothing takes time but what is said behind it. */
static void free_of_cost(void)
{
	begin("cost=h2d:7us free cost=d2h:3us,1GB/s");
	CUstream stream = stream_new(1);
	CUdeviceptr at = device_new(1000000);
	void *pinned = pinned_new(1000000);
	int64_t before = cuda.host_now();
	ok(cuda.cuMemsetD8Async(at, 0, 1000000, stream));
	ok(cuda.cuMemcpyHtoDAsync(at, pinned, 1000000, stream));
	ok(cuda.cuStreamSynchronize(stream));
	is(before, cuda.host_now());
	ok(cuda.cuMemcpyDtoHAsync(pinned, at, 1000000, stream));
	ok(cuda.cuStreamSynchronize(stream));
	is(before + 3000 + 1000000, cuda.host_now());
	finish();
}

/* The real clock goes on by itself, and events have its times. */
static void wall(void)
{
	begin("clock=wall");
	CUstream stream = stream_new(0);
	CUevent from = event_new(0), to = event_new(0);
	int64_t before = cuda.host_now();
	ok(cuda.cuEventRecord(from, stream));
	ok(cuda.cuStreamSynchronize(stream));
	cuda.host_sleep_until(before + 5000000);
	is(1, cuda.host_now() >= before + 5000000);
	int64_t between = cuda.host_now();
	ok(cuda.cuEventRecord(to, stream));
	ok(cuda.cuStreamSynchronize(stream));
	is(1,
	        nanoseconds(from, to) > 0 &&
	                (double)nanoseconds(from, to) <= 1.001 * (double)(cuda.host_now() - before));
	is(1, between > before);
	finish();
}

/* Runs it and says by which signal it ended, or minus its status. */
static int end_of(void (*body)(void))
{
	int status;
	pid_t child = fork();
	is(1, child >= 0);
	if (!child) {
		alarm(300);
		body();
		_exit(0);
	}
	is(child, waitpid(child, &status, 0));
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}
static void dies_here(void)
{
	setenv("OMPI_COMM_WORLD_RANK", "2", 1);
	begin("die=2:5"); /* its first three calls are those of begin() */
	stream_new(0);
	cuda.cuCtxSynchronize();
}
static void dies_elsewhere(void)
{
	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	begin("die=2:5");
	stream_new(0);
	ok(cuda.cuCtxSynchronize());
}
static void dies(void)
{
	is(SIGKILL, end_of(dies_here));
	is(0, end_of(dies_elsewhere));
}

static void hangs_here(void)
{
	begin("hang=cuCtxSynchronize:2");
	ok(cuda.cuCtxSynchronize());
	alarm(1);
	cuda.cuCtxSynchronize();
}
static void hangs(void)
{
	is(SIGALRM, end_of(hangs_here));
}

static void wrong(void)
{
	static const char *const words[] = {"gpu=2", "gpus=two", "gpus=17", "memory=1", "memory=GB",
	        "fail=cuMemAloc:1", "fail=cuMemAlloc", "fail=cuMemAlloc:0", "delay=cuMemAlloc:3", "die=1",
	        "die=1:", "hang=cuMemAlloc:0", "nccl=2", "clock=none", "sticky=1", "async=-1", "Sticky",
	        "cost=call", "cost=calls:1us", "cost=call:1us,1/s", "cost=h2d:1us,5", "cost=h2d:,1GB/s",
	        "cost=h2d:1us,0GB/s", "cost=h2d,1GB/s:1us", "cost=kernel:1us,1GB/s"};
	char shown[200], wanted[200], options[200];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		int ends[2];
		is(0, pipe(ends));
		pid_t child = fork();
		is(1, child >= 0);
		if (!child) {
			dup2(ends[1], 2);
			snprintf(options, sizeof options, "gpus=2 %s", words[i]);
			_exit(open_standin(options) == CUDA_ERROR_INVALID_VALUE ? 0 : 3);
		}
		close(ends[1]);
		ssize_t length = read(ends[0], shown, sizeof shown - 1);
		is(1, length > 0);
		shown[length] = 0;
		close(ends[0]);
		int status;
		is(child, waitpid(child, &status, 0));
		is(0, status);
		snprintf(wanted, sizeof wanted, "stand-in: RANKSH_STANDIN has a wrong word: %s\n", words[i]);
		is(0, strcmp(shown, wanted));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {apart(machine), apart(no_gpu), apart(fails_once),
	        apart(fails_from_then_on), apart(late), apart(planted), apart(free_of_cost), apart(wall),
	        apart(dies), apart(hangs), apart(wrong)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
