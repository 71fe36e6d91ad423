/* exponential.h -- exp without libm: the same doubles on every computer, and loops over them that compilers
 * turn into vectors. */
#ifndef RANKSH_EXPONENTIAL_H
#define RANKSH_EXPONENTIAL_H

#include "kernels/widths.h"
#include <stdint.h>
#include <string.h>

/* -709 and 710. Variables for the compiler: of a constant bound it makes a path of its own through all that
 * follows, and a vector would then take every path, each under a mask. */
extern const double exponential_least, exponential_most;

/* exp(x) = 2^n exp(r): n is the whole number nearest to x / ln 2, so |r| <= ln 2 / 2 = 0.347 (Cody and Waite,
 * Software Manual for the Elementary Functions, 1980, ch. 6). exp(r) is its Taylor series to r^10, by
 * Horner's rule; what is left out is below r^11 / 11! = 2.2e-13 of it, a ten-thousandth of what f32 resolves.
 *
 * A double's exponents are those of n = -1022 .. 1023. One less, and the bits of 2^n are those of 0; one more,
 * and they are infinity's. So x need only be kept between -709 (n = -1023) and 710 (n = 1024) for a result of
 * 0 below -708.8 and of infinity above 709.5, without a choice at the end. NaN stays NaN. */
INLINE double exponential(double x)
{
	/* 1.5 x 2^52: a double of that size has no bits for a fraction, so adding it rounds to a whole
	 * number, and leaves that number in the low bits. */
	const double whole = 0x1.8p52;
	double above = exponential_least > x ? exponential_least : x,
	       bounded = exponential_most < above ? exponential_most : above;
	double shifted = bounded * 1.44269504088896338700 + whole, n = shifted - whole;
	/* ln 2 in two parts: the last 21 bits of the first are 0, so that n times it is exact */
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

	/* 2^n has the exponent n + 1023 and no fraction: n's low bits, moved to the place of the exponent. */
	int64_t bits;
	double power;
	memcpy(&bits, &shifted, sizeof bits);
	bits = (int64_t)((uint64_t)bits << 52) + INT64_C(0x3ff0000000000000);
	memcpy(&power, &bits, sizeof power);
	return series * power;
}

/* 1 / (1 + exp(-x)) */
INLINE double logistic(double x)
{
	return 1 / (1 + exponential(-x));
}

#endif
