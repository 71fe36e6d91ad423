/* lane.h -- a strided tensor of any type as one long row of doubles: how kernels read and write their
 * operands.
 *
 * x.T of a [2,3] tensor, element by element, as a lane sees it; x[:, 0:2] merges nothing, x itself is one
 * line:
 *
 *      memory     a b c d e f         dims 3,2   strides 1,3         row of doubles    a d b e c f
 *
 * Doubles hold every f32, f16, bf16 and i32 exactly, and + - x / of two f32 in double, rounded to f32, is
 * what f32 arithmetic gives. So a kernel is a loop over doubles, and strides and types are dealt with here,
 * once. */
#ifndef RANKSH_LANE_H
#define RANKSH_LANE_H

#include "kernels/kernel.h"

enum {
	LANE_CHUNK = 512
}; /* elements that a loop takes at a time: five buffers of them (adam) stay in the first-level cache */

struct lane {
	enum dtype dtype;
	char *data;
	int dims; /* neighbouring dimensions that lie in one line are merged */
	int64_t dim[DIMS_MAX], stride[DIMS_MAX];
};

struct lane lane_of(const struct kernel_tensor *tensor);
/* As if the tensor had `shape`: dimensions of 1, and those it lacks in front, are repeated. */
struct lane lane_broadcast(const struct kernel_tensor *tensor, const struct layout *shape);
/* Elements from .. from + count - 1 in C order. Writing rounds to the type: f16 and bf16 by way of f32, i32
 * truncates and saturates. */
void lane_read(const struct lane *lane, int64_t from, int64_t count, double *to);
void lane_write(const struct lane *lane, int64_t from, int64_t count, const double *values);
/* As lane_write, but adds to what is there. */
void lane_add(const struct lane *lane, int64_t from, int64_t count, const double *values);

#endif
