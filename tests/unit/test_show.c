/* test_show.c -- tensors printed for people */
#include "shell/values/show.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void shows(const char *expected, const char *name, enum dtype dtype, int dims, const int64_t *dim,
        const void *packed)
{
	struct layout layout;
	struct text text = {0};
	assert_int_equal(layout_make(&layout, dtype, dims, dim), ST_OK);
	show_tensor(name, &layout, packed, &text);
	assert_string_equal(text_string(&text), expected);
	text_release(&text);
}

static void one_element(void **state)
{
	const float value[] = {11.27f, 3, -0.0f, 1e10f, INFINITY, NAN, 0.5f};
	const int64_t one[] = {1}, both[] = {1, 1};
	(void)state;
	shows("y[0,0] = 11.27", "y[0,0]", DT_F32, 2, both, &value[0]);
	shows("y = 3", "y", DT_F32, 1, one, &value[1]);
	shows("y = 0", "y", DT_F32, 1, one, &value[2]);
	shows("y = 1e+10", "y", DT_F32, 1, one, &value[3]);
	shows("y = inf", "y", DT_F32, 1, one, &value[4]);
	shows("y = nan", "y", DT_F32, 1, one, &value[5]);
	shows("y [1]: no data (--dry)", "y", DT_F32, 1, one, NULL);
}

static void vectors(void **state)
{
	const int32_t whole[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 2147483647};
	const int64_t three[] = {3}, eight[] = {8}, ten[] = {10};
	(void)state;
	shows("x = 1 2 3", "x", DT_I32, 1, three, whole);
	shows("x = 1 2 3 4 5 6 7 8", "x", DT_I32, 1, eight, whole);
	shows("x = 1 2 3 ... 8 9 2147483647", "x", DT_I32, 1, ten, whole);
}

static void matrices(void **state)
{
	const float value[] = {1, -2.5f, 300, 4, 5, 6, 7, 8};
	const int64_t square[] = {2, 2}, cube[] = {2, 2, 2};
	float long_rows[20];
	const int64_t tall[] = {10, 2};
	(void)state;
	for (int i = 0; i < 20; i++)
		long_rows[i] = (float)i;
	shows("m [2,2] =\n     1 -2.5\n   300    4", "m", DT_F32, 2, square, value);
	shows("m [2,2,2] =\n  [0]\n     1 -2.5\n   300    4\n  [1]\n  5 6\n  7 8", "m", DT_F32, 3, cube,
	        value);
	shows("m [10,2] =\n   0  1\n   2  3\n   4  5\n  ...\n  14 15\n  16 17\n  18 19", "m", DT_F32, 2, tall,
	        long_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one_element), cmocka_unit_test(vectors), cmocka_unit_test(matrices)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
