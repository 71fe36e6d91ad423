/* exponential.cuh -- exp in double, with the bits of src/kernels/exponential.h, which explains
 * the method; and approximately in float */
#ifndef RANKSH_CUDA_EXPONENTIAL_CUH
#define RANKSH_CUDA_EXPONENTIAL_CUH

#include "kernel.cuh"

INLINE double exponential(double x)
{
	const double whole = 6755399441055744.; /* 1.5 x 2^52 */
	double above = -709. > x ? -709. : x, bounded = 710. < above ? 710. : above;
	double shifted = bounded * 1.44269504088896338700 + whole, n = shifted - whole;
	double r = bounded - n * 0.693147180369123816490 - n * 1.90821492927058770002e-10;

	double series = 1 / 3628800.;
	series = 1 / 362880. + r * series;
	series = 1 / 40320. + r * series;
	series = 1 / 5040. + r * series;
	series = 1 / 720. + r * series;
	series = 1 / 120. + r * series;
	series = 1 / 24. + r * series;
	series = 1 / 6. + r * series;
	series = 1 / 2. + r * series;
	series = 1 + r * series;
	series = 1 + r * series;
	unsigned long long bits = (unsigned long long)__double_as_longlong(shifted) << 52;
	return series * __longlong_as_double((long long)(bits + 0x3ff0000000000000ull));
}

/* In float: the instruction computes 2^x to 2^-22, and x / ln 2 has a relative error of up to
 * 2^-24. */
INLINE float exponential(float x)
{
	float power = x * 1.44269504f;
#ifdef __CUDA_ARCH__
	asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(power));
	return power;
#else
	return exp2f(power);
#endif
}

INLINE double logistic(double x)
{
	return 1 / (1 + exponential(-x));
}

INLINE float logistic(float x)
{
	float above = 1 + exponential(-x);
#ifdef __CUDA_ARCH__
	asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(above));
	return above;
#else
	return 1 / above;
#endif
}

#endif
