/* common.h -- shared by all kernel families: shapes, element loops, rows as doubles. An umbrella
 * header.
 *
 * Values travel as doubles in chunks that stay in the L1 cache:
 *
 *   f32, f16, bf16, i32, strided    a chunk of doubles        the row's loop        rounded once
 *   in[0] ....ooooooooo........  -> buffer[0] [.....512]  \
 *   in[1] o.o.o.o.o.o.o.o.o....  -> buffer[1] [.....512]  ->  result [.....512]  ->  out[0]
 */
#ifndef RANKSH_COMMON_H
#define RANKSH_COMMON_H

#include "base/arithmetic.h"
#include "kernels/kernel.h"
#include "kernels/lane.h"
#include "kernels/widths.h"

/* Sets out[out]'s layout. Fails with ST_RANGE if it is larger than any memory. */
enum status kernel_out(struct kernel_call *call, int out, enum dtype dtype, int dims, const int64_t *dim);
/* fails with ST_DTYPE for i32 */
enum status kernel_wants_float(const struct kernel_call *call, int in);
/* Fails with ST_SHAPE: "a is [4], b is [5]: add needs WANTED". */
enum status kernel_shape_failure(const struct kernel_call *call, const struct kernel_tensor *one,
        const struct kernel_tensor *other, const char *wanted);
/* returns the last dimension */
int64_t kernel_row_length(const struct kernel_tensor *tensor);

/* Defines a kernel_loop, compiled for the three targets in widths.h; its body follows. */
#define LOOP_PARAMETERS                                                                                  \
	(int64_t from __attribute__((unused)), int64_t count, double *const *in __attribute__((unused)), \
	        double *out __attribute__((unused)), const double *option __attribute__((unused)))
#define LOOP(name) LOOP_OF(name, LOOP_PARAMETERS, (from, count, in, out, option))
/* Defines a loop that sets each out[i] to `result`, an expression in i. */
#define LOOP_EACH(name, result)                     \
	LOOP(name)                                  \
	{                                           \
		for (int64_t i = 0; i < count; i++) \
			out[i] = result;            \
	}
/* Runs the loop over at most 4 arguments, broadcast to the shape of out[0] (in place: in[0]). */
void kernel_elements(const struct kernel_call *call, kernel_loop *loop);

/* Returns index i; -1 if it is outside 0 .. end - 1. */
int64_t kernel_index(const struct lane *indices, int64_t i, int64_t end);
/* Writes `count` values to out[0] from element `from` on; with += adds them. */
void kernel_put(const struct kernel_call *call, const struct lane *out, int64_t from, int64_t count,
        const double *values);
/* Shape rule and code for a kernel that reduces its input to one f32. `add` returns the total so
 * far plus `count` more elements, in C order. */
enum status kernel_one_number(struct kernel_call *call);
void kernel_total(
        const struct kernel_call *call, double (*add)(double total, const double *x, int64_t count));

/* Adds each row of in[0], in doubles and in order, to the rows of out[0] that its `indices`
 * entries of in[1] name (without in[1]: to the only row), and rounds once. */
void kernel_add_rows(const struct kernel_call *call, int64_t indices);

/* Returns true if the spans of the two tensors have a byte in common. */
bool kernel_overlap(const struct kernel_tensor *a, const struct kernel_tensor *b);

#endif
