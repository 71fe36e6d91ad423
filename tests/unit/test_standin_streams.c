/* test_standin_streams.c -- the stand-in's streams, events and copies: order, the virtual
 * clock, calls that block the caller */
#include "standin_open.h"
#include <pthread.h>
#include <stdint.h>

/* A kernel adds to a word what it is told, so that a lost or doubled launch shows. */
struct addend {
	int *at, value;
};
static void add_kernel(const unsigned grid[3], const unsigned block[3], unsigned shared, void **arguments)
{
	(void)grid, (void)block, (void)shared;
	struct addend *addend = arguments[0];
	*addend->at += addend->value;
}

static CUfunction kernel(standin_kernel_code *code, size_t bytes)
{
	CUmodule module;
	CUfunction function;
	void (*add)(const char *, standin_kernel_code *, size_t);
	*(void **)&add = dlsym(standin, "standin_add_kernel");
	add("kernel", code, bytes);
	ok(cuda.cuModuleLoadDataEx(&module, "image", 0, NULL, NULL));
	ok(cuda.cuModuleGetFunction(&function, module, "kernel"));
	is(CUDA_ERROR_NOT_FOUND, cuda.cuModuleGetFunction(&(CUfunction){0}, module, "no such kernel"));
	return function;
}

static void launch(CUfunction function, int64_t ns, CUdeviceptr at, int value, CUstream stream)
{
	struct addend addend = {(int *)(uintptr_t)at, value};
	void (*next_cost)(int64_t);
	*(void **)&next_cost = dlsym(standin, "standin_next_cost");
	next_cost(ns);
	ok(cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, (void *[]){&addend}, NULL));
}

/* Two streams side by side, then one behind the other by an event; times are what the costs say. */
static void times(void)
{
	begin(NULL);
	CUstream a = stream_new(1), b = stream_new(1);
	CUdeviceptr word = device_new(8);
	CUfunction function = kernel(add_kernel, sizeof(struct addend));
	CUevent from = event_new(0), end_a = event_new(0), end_b = event_new(0), end = event_new(0);
	ok(cuda.cuMemsetD32Async(word, 5, 2, a));
	ok(cuda.cuStreamSynchronize(a));
	ok(cuda.cuEventRecord(from, a));
	ok(cuda.cuStreamWaitEvent(b, from, 0));
	launch(function, 4000000, word, 1, a);
	launch(function, 3000000, word + 4, 2, b);
	ok(cuda.cuEventRecord(end_a, a));
	ok(cuda.cuEventRecord(end_b, b));
	ok(cuda.cuStreamWaitEvent(b, end_a, 0));
	launch(function, 2000000, word, 4, b);
	ok(cuda.cuEventRecord(end, b));
	int64_t before = cuda.host_now();
	ok(cuda.cuEventSynchronize(end));
	is(1, cuda.host_now() > before + 5000000);
	/* a launch starts 3 us after its call, as the record did, and each call takes 1 us */
	is(4002000, nanoseconds(from, end_a));
	is(3003000, nanoseconds(from, end_b));
	is(6002000, nanoseconds(from, end));
	int found[2];
	ok(cuda.cuMemcpyDtoHAsync(found, word, 8, b));
	is(10, found[0]);
	is(7, found[1]);
	ok(cuda.cuEventDestroy(from));
	finish();
}

static int order[8], ordered;
static void note(void *number)
{
	order[__atomic_fetch_add(&ordered, 1, __ATOMIC_SEQ_CST)] = (int)(intptr_t)number;
}
static void hold(void *gate)
{
	char byte;
	is(1, read(*(int *)gate, &byte, 1));
}

/* The legacy default stream waits for blocking streams, and they for it; others go their way. */
static void legacy(void)
{
	int gate[2];
	begin(NULL);
	CUstream blocking = stream_new(CU_STREAM_DEFAULT), free_one = stream_new(CU_STREAM_NON_BLOCKING);
	is(0, pipe(gate));
	ok(cuda.cuLaunchHostFunc(blocking, hold, &gate[0]));
	ok(cuda.cuLaunchHostFunc(blocking, note, (void *)1));
	ok(cuda.cuLaunchHostFunc(NULL, note, (void *)2));
	ok(cuda.cuLaunchHostFunc(blocking, note, (void *)3));
	ok(cuda.cuLaunchHostFunc(free_one, note, (void *)4));
	ok(cuda.cuStreamSynchronize(free_one));
	is(CUDA_ERROR_NOT_READY, cuda.cuStreamQuery(NULL));
	is(1, write(gate[1], "", 1));
	ok(cuda.cuCtxSynchronize());
	int wanted[] = {4, 1, 2, 3};
	for (int i = 0; i < 4; i++)
		is(wanted[i], order[i]);
	finish();
}

