/* compute.c -- kernels and initial data: launches, cuBLAS, and for tensors in host memory the
 * simulator's code (kernels/) as a host function of the stream */
#include "cuda/host/host_thread.h"
#include "backend/call.h"
#include "base/memory.h"
#include "cuda/host/order.h"
#include "cuda/kernels/gemm.h"
#include "cuda/kernels/launch.h"

#include <stdatomic.h>
#include <string.h>

enum { FAULTS = 2 * (STREAMS_MAX + 1) };

struct known_function {
	const char *name;
	CUfunction function;
};

struct compute {
	struct image image;
	struct known_function *functions;
	size_t function_count;
	cublasHandle_t cublas;
	struct index_fault *fault;    /* [FAULTS], on the host: see fault_of */
	struct index_fault *fault_at; /* the same on the GPU */
	/* per lane, as NVIDIA recommends: 4 MB before Hopper, then 32 MB */
	int64_t workspace_bytes;
};

static enum status function_of(struct compute *compute, const char *name, CUfunction *function)
{
	for (size_t i = 0; i < compute->function_count; i++)
		if (compute->functions[i].name == name) {
			*function = compute->functions[i].function;
			return ST_OK;
		}
	enum status status = image_function(&compute->image, name, function);
	if (status == ST_OK)
		*MEM_ADD(&compute->functions, &compute->function_count) =
		        (struct known_function){name, *function};
	return status;
}

/* cublasSetStream resets the workspace, so the workspace is set after it. */
static enum status queue_gemm(struct host_thread *host, const struct gemm *gemm, const struct host_lane *lane)
{
	const struct cuda_library *cuda = host->cuda;
	struct compute *compute = host->compute;
	CUdeviceptr workspace;
	enum status status = memory_scratch(host, lane, SCRATCH_CUBLAS, compute->workspace_bytes, &workspace);
	if (status == ST_OK)
		status = CUBLAS_CALL(cuda, cublasSetStream, compute->cublas, lane->stream);
	if (status == ST_OK)
		status = CUBLAS_CALL(cuda, cublasSetWorkspace, compute->cublas, (void *)(uintptr_t)workspace,
		        (size_t)compute->workspace_bytes);
	if (status == ST_OK)
		status = cublas_call(cuda, launch_gemm, gemm_queue(cuda, compute->cublas, gemm));
	return status;
}

static enum status queue_launch(
        struct host_thread *host, struct kernel_launch *launch, const struct host_lane *lane)
{
	CUfunction function;
	if (launch->function == launch_gemm)
		return queue_gemm(host, (const struct gemm *)launch->argument, lane);
	enum status status = function_of(host->compute, launch->function, &function);
	if (status != ST_OK)
		return fail_in(status, "%s", launch->function);
	return CUDA_CALL(host->cuda, cuLaunchKernel, function, launch->grid[0], launch->grid[1],
	        launch->grid[2], launch->block[0], launch->block[1], launch->block[2], 0, lane->stream,
	        (void *[]){launch->argument}, NULL);
}

static enum status queue_plan(
        struct host_thread *host, struct launch_plan *plan, const struct host_lane *lane)
{
	enum status status = ST_OK;
	for (int i = 0; i < plan->launches && status == ST_OK; i++)
		status = queue_launch(host, &plan->launch[i], lane);
	return status;
}

/* Requires all tensors on the GPU. */
static enum status launch_call(
        struct host_thread *host, const struct kernel_call *call, const struct host_lane *lane)
{
	struct launch_plan plan;
	CUdeviceptr workspace = 0;
	enum status status = ST_OK;
	launch_plan_make(&plan, call, NULL);
	if (plan.workspace_bytes) {
		status = memory_scratch(host, lane, SCRATCH_KERNEL, plan.workspace_bytes, &workspace);
		launch_plan_make(&plan, call, (void *)(uintptr_t)workspace);
	}
	return status == ST_OK ? queue_plan(host, &plan, lane) : status;
}

