/* test_kinds.c -- what a tensor is to the model, by its name */
#include "strategies/kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_names(void **state)
{
	static const struct parameter list[] = { { .name = "table" }, { .name = "w2" } };
	static const struct { const char *name; enum tensor_kind kind; } rows[] = {
		{ "table", KIND_PARAMETERS }, { "w2", KIND_PARAMETERS }, { "flat1", KIND_PARAMETERS }, { "shard12", KIND_PARAMETERS },
		{ "dtable", KIND_GRADIENTS }, { "dw2", KIND_GRADIENTS }, { "dflat1", KIND_GRADIENTS }, { "dshard1", KIND_GRADIENTS },
		{ "bucket3", KIND_GRADIENTS }, { "w2_m", KIND_OPTIMIZER }, { "w2_v", KIND_OPTIMIZER }, { "w2_f32", KIND_OPTIMIZER },
		{ "shard1_f32", KIND_OPTIMIZER },
		{ "", KIND_OTHER }, { "d", KIND_OTHER }, { "_m", KIND_OTHER }, { "w", KIND_OTHER }, { "w22", KIND_OTHER }, { "x0_f32", KIND_OTHER },
		{ "flat", KIND_OTHER }, { "flats", KIND_OTHER }, { "dx2", KIND_OTHER }, { "bucket", KIND_OTHER }, { "w2_x", KIND_OTHER },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (tensor_kind_of(list, 2, rows[i].name) != rows[i].kind)
			fail_msg("'%s' is of kind %s", rows[i].name, tensor_kind_name(tensor_kind_of(list, 2, rows[i].name)));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
