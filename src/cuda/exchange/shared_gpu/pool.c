/* pool.c -- memory that all ranks access: each allocates one piece of the GPU at the start,
 * publishes its handle, and opens the others'. Without IPC the pool is in the segment. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { JOIN_NAPS = 120 * 10000, LEAVE_NAPS = 2 * 10000 };

static void rank_set_state(struct shared_gpu *gpu, enum seat_state state)
{
	__atomic_store_n(&gpu->shared->seat[gpu->rank].state, state, __ATOMIC_SEQ_CST);
}

static uint32_t word_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

enum status shared_gpu_give_up(struct shared_gpu *gpu, enum status status)
{
	struct shared_gpu_memory *shared = gpu->shared;
	uint32_t none = 0;
	if (__atomic_compare_exchange_n(
	            &shared->failed, &none, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		shared->why = status;
		snprintf(shared->words, sizeof shared->words, "rank %d: %s", gpu->rank, fail_text());
		__atomic_store_n(&shared->failed, 2, __ATOMIC_SEQ_CST);
	}
	for (int naps = 10000; word_load(&shared->failed) != 2 && naps > 0; naps--)
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	return fail((enum status)shared->why, "%s", shared->words);
}

enum missing { NOBODY = -1, FAILED = -2 };
/* Waits until all ranks have reached the state. Returns NOBODY, FAILED, or a rank that does not
 * come. */
static int ranks_wait(struct shared_gpu *gpu, enum seat_state state, long naps)
{
	for (int rank = 0; rank < gpu->ranks; rank++) {
		const struct seat *seat = &gpu->shared->seat[rank];
		while (word_load(&seat->state) < state) {
			if (word_load(&gpu->shared->failed))
				return FAILED;
			if (naps-- <= 0 || shared_gpu_gone(gpu, rank))
				return rank;
			nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
		}
	}
	return word_load(&gpu->shared->failed) ? FAILED : NOBODY;
}

static enum status ranks_wait_start(struct shared_gpu *gpu, enum seat_state state)
{
	int missing = ranks_wait(gpu, state, JOIN_NAPS);
	return missing >= 0
	        ? fail(ST_GPU, "rank %d does not come to where ranks that share a GPU meet", missing)
	        : missing == FAILED ? ST_GPU
	                            : ST_OK;
}

static enum status pool_take(struct shared_gpu *gpu, int64_t bytes)
{
	enum status status = CUDA_CALL(gpu->cuda, cuMemAlloc, &gpu->own.at, (size_t)bytes);
	gpu->own.bytes = bytes;
	*MEM_ADD(&gpu->own.spans, &gpu->own.count) = (struct pool_span){0, LINES_BYTES};
	if (status == ST_OK && gpu->staged)
		return shared_gpu_stages(gpu);
	if (status == ST_OK && gpu->ranks > 1)
		status = CUDA_CALL(
		        gpu->cuda, cuIpcGetMemHandle, &gpu->shared->seat[gpu->rank].pool, gpu->own.at);
	gpu->pool[gpu->rank] = gpu->own.at;
	return status;
}

