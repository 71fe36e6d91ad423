/* rank_data.h -- the numbers in the tensors of this process's rank, as virtual time goes by
 *
 * An operation reads its inputs when it starts, and its outputs appear when it ends. The simulator tells of
 * both (data_begin, data_end) in the order of virtual time; nothing here changes a time. An operation is
 * computed at its end, straight into place, unless something overwrites what it reads while it runs: then it
 * is evaluated just before that, into memory of its own, which is put into place at its end.
 *
 *     time        ------------------------------------------->
 *     y = relu x      |=========================|            x is read as it was at the first bar
 *     x = scale z              |=======|                     x changes here: relu is evaluated just before
 *
 * The same messages are exchanged on all ranks whatever fails on one: a failure (of MPI) is kept, what it
 * spoiled is marked poisoned, and the shell asks for it later.
 *
 * May call: collectives/ kernels/ world/ mpi/ base/. */
#ifndef RANKSH_NUMERICS_RANK_DATA_H
#define RANKSH_NUMERICS_RANK_DATA_H

#include "mpi/transport.h"
#include "world/world.h"

struct rank_data;
/* Borrows both; from now on segments of rank world->me are backed by real memory. */
struct rank_data *data_create(struct world *world, struct transport *transport);
void data_free(struct rank_data *data);
/* Makes communicators of groups that are new in the books: every process must call it at the same operation. */
void data_groups(struct rank_data *data);

/* Operations of this rank: started, ended, or aborted (its outputs do not appear). */
void data_begin(struct rank_data *data, op_id id);
void data_end(struct rank_data *data, op_id id);
void data_drop(struct rank_data *data, op_id id);

/* A collective that need not wait for all has ended for those that have come; counts: by place, whose input is in the sum.
 * Every process is told of each. The result is kept for this rank's data_end, now or when it comes. */
void data_backup(struct rank_data *data, uint32_t match, const bool *counts);

/* A transfer between part send_part of one operation and part receive_part of another. Every process is told
 * of every transfer, in the same order; those with a side on this rank exchange a message. */
void data_transfer_begin(struct rank_data *data, op_id send, int send_part);
void data_transfer_end(struct rank_data *data, op_id send, int send_part, op_id receive, int receive_part);

/* A one-sided operation: every process is told of every one, in the same order; those with a side on this rank exchange a
 * message. What a get reads of another rank is kept there as of its begin; what a put and an add bring changes the window
 * at the end. */
void data_one_sided_begin(struct rank_data *data, op_id id);
void data_one_sided_end(struct rank_data *data, op_id id);

/* The host writes a tensor: now, or (a queue of them) when data_fill_now is called. */
void data_fill(struct rank_data *data, op_id id);
void data_fill_later(struct rank_data *data, op_id id);
op_id data_next_fill(const struct rank_data *data); /* the first of the queue; 0: none */
void data_fill_now(struct rank_data *data);         /* writes it */
bool data_fill_touches(const struct rank_data *data, op_id fill, op_id other); /* do they share memory? */

bool data_spoiled(const struct rank_data *data); /* has there ever been a failure? */
/* the first failure since this was last asked; ST_OK if none */
enum status data_failure(struct rank_data *data);

#endif
