/* bare.c -- what the GPU at hand does without ranksh, for bench.sh to hold ranksh's figures against: a line each, "NAME NUMBER".
 *
 *     bare SIDE MEGABYTES      matrices of SIDE x SIDE, copies of so many megabytes
 *
 *      launch_us event_us              of the host: a launch of one block, an event recorded
 *      matmul_tflops                   cuBLAS, bf16
 *      copy_gbs                        on the GPU, bytes read and written
 *      h2d_gbs d2h_gbs                 pinned memory
 *      turn2_us turn4_us               2 and 4 processes in turn, each a stream that waits for a word, fills one, and writes the next word */
#include "cuda/kernels/gemm.h"
#include "cuda/kernels/image.h"
#include "cuda/kernels/launch.h"
#include "gpu.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAUNCHES = 1000, TIMES = 10, PAGE = 4096, ROUNDS = 100, LIMIT_SECONDS = 120, WORKSPACE = 32 << 20 };

/* Nanoseconds of what `queue` queues on the stream: the least of several */
struct measured_work {
	enum status (*queue)(struct gpu *gpu, void *self);
	void *self;
};
static enum status measure(struct gpu *gpu, struct measured_work work, double *ns)
{
	enum status status = ST_OK;
	*ns = 0;
	for (int i = 0; i < TIMES && status == ST_OK; i++) {
		float ms = 0;
		status = CALL(gpu, cuEventRecord, gpu->from, gpu->stream);
		if (status == ST_OK)
			status = work.queue(gpu, work.self);
		if (status == ST_OK)
			status = CALL(gpu, cuEventRecord, gpu->to, gpu->stream);
		if (status == ST_OK)
			status = CALL(gpu, cuEventSynchronize, gpu->to);
		if (status == ST_OK)
			status = CALL(gpu, cuEventElapsedTime, &ms, gpu->from, gpu->to);
		if (i > 0 && (*ns == 0 || ms * 1e6 < *ns)) /* the first may load what it needs */
			*ns = ms * 1e6;
	}
	return status;
}

/* ---- the host */

static enum status tell_launch(struct gpu *gpu)
{
	static struct launch_plan plan;
	struct image image = {0};
	struct kernel_call call = {.kernel = kernel_find("ones"), .outs = 1};
	CUdeviceptr at = 0;
	CUfunction function = NULL;
	int major = 0, minor = 0;
	enum status status = CALL(gpu, cuMemAlloc, &at, PAGE);
	if (status == ST_OK)
		status = CALL(gpu, cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
		        gpu->device);
	if (status == ST_OK)
		status = CALL(gpu, cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
		        gpu->device);
	if (status == ST_OK)
		status = image_load(&image, gpu->cuda, 10 * major + minor, NULL);
	layout_make(&call.out[0].layout, DT_F32, 1, (int64_t[]){256});
	call.out[0].data = (void *)(uintptr_t)at;
	launch_plan_make(&plan, &call, NULL);
	struct kernel_launch *launch = &plan.launch[0];
	if (status == ST_OK)
		status = image_function(&image, launch->function, &function);
	int64_t begin = 0, launched = 0, recorded = 0;
	for (int seq = 0; seq < 2; seq++) { /* the first turn warms up */
		begin = gpu->cuda->host_now();
		for (int i = 0; i < LAUNCHES && status == ST_OK; i++)
			status = CALL(gpu, cuLaunchKernel, function, launch->grid[0], launch->grid[1],
			        launch->grid[2], launch->block[0], launch->block[1], launch->block[2], 0,
			        gpu->stream, (void *[]){launch->argument}, NULL);
		launched = gpu->cuda->host_now();
		for (int i = 0; i < LAUNCHES && status == ST_OK; i++)
			status = CALL(gpu, cuEventRecord, gpu->from, gpu->stream);
		recorded = gpu->cuda->host_now();
		if (status == ST_OK)
			status = CALL(gpu, cuStreamSynchronize, gpu->stream);
	}
	if (status == ST_OK)
		printf("launch_us %.3f\nevent_us %.3f\n", (double)(launched - begin) / LAUNCHES / 1e3,
		        (double)(recorded - launched) / LAUNCHES / 1e3);
	image_unload(&image);
	if (at)
		gpu->cuda->cuMemFree(at);
	return status;
}

/* ---- rates */

struct matrices {
	cublasHandle_t cublas;
	struct gemm gemm;
};
static enum status queue_product(struct gpu *gpu, void *self)
{
	struct matrices *product = self;
	return cublas_call(gpu->cuda, "cublasGemmEx", gemm_queue(gpu->cuda, product->cublas, &product->gemm));
}

