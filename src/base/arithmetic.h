/* arithmetic.h -- the smaller, the larger, a count rounded up: what C has no word for */
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

/* Of numbers that are no NaN */
static inline double least_number(double a, double b)
{
	return a < b ? a : b;
}

static inline double most_number(double a, double b)
{
	return a > b ? a : b;
}

/* The least integer not below x but for a slack, which takes up the rounding of rates: 2.00 ms is 2,000,000
 * ns. No libm. */
static inline int64_t round_up(double x)
{
	if (!(x < 9e18))
		return INT64_MAX / 2;
	int64_t whole = x;
	return x - whole > 1.0 / 1024 ? whole + 1 : whole;
}

/* The number of parts of `size` that `count` needs: the last may be smaller */
static inline int64_t parts_of(int64_t count, int64_t size)
{
	return (count + size - 1) / size;
}

/* Returns where part p begins in `count` elements that are cut into parts of `part`, the last ones fewer or none. */
static inline int64_t part_at(int64_t count, int64_t part, int p)
{
	return least_of(p * part, count);
}

/* Returns the first row of part p of n if `size` rows are cut as torch.chunk cuts them: each part has ceil(size / n) rows, the
 * last ones fewer or none. p = n: the end. 5 rows in 4 parts begin at 0, 2, 4 and 5. */
static inline int64_t chunk_at(int64_t size, int n, int p)
{
	return part_at(size, parts_of(size, n), p);
}

/* A whole number of 64 bits in 32, as two's complement does: 2^31 becomes -2^31. */
static inline int32_t wrapped(int64_t value)
{
	uint32_t bits = (uint32_t)(uint64_t)value;
	return bits <= INT32_MAX ? (int32_t)bits : (int32_t)(bits - UINT32_C(0x80000000)) + INT32_MIN;
}

/* A number in 32 bits: cut toward 0, as C does; out of range the nearest there is; NaN is 0 */
static inline int32_t saturated(double value)
{
	if (value >= INT32_MAX)
		return INT32_MAX;
	if (value <= INT32_MIN)
		return INT32_MIN;
	return value == value ? (int32_t)value : 0;
}

#endif
