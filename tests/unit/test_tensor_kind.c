/* test_tensor_kind.c -- the kind of a line's memory follows from its phase, if the line names
 * none */
#include "world/tensor_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static void phases(void **state)
{
	static const struct {
		char phase;
		enum tensor_kind kind;
	} rows[] = {{'F', KIND_ACTIVATIONS}, {'R', KIND_ACTIVATIONS}, {'B', KIND_ACTIVATION_GRADIENTS},
	        {'W', KIND_ACTIVATION_GRADIENTS}, {'O', KIND_BUFFERS}, {'C', KIND_BUFFERS},
	        {0, KIND_BUFFERS}};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(tensor_kind_of(rows[i].phase), rows[i].kind);
}

static void words(void **state)
{
	(void)state;
	assert_int_equal(tensor_kind_find("gradient"), KIND_GRADIENTS);
	assert_int_equal(tensor_kind_find("gradients"), -1);
	assert_string_equal(tensor_kind_name(KIND_OPTIMIZER), "optimizer");
	assert_string_equal(
	        TENSOR_KIND_WORDS, "parameter gradient optimizer activation activation_gradient buffer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(phases), cmocka_unit_test(words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
