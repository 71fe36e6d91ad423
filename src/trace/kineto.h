/* kineto.h -- private to trace/: the words of PyTorch's profiler */
#ifndef RANKSH_TRACE_KINETO_H
#define RANKSH_TRACE_KINETO_H

#include "trace/trace.h"

/* "matmul"; "ncclDevKernel_AllReduce_Sum_f32_RING_LL", by the algorithm and the protocol of the cost model; "Memcpy HtoD (Pinned ->
 * Device)" */
void kineto_name(const struct trace *trace, op_id id, struct text *out);
/* The operator that launches it: "aten::matmul", "nccl:all_reduce", "nccl:send 0->1" */
void kineto_operator(const struct world *world, op_id id, struct text *out);
/* Does NCCL carry it out? */
bool kineto_is_nccl(enum op_kind kind);
/* Returns the elements of all operands that are read, or written, of an operation of n ranks. Unequal parts count as padded. */
int64_t kineto_elements(const struct record *record, int n, enum access access);
/* "Float", as at::ScalarType has them */
const char *kineto_type(const struct record *record);

#endif
