/* test_dtype.c -- element types and layouts */
#include "base/dtype.h"
#include "base/memory.h"
#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint16_t bits16(enum dtype dtype, float value)
{
	uint16_t bits;
	dtype_set(dtype, &bits, 0, value);
	return bits;
}

/* The value of a half by its definition */
static double half_by_definition(unsigned bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double size = exponent == 31 ? (mantissa ? NAN : INFINITY)
	        : exponent           ? ldexp(1024 + mantissa, exponent - 25)
	                             : ldexp(mantissa, -24);
	return bits & 0x8000 ? -size : size;
}

static void every_half_is_read_and_written_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 0x10000; i++) {
		uint16_t half = (uint16_t)i;
		float value = dtype_get(DT_F16, &half, 0);
		double wanted = half_by_definition(i);
		if (isnan(wanted)) {
			assert_true(isnan(value));
			assert_true(isnan(dtype_get(DT_F16, (uint16_t[]){bits16(DT_F16, value)}, 0)));
			continue;
		}
		assert_true(value == wanted && !signbit(value) == !signbit(wanted));
		assert_int_equal(bits16(DT_F16, value), i);
	}
}

static void every_bf16_is_read_and_written_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 0x10000; i++) {
		uint16_t brain = (uint16_t)i;
		float value = dtype_get(DT_BF16, &brain, 0);
		if (isnan(value))
			assert_true(isnan(dtype_get(DT_BF16, (uint16_t[]){bits16(DT_BF16, value)}, 0)));
		else
			assert_int_equal(bits16(DT_BF16, value), i);
	}
	assert_true(dtype_get(DT_BF16, (uint16_t[]){0x3fc0}, 0) == 1.5f);
}

/* Halfway between neighbours a and b (finite, bits next to each other) goes to the even one; just off it to
 * the nearer */
static void check_ties(enum dtype dtype, unsigned last)
{
	for (unsigned i = 0; i < last; i++) {
		double a = dtype_get(dtype, (uint16_t[]){(uint16_t)i}, 0),
		       b = dtype_get(dtype, (uint16_t[]){(uint16_t)(i + 1)}, 0);
		float middle = (float)((a + b) / 2);
		if (middle != (a + b) / 2) /* subnormal f32 at bf16's end may lack the bit */
			continue;
		unsigned even = i % 2 ? i + 1 : i;
		assert_int_equal(bits16(dtype, middle), even);
		assert_int_equal(bits16(dtype, -middle), even | 0x8000);
		assert_int_equal(bits16(dtype, nextafterf(middle, 0)), i);
		assert_int_equal(bits16(dtype, nextafterf(middle, FLT_MAX)), i + 1);
	}
}

static void ties_go_to_even(void **state)
{
	(void)state;
	check_ties(DT_F16, 0x7bff);
	check_ties(DT_BF16, 0x7f7f);
}

static void the_ends_of_the_ranges(void **state)
{
	(void)state;
	assert_int_equal(bits16(DT_F16, 65504), 0x7bff);
	assert_int_equal(bits16(DT_F16, 65519.996f), 0x7bff);
	assert_int_equal(bits16(DT_F16, 65520), 0x7c00);
	assert_int_equal(bits16(DT_F16, FLT_MAX), 0x7c00);
	assert_int_equal(bits16(DT_F16, -INFINITY), 0xfc00);
	assert_int_equal(bits16(DT_F16, 0x1p-24f), 1);
	assert_int_equal(bits16(DT_F16, 0x1p-25f), 0);
	assert_int_equal(bits16(DT_F16, FLT_TRUE_MIN), 0);
	assert_int_equal(bits16(DT_F16, -0.0f), 0x8000);
	assert_int_equal(bits16(DT_BF16, FLT_MAX), 0x7f80);
	uint32_t odd = 0x7f800001; /* a NaN whose payload lies in the bits that are cut */
	float nan;
	memcpy(&nan, &odd, 4);
	assert_true(isnan(dtype_get(DT_BF16, (uint16_t[]){bits16(DT_BF16, nan)}, 0)));
	assert_true(isnan(dtype_get(DT_F16, (uint16_t[]){bits16(DT_F16, nan)}, 0)));
}

static void ints_truncate_and_saturate(void **state)
{
	static const struct {
		float from;
		int32_t to;
	} rows[] = {{1.9f, 1}, {-1.9f, -1}, {3e9f, INT32_MAX}, {-3e9f, INT32_MIN}, {INFINITY, INT32_MAX},
	        {-INFINITY, INT32_MIN}, {2147483520.0f, 2147483520}};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		int32_t n;
		dtype_set(DT_I32, &n, 0, rows[i].from);
		assert_int_equal(n, rows[i].to);
	}
	int32_t n = 7;
	dtype_set(DT_I32, &n, 0, NAN);
	assert_int_equal(n, 0);
}

static void many_at_once(void **state)
{
	float from[5] = {0, 1.5f, -2, 1e9f, 3.25f}, to[5];
	uint16_t half[5];
	(void)state;
	dtype_from_f32(DT_F16, from, half, 5);
	dtype_to_f32(DT_F16, half, to, 5);
	assert_true(to[1] == 1.5f && to[2] == -2 && isinf(to[3]) && to[4] == 3.25f);
	dtype_to_f32(DT_F32, from, to, 5);
	assert_memory_equal(from, to, sizeof from);
}