/* Events of the legacy default stream: behind all blocking streams, and in front of what comes there later; a stream that does not block is in
 * neither's way. Fills of 150 kB take 1.6 us, of 15 MB 11.5 us. */
static void legacy_records(void)
{
	begin("cost=call:0us");
	CUstream a = stream_new(0), b = stream_new(0), free_one = stream_new(1);
	CUdeviceptr at = device_new(15000000);
	CUevent start = event_new(0), end_a = event_new(0), end_b = event_new(0), whole = event_new(0),
	        next = event_new(0), own = event_new(0);
	ok(cuda.cuEventRecord(start, NULL));
	ok(cuda.cuMemsetD8Async(at, 0, 15000000, a));
	ok(cuda.cuEventRecord(end_a, a));
	ok(cuda.cuMemsetD8Async(at, 0, 150000, b));
	ok(cuda.cuEventRecord(end_b, b));
	ok(cuda.cuEventRecord(whole, NULL));
	ok(cuda.cuMemsetD8Async(at, 0, 150000, b));
	ok(cuda.cuEventRecord(next, b));
	ok(cuda.cuEventRecord(own, free_one));
	ok(cuda.cuCtxSynchronize());
	is(11500, nanoseconds(start, end_a));
	is(1600, nanoseconds(start, end_b));
	is(11500, nanoseconds(start, whole));
	is(11500 + 1600, nanoseconds(start, next));
	is(0, nanoseconds(start, own));
	finish();
}

/* 64 streams that wait for one word go on at once. */
static void many_streams(void)
{
	enum { STREAMS = 64 };
	CUstream stream[STREAMS];
	CUevent end[STREAMS];
	begin("cost=call:0us");
	uint32_t *word = pinned_new(4);
	CUdeviceptr at;
	ok(cuda.cuMemHostGetDevicePointer(&at, word, 0));
	for (int i = 0; i < STREAMS; i++) {
		stream[i] = stream_new(1);
		ok(cuda.cuStreamWaitValue32(stream[i], at, 1, CU_STREAM_WAIT_VALUE_GEQ));
		ok(cuda.cuEventRecord(end[i] = event_new(0), stream[i]));
		is(CUDA_ERROR_NOT_READY, cuda.cuEventQuery(end[i]));
	}
	int64_t now = cuda.host_now();
	cuda.host_store(word, 1, now + 7000000);
	ok(cuda.cuCtxSynchronize());
	is(now + 7000000, cuda.host_now());
	for (int i = 1; i < STREAMS; i++)
		is(0, nanoseconds(end[0], end[i]));
	finish();
}

/* Host functions see the stream's clock, and a sleep there is the stream's. */
static void sleep_there(void *at)
{
	*(int64_t *)at = cuda.host_now();
	cuda.host_sleep_until(*(int64_t *)at + 7000000);
}
static void host_clock(void)
{
	int64_t started, now;
	begin(NULL);
	CUstream stream = stream_new(1);
	CUevent from = event_new(0), to = event_new(0);
	now = cuda.host_now();
	ok(cuda.cuEventRecord(from, stream));
	ok(cuda.cuLaunchHostFunc(stream, sleep_there, &started));
	ok(cuda.cuEventRecord(to, stream));
	ok(cuda.cuStreamSynchronize(stream));
	is(now + 4000, started); /* one call before it, and the latency */
	is(7001000, nanoseconds(from, to));
	is(now + 4000 + 7000000, cuda.host_now());
	finish();
}

/* Stores of the host carry their times, in whichever order they are made; one that was made before the stream came to it is no delay. */
static uint32_t *ticket;
static void *store_three(void *base)
{
	int64_t ns = *(int64_t *)base;
	cuda.host_store(&ticket[2], 1, ns - 1000000);
	cuda.host_store(&ticket[1], 7, ns + 9000000);
	cuda.host_store(&ticket[0], 1, ns + 4000000);
	return NULL;
}
static void host_stores(void)
{
	begin(NULL);
	ticket = pinned_new(12);
	CUdeviceptr at;
	ok(cuda.cuMemHostGetDevicePointer(&at, ticket, 0));
	int64_t base = cuda.host_now();
	CUevent end[3];
	for (unsigned i = 0; i < 3; i++) {
		CUstream stream = stream_new(1);
		ok(cuda.cuStreamWaitValue32(stream, at + 4 * i, 1, CU_STREAM_WAIT_VALUE_GEQ));
		ok(cuda.cuEventRecord(end[i] = event_new(0), stream));
	}
	int64_t asked = cuda.host_now();
	is(CUDA_ERROR_NOT_READY, cuda.cuEventQuery(end[0]));
	is(asked, cuda.host_now());
	pthread_t thread;
	is(0, pthread_create(&thread, NULL, store_three, &base));
	is(0, pthread_join(thread, NULL));
	ok(cuda.cuEventSynchronize(end[2]));
	is(base + 3000 + 5000, cuda.host_now()); /* its record's call was the sixth */
	ok(cuda.cuEventSynchronize(end[0]));
	is(base + 4000000, cuda.host_now());
	ok(cuda.cuEventSynchronize(end[1]));
	is(base + 9000000, cuda.host_now());
	is(5000000, nanoseconds(end[0], end[1]));
	is(7, ticket[1]);
	finish();
}

