/* evaluate.h -- computing one operation on real memory; data.c says when */
#ifndef RANKSH_SIM_EVALUATE_H
#define RANKSH_SIM_EVALUATE_H

#include "sim/data.h"
#include "sim/engine.h"

/* Where an operand's elements are: the bytes themselves, or packed ones of our own. */
struct place {
	const struct layout *layout;
	void *bytes;
};

/* Packed elements of an operand as they are now; NULL without memory (worded). */
void *operand_packed(const struct world *world, const struct operand *operand);
/* The memory behind an operand, NULL when this computer could not give it. */
void *operand_bytes(const struct world *world, const struct operand *operand);
enum status operand_unpack(const struct world *world, const struct operand *operand, const void *packed);

/* A kernel. staged NULL: straight into place. Else its written operands go to staged[operand], packed, made
 * here. */
enum status evaluate_kernel(const struct world *world, const struct record *record, void **staged);
enum status evaluate_copy(const struct world *world, const struct record *record, const void *packed);
/* Every member calls it, whatever became of its memory: the same messages are exchanged. packed: the input as
 * it was, or NULL: as it is. *stranded: even that could not be, and the others wait. */
enum status evaluate_collective(const struct world *world, struct plane_group *group,
        const struct record *record, const void *packed, bool *stranded);
/* One side of a transfer over MPI, or both when they are on this rank. */
enum status evaluate_send(const struct world *world, struct plane *plane, int to,
        const struct operand *operand, const void *packed, bool *stranded);
enum status evaluate_receive(const struct world *world, struct plane *plane, int from,
        const struct operand *operand, bool *stranded);
enum status evaluate_to_itself(
        const struct world *world, const struct operand *from, const struct operand *to, const void *packed);

#endif
