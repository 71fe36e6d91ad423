/* evaluate.h -- computes one operation on real memory, when rank_data.c decides. Private to this
 * folder. */
#ifndef RANKSH_NUMERICS_EVALUATE_H
#define RANKSH_NUMERICS_EVALUATE_H

#include "mpi/transport.h"
#include "world/world.h"

/* Returns a contiguous copy of an operand's elements, for the caller to mem_free. */
void *operand_packed(const struct world *world, const struct operand *operand);
void operand_unpack(const struct world *world, const struct operand *operand, const void *packed);

/* staged NULL: writes in place. Else packs each output into a new staged[operand], which the
 * caller frees. Fails with ST_RANGE, after computing, if an index is out of range. */
enum status evaluate_kernel(const struct world *world, const struct record *record, void **staged);

/* In the following, packed is the input at the operation's start; NULL: the current memory. */
void evaluate_to_itself(
        const struct world *world, const struct operand *from, const struct operand *to, const void *packed);
/* With backup= every member calls it, with the record of one that counts, its own if it does;
 * counts: by place; result: room for the record's input. Else both are NULL. Fails with ST_MPI. */
enum status evaluate_collective(const struct world *world, struct transport_group *group,
        const struct record *record, const void *packed, const bool *counts, void *result);
/* One side of a message to another rank. Fails with ST_MPI. */
enum status evaluate_send(const struct world *world, struct transport *transport, int to,
        const struct operand *operand, const void *packed);
/* The other side: writes the source's elements from rank `from`, maybe this one, into the target
 * on this rank; an add adds multiples of them. Fails with ST_MPI. */
enum status evaluate_arrival(const struct world *world, struct transport *transport, int from,
        const struct record *record, const struct operand *source, const struct operand *target,
        const void *packed);

#endif
