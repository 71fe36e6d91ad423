/* evaluate.h -- computing one operation on real memory; rank_data.c says when. Private to this folder. */
#ifndef RANKSH_NUMERICS_EVALUATE_H
#define RANKSH_NUMERICS_EVALUATE_H

#include "mpi/transport.h"
#include "world/world.h"

/* An operand's elements as they are now, contiguous; the caller frees them (mem_free). */
void *operand_packed(const struct world *world, const struct operand *operand);
void operand_unpack(const struct world *world, const struct operand *operand, const void *packed);

/* staged NULL: straight into place. Else what it writes goes to staged[operand], packed, made here; the
 * caller frees those. ST_RANGE: it was computed, and a number that it looks something up by is outside */
enum status evaluate_kernel(const struct world *world, const struct record *record, void **staged);

/* In the following, `packed` is the input as it was when the operation started, or NULL: as it is now. */
void evaluate_copy(const struct world *world, const struct record *record, const void *packed);
void evaluate_to_itself(
        const struct world *world, const struct operand *from, const struct operand *to, const void *packed);
/* Every member of the group calls it. ST_MPI. */
enum status evaluate_collective(const struct world *world, struct transport_group *group,
        const struct record *record, const void *packed);
/* One that need not wait for all, on every member: `record` is of one that counts, counts[] is by place, `result` has room
 * for as much as the record's input. own: this rank's, whose input counts; NULL: it gives none. */
enum status evaluate_backup(const struct world *world, struct transport_group *group,
        const struct record *record, const struct record *own, const void *packed, const bool *counts,
        void *result);
/* One side of a transfer from or to another rank. ST_MPI. */
enum status evaluate_send(const struct world *world, struct transport *transport, int to,
        const struct operand *operand, const void *packed);
enum status evaluate_receive(
        const struct world *world, struct transport *transport, int from, const struct operand *operand);

/* What a one-sided operation brings to this rank, from `from`: the source's elements into the target, or, of an add, their
 * multiples added to it. ST_MPI. */
enum status evaluate_one_sided(const struct world *world, struct transport *transport, int from,
        const struct record *record, const struct operand *source, const struct operand *target,
        const void *packed);

#endif
