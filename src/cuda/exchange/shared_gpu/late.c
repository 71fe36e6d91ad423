/* late.c -- results kept for members that a collective did not wait for (backup=)
 *
 *      first in time       ... kernel; ends | result -> kept | write arrived, done = 7
 *      late member         write arrived; wait for arrived >= 7; kernel: kept -> result; done = 7
 *
 * Only the late member waits. The kept memory is freed when its `done` has reached the part's
 * sequence number. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/inside.h"

enum status gifts_add(struct board *board, const struct exchange_collective *call, CUstream stream)
{
	enum status status = ST_OK;
	for (int p = 0; p < call->n && status == ST_OK; p++) {
		struct gift gift = {.turn = call->turn,
		        .stream = stream,
		        .at = call->out,
		        .bytes = call->out_count * dtype_bytes(call->dtype)};
		if (call->counts[p])
			continue;
		status = meeting_of_late(board, call->part, board->rank, call->ranks[p], &gift.meeting);
		if (status == ST_OK)
			*MEM_ADD(&board->gifts, &board->gift_count) = gift;
	}
	return status;
}

enum status gifts_give(struct board *board)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < board->gift_count && status == ST_OK; i++) {
		const struct gift *gift = &board->gifts[i];
		struct exchange_slot *own = meeting_slot(gift->meeting, 0, gift->turn),
		                     *other = meeting_slot(gift->meeting, 1, gift->turn);
		CUdeviceptr kept = 0;
		meeting_take(gift->meeting, gift->turn, ALL_PLACES);
		if (gift->bytes)
			status = pool_keep(board, gift, &other->done, &kept);
		own->in = own->out = pool_offset(board, kept);
		__atomic_store_n(&own->call, transfer_digest(gift->bytes), __ATOMIC_SEQ_CST);
		words_write(board, meeting_device(gift->meeting, &own->arrived), gift->turn);
		words_write(board, meeting_device(gift->meeting, &own->done), gift->turn);
		if (status == ST_OK)
			status = words_queue(board, gift->stream);
		__atomic_store_n(&gift->meeting->last, gift->turn, __ATOMIC_SEQ_CST);
	}
	board->words.count = 0;
	return status;
}
