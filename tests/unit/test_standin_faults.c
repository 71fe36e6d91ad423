/* test_standin_faults.c -- each function of the table fails at its first, second and third
 * call, once and from then on: a program that calls every function three times continues
 * without it, frees what it took, and ends.
 *
 * There are two processes: ranks that need each other, one of which has the fault. They share a
 * page, as ranksh's processes share failures: a rank that sees the other fail gives up its
 * wait. */
#include "tests/standin/standin.h"
#include "standin_ranks.h"

#include <dirent.h>
#include <dlfcn.h>

enum { ROUNDS = 3, RANKS = 2, BYTES = 4096 };

/* X(name, symbol, needed, result, parameters): texts cannot fail */
struct function {
	const char *name, *result;
};
static const struct function functions[] = {
#define X(name, symbol, needed, result, parameters) {#name, #result},
        CUDA_FUNCTIONS(X) CUBLAS_FUNCTIONS(X) NCCL_FUNCTIONS(X) NVRTC_FUNCTIONS(X)
#undef X
};

/* How far a rank has come, in steps of all rounds, and in which round it failed last; both from 1 */
struct page {
	CUipcMemHandle memory;
	ncclUniqueId id;
	_Atomic int step[RANKS], failed[RANKS];
};

struct blow {
	const char *name;
	int nth;
	bool sticky;
	struct page *page;
};

/* What failed in this process: how often in this round, and the last */
static int failures;
static const char *last_failed = "nothing";
#define TRY(call) (me->cuda.call == 0 || (failures++, last_failed = #call, false))
/* What gives something back is called again. */
#define RELEASE(call) (TRY(call) || TRY(call))

/* ---- one process: everything but NCCL */

static void use_memory(struct rank *me)
{
	CUdeviceptr at = 0, mapped;
	size_t free_bytes, all_bytes;
	void *pinned;
	static char pageable[BYTES];

	TRY(cuMemGetInfo(&free_bytes, &all_bytes));
	if (!TRY(cuMemAlloc(&at, BYTES)))
		return;
	TRY(cuMemsetD8Async(at, 1, BYTES, me->stream));
	TRY(cuMemsetD32Async(at, 1, BYTES / 4, me->stream));
	TRY(cuMemcpyAsync(at, at + BYTES / 2, BYTES / 2, me->stream));
	TRY(cuMemcpyDtoDAsync(at, at + BYTES / 2, BYTES / 2, me->stream));
	if (TRY(cuMemHostAlloc(&pinned, BYTES, CU_MEMHOSTALLOC_DEVICEMAP))) {
		TRY(cuMemHostGetDevicePointer(&mapped, pinned, 0));
		TRY(cuMemcpyHtoDAsync(at, pinned, BYTES, me->stream));
		TRY(cuMemcpyDtoHAsync(pinned, at, BYTES, me->stream));
		TRY(cuStreamSynchronize(me->stream));
		RELEASE(cuMemFreeHost(pinned));
	}
	if (TRY(cuMemHostRegister(pageable, BYTES, CU_MEMHOSTREGISTER_DEVICEMAP)))
		RELEASE(cuMemHostUnregister(pageable));
	TRY(cuStreamWriteValue32(me->stream, at, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
	TRY(cuStreamSynchronize(me->stream));
	RELEASE(cuMemFree(at));
}

static void nothing(void *self)
{
	(void)self;
}

/* What the stream waits for has been written before it, and stays. */
static void use_waits(struct rank *me)
{
	CUdeviceptr at;
	if (!TRY(cuMemAlloc(&at, BYTES)))
		return;
	if (TRY(cuMemsetD32Async(at, 7, 1, me->stream)))
		TRY(cuStreamWaitValue32(me->stream, at, 7, CU_STREAM_WAIT_VALUE_GEQ));
	TRY(cuStreamBatchMemOp(me->stream, 1,
	        &(CUstreamBatchMemOpParams){.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, at, {8},
	                                            CU_STREAM_WRITE_VALUE_DEFAULT, 0}},
	        0));
	TRY(cuStreamSynchronize(me->stream));
	RELEASE(cuMemFree(at));
}

static void use_events(struct rank *me)
{
	CUevent first, second;
	float milliseconds;
	if (!TRY(cuEventCreate(&first, CU_EVENT_DEFAULT)))
		return;
	if (TRY(cuEventCreate(&second, CU_EVENT_DEFAULT))) {
		bool both = TRY(cuEventRecord(first, me->stream));
		TRY(cuStreamWaitEvent(me->stream, first, CU_EVENT_WAIT_DEFAULT));
		TRY(cuLaunchHostFunc(me->stream, nothing, NULL));
		both &= TRY(cuEventRecordWithFlags(second, me->stream, CU_EVENT_RECORD_DEFAULT));
		TRY(cuEventSynchronize(second));
		TRY(cuStreamSynchronize(me->stream));
		TRY(cuEventQuery(second));
		TRY(cuStreamQuery(me->stream));
		if (both)
			TRY(cuEventElapsedTime(&milliseconds, first, second));
		RELEASE(cuEventDestroy(second));
	}
	RELEASE(cuEventDestroy(first));
}

static void no_kernel(const unsigned grid[3], const unsigned block[3], unsigned shared, void **arguments)
{
	(void)grid, (void)block, (void)shared, (void)arguments;
}

static void use_kernels(struct rank *me)
{
	CUmodule module;
	CUfunction function;
	if (!TRY(cuModuleLoadDataEx(&module, "image", 0, NULL, NULL)))
		return;
	unsigned count;
	TRY(cuModuleGetFunctionCount(&count, module));
	if (TRY(cuModuleEnumerateFunctions(&function, 1, module)))
		TRY(cuFuncLoad(function));
	if (TRY(cuModuleGetFunction(&function, module, "no_kernel"))) {
		TRY(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, me->stream, NULL, NULL));
		TRY(cuStreamSynchronize(me->stream));
	}
	RELEASE(cuModuleUnload(module));
}

