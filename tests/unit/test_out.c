/* test_out.c -- merging the ranks' output */
#include "check.h"
#include "shell/session/numbers.h"
#include "shell/session/out.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_rendered(struct out *out, const char *wanted)
{
	struct text rendered = {0};
	out_render(out, &rendered);
	assert_string_equal(text_string(&rendered), wanted);
	assert_true(out_empty(out));
	text_release(&rendered);
}

static void equal_texts_are_said_once(void **state)
{
	(void)state;
	struct out *out = out_create(false, 80);
	out_say(out, "before\n");
	int place = out_place(out);
	for (int rank = 0; rank < 4; rank++)
		out_fill(out, place, rank, rank == 2 ? "y = 2" : "y = 1");
	out_say(out, "behind %d\n", 7);
	expect_rendered(out, "before\n[0,1,3] y = 1\n[2] y = 2\nbehind 7\n");
	out_free(out);
}

static void later_lines_stand_below_the_first(void **state)
{
	(void)state;
	struct out *out = out_create(false, 80);
	int place = out_place(out);
	out_fill(out, place, 3, "x =\n1 2\n3 4\n");
	expect_rendered(out, "[3] x =\n    1 2\n    3 4\n");
	out_free(out);
}

static void severities_are_rendered_apart(void **state)
{
	(void)state;
	struct out *out = out_create(false, 80);
	struct text rendered = {0};
	out_say(out, "y is queued\n");
	int place = out_place(out);
	enum severity before = out_severity(out, SEVERITY_WARNING);
	out_say(out, "race: x\n");
	assert_int_equal(out_severity(out, before), SEVERITY_WARNING);
	out_say(out, "and on\n");
	out_fill(out, place, 0, "y = 1");
	assert_int_equal(out_render_some(out, &rendered), SEVERITY_OK);
	assert_string_equal(text_string(&rendered), "y is queued\n[0] y = 1\n");
	out_fill(out, place, 0, "too late");
	text_clear(&rendered);
	assert_int_equal(out_render_some(out, &rendered), SEVERITY_WARNING);
	assert_string_equal(text_string(&rendered), "race: x\n");
	text_release(&rendered);
	expect_rendered(out, "and on\n");
	out_free(out);
}

static void numbers_travel(void **state)
{
	(void)state;
	struct numbers zero = {.wanted = true}, one = {.wanted = true}, none = {0};
	struct text bytes = {0}, json = {0};
	numbers_add(&zero, 0, "time", 2e6);
	numbers_add(&zero, 0, "loss[0]", 7);
	numbers_add(&zero, 0, "loss[0]", 1.25);
	numbers_add(&one, 1, "loss[0]", 0.1);
	numbers_add(&one, 2, "loss[0]", 9); /* rank 2 sends it itself */
	numbers_add(&none, 0, "time", 1);
	numbers_pack(&one, 1, &bytes);
	assert_int_equal(one.count, 0);
	assert_true(numbers_unpack(&zero, 1, bytes.bytes, bytes.count));
	assert_false(numbers_unpack(&zero, 1, bytes.bytes, bytes.count - 1));
	numbers_add(&zero, 0, "a \"b\"", NAN);
	numbers_take(&zero, 3, &json);
	assert_string_equal(
	        text_string(&json), "{\"time\":2000000,\"loss[0]\":[1.25,0.1,null],\"a \\\"b\\\"\":null}");
	text_clear(&json);
	numbers_take(&zero, 3, &json);
	numbers_take(&none, 3, &json);
	assert_int_equal(json.count, 0);
	numbers_release(&zero);
	numbers_release(&one);
	text_release(&bytes);
	text_release(&json);
}

