/* common.h -- what the families of kernels share: shape rules, costs, and loops over elements and rows.
 *
 * Values travel as doubles in chunks that stay in the first-level cache:
 *
 *     f32, f16, bf16, i32, strided      a chunk of doubles        the row's loop         back, rounded once
 *      in[0] ....ooooooooo........  ->  buffer[0] [....1024]  \
 *      in[1] o.o.o.o.o.o.o.o.o....  ->  buffer[1] [....1024]  ->  result [....1024]  ->  out[0]
 *
 * What a row's code reads is never what it has written: kernel_compute() gives an output that overlaps an
 * input memory of its own, unless it is the very same tensor, of which every element is read before it is
 * written. */
#ifndef RANKSH_COMMON_H
#define RANKSH_COMMON_H

#include "base/arithmetic.h"
#include "kernels/lane.h"
#include "kernels/widths.h"
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

/* out[0] element by element: in[i], at most 3, broadcast to its shape */
void kernel_elements(const struct kernel_call *call, kernel_loop *loop);
/* out[0] row by row of the last dimension: `count` is that of in[0]; out has as many columns, or one */
void kernel_rows(const struct kernel_call *call, kernel_loop *loop);
/* Defines a kernel_loop, in the three machine codes of widths.h; its body follows. */
#define LOOP_PARAMETERS \
	(int64_t count, double *const *in, double *out, const double *option __attribute__((unused)))
#define LOOP(name) LOOP_OF(name, LOOP_PARAMETERS, (count, in, out, option))
/* y := x, for cast and spin */
kernel_loop kernel_same;
int64_t kernel_row_length(const struct kernel_tensor *tensor); /* the last dimension */

/* out[0] (written, or added to) from `count` values at element `from` */
void kernel_put(const struct kernel_call *call, const struct lane *out, int64_t from, int64_t count,
        const double *values);

/* All elements in C order, as f32 */
void kernel_floats(const struct kernel_tensor *tensor, float *to);
void kernel_from_floats(const struct kernel_tensor *tensor, const float *values);

/* The first `count` of a row become its softmax, the rest up to `room` 0, for a kernel that has it on its
 * way. What is padded with -infinity to a multiple of 16, whose exp is 0, is computed in vectors without a
 * rest. */
void kernel_softmax_row(float *row, int64_t count, int64_t room);

bool kernel_overlap(const struct kernel_tensor *a, const struct kernel_tensor *b);

#endif
