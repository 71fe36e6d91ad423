/* board.c -- a rank's exchange, from open to close */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/inside.h"

static enum status open_part(struct exchange *exchange, int part, int n, int place, const int *ranks)
{
	struct meeting *meeting;
	return meeting_of_part((struct board *)exchange, part, n, place, ranks, &meeting);
}

static void close_board(struct exchange *exchange)
{
	struct board *board = (struct board *)exchange;
	meetings_free(board);
	pool_close(board);
	board_unregister(board);
	image_unload(&board->image);
	mem_free(board->sides);
	mem_free(board->orders);
	mem_free(board->gifts);
	mem_free(board->words.word);
}

static enum status kernels_load(struct board *board, int ordinal)
{
	CUdevice device;
	int architecture;
	enum status status = CUDA_CALL(board->cuda, cuDeviceGet, &device, ordinal);
	if (status == ST_OK)
		status = image_architecture(board->cuda, device, &architecture);
	if (status == ST_OK)
		status = image_load_family(&board->image, board->cuda, architecture, "exchange");
	if (status == ST_OK)
		status = image_function(&board->image, "exchange_find", &board->find);
	if (status == ST_OK)
		status = image_function(&board->image, "exchange_reduce_all", &board->reduce);
	if (status == ST_OK)
		status = image_function(&board->image, "exchange_move_all", &board->move);
	if (status == ST_OK)
		status = image_function(&board->image, "exchange_write_table", &board->table);
	if (status == ST_OK)
		status = image_function(&board->image, "exchange_reach_window", &board->reach);
	return status;
}

void board_without_ipc(struct board *board)
{
	board->staged = true;
}

enum status board_open(struct board *board, struct cuda_library *cuda, int ordinal, int64_t pool_bytes,
        struct exchange **exchange)
{
	board->exchange = (struct exchange){.name = "board",
	        .alloc = pool_alloc,
	        .free = pool_free,
	        .open = open_part,
	        .collective = meet_collective,
	        .transfers = meet_transfers,
	        .begin = meet_begin,
	        .end = meet_end,
	        .window = board->staged ? NULL : reach_window,
	        .one_sided = board->staged ? NULL : reach_one_sided,
	        .release = board_release,
	        .close = close_board};
	board->cuda = cuda;
	enum status status = kernels_load(board, ordinal);
	if (status == ST_OK)
		status = board_chunk(board, 0);
	status = pool_open(board, pool_bytes, status);
	if (status != ST_OK)
		close_board(&board->exchange);
	*exchange = status == ST_OK ? &board->exchange : NULL;
	return status;
}