/* What rank 1 packs is merged on rank 0, which has seen the same places. */
static void fills_travel(void **state)
{
	(void)state;
	struct out *zero = out_create(false, 80), *one = out_create(false, 80);
	struct text bytes = {0};
	for (int i = 0; i < 3; i++) {
		int a = out_place(zero), b = out_place(one);
		assert_int_equal(a, b);
		out_fill(zero, a, 0, "same");
		if (i != 1)
			out_fill(one, b, 1, i == 0 ? "same" : "other");
	}
	out_pack(one, 1, &bytes);
	assert_true(out_unpack(zero, 1, bytes.bytes, bytes.count));
	expect_rendered(zero, "[0,1] same\n[0] same\n[0] same\n[1] other\n");
	out_render(one, NULL);
	assert_true(out_empty(one));
	text_release(&bytes);
	out_free(zero);
	out_free(one);
}

static void another_shape_is_noticed(void **state)
{
	(void)state;
	struct out *zero = out_create(false, 80), *one = out_create(false, 80);
	struct text bytes = {0};
	out_place(one);
	out_pack(one, 1, &bytes);
	assert_false(out_unpack(zero, 1, bytes.bytes, bytes.count));
	out_place(zero);
	for (size_t cut = 0; cut < bytes.count; cut++)
		assert_false(out_unpack(zero, 1, bytes.bytes, cut));
	assert_true(out_unpack(zero, 1, bytes.bytes, bytes.count));
	text_release(&bytes);
	out_free(zero);
	out_free(one);
}

static void muted_says_nothing(void **state)
{
	(void)state;
	struct out *out = out_create(false, 80);
	out_mute(out, 1);
	out_mute(out, 1);
	out_say(out, "nothing\n");
	out_fill(out, out_place(out), 0, "nothing");
	out_mute(out, -1);
	out_put(out, "nothing\n", 8);
	out_mute(out, -1);
	assert_true(out_empty(out));
	out_say(out, "something\n");
	expect_rendered(out, "something\n");
	out_free(out);
}

/* A place is gone with its output; a late text for it must not land in another. */
static void late_fills_are_dropped(void **state)
{
	(void)state;
	struct out *out = out_create(false, 80);
	int old = out_place(out);
	out_render(out, NULL);
	int fresh = out_place(out);
	assert_int_not_equal(old, fresh);
	out_fill(out, old, 0, "late");
	out_fill(out, fresh, 1, "now");
	expect_rendered(out, "[1] now\n");
	out_free(out);
}

static void styles_only_in_colour(void **state)
{
	(void)state;
	struct out *out = out_create(false, 80);
	assert_string_equal(style(out, COLOUR_BAD), "");
	out_setup(out, true, 100);
	assert_string_equal(style(out, COLOUR_KERNEL), "\033[38;5;75m");
	assert_string_equal(style(out, COLOUR_PLAIN), "\033[0m");
	assert_string_equal(
	        style(out, COLOUR_HEAD), "\033[1m"); /* in the terminal's own colour, on light ones too */
	assert_int_equal(out_width(out), 100);
	out_free(out);
}

static bool say_and_render(void *self)
{
	struct out *out = out_create(false, 80);
	struct text bytes = {0}, rendered = {0};
	(void)self;
	out_say(out, "%0300d\n", 1);
	int place = out_place(out);
	for (int rank = 0; rank < 3; rank++)
		out_fill(out, place, rank, "text");
	out_pack(out, 1, &bytes);
	out_render(out, &rendered);
	bool good = rendered.count == 301 + strlen("[0-2] text\n");
	out_free(out);
	text_release(&bytes);
	text_release(&rendered);
	return good && mem_live() == 0;
}

static void any_allocation_may_fail(void **state)
{
	(void)state;
	sweep_memory(say_and_render, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(equal_texts_are_said_once),
	        cmocka_unit_test(severities_are_rendered_apart),
	        cmocka_unit_test(numbers_travel),
	        cmocka_unit_test(later_lines_stand_below_the_first),
	        cmocka_unit_test(fills_travel),
	        cmocka_unit_test(another_shape_is_noticed),
	        cmocka_unit_test(muted_says_nothing),
	        cmocka_unit_test(late_fills_are_dropped),
	        cmocka_unit_test(styles_only_in_colour),
	        cmocka_unit_test(any_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
