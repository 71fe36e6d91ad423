/* open.c -- the GPUs of a job: queried, reported to all, and assigned to ranks
 *
 *     GPUs of each --> a GPU per rank --> its context, NCCL, --> free memory,  --> memory per rank
 *                                         memory to share        IPC tested
 *
 * All ranks exchange reports between two of these steps. */
#include "cuda/open.h"
#include "base/memory.h"
#include "base/number.h"
#include <stdio.h>
#include <stdlib.h>

/* per rank in addition to the tensors and the bare context: modules and cuBLAS's workspaces */
static const int64_t RESERVE_BYTES = 512LL << 20;
/* packed messages */
static const int64_t SCRATCH_BYTES = 256LL << 20;
/* NCCL's buffers, for some groups */
static const int64_t RESERVE_NCCL_BYTES = 1024LL << 20;

/* all: room for every report */
static enum status placement_agree(struct cuda_job *job, struct transport *transport,
        const struct cuda_report *mine, struct cuda_report *all, int64_t reserve_bytes)
{
	enum status status = transport_share(transport, mine, all, sizeof *mine);
	cuda_placement_release(&job->placement);
	return status == ST_OK ? cuda_place(&job->placement, all, transport_size(transport), reserve_bytes)
	                       : status;
}

/* Allocates a little memory for the IPC test of ranks that share a GPU. */
static enum status ipc_offer(const struct cuda_job *job, struct cuda_report *mine, CUdeviceptr *offered)
{
	enum { OFFERED_BYTES = 4096 };
	const struct cuda_library *cuda = &job->library;
	if (!job->placement.shared)
		return ST_OK;
	enum status status = CUDA_CALL(cuda, cuMemAlloc, offered, OFFERED_BYTES);
	mine->no_ipc = status == ST_OK && cuda->cuIpcGetMemHandle(&mine->memory, *offered) != CUDA_SUCCESS;
	return status;
}

static void ipc_test(const struct cuda_job *job, struct cuda_report *mine, CUipcMemHandle next)
{
	const struct cuda_library *cuda = &job->library;
	CUdeviceptr at;
	if (!job->placement.shared || job->placement.no_ipc)
		return;
	mine->no_ipc =
	        cuda->cuIpcOpenMemHandle(&at, next, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS;
	if (!mine->no_ipc)
		cuda->cuIpcCloseMemHandle(at);
}

/* Tests that streams can write and wait for words in host memory: `spin`, played times and shared
 * GPUs depend on it. */
static enum status try_words(const struct cuda_library *cuda)
{
	void *word = NULL;
	CUdeviceptr at = 0;
	enum status status = cuda_mapped_alloc(cuda, sizeof(uint32_t), &word, &at);
	if (status != ST_OK)
		return status;
	CUstreamBatchMemOpParams both[2] = {
	        {.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, at, {1}, CU_STREAM_WRITE_VALUE_DEFAULT, 0}},
	        {.waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, at, {1}, CU_STREAM_WAIT_VALUE_GEQ, 0}}};
	if (status == ST_OK && CUDA_CALL(cuda, cuStreamBatchMemOp, NULL, 2, both, 0) != ST_OK)
		status = fail_in(ST_GPU, "its streams cannot wait for words in the host's memory");
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuStreamSynchronize, NULL);
	cuda->cuMemFreeHost(word);
	return status;
}

/* Prepares this rank's GPU and leaves its context current; a failure is in the report. */
static void gpu_prepare(
        struct cuda_job *job, struct cuda_report *mine, const struct cuda_seat *seat, CUdeviceptr *offered)
{
	const struct cuda_library *cuda = &job->library;
	snprintf(job->name, sizeof job->name, "%s", mine->gpus[seat->ordinal].name);
	enum status status = CUDA_CALL(cuda, cuDeviceGet, &job->device, seat->ordinal);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuDevicePrimaryCtxRetain, &job->context, job->device);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuCtxSetCurrent, job->context);
	if (status == ST_OK)
		status = try_words(cuda);
	if (status == ST_OK)
		status = ipc_offer(job, mine, offered);
	if (status != ST_OK)
		snprintf(mine->refusal, sizeof mine->refusal, "%s: %s", job->name, fail_text());
	else if ((!job->placement.shared || mine->nccl_shares) && job->placement.ranks > 1)
		cuda_report_nccl(mine, &job->library);
}

