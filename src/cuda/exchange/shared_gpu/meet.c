/* meet.c -- a match from arrival to end, on the members' streams
 *
 *      host      addresses -> my slot
 *      stream    write my `arrived`; wait for the others' `arrived`; started; kernel;
 *                write my `done`; wait for the others' `done`
 *
 * In a `together` with several shares, each stream first writes all its `arrived`, then waits. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"

/* ---- words of the segment that streams write and wait for, collected in order */

enum { BATCH = 255 }; /* CUDA's limit per call */

static void words_write(struct shared_gpu *gpu, CUdeviceptr at, uint32_t value)
{
	*MEM_ADD(&gpu->words, &gpu->word_count) =
	        (CUstreamBatchMemOpParams){.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, at, {value},
	                                           CU_STREAM_WRITE_VALUE_DEFAULT, 0}};
}

static void words_wait(struct shared_gpu *gpu, CUdeviceptr at, uint32_t value)
{
	*MEM_ADD(&gpu->words, &gpu->word_count) = (CUstreamBatchMemOpParams){
	        .waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, at, {value}, CU_STREAM_WAIT_VALUE_GEQ, 0}};
}

static enum status words_queue(struct shared_gpu *gpu, CUstream stream)
{
	enum status status = ST_OK;
	for (size_t at = 0; at < gpu->word_count && status == ST_OK; at += BATCH) {
		unsigned count = gpu->word_count - at < BATCH ? (unsigned)(gpu->word_count - at) : BATCH;
		status = CUDA_CALL(gpu->cuda, cuStreamBatchMemOp, stream, count, gpu->words + at, 0);
	}
	gpu->word_count = 0;
	return status;
}

/* ---- shares */

static struct match_share *share_new(struct shared_gpu *gpu, struct slot_ring *ring, uint32_t seq, int place,
        uint64_t places, CUstream stream)
{
	struct match_share *share = MEM_ADD(&gpu->shares, &gpu->share_count);
	*share = (struct match_share){
	        .ring = ring, .seq = seq, .place = place, .order = (int)gpu->order_count, .stream = stream};
	share_members(gpu, share, places);
	slot_ring_take(ring, seq, places);
	return share;
}

static void slot_fill(
        struct shared_gpu *gpu, const struct match_share *share, CUdeviceptr in, CUdeviceptr out)
{
	struct exchange_slot *slot = slot_ring_slot(share->ring, share->place, share->seq);
	slot->in = pool_offset(gpu, in);
	slot->out = pool_offset(gpu, out);
	__atomic_store_n(&slot->call, share->same, __ATOMIC_SEQ_CST);
}

/* ---- without IPC: inputs and results are staged in the segment */

/* Stages the result in the input's staged memory (*at), or in its own if that is 0. */
static enum status stage_result(
        struct shared_gpu *gpu, struct match_share *share, CUdeviceptr out, int64_t bytes, CUdeviceptr *at)
{
	share->result = out;
	share->result_bytes = bytes;
	enum status status = *at ? ST_OK : pool_stage(gpu, 0, bytes, share->stream, at);
	share->staged = *at;
	return status;
}

static enum status stage_collective(struct shared_gpu *gpu, const struct exchange_collective *call,
        struct match_share *share, CUdeviceptr *in, CUdeviceptr *out)
{
	const struct collective *collective = call->collective;
	int64_t size = dtype_bytes(call->dtype), in_bytes = call->in_count * size,
	        out_bytes = call->out_count * size;
	bool gets = !collective->root_gets || call->place == call->root, gives = call->in && in_bytes > 0,
	     same = collective->in_place && call->in == call->out && out_bytes <= in_bytes;
	enum status status = ST_OK;
	*in = *out = 0;
	if (gives)
		status = pool_stage(gpu, call->in, in_bytes, share->stream, in);
	if (same)
		*out = *in;
	if (status == ST_OK && gets && call->out && out_bytes > 0)
		status = stage_result(gpu, share, call->out, out_bytes, out);
	return status;
}

static enum status stage_transfer(struct shared_gpu *gpu, const struct exchange_transfer *call,
        struct match_share *share, CUdeviceptr *at)
{
	*at = 0;
	if (call->bytes == 0)
		return ST_OK;
	return call->sends ? pool_stage(gpu, call->at, call->bytes, share->stream, at)
	                   : stage_result(gpu, share, call->at, call->bytes, at);
}

static enum status fetch_results(struct shared_gpu *gpu)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < gpu->share_count && status == ST_OK; i++) {
		const struct match_share *share = &gpu->shares[i];
		if (share->staged)
			status = CUDA_CALL(gpu->cuda, cuMemcpyHtoDAsync, share->result,
			        file_at(gpu, share->staged), (size_t)share->result_bytes, share->stream);
	}
	return status;
}

