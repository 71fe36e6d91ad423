/* test_names.c -- texts interned as small integers */
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

/* A thousand names, each found by its text */
static bool make_many(void *self)
{
	struct names *names = names_create();
	char text[16];
	bool good = true;
	(void)self;
	for (int i = 0; i < 1000; i++) {
		int length = snprintf(text, sizeof text, "n%d", i);
		good &= names_make(names, text, (size_t)length) == i + 1 && names_find(names, "n0", 2) == 1;
	}
	names_free(names);
	return good && mem_live() == 0;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	sweep_memory(make_many, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ids_follow_first_use), cmocka_unit_test(every_allocation_may_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
