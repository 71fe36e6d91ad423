/* meet.c -- a meeting from arrival to end, on the streams of those who meet
 *
 *      host      where my memory lies -> my slot
 *      stream    write my `arrived`;  wait for the others' `arrived`;  started;  kernel;  write my `done`;  wait for the others' `done`
 *
 * Of several sides that are given as one, each stream writes all its `arrived` first and waits then. */
#include "base/memory.h"
#include "cuda/exchange/board/inside.h"
#include <time.h>

/* ---- a side is added */

/* A slot is free when all have ended the turn that it was used for before. Who is so far ahead waits here, as where CUDA's own queue is full. */
static void await_slot(const struct meeting *meeting, uint32_t turn)
{
	while (turn > meeting->turns && !meeting_over(meeting, turn - meeting->turns))
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static struct side *side_new(
        struct board *board, struct meeting *meeting, uint32_t turn, int place, CUstream stream)
{
	struct side *side = MEM_ADD(&board->sides, &board->side_count);
	*side = (struct side){.meeting = meeting,
	        .turn = turn,
	        .place = place,
	        .order = (int)board->order_count,
	        .stream = stream};
	await_slot(meeting, turn);
	return side;
}

static void tell(struct board *board, const struct side *side, CUdeviceptr in, CUdeviceptr out)
{
	struct exchange_slot *slot = meeting_slot(side->meeting, side->place, side->turn);
	slot->in = pool_offset(board, in);
	slot->out = pool_offset(board, out);
	__atomic_store_n(&slot->call, side->same, __ATOMIC_SEQ_CST);
}

/* ---- without IPC: inputs go through the file, and results come from there */

/* The result's place there: its input's, or one of its own */
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

/* A result that lies over the input without being in its place is written while others still read that: they are given a copy. */
static bool needs_copy(const struct exchange_collective *call)
{
	CUdeviceptr size = (CUdeviceptr)dtype_bytes(call->dtype),
	            in_end = call->in + (CUdeviceptr)call->in_count * size,
	            out_end = call->out + (CUdeviceptr)call->out_count * size;
	bool same = call->collective->in_place && call->in == call->out;
	return !same && call->in && call->out && call->in < out_end && call->out < in_end;
}

static enum status add_collective(
        struct board *board, const struct exchange_collective *call, CUstream stream)
{
	struct meeting *meeting;
	CUdeviceptr in = call->in, out = call->out;
	if (call->counts)
		return fail(ST_BUG, "at the board a collective waits for all of its members");
	enum status status = meeting_of_part(board, call->part, call->n, call->place, call->ranks, &meeting);
	if (status != ST_OK)
		return status;
	struct side *side = side_new(board, meeting, call->turn, call->place, stream);
	if (board->staged)
		status = stage_collective(board, call, side, &in, &out);
	else if (needs_copy(call))
		status = pool_stage(board, call->in, call->in_count * dtype_bytes(call->dtype), stream, &in);
	if (status == ST_OK)
		status = collective_plan(board, call, side);
	tell(board, side, in, out);
	return status;
}

/* To oneself the memory may overlap: a copy is sent. */
static enum status add_transfer(struct board *board, const struct exchange_transfer *call, CUstream stream)
{
	struct meeting *meeting;
	CUdeviceptr at = call->at;
	int from = call->sends ? board->rank : call->peer, to = call->sends ? call->peer : board->rank;
	enum status status = meeting_of_channel(board, call->part, from, to, &meeting);
	if (status != ST_OK)
		return status;
	struct side *side = side_new(board, meeting, call->turn, call->sends ? 0 : 1, stream);
	if (board->staged)
		status = stage_transfer(board, call, side, &at);
	else if (call->sends && from == to && call->bytes > 0)
		status = pool_stage(board, call->at, call->bytes, stream, &at);
	transfer_plan(board, call, side);
	tell(board, side, at, at);
	return status;
}

/* ---- all sides are queued */

static CUdeviceptr arrived(const struct side *side, int place, uint32_t turn)
{
	return meeting_device(side->meeting, &meeting_slot(side->meeting, place, turn)->arrived);
}

static CUdeviceptr done(const struct side *side, int place, uint32_t turn)
{
	return meeting_device(side->meeting, &meeting_slot(side->meeting, place, turn)->done);
}

/* Collectives of a part come one after the other, on whatever streams. */
static void wait_turn(struct board *board, const struct side *side)
{
	const struct meeting *meeting = side->meeting;
	if (meeting->turns != PART_TURNS || !meeting->last || meeting->stream == side->stream)
		return;
	for (int p = 0; p < meeting->n; p++)
		words_wait(board, done(side, p, meeting->last), meeting->last);
}

static enum status queue_arrivals(struct board *board, CUstream stream)
{
	for (size_t i = 0; i < board->side_count; i++)
		if (board->sides[i].stream == stream)
			wait_turn(board, &board->sides[i]);
	for (size_t i = 0; i < board->side_count; i++) {
		const struct side *side = &board->sides[i];
		if (side->stream == stream)
			words_write(board, arrived(side, side->place, side->turn), side->turn);
	}
	for (size_t i = 0; i < board->side_count; i++) {
		const struct side *side = &board->sides[i];
		for (int p = 0; p < side->meeting->n && side->stream == stream; p++)
			if (p != side->place)
				words_wait(board, arrived(side, p, side->turn), side->turn);
	}
	return words_queue(board, stream);
}

static enum status queue_ends(struct board *board, CUstream stream)
{
	for (size_t i = 0; i < board->side_count; i++) {
		const struct side *side = &board->sides[i];
		if (side->stream == stream)
			words_write(board, done(side, side->place, side->turn), side->turn);
	}
	for (size_t i = 0; i < board->side_count; i++) {
		const struct side *side = &board->sides[i];
		for (int p = 0; p < side->meeting->n && side->stream == stream && side->ends; p++)
			if (p != side->place)
				words_wait(board, done(side, p, side->turn), side->turn);
	}
	return words_queue(board, stream);
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
			void *argument = &side->call;
			if (side->order == (int)i && side->function)
				status = BOARD_CALL(board, cuLaunchKernel, side->function, side->blocks, 1, 1,
				        THREADS, 1, 1, 0, side->stream, &argument, NULL);
		}
		if (order->started.ended && status == ST_OK)
			status = order->started.ended(order->started.self, order->stream);
	}
	return status;
}

