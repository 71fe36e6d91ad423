/* exponential.h -- exp without libm: the same doubles on every computer, in vectorizable loops and
 * on a GPU (cuda/kernels/exponential.cuh) */
#ifndef RANKSH_EXPONENTIAL_H
#define RANKSH_EXPONENTIAL_H

#ifndef RANKSH_CUDA_KERNEL_CUH
#include "base/bits.h"
#include "kernels/widths.h"

/* -709 and 710. Variables, because a compiler splits the code for a constant bound into paths, and
 * a vector would then execute every path under a mask. */
extern const double exponential_least, exponential_most;
#endif

/* exp(x) = 2^n exp(r): n is the integer nearest to x / ln 2, so |r| <= ln 2 / 2 = 0.347 (Cody and
 * Waite, Software Manual for the Elementary Functions, 1980, ch. 6). exp(r) is its Taylor series
 * to r^10 by Horner's rule; the relative error is below r^11 / 11! = 2.2e-13, a ten-thousandth of
 * f32's resolution.
 *
 * A double has exponents for n = -1022 .. 1023. The bits of 2^-1023 computed below are those of 0,
 * and the bits of 2^1024 are infinity's. So clamping x to -709 (n = -1023) and 710 (n = 1024) is
 * enough for 0 below -708.8 and infinity above 709.5. NaN stays NaN. */
INLINE double exponential(double x)
{
	/* 1.5 x 2^52: a double this large has no fraction bits, so adding it rounds to an integer
	 * and leaves that integer in the low bits. */
	const double whole = 0x1.8p52;
	double above = exponential_least > x ? exponential_least : x,
	       bounded = exponential_most < above ? exponential_most : above;
	double shifted = bounded * 1.44269504088896338700 + whole, n = shifted - whole;
	/* ln 2 in two parts: the first ends in 21 zero bits, so n times it is exact */
	double r = bounded - n * 0x1.62e42fee00000p-1 - n * 1.90821492927058770002e-10;

	double series = 1 / 3628800.; /* 1/10! */
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

	/* 2^n has the exponent n + 1023: shift n's low bits into the exponent field */
	return series * double_of_bits((bits_of_double(shifted) << 52) + 0x3ff0000000000000ull);
}

/* 1 / (1 + exp(-x)) */
INLINE double logistic(double x)
{
	return 1 / (1 + exponential(-x));
}

#endif