/* The graph of an event's record; NULL where that fails */
static CUgraph captured(struct rank *me, CUevent event)
{
	CUgraph graph = NULL;
	if (!TRY(cuStreamBeginCapture(me->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)))
		return NULL;
	TRY(cuEventRecord(event, me->stream));
	return RELEASE(cuStreamEndCapture(me->stream, &graph)) ? graph : NULL;
}

static void use_graph(struct rank *me, CUgraph graph)
{
	CUgraphExec executable;
	if (TRY(cuGraphInstantiate(&executable, graph, 0))) {
		TRY(cuGraphLaunch(executable, me->stream));
		TRY(cuStreamSynchronize(me->stream));
		RELEASE(cuGraphExecDestroy(executable));
	}
	RELEASE(cuGraphDestroy(graph));
}

static void use_graphs(struct rank *me)
{
	CUevent event;
	if (!TRY(cuEventCreate(&event, CU_EVENT_DEFAULT)))
		return;
	CUgraph graph = captured(me, event);
	if (graph)
		use_graph(me, graph);
	RELEASE(cuEventDestroy(event));
}

static void use_blas(struct rank *me)
{
	cublasHandle_t handle;
	float one = 1;
	CUdeviceptr at;
	if (!TRY(cuMemAlloc(&at, BYTES)))
		return;
	void *x = (void *)(uintptr_t)at;
	TRY(cuMemsetD32Async(at, 0, BYTES / 4, me->stream));
	if (TRY(cublasCreate(&handle))) {
		TRY(cublasSetStream(handle, me->stream));
		TRY(cublasSetWorkspace(handle, x, BYTES));
		TRY(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
		TRY(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED));
		TRY(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, CUDA_R_32F, 2, x,
		        CUDA_R_32F, 2, &one, x, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
		TRY(cuStreamSynchronize(me->stream));
		TRY(cuCtxSynchronize());
		RELEASE(cublasDestroy(handle));
	}
	RELEASE(cuMemFree(at));
}

static void use_compiler(struct rank *me)
{
	static const char *const options[] = {"--gpu-architecture=sm_90", "--gpu-architecture=compute_90"};
	nvrtcProgram program;
	int value, supported[50];
	size_t bytes;
	char text[1000];
	TRY(nvrtcVersion(&value, &value));
	TRY(nvrtcGetNumSupportedArchs(&value));
	TRY(nvrtcGetSupportedArchs(supported));
	for (int option = 0; option < 2; option++) {
		if (!TRY(nvrtcCreateProgram(&program, "", "a.cu", 0, NULL, NULL)))
			continue;
		if (TRY(nvrtcCompileProgram(program, 1, &options[option]))) {
			TRY(nvrtcGetCUBINSize(program, &bytes));
			TRY(nvrtcGetPTXSize(program, &bytes));
			if (option)
				TRY(nvrtcGetPTX(program, text));
			else
				TRY(nvrtcGetCUBIN(program, text));
		}
		TRY(nvrtcGetProgramLogSize(program, &bytes));
		TRY(nvrtcGetProgramLog(program, text));
		RELEASE(nvrtcDestroyProgram(&program));
	}
}

/* A context of GPU `gpu` and a stream of it. False: not all of it */
static bool set_up(struct rank *me, int gpu)
{
	CUdevice device = gpu;
	int least, greatest;
	if (!TRY(cuInit(0)) || !TRY(cuDeviceGet(&device, gpu)) ||
	        !TRY(cuDevicePrimaryCtxRetain(&me->context, device)))
		return false;
	if (TRY(cuCtxSetCurrent(me->context)) && TRY(cuCtxGetStreamPriorityRange(&least, &greatest)) &&
	        TRY(cuStreamCreateWithPriority(&me->stream, CU_STREAM_NON_BLOCKING, greatest)))
		return true;
	RELEASE(cuDevicePrimaryCtxRelease(device));
	return false;
}

static void tear_down(struct rank *me, int gpu)
{
	RELEASE(cuStreamDestroy(me->stream));
	RELEASE(cuDevicePrimaryCtxRelease(gpu));
}

static void use_devices(struct rank *me)
{
	int value;
	CUuuid uuid;
	char text[100];
	const char *words;
	size_t bytes;
	CUcontext current, peer;
	TRY(cuDriverGetVersion(&value));
	TRY(cuDeviceGetCount(&value));
	TRY(cuDeviceGetName(text, sizeof text, 0));
	TRY(cuDeviceGetUuid(&uuid, 0));
	TRY(cuDeviceTotalMem(&bytes, 0));
	TRY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	TRY(cuGetErrorName(CUDA_ERROR_NOT_READY, &words));
	TRY(cuGetErrorString(CUDA_ERROR_NOT_READY, &words));
	TRY(cuCtxGetCurrent(&current));
	if (TRY(cuDevicePrimaryCtxRetain(&peer, 1)))
		RELEASE(cuDevicePrimaryCtxRelease(1));
}

static void use_alone(struct rank *me, struct page *page, int round)
{
	(void)page, (void)round;
	if (!set_up(me, 0))
		return;
	use_devices(me);
	use_memory(me);
	use_waits(me);
	use_events(me);
	use_kernels(me);
	use_graphs(me);
	use_blas(me);
	use_compiler(me);
	tear_down(me, 0);
}

/* ---- two processes: NCCL, and memory of each other ---- */

enum { STEPS = 10 }; /* at most, of a round */

/* This rank has come to `step` of the round. True: so has the other. False: it failed. */
static bool meet(struct rank *me, struct page *page, int round, int step)
{
	int other = 1 - me->rank;
	page->step[me->rank] = round * STEPS + step;
	while (page->step[other] < round * STEPS + step && page->failed[other] < round)
		sched_yield();
	return page->step[other] >= round * STEPS + step;
}

/* The call has been made, and is over. False: it failed, or the other rank did. */
static bool over(struct rank *me, struct page *page, int round, ncclComm_t comm, ncclResult_t result)
{
	if (result != ncclSuccess && result != ncclInProgress)
		failures++;
	while (result == ncclInProgress && page->failed[1 - me->rank] < round)
		if (!TRY(ncclCommGetAsyncError(comm, &result)))
			return false;
	return result == ncclSuccess;
}

/* The stream is empty. False: the other rank failed. */
static bool drained(struct rank *me, struct page *page, int round)
{
	CUresult result;
	while ((result = me->cuda.cuStreamQuery(me->stream)) == CUDA_ERROR_NOT_READY &&
	        page->failed[1 - me->rank] < round)
		sched_yield();
	return result == CUDA_SUCCESS;
}

#define OVER(comm, call) over(me, page, round, comm, me->cuda.call)

static bool use_pairs(struct rank *me, struct page *page, int round, void *x)
{
	int other = 1 - me->rank;
	if (!TRY(ncclGroupStart()))
		return false;
	bool sent = TRY(ncclSend(x, 4, ncclInt32, other, me->comm, me->stream)),
	     received = TRY(ncclRecv((char *)x + 64, 4, ncclInt32, other, me->comm, me->stream));
	return OVER(me->comm, ncclGroupEnd()) && sent && received;
}

static bool use_collectives(struct rank *me, struct page *page, int round, void *x)
{
	return OVER(me->comm, ncclAllReduce(x, x, 4, ncclFloat32, ncclAvg, me->comm, me->stream)) &&
	        OVER(me->comm, ncclBroadcast(x, x, 4, ncclFloat32, 0, me->comm, me->stream)) &&
	        OVER(me->comm, ncclReduce(x, x, 4, ncclFloat32, ncclMax, 0, me->comm, me->stream)) &&
	        OVER(me->comm, ncclAllGather(x, (char *)x + 64, 4, ncclFloat32, me->comm, me->stream)) &&
	        OVER(me->comm,
	                ncclReduceScatter(x, (char *)x + 64, 2, ncclFloat32, ncclSum, me->comm, me->stream));
}

static bool join_other(struct rank *me, struct page *page, int round, int step)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	int version;
	config.blocking = 0;
	if (!TRY(ncclGetVersion(&version)) || (me->rank == 0 && !TRY(ncclGetUniqueId(&page->id))))
		return false;
	if (!meet(me, page, round, step))
		return false;
	ncclResult_t result = me->cuda.ncclCommInitRankConfig(&me->comm, RANKS, page->id, me->rank, &config);
	if (result != ncclInProgress)
		me->comm = NULL;
	return over(me, page, round, me->comm, result);
}

