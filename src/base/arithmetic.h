/* arithmetic.h -- minima, maxima, rounding and wrapping that C lacks */
#ifndef RANKSH_ARITHMETIC_H
#define RANKSH_ARITHMETIC_H

#include <stdint.h>

static inline int64_t least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t most_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The next two do not accept NaN. */
static inline double least_number(double a, double b)
{
	return a < b ? a : b;
}

static inline double most_number(double a, double b)
{
	return a > b ? a : b;
}

/* Rounds x >= 0 up, but drops a fraction of at most 1/1024, which comes from rounded rates: 2.00
 * ms is 2,000,000 ns. Returns INT64_MAX / 2 from 9e18 on and for NaN. */
static inline int64_t round_up(double x)
{
	if (!(x < 9e18))
		return INT64_MAX / 2;
	int64_t whole = x;
	return x - whole > 1.0 / 1024 ? whole + 1 : whole;
}

/* Returns the number of parts of `size` in `count`, the last maybe smaller. */
static inline int64_t parts_of(int64_t count, int64_t size)
{
	return (count + size - 1) / size;
}

/* Returns where part p begins if `count` elements are cut into parts of `part`; at most count. */
static inline int64_t part_at(int64_t count, int64_t part, int p)
{
	return least_of(p * part, count);
}

/* Returns the first row of part p of n, as torch.chunk cuts `size` rows: parts of ceil(size /
 * n), the last ones smaller or empty. p = n: the end. 5 rows in 4 parts begin at 0, 2, 4 and 5. */
static inline int64_t chunk_at(int64_t size, int n, int p)
{
	return part_at(size, parts_of(size, n), p);
}

/* Wraps to 32 bits, two's complement: 2^31 becomes -2^31. */
static inline int32_t wrapped(int64_t value)
{
	uint32_t bits = (uint32_t)(uint64_t)value;
	return bits <= INT32_MAX ? (int32_t)bits : (int32_t)(bits - UINT32_C(0x80000000)) + INT32_MIN;
}

/* Truncates to 32 bits, saturating; NaN is 0. */
static inline int32_t saturated(double value)
{
	if (value >= INT32_MAX)
		return INT32_MAX;
	if (value <= INT32_MIN)
		return INT32_MIN;
	return value == value ? (int32_t)value : 0;
}

#endif
