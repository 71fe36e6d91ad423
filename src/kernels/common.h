/* common.h -- what the families of kernels share: shapes, loops over elements, rows of doubles.
 *
 * Values travel as doubles in chunks that stay in the first-level cache:
 *
 *     f32, f16, bf16, i32, strided      a chunk of doubles        the row's loop         back, rounded once
 *      in[0] ....ooooooooo........  ->  buffer[0] [.....512]  \
 *      in[1] o.o.o.o.o.o.o.o.o....  ->  buffer[1] [.....512]  ->  result [.....512]  ->  out[0]
 *
 * What a row's code reads is never what it has written: kernel_compute() gives an output that overlaps an
 * input memory of its own, unless it is the very same tensor, of which every element is read before it is
 * written. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_COMMON_H
#define RANKSH_COMMON_H

#include "base/arithmetic.h"
#include "kernels/kernel.h"
#include "kernels/lane.h"
#include "kernels/widths.h"

/* out[out]'s layout. ST_RANGE: larger than any memory */
enum status kernel_out(struct kernel_call *call, int out, enum dtype dtype, int dims, const int64_t *dim);
enum status kernel_wants_float(const struct kernel_call *call, int in); /* ST_DTYPE when it is i32 */
int64_t kernel_row_length(const struct kernel_tensor *tensor);          /* the last dimension */

/* Defines a kernel_loop, in the three machine codes of widths.h; its body follows. */
#define LOOP_PARAMETERS                                                                                  \
	(int64_t from __attribute__((unused)), int64_t count, double *const *in __attribute__((unused)), \
	        double *out __attribute__((unused)), const double *option __attribute__((unused)))
#define LOOP(name) LOOP_OF(name, LOOP_PARAMETERS, (from, count, in, out, option))
/* ... of which each out[i] is `result`, an expression in i */
#define LOOP_EACH(name, result)                     \
	LOOP(name)                                  \
	{                                           \
		for (int64_t i = 0; i < count; i++) \
			out[i] = result;            \
	}
/* The loop over all elements, at most 4 arguments, broadcast to the shape of out[0] (in place: of in[0]) */
void kernel_elements(const struct kernel_call *call, kernel_loop *loop);

/* out[0] (written, or added to) from `count` values at element `from` */
void kernel_put(const struct kernel_call *call, const struct lane *out, int64_t from, int64_t count,
        const double *values);
/* Shape and code of a kernel that makes one f32 of all elements of its input: `add` gives the total so far with
 * `count` more, in the order of memory. */
enum status kernel_one_number(struct kernel_call *call);
void kernel_total(
        const struct kernel_call *call, double (*add)(double total, const double *x, int64_t count));

bool kernel_overlap(const struct kernel_tensor *a, const struct kernel_tensor *b);

#endif
