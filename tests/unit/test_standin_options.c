/* test_standin_options.c -- RANKSH_STANDIN: what each word does, and that a wrong one is said */
#include "standin_open.h"

static void machine(void)
{
	int count, can;
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
	ok(cuda.cuDeviceCanAccessPeer(&can, 0, 2));
	is(1, can);
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

static void wrong(void)
{
	static const char *const words[] = {"gpu=2", "gpus=two", "gpus=17", "memory=1", "memory=GB",
	        "fail=cuMemAloc:1", "fail=cuMemAlloc", "fail=cuMemAlloc:0", "delay=cuMemAlloc:3", "die=1",
	        "die=1:", "clock=none", "sticky=1", "async=-1", "Sticky"};
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
	        apart(fails_from_then_on), apart(late), apart(wall), apart(dies), apart(wrong)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
