/* step.h -- training steps' error relative to their change (docs/internals/verify.md),
 * close_step() */
#ifndef RANKSH_STEP_H
#define RANKSH_STEP_H

#include "base/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* Mean squares: error, training change, result */
struct step_sizes {
	double away, changed, size;
};
/* Returns the relative error. rounding: the result's own relative rounding error, subtracted. 0:
 * no further error; INFINITY: no change. */
double step_share(const struct step_sizes *sizes, double rounding);
/* Returns the limit for equal steps in another order. half: a half type; measures: on a GPU */
double step_limit(bool half, bool measures);
/* Returns the error of w against r, trained from `begin`: [count], rounded to that type. INFINITY:
 * r changed only by rounding; NAN: not a number. */
double step_away(const float *w, const float *begin, const float *r, int64_t count, enum dtype dtype);

#endif
