/* call.h -- turns a record into a call of its kernel, for the simulator and the GPU */
#ifndef RANKSH_BACKEND_CALL_H
#define RANKSH_BACKEND_CALL_H

#include "kernels/kernel.h"
#include "world/world.h"

/* Fills the call of an OP_KERNEL or OP_FILL, without `data`: the caller maps addresses. With world
 * NULL the call has no names: for a thread that must not read the replicated state. */
void call_of_record(const struct world *world, const struct record *record, struct kernel_call *call);
/* Fills the call of an `add` at its target: in[0] is the received, contiguous message, out[0]
 * the window's memory. */
void call_of_add(const struct world *world, const struct record *record, const struct operand *target,
        struct kernel_call *call);

/* Returns ST_RANGE; the message has the line and says that element `place`, with this value, is
 * out of range for the table that the kernel reads. */
enum status call_index_failure(
        const struct world *world, const struct record *record, int64_t place, double value);

/* Returns the kernel tensor of an operand: operands are the arguments in order, then the
 * results. A kernel that works in place has no results. */
static inline struct kernel_tensor *call_tensor(struct kernel_call *call, int operand)
{
	return operand < call->ins ? &call->in[operand] : &call->out[operand - call->ins];
}

#endif
