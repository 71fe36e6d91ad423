/* test_standin_graphs.c -- the stand-in's graphs: capture over two streams, launches, what capture refuses */
#include "standin_open.h"

/* A diamond: a branch of 2.5 MB (101.5 us) and one of 5 MB (201.5 us) of pinned memory, then 2.5 MB back. Returns the graph. */
static CUgraph capture(CUstream a, CUstream b, CUdeviceptr at, char *host)
{
	enum { KB = 1000 };
	CUevent fork = event_new(CU_EVENT_DISABLE_TIMING), join = event_new(CU_EVENT_DISABLE_TIMING);
	CUgraph graph;
	ok(cuda.cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	ok(cuda.cuEventRecord(fork, a));
	ok(cuda.cuStreamWaitEvent(b, fork, 0));
	ok(cuda.cuMemcpyHtoDAsync(at, host, 2500 * KB, a));
	ok(cuda.cuMemcpyHtoDAsync(at + 2500 * KB, host + 2500 * KB, 5000 * KB, b));
	ok(cuda.cuEventRecord(join, b));
	ok(cuda.cuStreamWaitEvent(a, join, 0));
	ok(cuda.cuMemcpyDtoHAsync(host + 7500 * KB, at + 5000 * KB, 2500 * KB, a));
	ok(cuda.cuStreamEndCapture(a, &graph));
	ok(cuda.cuEventDestroy(fork));
	ok(cuda.cuEventDestroy(join));
	return graph;
}

static void diamond(void)
{
	begin(NULL);
	CUstream a = stream_new(1), b = stream_new(1);
	CUdeviceptr at = device_new(10000000);
	char *host = pinned_new(10000000);
	CUevent from = event_new(0), to = event_new(0);
	CUgraph graph = capture(a, b, at, host);
	CUgraphExec executable;
	ok(cuda.cuGraphInstantiate(&executable, graph, 0));
	ok(cuda.cuGraphDestroy(graph));
	for (int time = 1; time < 3; time++) {
		memset(host, 20 * time, 7500000);
		ok(cuda.cuEventRecord(from, a));
		ok(cuda.cuGraphLaunch(executable, a));
		ok(cuda.cuEventRecord(to, a));
		ok(cuda.cuStreamSynchronize(a));
		is(1000 + 201500 + 101500,
		        nanoseconds(from, to)); /* a call, the longer branch, the copy back */
		is(20 * time, host[9999999]);
	}
	ok(cuda.cuGraphExecDestroy(executable));
	finish();
}

/* Events recorded and waited for from outside: their times are those of the last launch. */
static void external(void)
{
	CUgraph graph;
	CUgraphExec executable;
	begin(NULL);
	CUstream stream = stream_new(1);
	CUdeviceptr at = device_new(3000000);
	CUevent from = event_new(0), to = event_new(0);
	ok(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	ok(cuda.cuEventRecordWithFlags(from, stream, CU_EVENT_RECORD_EXTERNAL));
	ok(cuda.cuMemsetD8Async(at, 0, 3000000, stream));
	ok(cuda.cuEventRecordWithFlags(to, stream, CU_EVENT_RECORD_EXTERNAL));
	ok(cuda.cuStreamEndCapture(stream, &graph));
	ok(cuda.cuGraphInstantiate(&executable, graph, 0));
	ok(cuda.cuGraphDestroy(graph));
	is(CUDA_ERROR_INVALID_HANDLE, cuda.cuEventElapsedTime(&(float){0}, from, to));
	for (int i = 0; i < 2; i++) {
		ok(cuda.cuGraphLaunch(executable, stream));
		ok(cuda.cuEventRecord(event_new(0), stream));
		ok(cuda.cuStreamSynchronize(stream));
		is(3500, nanoseconds(from, to)); /* 1.5 us and 3 MB at 1.5 TB/s */
	}
	ok(cuda.cuGraphExecDestroy(executable));
	finish();
}

static void refused(void)
{
	CUgraph graph;
	begin(NULL);
	CUstream a = stream_new(1), b = stream_new(1);
	CUevent event = event_new(0);
	CUdeviceptr at = device_new(4);
	is(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
	        cuda.cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ok(cuda.cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
	is(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuda.cuStreamSynchronize(a));
	is(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuda.cuMemsetD8Async(at, 0, 1, a));
	is(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuda.cuStreamEndCapture(a, &graph));
	ok(cuda.cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL)); /* b is not joined again */
	ok(cuda.cuEventRecord(event, a));
	ok(cuda.cuStreamWaitEvent(b, event, 0));
	ok(cuda.cuMemsetD8Async(at, 0, 1, b));
	is(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuda.cuStreamEndCapture(b, &graph));
	is(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuda.cuStreamEndCapture(a, &graph));
	ok(cuda.cuMemsetD8Async(at, 0, 1, b));
	ok(cuda.cuStreamBeginCapture(
	        a, CU_STREAM_CAPTURE_MODE_GLOBAL)); /* the context ends while it is open */
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {apart(diamond), apart(external), apart(refused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