/* f32 is copied as i32, which keeps all bits of a NaN. */
enum status compute_convert(struct host_thread *host, const struct kernel_tensor *from,
        const struct kernel_tensor *to, struct host_lane *lane)
{
	struct kernel_call call = {
	        .kernel = kernel_find("cast"), .ins = 1, .outs = 1, .in = {*from}, .out = {*to}};
	if (from->layout.dtype == DT_F32 && to->layout.dtype == DT_F32)
		call.in[0].layout.dtype = call.out[0].layout.dtype = DT_I32;
	call.option[0] = call.out[0].layout.dtype;
	return launch_call(host, &call, lane);
}

static enum status call_with_addresses(
        const struct host_thread *host, const struct record *record, struct kernel_call *call)
{
	enum status status = ST_OK;
	call_of_record(NULL, record, call);
	for (int i = 0; i < record->operands && status == ST_OK; i++)
		status = memory_of(host, &record->operand[i], &call_tensor(call, i)->data);
	return status;
}

/* The shell requires all tensors of a kernel in one place. */
static bool on_device(const struct record *record)
{
	return record->operands && record->operand[0].space == SPACE_DEVICE;
}

struct host_call {
	struct kernel_call call;
	op_id id;
	struct index_fault *fault;
};

static void compute_and_free(void *argument)
{
	struct host_call *host_call = argument;
	struct index_fault *fault = host_call->fault;
	int64_t place;
	double value;
	if (kernel_find_index(&host_call->call, &place, &value) &&
	        fault->made == atomic_load((_Atomic unsigned *)&fault->taken)) {
		fault->op = host_call->id;
		fault->place = place;
		fault->value = (long long)value;
		atomic_store((_Atomic unsigned *)&fault->made, fault->made + 1);
	}
	kernel_compute(&host_call->call);
	mem_free(argument);
}

/* Returns the index of a stream's fault: its kernels have one, its host functions another. */
static int fault_of(int stream, bool on_host)
{
	return 2 * stream + on_host;
}

static enum status call_on_host(
        struct host_thread *host, op_id id, const struct kernel_call *call, const struct host_lane *lane)
{
	struct host_call *copy = mem_alloc(sizeof *copy);
	*copy = (struct host_call){*call, id, &host->compute->fault[fault_of(lane->number, true)]};
	enum status status = CUDA_CALL(host->cuda, cuLaunchHostFunc, lane->stream, compute_and_free, copy);
	if (status != ST_OK)
		mem_free(copy);
	return status;
}

void compute_tell_faults(struct host_thread *host, int stream, op_id id)
{
	for (int i = fault_of(stream, false); host->compute && i <= fault_of(stream, true); i++) {
		struct index_fault *fault = &host->compute->fault[i];
		unsigned made = atomic_load((_Atomic unsigned *)&fault->made);
		if (made == fault->taken || fault->op > id)
			continue;
		struct host_report report = {
		        .looks_up = fault->op, .place = fault->place, .value = fault->value};
		atomic_store((_Atomic unsigned *)&fault->taken, made);
		host_tell(host, &report, 0);
	}
}

/* A `spin` without a tensor computes nothing. */
enum status compute_kernel(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	struct kernel_call call;
	struct launch_plan check;
	enum status status = call_with_addresses(host, &order->record, &call);
	if (status != ST_OK || order->record.operands == 0)
		return status;
	if (!on_device(&order->record))
		return call_on_host(host, order->id, &call, lane);
	/* before the kernel, whose result may overlap the indices */
	launch_index_check(&check, &call, order->id, &host->compute->fault_at[fault_of(lane->number, false)]);
	status = queue_plan(host, &check, lane);
	return status == ST_OK ? launch_call(host, &call, lane) : status;
}

enum status compute_fill(struct host_thread *host, const struct host_order *order)
{
	struct kernel_call call;
	enum status status = call_with_addresses(host, &order->record, &call);
	if (status != ST_OK)
		return status;
	if (!on_device(&order->record)) {
		kernel_compute(&call);
		return ST_OK;
	}
	status = launch_call(host, &call, memory_aside(host));
	return status == ST_OK ? memory_written(host) : status;
}

