/* test_names.c -- texts as small integers */
#include "base/memory.h"
#include "base/names.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static void ids_follow_first_use(void **state)
{
	struct names *names = names_create();
	char text[16];
	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++) {
			int length = snprintf(text, sizeof text, "h%d", i);
			assert_int_equal(names_make(names, text, (size_t)length), i + 1);
		}
	assert_int_equal(names_count(names), 5000);
	assert_string_equal(names_text(names, 4321), "h4320");
	assert_int_equal(names_find(names, "h17 and more", 3), 18);
	assert_int_equal(names_find(names, "h1x", 3), 0);
	assert_string_equal(names_text(names, 0), "");
	assert_string_equal(names_text(names, 5001), "");
	names_free(names);
	names_free(NULL);
}

static void every_allocation_may_fail(void **state)
{
	long live = mem_live();
	(void)state;
	for (long n = 0; n < 2; n++) {
		mem_fail_at(n);
		assert_null(names_create());
		assert_int_equal(mem_live(), live);
	}
	mem_fail_at(-1);
	struct names *names = names_create();
	char text[16];
	for (int i = 0; i < 1000; i++) {
		int length = snprintf(text, sizeof text, "n%d", i);
		for (long n = 0;; n++) {
			mem_fail_at(n);
			name_id id = names_make(names, text, (size_t)length);
			mem_fail_at(-1);
			if (id)
				break;
			assert_int_equal(names_count(names), i);
			assert_int_equal(names_find(names, text, (size_t)length), 0);
			assert_true(i == 0 || names_find(names, "n0", 2) == 1);
		}
		assert_int_equal(names_count(names), i + 1);
	}
	names_free(names);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ids_follow_first_use), cmocka_unit_test(every_allocation_may_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
