/* step.h -- how far the result of training steps is from the right one, beside what the steps have changed: the measure of
 * `verify` (docs/internals/verify.md) and of close_step() */
#ifndef RANKSH_STEP_H
#define RANKSH_STEP_H

#include "base/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* Means of squares over the elements: of the difference, of what training has changed, of the result */
struct step_sizes {
	double away, changed, size;
};
/* rounding: what rounding the result itself can have done to an element, as a part of its size; it is taken off. 0: no
 * difference but that; INFINITY: nothing has changed. */
double step_share(const struct step_sizes *sizes, double rounding);
/* So far the same steps computed in another order agree. half: in a half type; measures: on GPUs */
double step_limit(bool half, bool measures);
/* The share of w, where r is right and both began as `begin`, [count] elements rounded to that type. INFINITY: r has changed by no
 * more than rounding does; NAN: something is no number. */
double step_away(const float *w, const float *begin, const float *r, int64_t count, enum dtype dtype);

#endif
