/* reach.c -- windows: memory of a rank that others access without its participation. Its offset
 * is in the segment. The collective that opened the window has matched the two ranks before, so
 * nothing waits here. */
#include "base/arithmetic.h"
#include "cuda/exchange/shared_gpu/state.h"
#include "cuda/kernels/launch.h"
#include "world/op.h"

enum { REACH_BLOCKS_MOST = 264 };

enum status reach_window(struct exchange *exchange, int part, uint32_t seq, CUdeviceptr at, int64_t bytes)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	struct slot_ring *ring = slot_ring_find(gpu, part);
	(void)bytes;
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

enum status reach_one_sided(struct exchange *exchange, const struct exchange_one_sided *call,
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
