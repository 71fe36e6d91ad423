/* inplace.cu -- sgd, adam (src/kernels/inplace.c). STEP is lr / (1 - beta1^t), ROOT is
 * 1 / sqrt(1 - beta2^t) (plan_elements.c). */
#include "cuda/kernels/elements.cuh"

ELEMENTS_EACH(inplace_sgd, 2, 3, 1, double, v[0][i] -= option[0] * v[1][i])

enum { BETA1, BETA2, EPS, STEP, ROOT };

/* sqrt(x) and 1 / x from an approximate instruction and one Newton step, to 2^-40: several times
 * faster. If the step fails (0, infinity, the root of x < 0), they use the full operation. */
INLINE double near_root(double x)
{
#ifdef __CUDA_ARCH__
	double inverse;
	asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
	double root = x * inverse;
	if (root - root == 0)
		return root + 0.5 * root * (1 - root * inverse);
#endif
	return sqrt(x);
}

INLINE double near_inverse(double x)
{
#ifdef __CUDA_ARCH__
	double inverse;
	asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
	double one = x * inverse;
	if (one - one == 0)
		return inverse * (2 - one);
#endif
	return 1 / x;
}

INLINE void adam_step(double &w, double g, double &m, double &v, const double *option)
{
	m = option[BETA1] * m + (1 - option[BETA1]) * g;
	v = option[BETA2] * v + (1 - option[BETA2]) * g * g;
	w -= option[STEP] * m * near_inverse(near_root(v) * option[ROOT] + option[EPS]);
}

ELEMENTS_EACH(inplace_adam, 4, 15, 1 | 4 | 8, double, adam_step(v[0][i], v[1][i], v[2][i], v[3][i], option))