/* RANKSH_GPU_MEMORY: the part of each GPU that this session may use */
static enum status memory_limit(size_t *bytes)
{
	const char *said = getenv("RANKSH_GPU_MEMORY");
	struct number most;
	int used = 0;
	if (!said || !*said)
		return ST_OK;
	if (number_read(said, &most, &used) != ST_OK || said[used] || most.unit != UNIT_BYTES)
		return fail(ST_ARGUMENT, "RANKSH_GPU_MEMORY: '%s': a size was expected, as in 20GB", said);
	if (most.value < (double)*bytes)
		*bytes = (size_t)most.value;
	return ST_OK;
}

/* Reports free memory, limited by RANKSH_GPU_MEMORY, in place of the total. */
static void memory_report(const struct cuda_job *job, struct cuda_report *mine, const struct cuda_seat *seat)
{
	const struct cuda_library *cuda = &job->library;
	size_t free = 0, total = 0;
	enum status status = CUDA_CALL(cuda, cuMemGetInfo, &free, &total);
	if (status == ST_OK)
		status = memory_limit(&free);
	if (status != ST_OK)
		snprintf(mine->refusal, sizeof mine->refusal, "%s: %s", job->name, fail_text());
	mine->gpus[seat->ordinal].bytes = (int64_t)free;
}

static enum status gpus_take(struct cuda_job *job, struct transport *transport, struct cuda_report *mine,
        struct cuda_report *all, CUdeviceptr *offered)
{
	int rank = transport_rank(transport), ranks = transport_size(transport);
	gpu_prepare(job, mine, &job->placement.seats[rank], offered);
	enum status status = placement_agree(job, transport, mine, all, 0);
	if (status != ST_OK)
		return status;
	ipc_test(job, mine, all[(rank + 1) % ranks].memory);
	memory_report(job, mine, &job->placement.seats[rank]);
	job->scratch_bytes = SCRATCH_BYTES;
	bool nccl = ranks > 1 && !job->placement.shared;
	return placement_agree(
	        job, transport, mine, all, RESERVE_BYTES + SCRATCH_BYTES + (nccl ? RESERVE_NCCL_BYTES : 0));
}

enum status cuda_open(struct transport *transport, struct cuda_job *job)
{
	const struct cuda_library *cuda = &job->library;
	struct cuda_report mine;
	struct cuda_report *all = mem_alloc((size_t)transport_size(transport) * sizeof *all);
	cuda_report_make(&mine, &job->library);
	enum status status = placement_agree(job, transport, &mine, all, 0);
	if (status == ST_OK) {
		CUcontext before = NULL;
		CUdeviceptr offered = 0;
		cuda->cuCtxGetCurrent(&before);
		status = gpus_take(job, transport, &mine, all, &offered);
		if (offered)
			cuda->cuMemFree(offered);
		cuda->cuCtxSetCurrent(before);
	}
	if (status == ST_OK)
		cuda_placement_words(&job->placement, all, &job->words);
	mem_free(all);
	return status;
}

bool cuda_has_driver(const struct cuda_job *job)
{
	return job->library.handles[CUDA_PART_DRIVER] != NULL;
}

void cuda_close(struct cuda_job *job)
{
	if (job->context)
		job->library.cuDevicePrimaryCtxRelease(job->device);
	cuda_placement_release(&job->placement);
	text_release(&job->words);
	cuda_library_close(&job->library);
	*job = (struct cuda_job){0};
}