/* Normal numbers, as ranksh's randn: the power that a product takes, and with it the GPU's clock, hangs on them. */
static enum status fill_random(struct gpu *gpu, CUdeviceptr at, size_t bytes)
{
	enum { BLOCK = 1 << 20 };
	static uint16_t block[BLOCK / 2];
	uint32_t state = 1;
	enum status status = ST_OK;
	for (size_t i = 0; i < BLOCK / 2; i++) {
		float sum = -6;
		uint32_t bits;
		for (int k = 0; k < 12; k++)
			sum += (float)((state = state * 1664525 + 1013904223) >> 8) / (1 << 24);
		memcpy(&bits, &sum, sizeof bits);
		block[i] = (uint16_t)(bits >> 16);
	}
	for (size_t done = 0; done < bytes && status == ST_OK; done += BLOCK)
		status = CALL(gpu, cuMemcpyHtoDAsync, at + done, block,
		        bytes - done < BLOCK ? bytes - done : BLOCK, gpu->stream);
	return status;
}

static enum status tell_matmul(struct gpu *gpu, int side)
{
	struct matrices product = {.gemm = {.m = side,
	                                   .n = side,
	                                   .k = side,
	                                   .lda = side,
	                                   .ldb = side,
	                                   .ldc = side,
	                                   .alpha = 1,
	                                   .in = DT_BF16,
	                                   .out = DT_BF16}};
	CUdeviceptr at = 0;
	size_t bytes = (size_t)side * (size_t)side * 2, room = (bytes + 255) / 256 * 256;
	double ns = 0;
	enum status status = cuda_library_open(gpu->cuda, CUDA_PART_CUBLAS);
	if (status == ST_OK)
		status = cublas_call(gpu->cuda, "cublasCreate", gpu->cuda->cublasCreate(&product.cublas));
	if (status == ST_OK)
		status = CALL(gpu, cuMemAlloc, &at, 3 * room + WORKSPACE);
	if (status == ST_OK)
		status = fill_random(gpu, at, 3 * room);
	if (status == ST_OK)
		status = cublas_call(gpu->cuda, "cublasSetStream",
		        gpu->cuda->cublasSetStream(product.cublas, gpu->stream));
	if (status == ST_OK)
		status = cublas_call(gpu->cuda, "cublasSetWorkspace",
		        gpu->cuda->cublasSetWorkspace(
		                product.cublas, (void *)(uintptr_t)(at + 3 * room), WORKSPACE));
	product.gemm.a = (const void *)(uintptr_t)at;
	product.gemm.b = (const void *)(uintptr_t)(at + room);
	product.gemm.c = (void *)(uintptr_t)(at + 2 * room);
	if (status == ST_OK)
		status = measure(gpu, (struct measured_work){queue_product, &product}, &ns);
	if (status == ST_OK)
		printf("matmul_tflops %.3f\n", 2.0 * side * side * side / ns / 1e3);
	if (product.cublas)
		gpu->cuda->cublasDestroy(product.cublas);
	if (at)
		gpu->cuda->cuMemFree(at);
	return status;
}

struct copied {
	CUdeviceptr to, from;
	size_t bytes;
};
static enum status queue_copy(struct gpu *gpu, void *self)
{
	const struct copied *copy = self;
	return CALL(gpu, cuMemcpyAsync, copy->to, copy->from, copy->bytes, gpu->stream);
}
static enum status tell_copy(
        struct gpu *gpu, const char *name, CUdeviceptr to, CUdeviceptr from, size_t bytes, int passes)
{
	struct copied copy = {to, from, bytes};
	double ns = 0;
	enum status status = measure(gpu, (struct measured_work){queue_copy, &copy}, &ns);
	if (status == ST_OK)
		printf("%s %.3f\n", name, passes * (double)bytes / ns);
	return status;
}

static enum status tell_copies(struct gpu *gpu, size_t bytes)
{
	CUdeviceptr a = 0, b = 0;
	void *pinned = NULL;
	enum status status = CALL(gpu, cuMemAlloc, &a, bytes);
	if (status == ST_OK)
		status = CALL(gpu, cuMemAlloc, &b, bytes);
	if (status == ST_OK)
		status = CALL(gpu, cuMemHostAlloc, &pinned, bytes, 0);
	CUdeviceptr host = (CUdeviceptr)(uintptr_t)pinned;
	if (status == ST_OK)
		status = tell_copy(gpu, "copy_gbs", b, a, bytes, 2);
	if (status == ST_OK)
		status = tell_copy(gpu, "h2d_gbs", a, host, bytes, 1);
	if (status == ST_OK)
		status = tell_copy(gpu, "d2h_gbs", host, a, bytes, 1);
	if (pinned)
		gpu->cuda->cuMemFreeHost(pinned);
	if (b)
		gpu->cuda->cuMemFree(b);
	if (a)
		gpu->cuda->cuMemFree(a);
	return status;
}

