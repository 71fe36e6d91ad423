/* lane.h -- a strided tensor of any type as one long row of doubles; kernels read and write
 * operands through it.
 *
 * For a [2,3] tensor x, x.T is read element by element and x in one run; in x[:, 0:2] no
 * dimensions merge:
 *
 *      memory     a b c d e f         dims 3,2   strides 1,3         row of doubles    a d b e c f
 *
 * A double holds every f32, f16, bf16 and i32 exactly. + - x / on two f32 in double, rounded to
 * f32, equal f32 arithmetic. */
#ifndef RANKSH_LANE_H
#define RANKSH_LANE_H

#include "kernels/kernel.h"

/* elements per loop call: five such buffers (adam) fit in the L1 cache */
enum { LANE_CHUNK = 512 };

struct lane {
	enum dtype dtype;
	char *data;
	int dims; /* adjacent contiguous dimensions are merged */
	int64_t dim[DIMS_MAX], stride[DIMS_MAX];
};

/* Returns the whole tensor as a lane. */
struct lane lane_of(const struct kernel_tensor *tensor);
/* Returns the tensor as `shape`: size-1 and missing leading dimensions are repeated. */
struct lane lane_broadcast(const struct kernel_tensor *tensor, const struct layout *shape);
/* Reads or writes elements from .. from + count - 1 in C order. Writing rounds to the type: f16
 * and bf16 through f32; i32 truncates and saturates. */
void lane_read(const struct lane *lane, int64_t from, int64_t count, double *to);
void lane_write(const struct lane *lane, int64_t from, int64_t count, const double *values);
/* Like lane_write, but adds to the old values. */
void lane_add(const struct lane *lane, int64_t from, int64_t count, const double *values);

#endif
