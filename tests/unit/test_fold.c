/* test_fold.c -- lines wider than the terminal are wrapped at blanks */
#include "base/text.h"
#include "check.h"

#include <string.h>

static void folds(int columns, const char *lines, const char *expected)
{
	struct text folded = {0};
	fold_lines(lines, strlen(lines), columns, &folded);
	assert_string_equal(text_string(&folded), expected);
	text_release(&folded);
}

static void what_fits_stays(void **state)
{
	(void)state;
	folds(10, "", "");
	folds(10, "\n\n", "\n\n");
	folds(10, "0123456789\nab", "0123456789\nab");
	folds(10, "   a b   c\n", "   a b   c\n");
	folds(0, "a line of any width\n", "a line of any width\n");
}

static void the_rest_goes_below(void **state)
{
	(void)state;
	folds(10, "one two three four\n", "one two\n  three\n  four\n");
	folds(14, "   one two three\nfour", "   one two\n     three\nfour");
	folds(10, "0123456789 b", "0123456789\n  b");
	folds(10, "         ten", "         ten");
}

static void a_long_word_stays_whole(void **state)
{
	(void)state;
	folds(10, "at /a/very/long/path/to.py here\n", "at\n  /a/very/long/path/to.py\n  here\n");
	folds(10, "/a/very/long/path/to.py\n", "/a/very/long/path/to.py\n");
}

static void colours_and_letters_take_their_columns(void **state)
{
	(void)state;
	folds(10, "\033[38;5;75mone two\033[0m abc\n", "\033[38;5;75mone two\033[0m\n  abc\n");
	folds(11, "\033[38;5;75mone two\033[0m abc\n", "\033[38;5;75mone two\033[0m abc\n");
	folds(10,
	        "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88 "
	        "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88 a\n",
	        "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88 "
	        "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\n  a\n");
	folds(5, "abc \033[", "abc \033[");
}

static int rows(int columns, const char *lines)
{
	struct text folded = {0};
	int count = fold_lines(lines, strlen(lines), columns, &folded);
	text_release(&folded);
	return count;
}

/* A word that is too wide is broken by the terminal: it takes its rows too. */
static void rows_are_counted(void **state)
{
	(void)state;
	assert_int_equal(rows(10, ""), 0);
	assert_int_equal(rows(10, "0123456789"), 1);
	assert_int_equal(rows(10, "\n0123456789\n\n"), 3);
	assert_int_equal(rows(10, "one two three four\nfive\n"), 4);
	assert_int_equal(rows(10, "0123456789a\n"), 2);
	assert_int_equal(rows(10, "01234567890123456789\n"), 2);
	assert_int_equal(rows(10, "one 0123456789abc two\n"), 4);
	assert_int_equal(rows(10, "\033[38;5;75mone two\033[0m ab"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_fits_stays),
	        cmocka_unit_test(the_rest_goes_below),
	        cmocka_unit_test(a_long_word_stays_whole),
	        cmocka_unit_test(colours_and_letters_take_their_columns),
	        cmocka_unit_test(rows_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
