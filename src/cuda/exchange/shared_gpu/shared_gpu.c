/* shared_gpu.c -- a rank's exchange, from open to close; windows */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"
#include "cuda/kernels/launch.h"
#include "world/op.h"

/* ---- windows: a rank's memory that others access; its offset is in the segment */

enum { REACH_BLOCKS_MOST = 264 };

static enum status reach_window(struct exchange *exchange, int part, uint32_t seq, CUdeviceptr at)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	struct slot_ring *ring = slot_ring_find(gpu, part);
	if (!ring)
		return fail(ST_BUG, "a window of a group that is not open");
	struct shared_gpu_window *window = &slot_ring_windows(ring, ring->place)[ring->windows++ % WINDOWS];
	window->offset = pool_offset(gpu, at);
	__atomic_store_n(&window->seq, seq, __ATOMIC_SEQ_CST);
	return ST_OK;
}

/* Returns the address of the target on any rank; 0: no longer known. */
static CUdeviceptr remote_at(const struct shared_gpu *gpu, const struct exchange_one_sided *call)
{
	struct slot_ring *ring = slot_ring_find((struct shared_gpu *)gpu, call->part);
	for (int p = 0; ring && p < ring->n; p++) {
		const struct shared_gpu_window *windows = slot_ring_windows(ring, p);
		for (int i = 0; i < WINDOWS && ring->ranks[p] == call->peer; i++)
			if (__atomic_load_n(&windows[i].seq, __ATOMIC_SEQ_CST) == call->window)
				return gpu->pool[call->peer] +
				        (CUdeviceptr)(windows[i].offset + call->offset);
	}
	return 0;
}

static enum status reach_launch(
        struct shared_gpu *gpu, const struct exchange_one_sided *call, CUdeviceptr remote, CUstream stream)
{
	struct layout packed;
	enum status status = layout_make(&packed, call->dtype, call->layout.dims, call->layout.dim);
	struct exchange_reach reach = {.window = strided_of(&(struct kernel_tensor){
	                                       .data = (void *)(uintptr_t)remote, .layout = call->layout}),
	        .at = strided_of(
	                &(struct kernel_tensor){.data = (void *)(uintptr_t)call->at, .layout = packed}),
	        .count = layout_count(&packed),
	        .what = call->what,
	        .factor = call->factor};
	unsigned blocks = (unsigned)most_of(1, least_of(parts_of(reach.count, THREADS), REACH_BLOCKS_MOST));
	return status == ST_OK ? cuda_launch(gpu->cuda, gpu->reach, blocks, THREADS, &reach, stream) : status;
}

static enum status reach_one_sided(struct exchange *exchange, const struct exchange_one_sided *call,
        struct exchange_started started, CUstream stream)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	CUdeviceptr remote = remote_at(gpu, call);
	bool plain = call->what != ONE_SIDED_ADD && call->dtype == call->layout.dtype &&
	        layout_contiguous(&call->layout);
	size_t bytes = (size_t)layout_bytes(&call->layout);
	enum status status = ST_OK;
	if (!remote)
		return fail(
		        ST_GPU, "rank %d has more than %d windows open in one group", call->peer, WINDOWS);
	if (started.queue)
		status = started.queue(started.self, stream);
	if (status != ST_OK || bytes == 0)
		return status;
	if (!plain)
		return reach_launch(gpu, call, remote, stream);
	bool puts = call->what == ONE_SIDED_PUT;
	return CUDA_CALL(gpu->cuda, cuMemcpyDtoDAsync, puts ? remote : call->at, puts ? call->at : remote,
	        bytes, stream);
}

/* ---- open and close */

static enum status open_part(struct exchange *exchange, int part, int n, int place, const int *ranks)
{
	struct slot_ring *ring;
	return slot_ring_of_part((struct shared_gpu *)exchange, part, n, place, ranks, &ring);
}

static void exchange_close(struct exchange *exchange)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	slot_rings_free(gpu);
	pool_close(gpu);
	shared_gpu_unregister(gpu);
	image_unload(&gpu->image);
	mem_free(gpu->shares);
	mem_free(gpu->orders);
	mem_free(gpu->gifts);
	mem_free(gpu->words);
}

enum status shared_gpu_open(struct shared_gpu *gpu, struct cuda_library *cuda, int ordinal,
        int64_t pool_bytes, struct exchange **exchange)
{
	gpu->exchange = (struct exchange){.alloc = pool_alloc,
	        .free = pool_free,
	        .open = open_part,
	        .collective = meet_collective,
	        .transfers = meet_transfers,
	        .begin = meet_begin,
	        .end = meet_end,
	        .window = gpu->staged ? NULL : reach_window,
	        .one_sided = gpu->staged ? NULL : reach_one_sided,
	        .release = shared_gpu_release,
	        .close = exchange_close};
	gpu->cuda = cuda;
	const struct image_wanted kernels[] = {{"exchange_find", &gpu->find},
	        {"exchange_reduce_all", &gpu->reduce}, {"exchange_move_all", &gpu->move},
	        {"exchange_write_table", &gpu->table}, {"exchange_reach_window", &gpu->reach}, {NULL, NULL}};
	enum status status = image_load_family(&gpu->image, cuda, ordinal, "exchange", kernels);
	if (status == ST_OK)
		status = shared_gpu_chunk(gpu, 0);
	status = pool_open(gpu, pool_bytes, status);
	if (status != ST_OK)
		exchange_close(&gpu->exchange);
	*exchange = status == ST_OK ? &gpu->exchange : NULL;
	return status;
}
