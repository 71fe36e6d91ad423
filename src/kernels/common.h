/* common.h -- what the families of kernels share: shape rules, costs, and loops over elements and rows.
 *
 * A family's `compute` may assume that no output overlaps an input in a way that matters: its row's `run`
 * calls kernel_staged(). */
#ifndef RANKSH_COMMON_H
#define RANKSH_COMMON_H

#include "kernels/lane.h"
#include <stddef.h>

/* Shape rules. They word their failures with the kernel's name and the names of the tensors. */
enum status kernel_out(struct kernel_call *call, int out, enum dtype dtype, int dims, const int64_t *dim);
enum status kernel_out_like(struct kernel_call *call, int in);        /* out[0]: shape and type of in[in] */
enum status kernel_wants_floats(const struct kernel_call *call);      /* ST_DTYPE when an argument is i32 */
enum status kernel_wants_same_shapes(const struct kernel_call *call); /* ST_SHAPE */
enum status kernel_shape_float(
        struct kernel_call *call); /* one or more floats of one shape: out[0] like in[0] */
enum status kernel_wants_whole(const struct kernel_call *call, int option, double least); /* ST_RANGE */

/* Costs: so many operations for each element of the largest operand; every operand is read or written once,
 * read and written twice. */
void kernel_cost(const struct kernel_call *call, double operations, double *flops, double *bytes);
void kernel_cost_move(
        const struct kernel_call *call, double *flops, double *bytes); /* 0 operations an element */
void kernel_cost_one(const struct kernel_call *call, double *flops, double *bytes); /* 1 */
void kernel_cost_few(const struct kernel_call *call, double *flops,
        double *bytes); /* 8: exp, tanh, a mean and a variance ... */

/* out[0] element by element: in[i] broadcast to its shape. in[i] and out are `count` values. */
typedef void element_loop(int64_t count, double *const *in, double *out, const double *option);
enum status kernel_elements(const struct kernel_call *call, element_loop *loop);
/* out[0] row by row of the last dimension: `count` is that of in[0]; out has as many, or one. ST_MEMORY. */
enum status kernel_rows(const struct kernel_call *call, element_loop *loop);
int64_t kernel_row_length(const struct kernel_tensor *tensor); /* the last dimension */

/* out[0] (written, or added to) from `count` values at element `from` */
void kernel_put(const struct kernel_call *call, const struct lane *out, int64_t from, int64_t count,
        const double *values);

/* All elements in C order, as f32 */
void kernel_floats(const struct kernel_tensor *tensor, float *to);
void kernel_from_floats(const struct kernel_tensor *tensor, const float *values);

/* row := softmax(row), for a kernel that has it on its way */
void kernel_softmax_row(float *row, int64_t count);

bool kernel_overlap(const struct kernel_tensor *a, const struct kernel_tensor *b);
/* Runs compute; where an output overlaps an input otherwise than as the very same tensor, into memory of its
 * own first. ST_MEMORY. */
enum status kernel_staged(
        const struct kernel_call *call, enum status (*compute)(const struct kernel_call *call));

#endif