/* Is it the first order on its stream? */
static bool first_there(const struct board *board, size_t order)
{
	for (size_t i = 0; i < order; i++)
		if (board->orders[i].stream == board->orders[order].stream)
			return false;
	return true;
}

static enum status each_stream(
        struct board *board, enum status (*queue)(struct board *board, CUstream stream))
{
	enum status status = ST_OK;
	for (size_t i = 0; i < board->order_count && status == ST_OK; i++)
		if (first_there(board, i))
			status = queue(board, board->orders[i].stream);
	return status;
}

/* Whoever waits for what could not be queued waits on until it is released. */
static void forget(struct board *board)
{
	for (size_t i = 0; i < board->side_count; i++) {
		struct side *side = &board->sides[i];
		side->meeting->stream = side->stream;
		__atomic_store_n(&side->meeting->last, side->turn, __ATOMIC_SEQ_CST);
	}
	board->side_count = board->order_count = 0;
	board->together = false;
}

/* An order is whole; `status`: what has become of it so far */
static enum status give(
        struct board *board, struct exchange_started started, CUstream stream, enum status status)
{
	*MEM_ADD(&board->orders, &board->order_count) = (struct meeting_order){started, stream};
	if (status != ST_OK)
		forget(board);
	return status != ST_OK || board->together ? status : meet_end(&board->exchange);
}

enum status meet_end(struct exchange *exchange)
{
	struct board *board = (struct board *)exchange;
	enum status status = each_stream(board, queue_arrivals);
	if (status == ST_OK)
		status = queue_work(board);
	if (status == ST_OK)
		status = each_stream(board, queue_ends);
	if (status == ST_OK)
		status = fetch_results(board);
	if (status == ST_OK)
		status = pool_stages_end(board);
	forget(board);
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
	return give(board, started, stream, add_collective(board, call, stream));
}

enum status meet_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream)
{
	struct board *board = (struct board *)exchange;
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++)
		status = add_transfer(board, &transfers[i], stream);
	return give(board, started, stream, status);
}
