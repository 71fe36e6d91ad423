/* philox.c -- Philox4x32-10, and its words as uniform and normal numbers
 *
 * A normal number is the inverse normal distribution at p = (word + 1/2) / 2^32: AS 241, PPND7
 * (Wichura 1988), to 1 in 10^7, in doubles with + - x / only, so that CPU and GPU (without fused
 * multiply-add) agree to the last bit. The far tail (p < e^-25) needs more than 32 bits and is
 * left out; the largest number is about 6.3. */
#include "base/philox.h"
#include "base/bits.h"

/* Ten rounds. Each multiplies two words by constants into 64 bits; low halves move, high halves
 * are mixed with the other words and the key:
 *
 *      c0 --x 0xD2511F53--> hi_a lo_a            c0' = hi_b ^ c1 ^ k0        c1' = lo_b
 *      c2 --x 0xCD9E8D57--> hi_b lo_b            c2' = hi_a ^ c3 ^ k1        c3' = lo_a
 *
 * The key advances by a constant (a Weyl sequence). */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];

	for (int i = 0; i < 10; i++) {
		uint64_t a = UINT64_C(0xD2511F53) * c0, b = UINT64_C(0xCD9E8D57) * c2;
		c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)b;
		c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)a;
		k0 += 0x9E3779B9; /* the golden ratio */
		k1 += 0xBB67AE85; /* sqrt(3) - 1 */
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

void philox(uint64_t seed, uint64_t counter, uint32_t out[4])
{
	uint32_t block[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
	uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	philox4x32(block, key, out);
}

float philox_uniform_of(uint32_t word)
{
	return (float)(word >> 8) * 0x1p-24f;
}

/* ln of a positive normal double: 2 atanh((m-1)/(m+1)) + e ln 2, m in [sqrt(1/2), sqrt(2));
 * error below 1e-10 */
static double natural_log(double x)
{
	union double_bits whole = {x};
	int exponent = (int)(whole.bits >> 52) - 1022;
	whole.bits = (whole.bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3fe0000000000000);
	double m = whole.value; /* in [1/2, 1) */
	if (m < 0.70710678118654752) {
		m = m * 2;
		exponent--;
	}
	double s = (m - 1) / (m + 1), z = s * s;
	double sum = ((((z * (1.0 / 11) + 1.0 / 9) * z + 1.0 / 7) * z + 1.0 / 5) * z + 1.0 / 3) * z + 1;
	return 2 * s * sum + exponent * 0.69314718055994531;
}

/* Newton's method from half the exponent (6% off); the error is squared in each round */
static double square_root(double x)
{
	union double_bits half = {x};
	half.bits = (half.bits >> 1) + UINT64_C(0x1ff8000000000000);
	double root = half.value;
	for (int i = 0; i < 4; i++)
		root = 0.5 * (root + x / root);
	return root;
}

float philox_normal_of(uint32_t word)
{
	double p = ((double)word + 0.5) * 0x1p-32, q = p - 0.5;

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
