/* meet.c -- a match from arrival to end, on the members' streams
 *
 *      host      addresses -> my slot
 *      stream    write my `arrived`; wait for the others' `arrived`; started; kernel;
 *                write my `done`; wait for the others' `done`
 *
 * For several shares in a `together`, each stream first writes all its `arrived`, then waits. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/inside.h"

/* ---- adding a share */

static struct side *side_new(struct board *board, struct meeting *meeting, uint32_t turn, int place,
        uint64_t places, CUstream stream)
{
	struct side *side = MEM_ADD(&board->sides, &board->side_count);
	*side = (struct side){.meeting = meeting,
	        .turn = turn,
	        .place = place,
	        .order = (int)board->order_count,
	        .stream = stream};
	side_members(board, side, places);
	meeting_take(meeting, turn, places);
	return side;
}

static void slot_fill(struct board *board, const struct side *side, CUdeviceptr in, CUdeviceptr out)
{
	struct exchange_slot *slot = meeting_slot(side->meeting, side->place, side->turn);
	slot->in = pool_offset(board, in);
	slot->out = pool_offset(board, out);
	__atomic_store_n(&slot->call, side->same, __ATOMIC_SEQ_CST);
}

/* ---- without IPC: inputs and results are staged in the segment */

/* Stages the result: in its input's place, or in memory of its own. */
static enum status stage_result(
        struct board *board, struct side *side, CUdeviceptr out, int64_t bytes, CUdeviceptr *at)
{
	side->result = out;
	side->result_bytes = bytes;
	enum status status = *at ? ST_OK : pool_stage(board, 0, bytes, side->stream, at);
	side->staged = *at;
	return status;
}

static enum status stage_collective(struct board *board, const struct exchange_collective *call,
        struct side *side, CUdeviceptr *in, CUdeviceptr *out)
{
	const struct collective *collective = call->collective;
	int64_t size = dtype_bytes(call->dtype), in_bytes = call->in_count * size,
	        out_bytes = call->out_count * size;
	bool gets = !collective->root_gets || call->place == call->root, gives = call->in && in_bytes > 0,
	     same = collective->in_place && call->in == call->out && out_bytes <= in_bytes;
	enum status status = ST_OK;
	*in = *out = 0;
	if (gives)
		status = pool_stage(board, call->in, in_bytes, side->stream, in);
	if (same)
		*out = *in;
	if (status == ST_OK && gets && call->out && out_bytes > 0)
		status = stage_result(board, side, call->out, out_bytes, out);
	return status;
}

static enum status stage_transfer(
        struct board *board, const struct exchange_transfer *call, struct side *side, CUdeviceptr *at)
{
	*at = 0;
	if (call->bytes == 0)
		return ST_OK;
	return call->sends ? pool_stage(board, call->at, call->bytes, side->stream, at)
	                   : stage_result(board, side, call->at, call->bytes, at);
}

static enum status fetch_results(struct board *board)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < board->side_count && status == ST_OK; i++) {
		const struct side *side = &board->sides[i];
		if (side->staged)
			status = file_fetch(
			        board, side->staged, side->result, side->result_bytes, side->stream);
	}
	return status;
}

/* Returns true if the result overlaps the input without being in place: it is written while peers
 * still read the input, so they read a copy. */
static bool needs_copy(const struct exchange_collective *call)
{
	CUdeviceptr size = (CUdeviceptr)dtype_bytes(call->dtype),
	            in_end = call->in + (CUdeviceptr)call->in_count * size,
	            out_end = call->out + (CUdeviceptr)call->out_count * size;
	bool same = call->collective->in_place && call->in == call->out;
	return !same && call->in && call->out && call->in < out_end && call->out < in_end;
}

