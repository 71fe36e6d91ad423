/* test_standin_shared.c -- memory that processes share through the stand-in's IPC, words that
 * streams wait for, and their times */
#include "standin_open.h"
#include <sys/mman.h>

/* Two processes of a test, with a pipe each way */
struct pair {
	pid_t other;
	int in, out;
};

static struct pair pair_new(void (*other)(struct pair *pair))
{
	int there[2], back[2];
	is(0, pipe(there) || pipe(back));
	struct pair pair = {fork(), back[0], there[1]};
	is(1, pair.other >= 0);
	if (!pair.other) {
		close(back[0]);
		close(there[1]);
		pair = (struct pair){0, there[0], back[1]};
		alarm(300);
		other(&pair);
		exit(0);
	}
	close(back[1]);
	close(there[0]);
	return pair;
}
static void send_to(const struct pair *pair, const void *at, size_t bytes)
{
	is(bytes, write(pair->out, at, bytes));
}
static void take(const struct pair *pair, void *at, size_t bytes)
{
	is(bytes, read(pair->in, at, bytes));
}
static void ended_well(const struct pair *pair)
{
	int status;
	is(pair->other, waitpid(pair->other, &status, 0));
	is(0, status);
}

/* Opens the memory, waits for a word of the other's, adds on its memory and writes a word there. */
static void opens(struct pair *pair)
{
	CUipcMemHandle offer;
	CUdeviceptr at, again;
	int found[2] = {0, 0};
	begin(NULL);
	CUstream stream = stream_new(1);
	take(pair, &offer, sizeof offer);
	ok(cuda.cuIpcOpenMemHandle(&at, offer, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	ok(cuda.cuStreamWaitValue32(stream, at + 8, 1, CU_STREAM_WAIT_VALUE_GEQ));
	ok(cuda.cuMemcpyDtoHAsync(found, at, sizeof found, stream));
	is(11, found[0]);
	is(22, found[1]);
	/* the other's copy took 201.5 us from its latency on; then 8 bytes are copied back */
	is(1000000000 + 3000 + 201500 + 1500, cuda.host_now());
	ok(cuda.cuMemsetD32Async(at + 4, 33, 1, stream));
	ok(cuda.cuStreamWriteValue32(stream, at + 8, 2, 0));
	ok(cuda.cuIpcOpenMemHandle(&again, offer, 0));
	ok(cuda.cuIpcCloseMemHandle(again));
	is(CUDA_ERROR_INVALID_VALUE, cuda.cuIpcCloseMemHandle(again));
	ok(cuda.cuMemsetD8Async(at + 12, 0, 5000000, stream)); /* to its end */
	ok(cuda.cuStreamSynchronize(stream));
	ok(cuda.cuMemsetD8Async(at + 12, 0, 5000001, stream));
	is(CUDA_ERROR_ILLEGAL_ADDRESS, cuda.cuStreamSynchronize(stream));
	ok(cuda.cuDevicePrimaryCtxRelease(0));
}

static void ipc(void)
{
	struct pair pair = pair_new(opens);
	CUipcMemHandle offer;
	int found = 0;
	begin(NULL);
	CUstream stream = stream_new(1), other = stream_new(1);
	CUdeviceptr at = device_new(5000012);
	int *host = pinned_new(5000012);
	host[0] = 11;
	host[1] = 22;
	host[2] = 0;
	ok(cuda.cuIpcGetMemHandle(&offer, at));
	is(CUDA_ERROR_INVALID_CONTEXT, cuda.cuIpcOpenMemHandle(&at, offer, 0));
	ok(cuda.cuMemcpyHtoDAsync(at, host, 5000000, stream));
	ok(cuda.cuStreamWriteValue32(stream, at + 8, 1, 0)); /* which the copy writes too */
	send_to(&pair, &offer, sizeof offer);
	ok(cuda.cuStreamWaitValue32(other, at + 8, 2, CU_STREAM_WAIT_VALUE_GEQ));
	ok(cuda.cuStreamSynchronize(other));
	is(1, cuda.host_now() > 1000000000 + 201500 + 3000);
	ok(cuda.cuMemcpyDtoHAsync(&found, at + 4, 4, other));
	ended_well(&pair);
	ok(cuda.cuMemFree(at));
	finish();
}

/* ---- words in memory that both register: times go along, the same at every run */

enum { ROUNDS = 20 };
static uint32_t *words;

/* Adds a turn to the word that the other waits for, and waits for the other's. Returns the clock at the end. */
static int64_t ping(int me, int64_t cost_ns)
{
	begin(NULL);
	CUstream stream = stream_new(1);
	ok(cuda.cuMemHostRegister(words, 8192, 0));
	CUdeviceptr at, memory = device_new(1000000);
	ok(cuda.cuMemHostGetDevicePointer(&at, words, 0));
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		ok(cuda.cuMemsetD8Async(memory, 0, (size_t)cost_ns, stream));
		ok(cuda.cuStreamWriteValue32(stream, at + 4096 * (unsigned)me, round, 0));
		ok(cuda.cuStreamWaitValue32(
		        stream, at + 4096 * (unsigned)!me, round, CU_STREAM_WAIT_VALUE_GEQ));
	}
	ok(cuda.cuStreamSynchronize(stream));
	int64_t now = cuda.host_now();
	ok(cuda.cuMemHostUnregister(words));
	finish();
	return now;
}
static void pings(struct pair *pair)
{
	int64_t now = ping(1, 900000);
	send_to(pair, &now, sizeof now);
}
static void rounds(void)
{
	words = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	is(1, words != MAP_FAILED);
	struct pair pair = pair_new(pings);
	int64_t mine = ping(0, 300000), theirs;
	take(&pair, &theirs, sizeof theirs);
	/* calls of 1 us, three a round, set the pace; the last round ends with the slower one's fill */
	is(mine, theirs);
	is(1000000000 + 1000 * 3 * (ROUNDS - 1) + 3000 + 2100, mine);
	ended_well(&pair);
}

/* What the host stores lets a stream go on, though nobody is told. */
static void host_store(void)
{
	static uint32_t own[1024];
	begin(NULL);
	CUstream stream = stream_new(1);
	ok(cuda.cuMemHostRegister(own, sizeof own, 0));
	ok(cuda.cuStreamWaitValue32(stream, (CUdeviceptr)(uintptr_t)own, 7, CU_STREAM_WAIT_VALUE_GEQ));
	is(CUDA_ERROR_NOT_READY, cuda.cuStreamQuery(stream));
	__atomic_store_n(own, 8, __ATOMIC_SEQ_CST);
	ok(cuda.cuStreamSynchronize(stream));
	finish();
}

/* Its time goes along to another process. */
static void waits_for_store(struct pair *pair)
{
	begin(NULL);
	CUstream stream = stream_new(1);
	ok(cuda.cuMemHostRegister(words, 8192, 0));
	ok(cuda.cuStreamWaitValue32(
	        stream, (CUdeviceptr)(uintptr_t)(words + 9), 3, CU_STREAM_WAIT_VALUE_GEQ));
	send_to(pair, "", 1);
	ok(cuda.cuStreamSynchronize(stream));
	is(1000000000 + 5000000, cuda.host_now());
	finish();
}
static void stored_between(void)
{
	char queued;
	words = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	is(1, words != MAP_FAILED);
	struct pair pair = pair_new(waits_for_store);
	begin(NULL);
	ok(cuda.cuMemHostRegister(words, 8192, 0));
	take(&pair, &queued, 1);
	cuda.host_store(&words[9], 3, cuda.host_now() + 5000000);
	ended_well(&pair);
	finish();
}

/* A process that is killed while it holds what others use: they keep it. */
static void is_killed(struct pair *pair)
{
	CUipcMemHandle handle;
	begin(NULL);
	CUdeviceptr at = device_new(100);
	CUstream stream = stream_new(0);
	ok(cuda.cuMemsetD32Async(at, 77, 25, stream));
	ok(cuda.cuStreamSynchronize(stream));
	ok(cuda.cuIpcGetMemHandle(&handle, at));
	send_to(pair, &handle, sizeof handle);
	pause();
}
static void killed(void)
{
	struct pair pair = pair_new(is_killed);
	CUipcMemHandle handle;
	CUdeviceptr at;
	int status, found = 0;
	begin(NULL);
	take(&pair, &handle, sizeof handle);
	ok(cuda.cuIpcOpenMemHandle(&at, handle, 0));
	is(0, kill(pair.other, SIGKILL));
	is(pair.other, waitpid(pair.other, &status, 0));
	ok(cuda.cuMemcpyDtoHAsync(&found, at + 96, 4, stream_new(0)));
	is(77, found);
	is(CUDA_ERROR_INVALID_HANDLE, cuda.cuIpcOpenMemHandle(&at, handle, 0));
	finish();
}

/* A pool of 60 GB takes no memory but for what is touched, and seven others write where they open it. */
enum { SHARERS = 7 };
static const size_t pool_bytes = (size_t)60 << 30;
static long resident_pages(void)
{
	long all, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");
	is(2, file ? fscanf(file, "%ld %ld", &all, &resident) : 0);
	fclose(file);
	return resident;
}
static void shares_pool(struct pair *pair)
{
	CUipcMemHandle handle;
	CUdeviceptr at;
	uint32_t place;
	begin("memory=64.5GB");
	take(pair, &handle, sizeof handle);
	take(pair, &place, sizeof place);
	ok(cuda.cuIpcOpenMemHandle(&at, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	CUstream stream = stream_new(1);
	ok(cuda.cuMemsetD32Async(at + pool_bytes / 8 * place, place, 1, stream));
	ok(cuda.cuStreamSynchronize(stream));
	ok(cuda.cuIpcCloseMemHandle(at));
	finish();
}
static void pool(void)
{
	struct pair pair[SHARERS];
	CUipcMemHandle handle;
	uint32_t found;
	for (int i = 0; i < SHARERS; i++)
		pair[i] = pair_new(shares_pool);
	begin("memory=64.5GB");
	long before = resident_pages();
	CUdeviceptr at = device_new(pool_bytes);
	ok(cuda.cuIpcGetMemHandle(&handle, at));
	for (uint32_t i = 0; i < SHARERS; i++) {
		send_to(&pair[i], &handle, sizeof handle);
		send_to(&pair[i], &i, sizeof i);
	}
	for (int i = 0; i < SHARERS; i++)
		ended_well(&pair[i]);
	for (uint32_t i = 0; i < SHARERS; i++) {
		ok(cuda.cuMemcpyDtoHAsync(&found, at + pool_bytes / 8 * i, 4, NULL));
		is(i, found);
	}
	is(1, resident_pages() - before < 100000);
	ok(cuda.cuMemFree(at));
	finish();
}

/* What one process has taken of a GPU is missing in its siblings, until it gives it back or is killed. */
static void takes(struct pair *pair)
{
	char go;
	begin("gpus=2 memory=100MB used=10MB");
	CUdeviceptr some = device_new(30000000);
	device_new(20000000);
	send_to(pair, "", 1);
	take(pair, &go, 1);
	ok(cuda.cuMemFree(some));
	send_to(pair, "", 1);
	pause();
}
static size_t left(void)
{
	size_t left, all;
	ok(cuda.cuMemGetInfo(&left, &all));
	return left / 1000000;
}
static void looks(struct pair *pair)
{
	char go;
	CUcontext context;
	take(pair, &go, 1);
	begin("gpus=2 memory=100MB used=10MB");
	is(40, left());
	is(CUDA_ERROR_OUT_OF_MEMORY, cuda.cuMemAlloc(&(CUdeviceptr){0}, 41000000));
	device_new(39000000);
	is(1, left());
	send_to(pair, "", 1);
	take(pair, &go, 1);
	is(31, left());
	send_to(pair, "", 1);
	take(pair, &go, 1);
	is(51, left());
	ok(cuda.cuDevicePrimaryCtxRetain(&context, 1));
	ok(cuda.cuCtxSetCurrent(context));
	is(90, left());
	ok(cuda.cuDevicePrimaryCtxRelease(0));
	ok(cuda.cuDevicePrimaryCtxRelease(1));
	begin("gpus=2 memory=100MB used=10MB");
	is(90, left());
	finish();
}
static void one_gpu(void)
{
	char go;
	struct pair taker = pair_new(takes), looker = pair_new(looks);
	take(&taker, &go, 1);
	send_to(&looker, "", 1);
	take(&looker, &go, 1);
	send_to(&taker, "", 1);
	take(&taker, &go, 1);
	send_to(&looker, "", 1);
	take(&looker, &go, 1);
	is(0, kill(taker.other, SIGKILL));
	siginfo_t ended;
	is(0, waitid(P_PID, (id_t)taker.other, &ended, WEXITED | WNOWAIT)); /* not reaped: it is a zombie */
	send_to(&looker, "", 1);
	ended_well(&looker);
	is(taker.other, waitpid(taker.other, NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {apart(ipc), apart(rounds), apart(host_store),
	        apart(stored_between), apart(killed), apart(one_gpu), apart(pool)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
