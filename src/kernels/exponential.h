/* exponential.h -- exp without libm: the same doubles on every computer, and loops over them that compilers
 * turn into vectors.
 *
 * exp(x) = 2^n exp(r), n the whole number nearest to x / ln 2, so |r| <= ln 2 / 2; exp(r) by its series to
 * r^10: off by 3e-13 of itself at most, a ten-thousandth of what f32 resolves. */
#ifndef RANKSH_EXPONENTIAL_H
#define RANKSH_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/* 0 below -708, infinite above 709; NaN stays NaN */
static inline double exponential(double x)
{
	const double whole = 0x1.8p52; /* adding it leaves no bits for a fraction */
	double bounded = x < -708 ? -708 : x > 709 ? 709 : x;
	double shifted = bounded * 1.44269504088896338700 + whole, n = shifted - whole, power;
	double r = bounded - n * 0x1.62e42fee00000p-1 -
	        n * 1.90821492927058770002e-10; /* ln 2 in two parts: n times the first is exact */
	double series = 1 +
	        r * (1 + r * (1 / 2. + r * (1 / 6. + r * (1 / 24. + r * (1 / 120. + r * (1 / 720. + r * (1 / 5040. + r * (1 / 40320. + r * (1 / 362880. + r * (1 / 3628800.))))))))));
	int64_t bits;
	memcpy(&bits, &shifted, sizeof bits);
	bits = (int64_t)((uint64_t)bits << 52) +
	        INT64_C(0x3ff0000000000000); /* n's low bits are shifted's: 2^n */
	memcpy(&power, &bits, sizeof power);
	return x < -708 ? 0 : x > 709 ? (double)__builtin_inff() : x != x ? x : series * power;
}

static inline double logistic(double x)
{
	return 1 / (1 + exponential(-x));
}

#endif