/* A late member gets the result as a transfer from the member that has kept it. */
static enum status late_add(
        struct board *board, const struct exchange_collective *call, int from, CUstream stream)
{
	struct meeting *meeting;
	CUdeviceptr at = call->out;
	struct exchange_transfer message = {
	        .at = call->out, .bytes = call->out_count * dtype_bytes(call->dtype)};
	enum status status = meeting_of_late(board, call->part, call->ranks[from], board->rank, &meeting);
	if (status != ST_OK)
		return status;
	struct side *side = side_new(board, meeting, call->turn, 1, ALL_PLACES, stream);
	if (board->staged)
		status = stage_transfer(board, &message, side, &at);
	transfer_plan(board, &message, side);
	slot_fill(board, side, at, at);
	return status;
}

static enum status match_add(struct board *board, const struct exchange_collective *call, uint64_t places,
        int place, CUstream stream)
{
	struct meeting *meeting = meeting_find(board, call->part);
	CUdeviceptr in = call->in, out = call->out;
	enum status status = ST_OK;
	struct side *side = side_new(board, meeting, call->turn, place, places, stream);
	if (board->staged)
		status = stage_collective(board, call, side, &in, &out);
	else if (needs_copy(call))
		status = pool_stage(board, call->in, call->in_count * dtype_bytes(call->dtype), stream, &in);
	if (status == ST_OK)
		status = collective_plan(board, call, side);
	slot_fill(board, side, in, out);
	return status;
}

/* If some members do not count (backup=), the others match among themselves. */
static enum status collective_add(
        struct board *board, const struct exchange_collective *call, CUstream stream)
{
	struct meeting *meeting;
	struct exchange_collective own = *call;
	uint64_t places = 0;
	int first = -1;
	enum status status = meeting_of_part(board, call->part, call->n, call->place, call->ranks, &meeting);
	own.n = own.place = 0;
	for (int p = 0; p < call->n; p++) {
		if (call->counts && !call->counts[p])
			continue;
		places |= UINT64_C(1) << p;
		own.place += p < call->place;
		first = own.n++ ? first : p;
	}
	if (status == ST_OK && !(places >> call->place & 1))
		return late_add(board, call, first, stream);
	if (status == ST_OK)
		status = match_add(board, &own, places, call->place, stream);
	if (status == ST_OK && call->counts && call->place == first)
		status = gifts_add(board, call, stream);
	return status;
}

/* A transfer to the rank itself sends a copy, because the memory may overlap. */
static enum status transfer_add(struct board *board, const struct exchange_transfer *call, CUstream stream)
{
	struct meeting *meeting;
	CUdeviceptr at = call->at;
	int from = call->sends ? board->rank : call->peer, to = call->sends ? call->peer : board->rank;
	enum status status = meeting_of_channel(board, call->part, from, to, &meeting);
	if (status != ST_OK)
		return status;
	struct side *side = side_new(board, meeting, call->turn, call->sends ? 0 : 1, ALL_PLACES, stream);
	if (board->staged)
		status = stage_transfer(board, call, side, &at);
	else if (call->sends && from == to && call->bytes > 0)
		status = pool_stage(board, call->at, call->bytes, stream, &at);
	transfer_plan(board, call, side);
	slot_fill(board, side, at, at);
	return status;
}

/* ---- queueing all shares */

static CUdeviceptr word_arrived(const struct side *side, int place)
{
	return meeting_device(side->meeting, &meeting_slot(side->meeting, place, side->turn)->arrived);
}

static CUdeviceptr word_done(const struct side *side, int place)
{
	return meeting_device(side->meeting, &meeting_slot(side->meeting, place, side->turn)->done);
}

static void wait_for_others(
        struct board *board, const struct side *side, CUdeviceptr (*word)(const struct side *side, int place))
{
	const struct exchange_members *all = &side->call.members;
	for (int i = 0; i < all->n; i++)
		if (all->slot[i] != side->place)
			words_wait(board, word(side, all->slot[i]), side->turn);
}

