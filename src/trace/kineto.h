/* kineto.h -- private to trace/: names in PyTorch's profiles */
#ifndef RANKSH_TRACE_KINETO_H
#define RANKSH_TRACE_KINETO_H

#include "trace/trace.h"

/* "matmul"; "ncclDevKernel_AllReduce_Sum_f32_RING_LL", by the cost model's algorithm and protocol;
 * "Memcpy HtoD (Pinned -> Device)" */
void kineto_name(const struct trace *trace, op_id id, struct text *out);
/* The operator that launches it: "aten::matmul", "nccl:all_reduce", "nccl:send 0->1" */
void kineto_operator(const struct world *world, op_id id, struct text *out);
/* Returns the elements of all operands read, or written, by an operation of n ranks. Unequal parts
 * count as padded. */
int64_t kineto_elements(const struct record *record, int n, enum access access);
/* Returns "Float", as at::ScalarType. */
const char *kineto_type(const struct record *record);

#endif
