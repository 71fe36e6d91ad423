/* philox.cuh -- Philox4x32-10 and its words as numbers, with the bits of src/base/philox.c, which
 * explains the method */
#ifndef RANKSH_CUDA_PHILOX_CUH
#define RANKSH_CUDA_PHILOX_CUH

#include "kernel.cuh"

INLINE void philox(unsigned long long seed, unsigned long long counter, unsigned *out)
{
	unsigned c0 = (unsigned)counter, c1 = (unsigned)(counter >> 32), c2 = 0, c3 = 0, k0 = (unsigned)seed,
	         k1 = (unsigned)(seed >> 32);
#pragma unroll
	for (int i = 0; i < 10; i++) {
		unsigned long long a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
		c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
		c1 = (unsigned)b;
		c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
		c3 = (unsigned)a;
		k0 += 0x9E3779B9;
		k1 += 0xBB67AE85;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

INLINE float uniform_of(unsigned word)
{
	return (float)(word >> 8) * (1.f / 16777216);
}

INLINE double natural_log(double x)
{
	unsigned long long bits = (unsigned long long)__double_as_longlong(x);
	int exponent = (int)(bits >> 52) - 1022;
	double m = __longlong_as_double((long long)((bits & 0x000fffffffffffffull) | 0x3fe0000000000000ull));
	if (m < 0.70710678118654752) {
		m = m * 2;
		exponent--;
	}
	double s = (m - 1) / (m + 1), z = s * s;
	double sum = ((((z * (1.0 / 11) + 1.0 / 9) * z + 1.0 / 7) * z + 1.0 / 5) * z + 1.0 / 3) * z + 1;
	return 2 * s * sum + exponent * 0.69314718055994531;
}

INLINE double square_root(double x)
{
	unsigned long long bits = (unsigned long long)__double_as_longlong(x);
	double root = __longlong_as_double((long long)((bits >> 1) + 0x1ff8000000000000ull));
	for (int i = 0; i < 4; i++)
		root = 0.5 * (root + x / root);
	return root;
}

INLINE float normal_of(unsigned word)
{
	double p = ((double)word + 0.5) * (1. / 4294967296), q = p - 0.5;
	if (q >= -0.425 && q <= 0.425) {
		double r = 0.180625 - q * q;
		return (float)(q *
		        (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
		        (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1));
	}
	double r = square_root(-natural_log(q < 0 ? p : 1 - p)) - 1.6;
	double z = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
	        ((0.12021132975 * r + 0.73700164250) * r + 1);
	return (float)(q < 0 ? -z : z);
}

#endif