/* Returns true if the result overlaps the input but is not in its place; peers then read a
 * copy. */
static bool needs_copy(const struct exchange_collective *call)
{
	CUdeviceptr size = (CUdeviceptr)dtype_bytes(call->dtype),
	            in_end = call->in + (CUdeviceptr)call->in_count * size,
	            out_end = call->out + (CUdeviceptr)call->out_count * size;
	bool same = call->collective->in_place && call->in == call->out;
	return !same && call->in && call->out && call->in < out_end && call->out < in_end;
}

/* ---- results kept for members that a collective did not wait for (backup=)
 *
 *      first that counts   ... kernel; ends | result -> kept | write arrived, done = 7
 *      late member         write arrived; wait for arrived >= 7; kernel: kept -> result; done = 7
 *
 * Only the late member waits. The kept memory is freed when that member's `done` has reached the
 * sequence number. */

static enum status gifts_add(struct shared_gpu *gpu, const struct exchange_collective *call, CUstream stream)
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

static enum status gifts_give(struct shared_gpu *gpu)
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
	gpu->word_count = 0;
	return status;
}

static enum status late_add(
        struct shared_gpu *gpu, const struct exchange_collective *call, int from, CUstream stream)
{
	struct slot_ring *ring;
	CUdeviceptr at = call->out;
	struct exchange_transfer message = {
	        .at = call->out, .bytes = call->out_count * dtype_bytes(call->dtype)};
	enum status status = slot_ring_of_pair(gpu, call->part, call->ranks[from], gpu->rank, true, &ring);
	if (status != ST_OK)
		return status;
	struct match_share *share = share_new(gpu, ring, call->seq, 1, ALL_PLACES, stream);
	if (gpu->staged)
		status = stage_transfer(gpu, &message, share, &at);
	transfer_plan(gpu, &message, share);
	slot_fill(gpu, share, at, at);
	return status;
}

/* ---- matches */

static enum status match_add(struct shared_gpu *gpu, const struct exchange_collective *call, uint64_t places,
        int place, CUstream stream)
{
	struct slot_ring *ring = slot_ring_find(gpu, call->part);
	CUdeviceptr in = call->in, out = call->out;
	enum status status = ST_OK;
	struct match_share *share = share_new(gpu, ring, call->seq, place, places, stream);
	if (gpu->staged)
		status = stage_collective(gpu, call, share, &in, &out);
	else if (needs_copy(call))
		status = pool_stage(gpu, call->in, call->in_count * dtype_bytes(call->dtype), stream, &in);
	if (status == ST_OK)
		status = collective_plan(gpu, call, share);
	slot_fill(gpu, share, in, out);
	return status;
}

/* If some members do not count (backup=), the others match among themselves. */
static enum status collective_add(
        struct shared_gpu *gpu, const struct exchange_collective *call, CUstream stream)
{
	struct slot_ring *ring;
	struct exchange_collective own = *call;
	uint64_t places = 0;
	int first = -1;
	enum status status = slot_ring_of_part(gpu, call->part, call->n, call->place, call->ranks, &ring);
	own.n = own.place = 0;
	for (int p = 0; p < call->n; p++) {
		if (call->counts && !call->counts[p])
			continue;
		places |= UINT64_C(1) << p;
		own.place += p < call->place;
		first = own.n++ ? first : p;
	}
	if (status == ST_OK && !(places >> call->place & 1))
		return late_add(gpu, call, first, stream);
	if (status == ST_OK)
		status = match_add(gpu, &own, places, call->place, stream);
	if (status == ST_OK && call->counts && call->place == first)
		status = gifts_add(gpu, call, stream);
	return status;
}

/* A transfer to the rank itself sends a copy, because the memory may overlap. */
static enum status transfer_add(struct shared_gpu *gpu, const struct exchange_transfer *call, CUstream stream)
{
	struct slot_ring *ring;
	CUdeviceptr at = call->at;
	int from = call->sends ? gpu->rank : call->peer, to = call->sends ? call->peer : gpu->rank;
	enum status status = slot_ring_of_pair(gpu, call->part, from, to, false, &ring);
	if (status != ST_OK)
		return status;
	struct match_share *share = share_new(gpu, ring, call->seq, call->sends ? 0 : 1, ALL_PLACES, stream);
	if (gpu->staged)
		status = stage_transfer(gpu, call, share, &at);
	else if (call->sends && from == to && call->bytes > 0)
		status = pool_stage(gpu, call->at, call->bytes, stream, &at);
	transfer_plan(gpu, call, share);
	slot_fill(gpu, share, at, at);
	return status;
}

