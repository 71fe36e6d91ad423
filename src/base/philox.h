/* philox.h -- counter-based random numbers (Salmon et al., SC'11: Philox4x32-10), for C and, after
 * cuda/kernels/kernel.cuh is included, for GPUs
 *
 * Element i depends on (seed, i) only, so that all ranks, threads and GPUs agree: word i % 4 of
 * block i / 4.
 *
 * A normal number is the inverse normal distribution at p = (word + 1/2) / 2^32: AS 241, PPND7
 * (Wichura 1988), to 1 in 10^7, in doubles with + - x / only, so that CPU and GPU (without fused
 * multiply-add) agree to the last bit. The far tail (p < e^-25) needs more than 32 bits and is
 * left out; the largest number is about 6.3. */
#ifndef RANKSH_PHILOX_H
#define RANKSH_PHILOX_H

#ifdef RANKSH_CUDA_KERNEL_CUH
#define PHILOX static __device__ __forceinline__
#else
#include "base/bits.h"
#define PHILOX static inline __attribute__((always_inline))
#endif

/* Ten rounds. Each multiplies two words by constants into 64 bits; low halves move, high halves
 * are mixed with the other words and the key:
 *
 *      c0 --x 0xD2511F53--> hi_a lo_a            c0' = hi_b ^ c1 ^ k0        c1' = lo_b
 *      c2 --x 0xCD9E8D57--> hi_b lo_b            c2' = hi_a ^ c3 ^ k1        c3' = lo_a
 *
 * The key advances by a constant (a Weyl sequence). */
PHILOX void philox4x32(const unsigned counter[4], const unsigned key[2], unsigned out[4])
{
	unsigned c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];

	for (int i = 0; i < 10; i++) {
		unsigned long long a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
		c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
		c1 = (unsigned)b;
		c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
		c3 = (unsigned)a;
		k0 += 0x9E3779B9; /* the golden ratio */
		k1 += 0xBB67AE85; /* sqrt(3) - 1 */
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* The key is the seed; the counter's upper 64 bits are 0. Low words come first. */
PHILOX void philox(unsigned long long seed, unsigned long long counter, unsigned out[4])
{
	unsigned block[4] = {(unsigned)counter, (unsigned)(counter >> 32), 0, 0};
	unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};
	philox4x32(block, key, out);
}

/* Returns the word's number in [0, 1). */
PHILOX float philox_uniform_of(unsigned word)
{
	return (float)(word >> 8) * 0x1p-24f;
}

/* Returns ln of a positive normal double, to 1e-10: 2 atanh((m-1)/(m+1)) + e ln 2, m in
 * [sqrt(1/2), sqrt(2)). */
PHILOX double philox_log(double x)
{
	int exponent = (int)(bits_of_double(x) >> 52) - 1022;
	/* in [1/2, 1) */
	double m = double_of_bits((bits_of_double(x) & 0x000fffffffffffffull) | 0x3fe0000000000000ull);
	if (m < 0.70710678118654752) {
		m = m * 2;
		exponent--;
	}
	double s = (m - 1) / (m + 1), z = s * s;
	double sum = ((((z * (1.0 / 11) + 1.0 / 9) * z + 1.0 / 7) * z + 1.0 / 5) * z + 1.0 / 3) * z + 1;
	return 2 * s * sum + exponent * 0.69314718055994531;
}

/* Returns the square root: Newton's method from half the exponent (6% off) squares the error in
 * each round. */
PHILOX double philox_root(double x)
{
	double root = double_of_bits((bits_of_double(x) >> 1) + 0x1ff8000000000000ull);
	for (int i = 0; i < 4; i++)
		root = 0.5 * (root + x / root);
	return root;
}

PHILOX double philox_p(unsigned word)
{
	return ((double)word + 0.5) * 0x1p-32;
}

/* Returns true for the 15 % of the words whose number is philox_tail; philox_middle otherwise. */
PHILOX int philox_in_tail(unsigned word)
{
	double q = philox_p(word) - 0.5;
	return q < -0.425 || q > 0.425;
}

PHILOX float philox_middle(unsigned word)
{
	double q = philox_p(word) - 0.5, r = 0.180625 - q * q;
	return (float)(q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
	        (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1));
}

PHILOX float philox_tail(unsigned word)
{
	double p = philox_p(word);
	double t = philox_root(-philox_log(p < 0.5 ? p : 1 - p)) - 1.6;
	double tail = (((0.17023821103 * t + 1.3067284816) * t + 2.7568153900) * t + 1.4234372777) /
	        ((0.12021132975 * t + 0.73700164250) * t + 1);
	return (float)(p < 0.5 ? -tail : tail);
}

/* Returns the word's normal number (mean 0, deviation 1), without libm. */
PHILOX float philox_normal_of(unsigned word)
{
	return philox_in_tail(word) ? philox_tail(word) : philox_middle(word);
}

#endif
