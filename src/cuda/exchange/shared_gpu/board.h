/* board.h -- communication of ranks of one host that share a GPU, or of a single rank, through a
 * shared-memory segment that all processes map and that streams read and write (README.md)
 *
 *      control, all at the same place        the host thread                         control
 *      board_meet                            board_open ... exchange.close          
 * board_leave */
#ifndef RANKSH_CUDA_BOARD_H
#define RANKSH_CUDA_BOARD_H

#include "cuda/exchange/exchange.h"
#include "mpi/transport.h"

struct board;

/* Creates the segment; all processes of the transport, on one host, map it. Fails with ST_GPU,
 * with the same words on all, or ST_MPI. */
enum status board_meet(struct transport *transport, struct board **board);
/* Selects staging through host memory instead of IPC; there are no windows then. Call it on all
 * ranks before board_open. */
void board_without_ipc(struct board *board);
/* Creates the rank's exchange on GPU `ordinal`, whose context is current: allocates pool_bytes
 * for exchange.alloc, registers the segment, and waits for the other ranks, at most two minutes.
 * Fails on all or on none: ST_DEVICE_MEMORY, ST_GPU. The exchange is the board's; its close ends
 * all waits and frees everything. */
enum status board_open(struct board *board, struct cuda_library *cuda, int ordinal, int64_t pool_bytes,
        struct exchange **exchange);
/* Call this if the rank will not complete board_open: peers that wait there fail. Returns the
 * first failure of all ranks, with its words. */
enum status board_give_up(struct board *board, enum status status);
/* After exchange.close, or without an exchange */
void board_leave(struct board *board);

#endif
