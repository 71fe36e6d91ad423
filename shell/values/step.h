/* step.h -- the error of a training step relative to the change that it makes, for close_step()
 * and `verify` (docs/internals/verify.md) */
#ifndef RANKSH_STEP_H
#define RANKSH_STEP_H

#include "base/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* Mean squares of the error, of the change by training, and of the result */
struct step_sizes {
	double away, changed, size;
};
/* Returns the relative error, less `rounding`, the relative rounding error of the result; 0 if no
 * more is left; INFINITY without a change. */
double step_share(const struct step_sizes *sizes, double rounding);
/* Returns the largest error of equal steps that sum in another order. half: f16 or bf16; measures:
 * on a GPU */
double step_limit(bool half, bool measures);
/* Returns the error of w against r, both trained from `begin` and rounded to `dtype`; [count]
 * each. INFINITY if r changed only by rounding; NAN if an element is not finite. */
double step_away(const float *w, const float *begin, const float *r, int64_t count, enum dtype dtype);

#endif
