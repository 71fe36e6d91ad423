/* rank_data.h -- the numbers in the tensors of this process's rank, in virtual time
 *
 * An operation reads its inputs at its start, and its outputs appear at its end. It is computed at
 * its end, in place, unless its input changes before: then it is evaluated just before the change.
 *
 *     time        ------------------------------------------->
 *     y = relu x      |=========================|            reads x as it was at the first bar
 *     x = scale z              |=======|                     x changes: relu is evaluated before
 *
 * All ranks exchange the same messages even if one fails: an MPI failure is kept for
 * data_failure(), and the outputs concerned are marked invalid.
 *
 * May call: collectives/ kernels/ world/ mpi/ base/. */
#ifndef RANKSH_NUMERICS_RANK_DATA_H
#define RANKSH_NUMERICS_RANK_DATA_H

#include "mpi/transport.h"
#include "world/world.h"

struct rank_data;
/* Borrows world and transport. From now on segments of rank world->me have real memory. */
struct rank_data *data_create(struct world *world, struct transport *transport);
void data_free(struct rank_data *data);
/* Makes communicators for new groups. Collective: every process calls it at the same operation. */
void data_groups(struct rank_data *data);

/* Call it when an operation of this rank has started, ended, or was aborted (without outputs). */
void data_begin(struct rank_data *data, op_id id);
void data_end(struct rank_data *data, op_id id);
void data_drop(struct rank_data *data, op_id id);

/* Called on every process when a collective with backup= has ended for the members that have
 * arrived. counts: by place, whose input is in the sum. Keeps the result for this rank's
 * data_end. */
void data_backup(struct rank_data *data, uint32_t match, const bool *counts);

/* A transfer from a part of a send to a part of a receive. Called for every transfer on every
 * process, in the same order; the ranks of the two sides exchange a message. */
void data_transfer_begin(struct rank_data *data, op_id send, int send_part);
void data_transfer_end(struct rank_data *data, op_id send, int send_part, op_id receive, int receive_part);

/* A one-sided operation, called as for transfers. A get reads its source as of its start; put
 * and add change the window at their end. */
void data_one_sided_begin(struct rank_data *data, op_id id);
void data_one_sided_end(struct rank_data *data, op_id id);

void data_fill(struct rank_data *data, op_id id); /* the host writes a tensor */
bool data_fill_touches(const struct rank_data *data, op_id fill, op_id other);

bool data_spoiled(const struct rank_data *data); /* true after any failure */
/* Returns the first failure since the last call, or ST_OK. */
enum status data_failure(struct rank_data *data);

#endif