/* ---- turns */

/* Words that streams write; ready: processes that have queued nothing yet, but could */
struct page {
	uint32_t word, ready;
};

/* One of n processes: its part of all rounds is queued at once. Then *ns: how long all of them took, from where all were ready. */
static enum status take_seqs(struct gpu *gpu, struct page *page, uint32_t n, uint32_t place, int64_t *ns)
{
	CUdeviceptr shared = 0, own = 0;
	enum status status = CALL(gpu, cuMemHostRegister, page, PAGE, CU_MEMHOSTREGISTER_DEVICEMAP);
	if (status == ST_OK)
		status = CALL(gpu, cuMemHostGetDevicePointer, &shared, page, 0);
	if (status == ST_OK)
		status = CALL(gpu, cuMemAlloc, &own, PAGE);
	if (status != ST_OK)
		return status;
	__atomic_add_fetch(&page->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&page->ready, __ATOMIC_SEQ_CST) < n)
		usleep(100);
	int64_t begin = gpu->cuda->host_now();
	for (uint32_t round = 0; round < ROUNDS && status == ST_OK; round++) {
		uint32_t seq = round * n + place;
		status = CALL(gpu, cuStreamWaitValue32, gpu->stream, shared, seq, CU_STREAM_WAIT_VALUE_GEQ);
		if (status == ST_OK)
			status = CALL(gpu, cuMemsetD32Async, own, 0, 1, gpu->stream);
		if (status == ST_OK)
			status = CALL(gpu, cuStreamWriteValue32, gpu->stream, shared, seq + 1,
			        CU_STREAM_WRITE_VALUE_DEFAULT);
	}
	if (status == ST_OK)
		status = CALL(gpu, cuStreamSynchronize, gpu->stream);
	*ns = gpu->cuda->host_now() - begin;
	gpu->cuda->cuMemFree(own);
	gpu->cuda->cuMemHostUnregister(page);
	return status;
}

/* A process of its own: 0 when all went well. The first of them tells. */
static int be_one(struct page *page, uint32_t n, uint32_t place)
{
	struct cuda_library library = {0};
	struct gpu gpu = {.cuda = &library};
	int64_t ns = 0;
	alarm(LIMIT_SECONDS);
	enum status status = gpu_open(&gpu);
	if (status == ST_OK)
		status = take_seqs(&gpu, page, n, place, &ns);
	if (status != ST_OK)
		fprintf(stderr, "turns of %u processes: %s\n", n, fail_text());
	else if (place == 0)
		printf("turn%u_us %.3f\n", n, (double)ns / (ROUNDS * n) / 1e3);
	fflush(NULL);
	gpu_close(&gpu);
	return status != ST_OK;
}

static bool tell_seqs(uint32_t n)
{
	struct page *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child[4] = {0};
	int status, bad = page == MAP_FAILED;
	fflush(NULL);
	for (uint32_t i = 0; i < n && !bad; i++)
		if ((child[i] = fork()) == 0)
			_exit(be_one(page, n, i));
		else
			bad = child[i] < 0;
	for (uint32_t left = n; left > 0 && wait(&status) > 0; left--)
		for (uint32_t i = 0; i < n && status != 0; i++) { /* the others would wait for it */
			bad = 1;
			if (child[i] > 0)
				kill(child[i], SIGKILL);
		}
	return !bad;
}

/* The turns come first, as a process that is forked cannot use its parent's CUDA. */
int main(int argc, char **argv)
{
	struct cuda_library library = {0};
	struct gpu gpu = {.cuda = &library};
	int side = argc > 1 ? atoi(argv[1]) : 8192;
	size_t bytes = (size_t)(argc > 2 ? atoi(argv[2]) : 512) << 20;
	bool good = tell_seqs(2) && tell_seqs(4);
	enum status status = gpu_open(&gpu);
	if (status == ST_OK)
		status = tell_launch(&gpu);
	if (status == ST_OK)
		status = tell_copies(&gpu, bytes);
	if (status == ST_OK)
		status = tell_matmul(&gpu, side);
	if (status != ST_OK)
		fprintf(stderr, "%s\n", fail_text());
	gpu_close(&gpu);
	return status != ST_OK || !good;
}
