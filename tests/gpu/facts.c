/* facts.c -- what the GPU at hand can do and what it costs, a line each: IPC, waits of streams
 * between processes, the cost of queueing, the resolution of events, rates of copies. Where there
 * is none it says so, and ends with status 0. Nothing is written down but what is printed.
 *
 * A second process, forked before CUDA is started, is the peer: what it and this one tell each
 * other goes through pipes and a shared page. */
#include "cuda/placement.h"
#include "gpu.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 1000, COPY_BYTES = 64 << 20, TIMES = 5, LIMIT_SECONDS = 240, PAGE = 4096, SIGN = 0x5a };

/* What both processes see. The word is one that streams wait for; each process registers the
 * page. */
struct page {
	uint32_t word;
	CUipcMemHandle memory;
};
static bool good(const char *what, enum status status)
{
	if (status != ST_OK)
		printf("%s: no, %s\n", what, fail_text());
	return status == ST_OK;
}
/* ---- the peer */

/* Opens the memory that the other has filled and looks at its first byte. */
static enum status open_memory(struct gpu *facts, const struct page *page, bool *right)
{
	CUdeviceptr at = 0;
	unsigned char byte = 0;
	enum status status =
	        CALL(facts, cuIpcOpenMemHandle, &at, page->memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	if (status != ST_OK)
		return status;
	status = CALL(facts, cuMemcpyDtoHAsync, &byte, at, 1, facts->stream);
	if (status == ST_OK)
		status = CALL(facts, cuStreamSynchronize, facts->stream);
	facts->cuda->cuIpcCloseMemHandle(at);
	*right = byte == SIGN;
	return status;
}
/* The page as the GPU sees it */
static enum status map_page(struct gpu *facts, struct page *page, CUdeviceptr *at)
{
	enum status status = CALL(facts, cuMemHostRegister, page, PAGE, CU_MEMHOSTREGISTER_DEVICEMAP);
	return status == ST_OK ? CALL(facts, cuMemHostGetDevicePointer, at, page, 0) : status;
}
/* One letter about each thing it was asked for */
static void say(int output, char letter)
{
	if (write(output, &letter, 1) != 1)
		_exit(1);
}
static char hear(int input)
{
	char letter = 0;
	return read(input, &letter, 1) == 1 ? letter : 0;
}

/* 'm': the memory is there to be opened; 'w': a wait is to be queued. Its answers: 'y' or 'n',
 * after a wait 'q' (it is queued) first. */
static void be_peer(struct page *page, int input, int output)
{
	struct cuda_library library = {0};
	struct gpu facts = {.cuda = &library};
	CUdeviceptr at = 0;
	bool right = false;
	bool started = gpu_open(&facts) == ST_OK;
	for (char order; (order = hear(input));) {
		if (order == 'm')
			say(output,
			        started && open_memory(&facts, page, &right) == ST_OK && right ? 'y' : 'n');
		else if (!started || map_page(&facts, page, &at) != ST_OK ||
		        CALL(&facts, cuStreamWaitValue32, facts.stream, at, 1, CU_STREAM_WAIT_VALUE_GEQ) !=
		                ST_OK)
			say(output, 'n');
		else {
			say(output, 'q');
			say(output, CALL(&facts, cuStreamSynchronize, facts.stream) == ST_OK ? 'y' : 'n');
			library.cuMemHostUnregister(page);
		}
	}
	gpu_close(&facts);
}

/* ---- facts */

static void tell_gpu(const struct gpu *facts)
{
	struct cuda_report report;
	cuda_report_make(&report, facts->cuda);
	if (!*report.refusal)
		cuda_report_nccl(&report, facts->cuda);
	printf("driver: CUDA %d.%d\n", report.driver_version / 1000, report.driver_version % 1000 / 10);
	for (int i = 0; i < report.gpu_count; i++)
		printf("GPU %d: %s, %.1f GB\n", i, report.gpus[i].name,
		        (double)report.gpus[i].bytes / (1 << 30));
	if (report.nccl_version)
		printf("NCCL: %d.%d.%d\n", report.nccl_version / 10000, report.nccl_version / 100 % 100,
		        report.nccl_version % 100);
	else
		printf("NCCL: no, %s\n", *report.refusal ? report.refusal : report.nccl_refusal);
	printf("MPS: %s\n", report.mps ? "yes" : "no");
}

/* Nanoseconds that the host takes to queue one of them: a fill of a word, and an event */
static void tell_queueing(struct gpu *facts)
{
	CUdeviceptr at = 0;
	enum status status = CALL(facts, cuMemAlloc, &at, PAGE);
	int64_t begin = facts->cuda->host_now();
	for (int i = 0; i < CALLS && status == ST_OK; i++)
		status = CALL(facts, cuMemsetD32Async, at, 0, 1, facts->stream);
	int64_t filled = facts->cuda->host_now();
	for (int i = 0; i < CALLS && status == ST_OK; i++)
		status = CALL(facts, cuEventRecord, facts->from, facts->stream);
	int64_t recorded = facts->cuda->host_now();
	if (status == ST_OK)
		status = CALL(facts, cuStreamSynchronize, facts->stream);
	if (good("queueing", status))
		printf("queueing a fill: %.2f us\nqueueing an event: %.2f us\n",
		        (double)(filled - begin) / CALLS / 1e3, (double)(recorded - filled) / CALLS / 1e3);
	if (at)
		facts->cuda->cuMemFree(at);
}

/* The least time above 0 between two events, with fills between them */
static void tell_events(struct gpu *facts)
{
	CUdeviceptr at = 0;
	float least = 0, passed = 0;
	enum status status = CALL(facts, cuMemAlloc, &at, PAGE);
	for (int fills = 0; fills < 20 && status == ST_OK; fills++) {
		status = CALL(facts, cuEventRecord, facts->from, facts->stream);
		for (int i = 0; i < fills && status == ST_OK; i++)
			status = CALL(facts, cuMemsetD32Async, at, 0, 1, facts->stream);
		if (status == ST_OK)
			status = CALL(facts, cuEventRecord, facts->to, facts->stream);
		if (status == ST_OK)
			status = CALL(facts, cuEventSynchronize, facts->to);
		if (status == ST_OK)
			status = CALL(facts, cuEventElapsedTime, &passed, facts->from, facts->to);
		if (passed > 0 && (least == 0 || passed < least))
			least = passed;
	}
	if (good("events", status))
		printf("least time between two events: %.3f us\n", (double)least * 1e3);
	if (at)
		facts->cuda->cuMemFree(at);
}

/* The best of a few copies from one place to the other, by events */
static void tell_copy(struct gpu *facts, const char *what, CUdeviceptr to, CUdeviceptr from)
{
	float best = 0, passed = 0;
	enum status status = ST_OK;
	for (int i = 0; i < TIMES && status == ST_OK; i++) {
		status = CALL(facts, cuEventRecord, facts->from, facts->stream);
		if (status == ST_OK)
			status = CALL(facts, cuMemcpyAsync, to, from, COPY_BYTES, facts->stream);
		if (status == ST_OK)
			status = CALL(facts, cuEventRecord, facts->to, facts->stream);
		if (status == ST_OK)
			status = CALL(facts, cuEventSynchronize, facts->to);
		if (status == ST_OK)
			status = CALL(facts, cuEventElapsedTime, &passed, facts->from, facts->to);
		if (best == 0 || passed < best)
			best = passed;
	}
	if (good(what, status))
		printf("%s: %.1f GB/s\n", what, best > 0 ? COPY_BYTES / 1e6 / (double)best : 0);
}
static void tell_copies(struct gpu *facts)
{
	CUdeviceptr a = 0, b = 0;
	void *pinned = NULL;
	enum status status = CALL(facts, cuMemAlloc, &a, COPY_BYTES);
	if (status == ST_OK)
		status = CALL(facts, cuMemAlloc, &b, COPY_BYTES);
	if (status == ST_OK)
		status = CALL(facts, cuMemHostAlloc, &pinned, COPY_BYTES, 0);
	if (good("copies", status)) {
		tell_copy(facts, "copy, pinned to GPU", a, (CUdeviceptr)(uintptr_t)pinned);
		tell_copy(facts, "copy, GPU to pinned", (CUdeviceptr)(uintptr_t)pinned, a);
		tell_copy(facts, "copy, on the GPU", b, a);
	}
	if (pinned)
		facts->cuda->cuMemFreeHost(pinned);
	if (b)
		facts->cuda->cuMemFree(b);
	if (a)
		facts->cuda->cuMemFree(a);
}

static void tell_ipc(struct gpu *facts, struct page *page, int input, int output)
{
	CUdeviceptr at = 0;
	enum status status = CALL(facts, cuMemAlloc, &at, PAGE);
	if (status == ST_OK)
		status = CALL(facts, cuMemsetD8Async, at, SIGN, PAGE, facts->stream);
	if (status == ST_OK)
		status = CALL(facts, cuStreamSynchronize, facts->stream);
	if (status == ST_OK)
		status = CALL(facts, cuIpcGetMemHandle, &page->memory, at);
	if (good("memory between processes (IPC)", status)) {
		say(output, 'm');
		printf("memory between processes (IPC): %s\n", hear(input) == 'y' ? "yes" : "no");
	}
	if (at)
		facts->cuda->cuMemFree(at);
}

/* A stream of the peer waits for a word, and one of ours writes it. */
static void tell_waits(struct gpu *facts, struct page *page, int input, int output)
{
	const char *what = "waits of streams between processes";
	CUdeviceptr at = 0;
	if (!good(what, map_page(facts, page, &at)))
		return;
	say(output, 'w');
	if (hear(input) != 'q')
		printf("%s: no, the peer cannot wait\n", what);
	else if (good(what,
	                 CALL(facts, cuStreamWriteValue32, facts->stream, at, 1,
	                         CU_STREAM_WRITE_VALUE_DEFAULT)) &&
	        good(what, CALL(facts, cuStreamSynchronize, facts->stream)))
		printf("%s: %s\n", what, hear(input) == 'y' ? "yes" : "no");
	facts->cuda->cuMemHostUnregister(page);
}

static void tell(struct gpu *facts, struct page *page, int input, int output)
{
	tell_gpu(facts);
	tell_queueing(facts);
	tell_events(facts);
	tell_copies(facts);
	tell_ipc(facts, page, input, output);
	tell_waits(facts, page, input, output);
}

int main(void)
{
	struct cuda_library library = {0};
	struct gpu facts = {.cuda = &library};
	int to_peer[2], from_peer[2];
	struct page *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || pipe(to_peer) != 0 || pipe(from_peer) != 0)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	alarm(LIMIT_SECONDS); /* each process has its own, and the default ends it */
	pid_t peer = fork();
	if (peer == 0) {
		alarm(LIMIT_SECONDS);
		close(to_peer[1]);
		close(from_peer[0]);
		be_peer(page, to_peer[0], from_peer[1]);
		_exit(0);
	}
	close(to_peer[0]);
	close(from_peer[1]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	enum status status = peer < 0 ? fail(ST_BUG, "no process") : gpu_open(&facts);
	if (status == ST_OK)
		tell(&facts, page, from_peer[0], to_peer[1]);
	else
		printf("skipped: %s\n", fail_text());
	gpu_close(&facts);
	if (peer > 0) {
		kill(peer, SIGKILL); /* it may wait for ever */
		waitpid(peer, NULL, 0);
	}
	munmap(page, PAGE);
	return 0;
}