static enum status compute_load(struct host_thread *host)
{
	const struct cuda_library *cuda = host->cuda;
	struct compute *compute = host->compute;
	int architecture;
	enum status status = image_architecture(host->cuda, host->device, &architecture);
	if (status == ST_OK)
		status = image_load(&compute->image, host->cuda, architecture, NULL);
	if (status == ST_OK)
		status = CUBLAS_CALL(cuda, cublasCreate, &compute->cublas);
	if (status == ST_OK)
		status = cublas_call(cuda, "cublasSetMathMode and cublasSetAtomicsMode",
		        gemm_prepare(cuda, compute->cublas));
	compute->workspace_bytes = INT64_C(1) << (architecture >= 90 ? 25 : 22);
	return status;
}

/* Queues c = a b of square matrices, which are consecutive from `at` on. Bits of `turned`: a, b
 * are transposed. */
static enum status warm_up_product(struct host_thread *host, struct host_lane *lane, CUdeviceptr at,
        enum dtype dtype, int side, int turned)
{
	struct kernel_call product = {.kernel = kernel_find("matmul"), .ins = 2, .outs = 1, .option = {1}};
	struct kernel_tensor *operand[] = {&product.in[0], &product.in[1], &product.out[0]};
	for (int i = 0; i < 3; i++) {
		struct layout *layout = &operand[i]->layout;
		layout_make(layout, dtype, 2, (int64_t[]){side, side});
		operand[i]->name = "";
		operand[i]->data = (char *)(uintptr_t)at + i * layout_bytes(layout);
		if (turned >> i & 1) {
			layout->stride[0] = 1;
			layout->stride[1] = side;
		}
	}
	return launch_call(host, &product, lane);
}

/* The first launch or product loads code, for which the driver may wait until the whole GPU is
 * idle. Later a stream could wait meanwhile for work that this thread has not issued yet. */
static enum status compute_warm_up(struct host_thread *host)
{
	static const int sides[] = {16, 128};
	enum { LARGEST = 3 * 128 * 128 };
	struct host_lane *lane = memory_aside(host);
	struct kernel_call zeros = {.kernel = kernel_find("zeros"), .outs = 1};
	struct kernel_tensor *all = &zeros.out[0];
	CUdeviceptr at;
	all->name = "";
	layout_make(&all->layout, DT_F32, 1, (int64_t[]){LARGEST});
	enum status status = memory_scratch(host, lane, SCRATCH_PACKED, layout_bytes(&all->layout), &at);
	if (status != ST_OK)
		return status;
	all->data = (void *)(uintptr_t)at;
	status = launch_call(host, &zeros, lane);
	for (enum dtype dtype = 0; dtype < DT_COUNT && status == ST_OK; dtype++)
		for (int i = 0; i < 8 && status == ST_OK && dtype != DT_I32; i++)
			status = warm_up_product(host, lane, at, dtype, sides[i / 4], i % 4);
	if (status == ST_OK)
		status = CUDA_CALL(host->cuda, cuStreamSynchronize, lane->stream);
	return status;
}

enum status compute_open(struct host_thread *host)
{
	CUdeviceptr faults = 0;
	void *fault = NULL;
	host->compute = mem_alloc(sizeof *host->compute);
	enum status status = compute_load(host);
	if (status == ST_OK)
		status =
		        cuda_mapped_alloc(host->cuda, FAULTS * sizeof *host->compute->fault, &fault, &faults);
	host->compute->fault = fault;
	host->compute->fault_at = (struct index_fault *)(uintptr_t)faults;
	if (status == ST_OK)
		status = compute_warm_up(host);
	if (status != ST_OK)
		compute_close(host);
	return status;
}

void compute_close(struct host_thread *host)
{
	struct compute *compute = host->compute;
	if (!compute)
		return;
	if (compute->cublas)
		host->cuda->cublasDestroy(compute->cublas);
	image_unload(&compute->image);
	if (compute->fault)
		host->cuda->cuMemFreeHost(compute->fault);
	mem_free(compute->functions);
	mem_free(compute);
	host->compute = NULL;
}
