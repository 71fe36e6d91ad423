/* test_characters.c -- a text as numbers: sorted, complete, and refused if it is not a text */
#include "base/characters.h"
#include "base/memory.h"
#include "check.h"

#include <string.h>

static void numbers_follow_the_code_points(void **state)
{
	static const char text[] = "h\xc3\xa9llo \xf0\x9f\x98\x80 \xe2\x82\xac\n"; /* héllo, a face, euro */
	/* in the order of \n, blank, h, l, o, é, euro, face */
	static const int32_t ids[] = {2, 5, 3, 3, 4, 1, 7, 1, 6, 0};
	struct characters c;
	(void)state;
	assert_int_equal(characters_make(&c, "t", text, sizeof text - 1), ST_OK);
	assert_int_equal(c.vocab, 8);
	assert_int_equal(c.count, LENGTH_OF(ids));
	assert_memory_equal(c.id, ids, sizeof ids);
	mem_free(c.id);
}

static void what_is_no_text(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		const char *words;
	} cases[] = {
	        {"", 0, "t is empty"},
	        {"ab\0c", 4, "its byte 2"},
	        {"\x7f"
	         "ELF\x00\x01",
	                6, "t is binary"},
	        {"ab\xff", 3, "not UTF-8"},
	        {"ab\xe2\x82", 4, "not UTF-8"},
	        {"\xed\xa0\x80", 3, "not UTF-8"},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(cases); i++) {
		struct characters c;
		assert_int_equal(characters_make(&c, "t", cases[i].bytes, cases[i].count), ST_FILE);
		assert_words(cases[i].words);
		assert_null(c.id);
	}
}

static bool make_hello(void *self)
{
	struct characters c;
	(void)self;
	enum status status = characters_make(&c, "t", "hello", 5);
	mem_free(c.id);
	return status == ST_OK && mem_live() == 0;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	sweep_memory(make_hello, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_follow_the_code_points),
	        cmocka_unit_test(what_is_no_text),
	        cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
