/* test_base.c -- texts, sets of ranks, failures, memory */
#include "base/memory.h"
#include "base/ranks.h"
#include "base/status.h"
#include "base/text.h"
#include "check.h"

#include <string.h>

#undef fail /* cmocka's macro; here base/status.h's function is tested */

static void texts_grow(void **state)
{
	struct text text = {0};
	char long_word[1001];
	(void)state;
	assert_string_equal(text_string(&text), "");
	memset(long_word, 'w', 1000);
	long_word[1000] = '\0';
	text_add(&text, "%d %s", 42, long_word);
	text_put(&text, "!?", 1);
	text_repeat(&text, "ab", 3);
	assert_int_equal(text.count, 3 + 1000 + 1 + 6);
	assert_string_equal(text_string(&text) + 1003, "!ababab");
	text_clear(&text);
	assert_string_equal(text_string(&text), "");
	text_release(&text);
	assert_int_equal(mem_live(), 0);
}

static void columns_and_utf8(void **state)
{
	(void)state;
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("\u2500\u2500\u25b6"), 3);
	assert_int_equal(text_columns("\033[1;31mred\033[0m"), 3);
	assert_int_equal(text_columns("\033["), 0);
	assert_int_equal(text_valid("h\u00e9\u20ac\U0001f600", 10), 10);
	static const char *const bad[] = {"\xc3", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	        "\xff", "a\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xc1\x81", "\xf9\x90\x80\x80"};
	for (size_t i = 0; i < LENGTH_OF(bad); i++) {
		const char *at = bad[i] + (*bad[i] == 'a');
		assert_true(text_valid(bad[i], strlen(bad[i])) < strlen(bad[i]));
		assert_int_equal(utf8_next(&at), '?');
		assert_int_equal(*at, 0);
	}
	char unsafe[] = "a\xc1\x81\xed\xa0\x80\xf5\x80\x80\x80?";
	text_make_safe(unsafe);
	assert_string_equal(unsafe, "a????");
	assert_int_equal(text_valid("a\0b", 3), 1);
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(text_distance("", ""), 0);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("laoded", "loaded"), 1);
	assert_int_equal(text_distance("com", "comm"), 1);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
	assert_int_equal(text_distance("ab", "ba"), 1);
}

static void sets_of_ranks(void **state)
{
	struct ranks a, b;
	struct text text = {0};
	(void)state;
	ranks_all(&a, 130);
	assert_int_equal(ranks_count(&a), 130);
	assert_true(
	        ranks_has(&a, 129) && !ranks_has(&a, 130) && !ranks_has(&a, -1) && !ranks_has(&a, RANKS_MAX));
	ranks_drop(&a, 64);
	ranks_one(&b, 64);
	assert_int_equal(ranks_next(&a, 63), 65);
	ranks_text(&a, &text);
	assert_string_equal(text_string(&text), "0-63,65-129");
	ranks_or(&a, &b);
	assert_true(ranks_has(&a, 64));
	ranks_drop(&a, 64);
	ranks_and(&b, &a);
	assert_true(ranks_empty(&b));
	assert_int_equal(ranks_first(&b), -1);
	ranks_add(&b, 0);
	ranks_add(&b, 1);
	ranks_add(&b, 3);
	ranks_add(&b, RANKS_MAX - 1);
	text_clear(&text);
	ranks_text(&b, &text);
	assert_string_equal(text_string(&text), "0,1,3,4095");
	int seen = 0;
	FOR_RANKS (r, &b)
		seen += r;
	assert_int_equal(seen, 4 + RANKS_MAX - 1);
	assert_int_equal(ranks_next(&b, RANKS_MAX - 1), -1);
	ranks_drop(&b, RANKS_MAX - 1); /* the last of its word */
	assert_int_equal(ranks_next(&b, 3), -1);
	assert_int_equal(ranks_count(&b), 3);
	ranks_all(&a, RANKS_MAX);
	assert_int_equal(ranks_count(&a), RANKS_MAX);
	assert_false(ranks_equal(&a, &b));
	text_release(&text);
}

static void failures_are_worded(void **state)
{
	char huge[6000];
	(void)state;
	assert_int_equal(fail(ST_SHAPE, "x is %d", 3), ST_SHAPE);
	assert_int_equal(fail(ST_NAME, "again: %s", fail_text()), ST_NAME);
	assert_int_equal(fail_in(ST_NAME, "line %d", 7), ST_NAME);
	assert_string_equal(fail_text(), "line 7: again: x is 3");
	memset(huge, 'x', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	fail(ST_NAME, "%s", huge);
	fail_in(ST_NAME, "%s", huge);
	assert_true(strlen(fail_text()) < 4096);
	assert_string_equal(status_name(ST_DEVICE_MEMORY), "device memory");
	assert_string_equal(status_name((enum status)ST_COUNT), "unknown status");
}

static void arrays_grow(void **state)
{
	struct {
		int *items;
		size_t count;
	} list = {0};
	(void)state;
	for (int from = 0; from < 100; from += 15) { /* also where the count has fallen */
		list.count = (size_t)from;
		for (int i = from; i < 100; i++)
			*MEM_ADD(&list.items, &list.count) = i;
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(list.items[i], i);
	mem_free(list.items);
	mem_free(mem_alloc(0));
	assert_int_equal(mem_live(), 0);
}

/* All ways to allocate, one after the other */
static bool allocate(void *self)
{
	struct text text = {0};
	void *block = mem_resize(mem_alloc(10), 20000);
	char *copy = mem_copy_text("copy", 4);
	bool good = strcmp(copy, "copy") == 0;
	(void)self;
	for (int i = 0; i < 100; i++)
		text_add(&text, "%d ", i);
	good = good && text.count == 290 && text_columns(text_string(&text)) == 290;
	text_release(&text);
	mem_free(copy);
	mem_free(block);
	return good && mem_live() == 0;
}

static bool exhaust(void *self)
{
	(void)self;
	mem_fail_at(0);
	mem_free(mem_alloc(12345));
	return true;
}

static void last_words(size_t bytes)
{
	dprintf(2, "nobody has %zu bytes\n", bytes);
	_exit(7);
}

static bool exhaust_with_words(void *self)
{
	mem_on_exhausted(last_words);
	return exhaust(self);
}

static void a_process_without_memory_ends(void **state)
{
	char words[200];
	(void)state;
	sweep_memory(allocate, NULL);
	int status = run_in_child(-1, exhaust, NULL, words, sizeof words);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == MEM_EXIT);
	assert_string_equal(words, "ranksh: this computer is out of memory (12345 bytes wanted)\n");
	status = run_in_child(-1, exhaust_with_words, NULL, words, sizeof words);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_string_equal(words, "nobody has 12345 bytes\n");
}

static void words_are_wrapped(void **state)
{
	struct text text = {0};
	(void)state;
	text_wrapped(&text, "one two three verylongword four", 2, 11);
	text_wrapped(&text, "", 2, 11);
	assert_string_equal(text_string(&text), "  one two\n  three\n  verylongword\n  four\n\n");
	text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(words_are_wrapped),
	        cmocka_unit_test(texts_grow),
	        cmocka_unit_test(columns_and_utf8),
	        cmocka_unit_test(distances),
	        cmocka_unit_test(sets_of_ranks),
	        cmocka_unit_test(failures_are_worded),
	        cmocka_unit_test(arrays_grow),
	        cmocka_unit_test(a_process_without_memory_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