static void names_of_types(void **state)
{
	enum dtype dtype;
	(void)state;
	for (int i = 0; i < DT_COUNT; i++) {
		assert_true(dtype_find(dtype_name((enum dtype)i), &dtype));
		assert_int_equal(dtype, i);
	}
	assert_false(dtype_find("f64", &dtype));
	assert_int_equal(dtype_bytes(DT_BF16), 2);
}

static void layouts_are_made_or_refused(void **state)
{
	struct layout layout, before;
	(void)state;
	assert_int_equal(layout_make(&layout, DT_F32, 3, (int64_t[]){2, 3, 4}), ST_OK);
	assert_int_equal(layout.stride[0], 12);
	assert_int_equal(layout.stride[2], 1);
	assert_int_equal(layout_bytes(&layout), 96);
	assert_int_equal(layout_span(&layout), 96);
	assert_string_equal(shape_text(&layout).text, "[2,3,4]");
	before = layout;
	assert_int_equal(layout_make(&layout, DT_F32, 2, (int64_t[]){-1, 3}), ST_RANGE);
	assert_int_equal(layout_make(&layout, DT_F32, 2, (int64_t[]){0, -1}), ST_RANGE);
	assert_int_equal(layout_make(&layout, DT_F32, 2, (int64_t[]){INT64_MAX, 0}), ST_RANGE);
	assert_int_equal(layout_make(&layout, DT_F32, 0, (int64_t[]){1}), ST_RANGE);
	assert_int_equal(layout_make(&layout, DT_F32, 7, (int64_t[]){1, 1, 1, 1, 1, 1, 1}), ST_RANGE);
	assert_int_equal(layout_make(&layout, DT_F32, 2, (int64_t[]){INT64_MAX, INT64_MAX}), ST_RANGE);
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){(INT64_C(1) << 44) + 1}), ST_RANGE);
	assert_memory_equal(&layout, &before, sizeof layout);
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){INT64_C(1) << 44}), ST_OK);
}

/* Strides are torch.empty(shape).stride(); no element means no byte, and one line. */
static void layouts_without_elements(void **state)
{
	static const struct {
		int64_t dim[3], stride[3], rows;
	} shapes[] = {{{2, 3, 0}, {3, 1, 1}, 6}, {{2, 0, 3}, {3, 3, 1}, 0}, {{0, 2, 3}, {6, 3, 1}, 0}};
	struct layout layout;
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(shapes); i++) {
		assert_int_equal(layout_make(&layout, DT_F32, 3, shapes[i].dim), ST_OK);
		assert_memory_equal(layout.stride, shapes[i].stride, sizeof shapes[i].stride);
		assert_int_equal(layout_rows(&layout), shapes[i].rows);
		layout.stride[1] = 77; /* a part of a larger one */
		assert_int_equal(layout_count(&layout), 0);
		assert_int_equal(layout_span(&layout), 0);
		assert_true(layout_contiguous(&layout));
		layout_pack(&layout, NULL, NULL);
		layout_unpack(&layout, NULL, NULL);
	}
}

static void packing_follows_the_strides(void **state)
{
	int32_t all[4 * 6], packed[6], back[4 * 6] = {0};
	struct layout part = {DT_I32, 2, {2, 3}, {12, 2}}; /* rows 0 and 2, columns 0, 2, 4 of [4,6] */
	struct layout turned = {DT_I32, 2, {3, 2}, {2, 12}};
	(void)state;
	for (int i = 0; i < 24; i++)
		all[i] = i;
	assert_false(layout_contiguous(&part));
	assert_int_equal(layout_span(&part), 17 * 4);
	layout_pack(&part, all, packed);
	assert_memory_equal(packed, ((int32_t[]){0, 2, 4, 12, 14, 16}), sizeof packed);
	layout_unpack(&part, packed, back);
	assert_int_equal(back[14], 14);
	assert_int_equal(back[13], 0);
	layout_pack(&turned, all, packed);
	assert_memory_equal(packed, ((int32_t[]){0, 12, 2, 14, 4, 16}), sizeof packed);
	struct layout ones = {DT_F16, 3, {1, 5, 1}, {77, 1, 99}};
	assert_true(layout_contiguous(&ones));
	struct layout half = {DT_F16, 1, {3}, {2}};
	uint16_t few[5] = {1, 2, 3, 4, 5}, some[3];
	layout_pack(&half, few, some);
	assert_memory_equal(some, ((uint16_t[]){1, 3, 5}), sizeof some);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_half_is_read_and_written_back),
	        cmocka_unit_test(every_bf16_is_read_and_written_back),
	        cmocka_unit_test(ties_go_to_even),
	        cmocka_unit_test(the_ends_of_the_ranges),
	        cmocka_unit_test(ints_truncate_and_saturate),
	        cmocka_unit_test(many_at_once),
	        cmocka_unit_test(names_of_types),
	        cmocka_unit_test(layouts_are_made_or_refused),
	        cmocka_unit_test(layouts_without_elements),
	        cmocka_unit_test(packing_follows_the_strides),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
