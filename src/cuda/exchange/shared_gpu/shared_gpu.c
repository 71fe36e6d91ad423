/* shared_gpu.c -- a rank's exchange, from open to close */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"

static enum status open_part(struct exchange *exchange, int part, int n, int place, const int *ranks)
{
	struct slot_ring *ring;
	return slot_ring_of_part((struct shared_gpu *)exchange, part, n, place, ranks, &ring);
}

static void close_board(struct exchange *exchange)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	slot_rings_free(gpu);
	pool_close(gpu);
	shared_gpu_unregister(gpu);
	image_unload(&gpu->image);
	mem_free(gpu->shares);
	mem_free(gpu->orders);
	mem_free(gpu->gifts);
	mem_free(gpu->words.word);
}

static enum status kernels_load(struct shared_gpu *gpu, int ordinal)
{
	CUdevice device;
	int architecture;
	enum status status = CUDA_CALL(gpu->cuda, cuDeviceGet, &device, ordinal);
	if (status == ST_OK)
		status = image_architecture(gpu->cuda, device, &architecture);
	if (status == ST_OK)
		status = image_load_family(&gpu->image, gpu->cuda, architecture, "exchange");
	if (status == ST_OK)
		status = image_function(&gpu->image, "exchange_find", &gpu->find);
	if (status == ST_OK)
		status = image_function(&gpu->image, "exchange_reduce_all", &gpu->reduce);
	if (status == ST_OK)
		status = image_function(&gpu->image, "exchange_move_all", &gpu->move);
	if (status == ST_OK)
		status = image_function(&gpu->image, "exchange_write_table", &gpu->table);
	if (status == ST_OK)
		status = image_function(&gpu->image, "exchange_reach_window", &gpu->reach);
	return status;
}

void shared_gpu_without_ipc(struct shared_gpu *gpu)
{
	gpu->staged = true;
}

enum status shared_gpu_open(struct shared_gpu *gpu, struct cuda_library *cuda, int ordinal,
        int64_t pool_bytes, struct exchange **exchange)
{
	gpu->exchange = (struct exchange){.name = "board",
	        .alloc = pool_alloc,
	        .free = pool_free,
	        .open = open_part,
	        .collective = meet_collective,
	        .transfers = meet_transfers,
	        .begin = meet_begin,
	        .end = meet_end,
	        .window = gpu->staged ? NULL : reach_window,
	        .one_sided = gpu->staged ? NULL : reach_one_sided,
	        .release = shared_gpu_release,
	        .close = close_board};
	gpu->cuda = cuda;
	enum status status = kernels_load(gpu, ordinal);
	if (status == ST_OK)
		status = shared_gpu_chunk(gpu, 0);
	status = pool_open(gpu, pool_bytes, status);
	if (status != ST_OK)
		close_board(&gpu->exchange);
	*exchange = status == ST_OK ? &gpu->exchange : NULL;
	return status;
}