/* Writes this member's words on the stream, then waits for the others'. */
static enum status queue_words(
        struct board *board, CUstream stream, CUdeviceptr (*word)(const struct side *side, int place))
{
	for (size_t i = 0; i < board->side_count; i++) {
		const struct side *side = &board->sides[i];
		if (side->stream == stream)
			words_write(board, word(side, side->place), side->turn);
	}
	for (size_t i = 0; i < board->side_count; i++) {
		const struct side *side = &board->sides[i];
		if (side->stream == stream && (word == word_arrived || side->ends))
			wait_for_others(board, side, word);
	}
	return words_queue(board, stream);
}

/* One block finds all addresses, and many blocks use them. */
static enum status share_launch(struct board *board, struct side *side)
{
	enum status status =
	        cuda_launch(board->cuda, board->find, 1, THREADS, &side->call.members, side->stream);
	if (status == ST_OK)
		status = cuda_launch(
		        board->cuda, side->function, side->blocks, THREADS, &side->call, side->stream);
	return status;
}

static enum status queue_work(struct board *board)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < board->order_count && status == ST_OK; i++) {
		const struct meeting_order *order = &board->orders[i];
		if (order->started.queue)
			status = order->started.queue(order->started.self, order->stream);
		for (size_t s = 0; s < board->side_count && status == ST_OK; s++) {
			struct side *side = &board->sides[s];
			if (side->order == (int)i && side->function)
				status = share_launch(board, side);
		}
		if (order->started.ended && status == ST_OK)
			status = order->started.ended(order->started.self, order->stream);
	}
	return status;
}

/* Returns true if it is the first order on its stream. */
static bool order_is_first(const struct board *board, size_t order)
{
	for (size_t i = 0; i < order; i++)
		if (board->orders[i].stream == board->orders[order].stream)
			return false;
	return true;
}

static enum status each_stream(struct board *board, CUdeviceptr (*word)(const struct side *side, int place))
{
	enum status status = ST_OK;
	for (size_t i = 0; i < board->order_count && status == ST_OK; i++)
		if (order_is_first(board, i))
			status = queue_words(board, board->orders[i].stream, word);
	return status;
}

/* What could not be queued blocks its peers until they release it. */
static void shares_clear(struct board *board)
{
	for (size_t i = 0; i < board->side_count; i++) {
		struct side *side = &board->sides[i];
		__atomic_store_n(&side->meeting->last, side->turn, __ATOMIC_SEQ_CST);
	}
	board->side_count = board->order_count = board->gift_count = 0;
	board->together = false;
}

/* Completes an order. status: of its shares so far */
static enum status order_finish(
        struct board *board, struct exchange_started started, CUstream stream, enum status status)
{
	*MEM_ADD(&board->orders, &board->order_count) = (struct meeting_order){started, stream};
	if (status != ST_OK)
		shares_clear(board);
	return status != ST_OK || board->together ? status : meet_end(&board->exchange);
}

enum status meet_end(struct exchange *exchange)
{
	struct board *board = (struct board *)exchange;
	enum status status = each_stream(board, word_arrived);
	if (status == ST_OK)
		status = queue_work(board);
	if (status == ST_OK)
		status = each_stream(board, word_done);
	if (status == ST_OK)
		status = fetch_results(board);
	if (status == ST_OK)
		status = gifts_give(board);
	if (status == ST_OK)
		status = pool_stages_end(board);
	shares_clear(board);
	return status;
}

enum status meet_begin(struct exchange *exchange)
{
	struct board *board = (struct board *)exchange;
	board->together = true;
	return ST_OK;
}

enum status meet_collective(struct exchange *exchange, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream)
{
	struct board *board = (struct board *)exchange;
	return order_finish(board, started, stream, collective_add(board, call, stream));
}

enum status meet_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream)
{
	struct board *board = (struct board *)exchange;
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++)
		status = transfer_add(board, &transfers[i], stream);
	return order_finish(board, started, stream, status);
}
