/* late.c -- results kept for members that a collective did not wait for (backup=)
 *
 *      first that counts   ... kernel; ends | result -> kept | write arrived, done = 7
 *      late member         write arrived; wait for arrived >= 7; kernel: kept -> result; done = 7
 *
 * Only the late member waits. The kept memory is freed when its `done` has reached the part's
 * sequence number. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"

enum status gifts_add(struct shared_gpu *gpu, const struct exchange_collective *call, CUstream stream)
{
	enum status status = ST_OK;
	for (int p = 0; p < call->n && status == ST_OK; p++) {
		struct gift gift = {.seq = call->seq,
		        .stream = stream,
		        .at = call->out,
		        .bytes = call->out_count * dtype_bytes(call->dtype)};
		if (call->counts[p])
			continue;
		status = slot_ring_of_pair(gpu, call->part, gpu->rank, call->ranks[p], true, &gift.ring);
		if (status == ST_OK)
			*MEM_ADD(&gpu->gifts, &gpu->gift_count) = gift;
	}
	return status;
}

enum status gifts_give(struct shared_gpu *gpu)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < gpu->gift_count && status == ST_OK; i++) {
		const struct gift *gift = &gpu->gifts[i];
		struct exchange_slot *own = slot_ring_slot(gift->ring, 0, gift->seq),
		                     *other = slot_ring_slot(gift->ring, 1, gift->seq);
		CUdeviceptr kept = 0;
		slot_ring_take(gift->ring, gift->seq, ALL_PLACES);
		if (gift->bytes)
			status = pool_keep(gpu, gift, &other->done, &kept);
		own->in = own->out = pool_offset(gpu, kept);
		__atomic_store_n(&own->call, transfer_digest(gift->bytes), __ATOMIC_SEQ_CST);
		words_write(gpu, slot_ring_device(gift->ring, &own->arrived), gift->seq);
		words_write(gpu, slot_ring_device(gift->ring, &own->done), gift->seq);
		if (status == ST_OK)
			status = words_queue(gpu, gift->stream);
		__atomic_store_n(&gift->ring->last, gift->seq, __ATOMIC_SEQ_CST);
	}
	gpu->words.count = 0;
	return status;
}
