/* dtype.c -- elements of each type, converted by float. Conversions work on bits, so every
 * computer rounds alike.
 *
 *      f32     1 sign   8 exponent (bias 127)   23 fraction
 *      bf16    1        8       (127)            7              the upper half of an f32
 *      f16     1        5       (15)            10              6e-8 to 65504 (IEEE 754, binary16)
 *
 * From f32 to f16 the exponent moves by 112 = 127 - 15, or 0x38000000 in bits. Rounding adds to
 * the bits as an integer: a carry correctly increases the exponent, up to infinity. */
#include "base/dtype.h"
#include "base/arithmetic.h"
#include "base/bits.h"

#include <string.h>

static const struct {
	const char *name;
	int bytes;
} types[] = {
#define X(symbol, name, bytes) {name, bytes},
        DTYPES(X)
#undef X
};

const char *dtype_name(enum dtype dtype)
{
	return types[dtype].name;
}

int dtype_bytes(enum dtype dtype)
{
	return types[dtype].bytes;
}

bool dtype_find(const char *name, enum dtype *dtype)
{
	for (int i = 0; i < DT_COUNT; i++)
		if (strcmp(types[i].name, name) == 0) {
			*dtype = i;
			return true;
		}
	return false;
}

/* Returns bits >> shift, rounded to nearest, ties to even. */
static uint32_t shift_even(uint32_t bits, int shift)
{
	uint32_t below_half = (UINT32_C(1) << (shift - 1)) - 1;
	return (bits + below_half + (bits >> shift & 1)) >> shift;
}

/* An f16 below 2^-14 has no leading 1 and counts units of 2^-24. So the f32's leading 1 is added
 * before the shift. */
static uint16_t half_of(float value)
{
	uint32_t bits = bits_of_float(value), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
	if (size > 0x7f800000) /* NaN: quiet, with the top of its payload */
		return sign | 0x7e00 | (size >> 13 & 0x3ff);
	if (size >= 0x47800000) /* 65536 and above; 65520 and more round up to it below */
		return sign | 0x7c00;
	if (size >= 0x38800000) /* normal, from 2^-14 */
		return sign | shift_even(size - 0x38000000, 13);
	int shift = 126 - (int)(size >> 23); /* subnormal: units of 2^-24 */
	return (uint16_t)(sign | (shift > 24 ? 0 : shift_even((size & 0x7fffff) | 0x800000, shift)));
}

static float half_value(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f,
	         mantissa = half & 0x3ff;
	if (exponent == 0x1f)
		return float_of_bits(sign | 0x7f800000 | mantissa << 13);
	if (exponent)
		return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
	float small = mantissa * 0x1p-24f;
	return sign ? -small : small;
}

static uint16_t brain_of(float value)
{
	uint32_t bits = bits_of_float(value);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return bits >> 16 | 0x40;
	return shift_even(bits, 16);
}

float dtype_get(enum dtype dtype, const void *elements, int64_t index)
{
	float value;
	dtype_to_f32(dtype, (const char *)elements + index * types[dtype].bytes, &value, 1);
	return value;
}

void dtype_set(enum dtype dtype, void *elements, int64_t index, float value)
{
	dtype_from_f32(dtype, &value, (char *)elements + index * types[dtype].bytes, 1);
}

void dtype_to_f32(enum dtype dtype, const void *from, float *to, int64_t count)
{
	const uint16_t *half = from;
	const int32_t *whole = from;
	if (dtype == DT_F32)
		memcpy(to, from, count * sizeof *to);
	else if (dtype == DT_BF16)
		for (int64_t i = 0; i < count; i++)
			to[i] = float_of_bits((uint32_t)half[i] << 16);
	else if (dtype == DT_F16)
		for (int64_t i = 0; i < count; i++)
			to[i] = half_value(half[i]);
	else
		for (int64_t i = 0; i < count; i++)
			to[i] = whole[i];
}

void dtype_from_f32(enum dtype dtype, const float *from, void *to, int64_t count)
{
	uint16_t *half = to;
	int32_t *whole = to;
	if (dtype == DT_F32)
		memcpy(to, from, count * sizeof *from);
	else if (dtype == DT_BF16)
		for (int64_t i = 0; i < count; i++)
			half[i] = brain_of(from[i]);
	else if (dtype == DT_F16)
		for (int64_t i = 0; i < count; i++)
			half[i] = half_of(from[i]);
	else
		for (int64_t i = 0; i < count; i++)
			whole[i] = saturated(from[i]);
}
