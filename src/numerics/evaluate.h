/* evaluate.h -- computes one operation on real memory, when rank_data.c calls it. Private to this
 * folder. */
#ifndef RANKSH_NUMERICS_EVALUATE_H
#define RANKSH_NUMERICS_EVALUATE_H

#include "mpi/transport.h"
#include "world/world.h"

/* Returns a contiguous copy of an operand's elements, for the caller to mem_free. */
void *operand_packed(const struct world *world, const struct operand *operand);
void operand_unpack(const struct world *world, const struct operand *operand, const void *packed);

/* Computes a kernel. staged NULL: writes in place; else packs each output into a new
 * staged[operand], which the caller frees. Fails with ST_RANGE, after computing, if an index is
 * out of range. */
enum status evaluate_kernel(const struct world *world, const struct record *record, void **staged);

/* In the following, packed: a copy of the input as it was at the operation's start; NULL: reads
 * the current memory. */
void evaluate_to_itself(
        const struct world *world, const struct operand *from, const struct operand *to, const void *packed);
/* Every member calls it, even one that does not count (backup=). Without backup=, counts and
 * result are NULL. With it, counts[place] says if that member's input counts; record is this
 * member's if it counts, else that of any that does; result, as large as the input, receives the
 * result. Fails with ST_MPI. */
enum status evaluate_collective(const struct world *world, struct transport_group *group,
        const struct record *record, const void *packed, const bool *counts, void *result);
/* Sends the operand's elements to another rank. Fails with ST_MPI. */
enum status evaluate_send(const struct world *world, struct transport *transport, int to,
        const struct operand *operand, const void *packed);
/* Writes the elements of `source` on rank `from`, which may be this one, into the target on this
 * rank; a one-sided `add` adds factor * element. Elements are converted only if they come from
 * this rank; else both operands have the same type and size. packed: only for this rank's
 * elements. Fails with ST_MPI. */
enum status evaluate_arrival(const struct world *world, struct transport *transport, int from,
        const struct record *record, const struct operand *source, const struct operand *target,
        const void *packed);

#endif
