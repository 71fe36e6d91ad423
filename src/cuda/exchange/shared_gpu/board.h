/* board.h -- ranks of one host that share a GPU meet at a board: a file without a name, in memory, that all of them map and that streams read and
 * write. Also one rank by itself. How it works: README.md
 *
 *      control, all at the same place        the host thread                         control
 *      board_meet                            board_open ... exchange.close           board_leave */
#ifndef RANKSH_CUDA_BOARD_H
#define RANKSH_CUDA_BOARD_H

#include "cuda/exchange/exchange.h"
#include "mpi/transport.h"

struct board;

/* All processes of the transport, on one host, map one file. ST_GPU, worded alike on all; ST_MPI. */
enum status board_meet(struct transport *transport, struct board **board);
/* Before board_open, on all: no rank opens another one's memory; what they share goes through the file. There are no windows. */
void board_without_ipc(struct board *board);
/* The rank's exchange on GPU `ordinal`, whose context is current: takes pool_bytes of its memory for all that exchange.alloc gives, registers the
 * board, and waits until the others have done the same, a minute or two at most. ST_DEVICE_MEMORY, ST_GPU: it fails on all or on none. The
 * board's; exchange.close lets go of what waits, and gives all back. */
enum status board_open(struct board *board, struct cuda_library *cuda, int ordinal, int64_t pool_bytes,
        struct exchange **exchange);
/* This rank will not come to board_open, or not to its end: who waits there goes on, and fails. The failure that was the first
 * of all ranks, in its words. */
enum status board_give_up(struct board *board, enum status status);
/* After exchange.close, or where there is no exchange */
void board_leave(struct board *board);

#endif
