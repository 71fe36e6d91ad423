/* shared_gpu.c -- a rank's exchange, from open to close */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"

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
	mem_free(gpu->words.word);
}

void shared_gpu_without_ipc(struct shared_gpu *gpu)
{
	gpu->staged = true;
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