/* Rank 1 opens what rank 0 has. */
static bool use_other(struct rank *me, struct page *page, int round, CUdeviceptr at)
{
	bool good = me->rank != 0 || TRY(cuIpcGetMemHandle(&page->memory, at));
	good = good && meet(me, page, round, 4);
	if (good && me->rank == 1) {
		CUdeviceptr opened;
		good = TRY(cuIpcOpenMemHandle(&opened, page->memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) &&
		        RELEASE(cuIpcCloseMemHandle(opened));
	}
	return good && meet(me, page, round, 5);
}

static bool join_and_leave(struct rank *me, struct page *page, int round)
{
	bool left = join_other(me, page, round, 2) && TRY(ncclCommAbort(me->comm));
	if (left)
		me->comm = NULL;
	return left;
}

static bool use_both(struct rank *me, struct page *page, int round, CUdeviceptr at)
{
	void *x = (void *)(uintptr_t)at;
	return join_and_leave(me, page, round) && join_other(me, page, round, 3) &&
	        use_collectives(me, page, round, x) && use_pairs(me, page, round, x) &&
	        drained(me, page, round) && use_other(me, page, round, at);
}

static void use_together(struct rank *me, struct page *page, int round)
{
	CUdeviceptr at;
	bool ready = set_up(me, me->rank) && TRY(cuMemAlloc(&at, BYTES)) &&
	        TRY(cuMemsetD32Async(at, 0, BYTES / 4, me->stream)),
	     good = ready;
	RIGHT(ready); /* what alone is struck, is struck alone */
	me->comm = NULL;
	meet(me, page, round, 1); /* whatever came of the round before */
	good = use_both(me, page, round, at);
	good = good && TRY(ncclCommAbort(me->comm));
	if (!good)
		page->failed[me->rank] = round;
	/* where even the abort fails, only the end of the context frees the stream */
	if (good || !me->comm || RELEASE(ncclCommAbort(me->comm))) {
		RELEASE(cuStreamSynchronize(me->stream));
		RELEASE(cuMemFree(at));
	}
	tear_down(me, me->rank);
}

/* ---- blows ---- */

static int open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;
	while (directory && readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static bool starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static bool needs_two(const char *name)
{
	return starts(name, "nccl") || starts(name, "cuIpc");
}

/* Only one of two processes is struck: the one that makes the call */
static int struck(const char *name)
{
	return starts(name, "cuIpcOpen") || starts(name, "cuIpcClose");
}

/* Opening a library asks it for its version. */
static bool open_all(struct rank *me)
{
	bool opened = true;
	for (int part = 0; part < CUDA_PART_COUNT; part++)
		for (int again = 0; again < 2 && !me->cuda.handles[part]; again++)
			failures += cuda_library_open(&me->cuda, (enum cuda_part)part) != ST_OK;
	for (int part = 0; part < CUDA_PART_COUNT; part++)
		opened &= me->cuda.handles[part] != NULL;
	return opened;
}

/* Under the sanitizers: is there memory that nobody knows any more? */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
static bool leaks(void)
{
	return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check();
}

static void suffer(struct rank *me, void *self)
{
	const struct blow *blow = self;
	char options[100];
	int struck_rounds = 0;
	bool is_struck = me->rank == struck(blow->name);
	snprintf(options, sizeof options, "gpus=2 fail=%s:%d%s", blow->name, blow->nth,
	        blow->sticky ? " sticky" : "");
	use_standin(is_struck ? options : "gpus=2");
	bool opened = open_all(me);
	struck_rounds += failures > 0;
	if (!opened) {
		RIGHT(is_struck && blow->sticky);
		blow->page->failed[me->rank] = ROUNDS;
		return;
	}
	void (*add)(const char *, standin_kernel_code *, size_t);
	*(void **)&add = dlsym(me->cuda.handles[CUDA_PART_DRIVER], "standin_add_kernel");
	add("no_kernel", no_kernel, 0);
	int files = open_files();
	for (int round = 1; round <= ROUNDS; round++) {
		failures = 0;
		(me->ranks == 2 ? use_together : use_alone)(me, blow->page, round);
		struck_rounds += failures > 0;
	}
	if (is_struck && (blow->sticky ? struck_rounds < 1 : struck_rounds != 1))
		fprintf(stderr, "%d rounds had a failure, the last of %s\n", struck_rounds, last_failed);
	RIGHT(!is_struck || (blow->sticky ? struck_rounds >= 1 : struck_rounds == 1));
	RIGHT(blow->sticky || open_files() == files);
	RIGHT(blow->sticky || blow->nth > 1 || !leaks());
}

static void strike(const struct function *function, struct page *page)
{
	int ranks = needs_two(function->name) ? 2 : 1, status[RANKS_MOST];
	for (int nth = 1; nth <= ROUNDS; nth++)
		for (int sticky = 0; sticky < 2; sticky++) {
			struct blow blow = {function->name, nth, sticky, page};
			memset(page, 0, sizeof *page);
			start_ranks(ranks, "", suffer, &blow, status);
			for (int rank = 0; rank < ranks; rank++)
				if (status[rank] != 0)
					fail_msg("fail=%s:%d%s: rank %d ended with %#x", function->name, nth,
					        sticky ? " sticky" : "", rank, (unsigned)status[rank]);
		}
}

static struct page *new_page(void)
{
	void *page =
	        mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(page != MAP_FAILED);
	return page;
}

static void each_function_fails(void **state)
{
	struct page *page = new_page();
	int count = 0;
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(functions); i++)
		if (!starts(functions[i].result, "const char")) {
			strike(&functions[i], page);
			count++;
		}
	assert_true(count > 80);
	assert_int_equal(waitpid(-1, NULL, 0), -1); /* nobody is left */
	munmap(page, sizeof *page);
}

/* ---- deaths: rank 1 is killed at its n-th call (a question how a communicator is counts too: there are many); rank 0 is
 * told that it is gone, gives up what waits, and ends */

struct death {
	int nth;
	struct page *page;
};

static void lose(struct rank *me, void *self)
{
	const struct death *death = self;
	char options[60];
	snprintf(options, sizeof options, "gpus=2 die=1:%d", death->nth);
	setenv("OMPI_COMM_WORLD_RANK", me->rank == 1 ? "1" : "0", 1);
	use_standin(options);
	RIGHT(open_all(me));
	for (int round = 1; round <= ROUNDS; round++)
		use_together(me, death->page, round);
}

/* False: it makes fewer calls. */
static bool dies_at(int nth, struct page *page)
{
	struct death death = {nth, page};
	pid_t child[RANKS];
	int status[RANKS] = {0};
	memset(page, 0, sizeof *page);
	spawn_ranks(RANKS, "", lose, &death, child);
	assert_int_equal(waitpid(child[1], &status[1], 0), child[1]);
	page->failed[1] = ROUNDS;
	assert_int_equal(waitpid(child[0], &status[0], 0), child[0]);
	bool died = WIFSIGNALED(status[1]) && WTERMSIG(status[1]) == SIGKILL;
	if (status[0] != 0 || (!died && status[1] != 0))
		fail_msg("die=1:%d: rank 0 ended with %#x, rank 1 with %#x", nth, (unsigned)status[0],
		        (unsigned)status[1]);
	return died;
}

static void a_rank_dies_at_a_call(void **state)
{
	struct page *page = new_page();
	int nth = 1;
	(void)state;
	while (dies_at(nth, page))
		nth += 1 + nth / 16;
	assert_true(nth > 100);
	munmap(page, sizeof *page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_function_fails),
	        cmocka_unit_test(a_rank_dies_at_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
