/* call.h -- a record as a call of its kernel, for whoever computes it: the simulator on this process's memory, a GPU on its own */
#ifndef RANKSH_BACKEND_CALL_H
#define RANKSH_BACKEND_CALL_H

#include "kernels/kernel.h"
#include "world/world.h"

/* Of an OP_KERNEL or an OP_FILL: names, layouts, options and += as the line gave them, each operand at its place
 * (call_tensor). `data` is NULL throughout: only the caller knows where an address of the books lies. world NULL: without
 * names, from a thread that does not read the books. */
void call_of_record(const struct world *world, const struct record *record, struct kernel_call *call);
/* Of an `add` to a window, where it comes to: its elements, contiguous as those of every message, are in[0]; the window's
 * memory is out[0]. */
void call_of_add(const struct world *world, const struct record *record, const struct operand *target,
        struct kernel_call *call);

/* ST_RANGE, worded with the line: the record's kernel looks something up by element `place` of its numbers, whose value is out
 * of range. */
enum status call_index_failure(
        const struct world *world, const struct record *record, int64_t place, double value);

/* The operands of a record are the kernel's arguments in order, then its results, which it writes and does not take; one
 * that works in place has no results. */
static inline struct kernel_tensor *call_tensor(struct kernel_call *call, int operand)
{
	return operand < call->ins ? &call->in[operand] : &call->out[operand - call->ins];
}

#endif