static CUdeviceptr word_arrived(const struct match_share *share, int place)
{
	return slot_ring_device(share->ring, &slot_ring_slot(share->ring, place, share->seq)->arrived);
}

static CUdeviceptr word_done(const struct match_share *share, int place)
{
	return slot_ring_device(share->ring, &slot_ring_slot(share->ring, place, share->seq)->done);
}

/* Writes this member's words on the stream, then waits for the others'. */
static enum status queue_words(struct shared_gpu *gpu, CUstream stream,
        CUdeviceptr (*word)(const struct match_share *share, int place))
{
	for (size_t i = 0; i < gpu->share_count; i++) {
		const struct match_share *share = &gpu->shares[i];
		if (share->stream == stream)
			words_write(gpu, word(share, share->place), share->seq);
	}
	for (size_t i = 0; i < gpu->share_count; i++) {
		const struct match_share *share = &gpu->shares[i];
		const struct exchange_members *all = &share->call.members;
		if (share->stream != stream || (word == word_done && !share->ends))
			continue;
		for (int k = 0; k < all->n; k++)
			if (all->slot[k] != share->place)
				words_wait(gpu, word(share, all->slot[k]), share->seq);
	}
	return words_queue(gpu, stream);
}

static enum status share_launch(struct shared_gpu *gpu, struct match_share *share)
{
	enum status status =
	        cuda_launch(gpu->cuda, gpu->find, 1, THREADS, &share->call.members, share->stream);
	if (status == ST_OK)
		status = cuda_launch(
		        gpu->cuda, share->function, share->blocks, THREADS, &share->call, share->stream);
	return status;
}

static enum status queue_work(struct shared_gpu *gpu)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < gpu->order_count && status == ST_OK; i++) {
		const struct queued_order *order = &gpu->orders[i];
		if (order->started.queue)
			status = order->started.queue(order->started.self, order->stream);
		for (size_t s = 0; s < gpu->share_count && status == ST_OK; s++) {
			struct match_share *share = &gpu->shares[s];
			if (share->order == (int)i && share->function)
				status = share_launch(gpu, share);
		}
		if (order->started.ended && status == ST_OK)
			status = order->started.ended(order->started.self, order->stream);
	}
	return status;
}

static enum status each_stream(
        struct shared_gpu *gpu, CUdeviceptr (*word)(const struct match_share *share, int place))
{
	enum status status = ST_OK;
	for (size_t i = 0; i < gpu->order_count && status == ST_OK; i++) {
		size_t first = 0;
		while (gpu->orders[first].stream != gpu->orders[i].stream)
			first++;
		if (first == i)
			status = queue_words(gpu, gpu->orders[i].stream, word);
	}
	return status;
}

/* Peers of work that could not be queued wait until they release it. */
static void shares_clear(struct shared_gpu *gpu)
{
	for (size_t i = 0; i < gpu->share_count; i++) {
		struct match_share *share = &gpu->shares[i];
		__atomic_store_n(&share->ring->last, share->seq, __ATOMIC_SEQ_CST);
	}
	gpu->share_count = gpu->order_count = gpu->gift_count = 0;
	gpu->together = false;
}

/* Completes an order. status: of its shares so far */
static enum status order_finish(
        struct shared_gpu *gpu, struct exchange_started started, CUstream stream, enum status status)
{
	*MEM_ADD(&gpu->orders, &gpu->order_count) = (struct queued_order){started, stream};
	if (status != ST_OK)
		shares_clear(gpu);
	return status != ST_OK || gpu->together ? status : meet_end(&gpu->exchange);
}

enum status meet_end(struct exchange *exchange)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	enum status status = each_stream(gpu, word_arrived);
	if (status == ST_OK)
		status = queue_work(gpu);
	if (status == ST_OK)
		status = each_stream(gpu, word_done);
	if (status == ST_OK)
		status = fetch_results(gpu);
	if (status == ST_OK)
		status = gifts_give(gpu);
	if (status == ST_OK)
		status = pool_stages_end(gpu);
	shares_clear(gpu);
	return status;
}

enum status meet_begin(struct exchange *exchange)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	gpu->together = true;
	return ST_OK;
}

enum status meet_collective(struct exchange *exchange, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	return order_finish(gpu, started, stream, collective_add(gpu, call, stream));
}

enum status meet_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++)
		status = transfer_add(gpu, &transfers[i], stream);
	return order_finish(gpu, started, stream, status);
}