/* Several words in one call: in order, and each has its time. */
static void batch(void)
{
	begin(NULL);
	CUstream stream = stream_new(1), other = stream_new(1);
	CUdeviceptr words = device_new(12);
	CUstreamBatchMemOpParams calls[3] = {
	        {.waitValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, words, {7}, 0, 0}},
	        {.waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, words + 4, {9}, CU_STREAM_WAIT_VALUE_GEQ, 0}},
	        {.waitValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, words + 8, {8}, 0, 0}}};
	ok(cuda.cuMemsetD8Async(words, 0, 12, stream));
	ok(cuda.cuStreamSynchronize(stream));
	int64_t begun = cuda.host_now();
	ok(cuda.cuStreamBatchMemOp(stream, 3, calls, 0));
	is(begun + 1000, cuda.host_now());
	ok(cuda.cuStreamWaitValue32(other, words, 7, CU_STREAM_WAIT_VALUE_GEQ));
	ok(cuda.cuStreamSynchronize(other));
	is(begun + 1000 + 3000, cuda.host_now()); /* the stream's call came behind the first one */
	is(CUDA_ERROR_NOT_READY, cuda.cuStreamQuery(stream));
	ok(cuda.cuStreamWriteValue32(other, words + 4, 9, 0));
	ok(cuda.cuStreamWaitValue32(other, words + 8, 8, CU_STREAM_WAIT_VALUE_EQ));
	ok(cuda.cuStreamSynchronize(other));
	ok(cuda.cuStreamSynchronize(stream));
	calls[1].waitValue.address = 4096;
	is(CUDA_ERROR_INVALID_VALUE, cuda.cuStreamBatchMemOp(stream, 3, calls, 0));
	calls[1].operation = (CUstreamBatchMemOpType)6;
	is(CUDA_ERROR_NOT_SUPPORTED, cuda.cuStreamBatchMemOp(stream, 3, calls, 0));
	finish();
}

/* A queue of 3,000: the caller waits behind the 1,024th that is queued, on the virtual clock too. */
static void long_queue(void)
{
	begin(NULL);
	CUstream stream = stream_new(1);
	CUdeviceptr word = device_new(4);
	CUfunction function = kernel(add_kernel, sizeof(struct addend));
	int64_t start = cuda.host_now();
	for (int i = 0; i < 3000; i++)
		launch(function, 1000000, word, 1, stream);
	is(1976, (cuda.host_now() - start) / 1000000);
	int found = -1;
	ok(cuda.cuMemcpyDtoHAsync(&found, word, 4, stream));
	is(3000, found);
	finish();
}

/* A context goes away with streams that wait for ever, with work behind them; and a process ends with them. */
static void stuck(void)
{
	begin(NULL);
	CUstream a = stream_new(1), b = stream_new(0);
	CUdeviceptr word = device_new(4);
	CUevent event = event_new(0);
	ok(cuda.cuMemsetD32Async(word, 0, 1, a));
	ok(cuda.cuStreamWaitValue32(a, word, 1, CU_STREAM_WAIT_VALUE_GEQ));
	ok(cuda.cuEventRecord(event, a));
	ok(cuda.cuStreamWaitEvent(b, event, 0));
	ok(cuda.cuMemsetD32Async(word, 3, 1, b));
	is(CUDA_ERROR_NOT_READY, cuda.cuStreamQuery(b));
	ok(cuda.cuEventDestroy(event));
	ok(cuda.cuStreamDestroy(a));
	ok(cuda.cuDevicePrimaryCtxRelease(0));
	begin(NULL);
	word = device_new(4);
	ok(cuda.cuStreamWaitValue32(stream_new(1), word, 1, CU_STREAM_WAIT_VALUE_GEQ));
}

int main(void)
{
	const struct CMUnitTest tests[] = {apart(times), apart(legacy), apart(legacy_records),
	        apart(many_streams), apart(host_clock), apart(host_stores), apart(batch), apart(long_queue),
	        apart(stuck)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