static enum status pool_open_peers(struct shared_gpu *gpu)
{
	enum status status = ST_OK;
	for (int rank = 0; rank < gpu->ranks && status == ST_OK && !gpu->staged; rank++)
		if (rank != gpu->rank)
			status = CUDA_CALL(gpu->cuda, cuIpcOpenMemHandle, &gpu->pool[rank],
			        gpu->shared->seat[rank].pool, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	return status;
}

enum status pool_open(struct shared_gpu *gpu, int64_t bytes, enum status before)
{
	enum status status = before == ST_OK ? pool_take(gpu, bytes / GRAIN * GRAIN) : before;
	if (status == ST_OK) {
		rank_set_state(gpu, SEAT_OFFERED);
		status = ranks_wait_start(gpu, SEAT_OFFERED);
	}
	if (status == ST_OK)
		status = pool_open_peers(gpu);
	if (status == ST_OK) {
		rank_set_state(gpu, SEAT_JOINED);
		status = ranks_wait_start(gpu, SEAT_JOINED);
	}
	return status == ST_OK ? ST_OK : shared_gpu_give_up(gpu, status);
}

/* Exported memory is freed after the others have closed it, or after a timeout. */
void pool_close(struct shared_gpu *gpu)
{
	for (int rank = 0; rank < gpu->ranks; rank++)
		if (rank != gpu->rank && gpu->pool[rank] && !gpu->staged)
			gpu->cuda->cuIpcCloseMemHandle(gpu->pool[rank]);
	rank_set_state(gpu, SEAT_LEFT);
	(void)ranks_wait(gpu, SEAT_LEFT, LEAVE_NAPS);
	for (size_t i = 0; i < gpu->stage_count; i++)
		if (gpu->stages[i].event)
			gpu->cuda->cuEventDestroy(gpu->stages[i].event);
	if (gpu->own.at)
		gpu->cuda->cuMemFree(gpu->own.at);
	mem_free(gpu->stages);
	mem_free(gpu->own.spans);
	mem_free(gpu->stage.spans);
	for (int rank = 0; rank < gpu->ranks; rank++)
		gpu->pool[rank] = 0;
}

int64_t pool_offset(const struct shared_gpu *gpu, CUdeviceptr at)
{
	return at ? (int64_t)(at - gpu->pool[gpu->rank]) : 0;
}

static bool span_alloc(struct pool *pool, int64_t bytes, CUdeviceptr *at)
{
	size_t i = 0;
	int64_t offset = 0;
	while (i < pool->count && pool->spans[i].at - offset < bytes) {
		offset = pool->spans[i].at + pool->spans[i].bytes;
		i++;
	}
	if (i == pool->count && pool->bytes - offset < bytes)
		return false;
	*MEM_INSERT(&pool->spans, &pool->count, i) = (struct pool_span){offset, bytes};
	*at = pool->at + (CUdeviceptr)offset;
	return true;
}

static void span_free(struct pool *pool, CUdeviceptr at)
{
	for (size_t i = 0; i < pool->count; i++) {
		if (pool->spans[i].at != (int64_t)(at - pool->at))
			continue;
		MEM_REMOVE(pool->spans, &pool->count, i);
		return;
	}
}

static struct pool *pool_of_stages(struct shared_gpu *gpu)
{
	return gpu->staged ? &gpu->stage : &gpu->own;
}

/* Frees copies whose streams have passed their events. Returns how many are still in use. */
static size_t stages_sweep(struct shared_gpu *gpu)
{
	size_t ahead = 0;
	for (size_t i = gpu->stage_count; i-- > 0;) {
		struct pool_copy stage = gpu->stages[i];
		CUresult result = stage.event ? gpu->cuda->cuEventQuery(stage.event) : CUDA_SUCCESS;
		bool kept = stage.taken &&
		        (int32_t)(__atomic_load_n(stage.taken, __ATOMIC_SEQ_CST) - stage.seq) < 0;
		ahead += stage.event && (result == CUDA_ERROR_NOT_READY || kept);
		if (!stage.event || result != CUDA_SUCCESS || kept)
			continue;
		gpu->cuda->cuEventDestroy(stage.event);
		span_free(pool_of_stages(gpu), stage.at);
		gpu->stages[i] = gpu->stages[--gpu->stage_count];
	}
	return ahead;
}

static int64_t grains(int64_t bytes)
{
	return bytes ? (bytes + GRAIN - 1) / GRAIN * GRAIN : GRAIN;
}

enum status pool_alloc(struct exchange *exchange, int64_t bytes, CUdeviceptr *at)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	if (span_alloc(&gpu->own, grains(bytes), at))
		return ST_OK;
	stages_sweep(gpu);
	if (span_alloc(&gpu->own, grains(bytes), at))
		return ST_OK;
	return fail(ST_DEVICE_MEMORY,
	        "the rank's part of the GPU's memory is full: %lld bytes of %lld are wanted",
	        (long long)bytes, (long long)gpu->own.bytes);
}

enum status pool_lines(struct shared_gpu *gpu, int64_t bytes, CUdeviceptr *at)
{
	if (gpu->lines + bytes > LINES_BYTES)
		return pool_alloc(&gpu->exchange, bytes, at);
	*at = gpu->own.at + (CUdeviceptr)gpu->lines;
	gpu->lines += bytes;
	return ST_OK;
}

void pool_free(struct exchange *exchange, CUdeviceptr at, int64_t bytes)
{
	(void)bytes;
	span_free(&((struct shared_gpu *)exchange)->own, at);
}

static enum status stage_alloc(struct shared_gpu *gpu, int64_t bytes, CUdeviceptr *at)
{
	for (;;) {
		size_t ahead = stages_sweep(gpu);
		if (span_alloc(pool_of_stages(gpu), grains(bytes), at))
			return ST_OK;
		if (!ahead && gpu->staged)
			return fail(ST_DEVICE_MEMORY,
			        "without IPC, exchanges go through %lld bytes of host memory, and %lld more "
			        "are needed",
			        (long long)gpu->stage.bytes, (long long)bytes);
		if (!ahead)
			return pool_alloc(&gpu->exchange, bytes, at);
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	}
}

enum status pool_stage(
        struct shared_gpu *gpu, CUdeviceptr from, int64_t bytes, CUstream stream, CUdeviceptr *at)
{
	enum status status = stage_alloc(gpu, bytes, at);
	if (status != ST_OK)
		return status;
	*MEM_ADD(&gpu->stages, &gpu->stage_count) = (struct pool_copy){.at = *at, .stream = stream};
	if (!from)
		return ST_OK;
	if (gpu->staged)
		return CUDA_CALL(
		        gpu->cuda, cuMemcpyDtoHAsync, file_at(gpu, *at), from, (size_t)bytes, stream);
	return CUDA_CALL(gpu->cuda, cuMemcpyDtoDAsync, *at, from, (size_t)bytes, stream);
}

enum status pool_keep(struct shared_gpu *gpu, const struct gift *gift, const uint32_t *taken, CUdeviceptr *at)
{
	enum status status = pool_stage(gpu, gift->at, gift->bytes, gift->stream, at);
	if (status != ST_OK)
		return status;
	struct pool_copy *kept = &gpu->stages[gpu->stage_count - 1];
	kept->taken = taken;
	kept->seq = gift->seq;
	return ST_OK;
}

enum status pool_stages_end(struct shared_gpu *gpu)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < gpu->stage_count && status == ST_OK; i++) {
		struct pool_copy *stage = &gpu->stages[i];
		if (stage->event)
			continue;
		status = CUDA_CALL(gpu->cuda, cuEventCreate, &stage->event, CU_EVENT_DISABLE_TIMING);
		if (status == ST_OK)
			status = CUDA_CALL(gpu->cuda, cuEventRecord, stage->event, stage->stream);
	}
	return status;
}
