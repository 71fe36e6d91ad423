/* step.c -- the error of a training step relative to its change
 *
 *     begin ------------------> r       the change
 *                             /
 *                           w           the error: |w - r| / |r - begin|, norms over all elements
 *
 * An error relative to the result, as in `allclose`, would hide a wrong small step. */
#include "shell/values/step.h"

#include <math.h>

double step_share(const struct step_sizes *sizes, double rounding)
{
	double away = sqrt(sizes->away) - rounding * sqrt(sizes->size);
	return away <= 0 ? 0 : away / sqrt(sizes->changed);
}

/* The simulator's f32 results are within 6e-8; those of GPU kernels, as of cuBLAS, within 2e-6. */
double step_limit(bool half, bool measures)
{
	return half ? 2e-2 : measures ? 1e-4 : 1e-5;
}

double step_away(const float *w, const float *begin, const float *r, int64_t count, enum dtype dtype)
{
	struct step_sizes sizes = {0};
	/* half a unit in the last place, relative to the element */
	double rounding = ldexp(1, dtype == DT_F16 ? -11 : dtype == DT_BF16 ? -8 : -24);
	for (int64_t i = 0; i < count; i++) {
		double away = (double)w[i] - r[i], change = (double)r[i] - begin[i];
		sizes.away += away * away / (double)count;
		sizes.changed += change * change / (double)count;
		sizes.size += (double)r[i] * r[i] / (double)count;
	}
	if (!isfinite(sizes.away + sizes.changed + sizes.size))
		return NAN;
	/* rounding alone can cause so small a change */
	if (sqrt(sizes.changed) <= 4 * rounding * sqrt(sizes.size))
		return INFINITY;
	return step_share(&sizes, rounding);
}
