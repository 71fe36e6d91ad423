/* test_number.c -- numbers with units, parsed and printed */
#include "base/number.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void numbers_are_read(void **state)
{
	static const struct {
		const char *text;
		double value;
		enum unit unit;
		int used;
	} rows[] = {
	        {"0", 0, UNIT_PLAIN, 1},
	        {"12", 12, UNIT_PLAIN, 2},
	        {"0.5", 0.5, UNIT_PLAIN, 3},
	        {".5", 0.5, UNIT_PLAIN, 2},
	        {"5.", 5, UNIT_PLAIN, 2},
	        {"1e-3", 1e-3, UNIT_PLAIN, 4},
	        {"2E+2", 200, UNIT_PLAIN, 4},
	        {"1e3k", 1024e3, UNIT_PLAIN, 4},
	        {"4k", 4096, UNIT_PLAIN, 2},
	        {"4k/n", 4096, UNIT_PLAIN, 2},
	        {"1M", 1048576, UNIT_PLAIN, 2},
	        {"2G", 0x1p31, UNIT_PLAIN, 2},
	        {"1.5x", 1.5, UNIT_PLAIN, 4},
	        {"20us", 20e3, UNIT_TIME, 4},
	        {"20\u00b5s", 20e3, UNIT_TIME, 5},
	        {"1.5ms", 1.5e6, UNIT_TIME, 5},
	        {"3s", 3e9, UNIT_TIME, 2},
	        {"7ns)", 7, UNIT_TIME, 3},
	        {"64kB", 65536, UNIT_BYTES, 4},
	        {"64KB", 65536, UNIT_BYTES, 4},
	        {"96B", 96, UNIT_BYTES, 3},
	        {"256MB", 256 * 0x1p20, UNIT_BYTES, 5},
	        {"80GB", 80 * 0x1p30, UNIT_BYTES, 4},
	        {"12GB/s", 12e9, UNIT_BYTE_RATE, 6},
	        {"500kB/s", 500e3, UNIT_BYTE_RATE, 7},
	        {"3.35TB/s", 3.35e12, UNIT_BYTE_RATE, 8},
	        {"19.5TFLOP/s", 19.5e12, UNIT_FLOP_RATE, 11},
	        {"989e12FLOP/s", 989e12, UNIT_FLOP_RATE, 12},
	        {"4kB/size", 4096, UNIT_BYTES, 3},
	        {"4kB/2", 4096, UNIT_BYTES, 3},
	        {"4k/s", 4096, UNIT_PLAIN, 2},
	        {"80%", 0.8, UNIT_PLAIN, 3},
	        {"80% * x", 0.8, UNIT_PLAIN, 3},
	        {"80%)", 0.8, UNIT_PLAIN, 3},
	        {"80%]", 0.8, UNIT_PLAIN, 3},
	        {"8 % 3", 8, UNIT_PLAIN, 1},
	        {"8%3", 8, UNIT_PLAIN, 1},
	        {"8%n", 8, UNIT_PLAIN, 1},
	        {"8%(n+1)", 8, UNIT_PLAIN, 1},
	        {"8%.5", 8, UNIT_PLAIN, 1},
	        {"8%$n", 8, UNIT_PLAIN, 1},
	        {"8% 3", 0.08, UNIT_PLAIN, 2},
	        {"8k%3", 8192, UNIT_PLAIN, 2},
	        {"0:4", 0, UNIT_PLAIN, 1},
	        {"3]", 3, UNIT_PLAIN, 1},
	        {"1,2", 1, UNIT_PLAIN, 1},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct number number = {-1, UNIT_PLAIN};
		int used = -1;
		if (number_read(rows[i].text, &number, &used))
			fail_msg("%s: %s", rows[i].text, fail_text());
		if (fabs(number.value - rows[i].value) > 1e-12 * fabs(rows[i].value) ||
		        number.unit != rows[i].unit || used != rows[i].used)
			fail_msg("%s gives %g %s, %d used", rows[i].text, number.value,
			        unit_name(number.unit), used);
	}
}

/* No multiplication of decimals may miss the nanosecond: 4.02 * 1e6 is 4019999.9999999995 */
static void times_are_whole(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		char text[32];
		struct number number;
		int used;
		snprintf(text, sizeof text, "%d.%02dms", i / 100, i % 100);
		assert_int_equal(number_read(text, &number, &used), ST_OK);
		if (number.value != 10000.0 * i)
			fail_msg("%s gives %.17g ns", text, number.value);
	}
}

static void others_are_refused(void **state)
{
	static const struct {
		const char *text;
		enum status status;
		const char *words;
	} rows[] = {
	        {"", ST_SYNTAX, "number"},
	        {"x", ST_SYNTAX, "x"},
	        {"-1", ST_SYNTAX, "-1"},
	        {".", ST_SYNTAX, "."},
	        {"inf", ST_SYNTAX, "inf"},
	        {"20uss", ST_UNIT, "uss"},
	        {"4kb", ST_UNIT, "kb"},
	        {"0x10", ST_UNIT, "x10"},
	        {"1_000", ST_UNIT, "_000"},
	        {"2e", ST_UNIT, "'e'"},
	        {"1e999", ST_RANGE, "large"},
	        {"12Gb/s", ST_UNIT, "Gb"},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct number number = {42, UNIT_BYTES};
		int used = 42;
		assert_int_equal(number_read(rows[i].text, &number, &used), rows[i].status);
		assert_words(rows[i].words);
		assert_true(number.value == 42 && number.unit == UNIT_BYTES && used == 42);
	}
	char digits[300];
	memset(digits, '7', sizeof digits - 1);
	digits[sizeof digits - 1] = '\0';
	assert_int_equal(number_read(digits, &(struct number){0}, &(int){0}), ST_RANGE);
}

static void numbers_are_shown(void **state)
{
	static const struct {
		struct number number;
		const char *text;
	} rows[] = {
	        {{0, UNIT_PLAIN}, "0"},
	        {{-0.0, UNIT_PLAIN}, "0"},
	        {{12, UNIT_PLAIN}, "12"},
	        {{0.83, UNIT_PLAIN}, "0.83"},
	        {{-1048576, UNIT_PLAIN}, "-1048576"},
	        {{1.0 / 3, UNIT_PLAIN}, "0.333333"},
	        {{1e20, UNIT_PLAIN}, "1e+20"},
	        {{INFINITY, UNIT_PLAIN}, "inf"},
	        {{-INFINITY, UNIT_TIME}, "-inf"},
	        {{NAN, UNIT_PLAIN}, "nan"},
	        {{2e6, UNIT_TIME}, "2.00 ms"},
	        {{0.5, UNIT_TIME}, "0.5 ns"},
	        {{0, UNIT_TIME}, "0"},
	        {{-20e3, UNIT_TIME}, "-20 us"},
	        {{1e19, UNIT_TIME}, "1e+10 s"},
	        {{65536, UNIT_BYTES}, "64 kB"},
	        {{96, UNIT_BYTES}, "96 B"},
	        {{273e6, UNIT_BYTE_RATE}, "273 MB/s"},
	        {{12.5e9, UNIT_BYTE_RATE}, "12.5 GB/s"},
	        {{989e12, UNIT_FLOP_RATE}, "989 TFLOP/s"},
	        {{999, UNIT_BYTE_RATE}, "999 B/s"},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct text text = {0};
		number_text(rows[i].number, &text);
		assert_string_equal(text_string(&text), rows[i].text);
		text_release(&text);
	}
}

static void times_and_bytes_are_shown(void **state)
{
	static const struct {
		int64_t value;
		const char *time, *bytes;
	} rows[] = {
	        {0, "0", "0 B"},
	        {96, "96 ns", "96 B"},
	        {999, "999 ns", "999 B"},
	        {1023, "1.02 us", "1023 B"},
	        {1024, "1.02 us", "1 kB"},
	        {20000, "20 us", "19.53 kB"},
	        {999499, "999 us", "976.1 kB"},
	        {999500, "1.00 ms", "976.1 kB"},
	        {1048575, "1.05 ms", "1 MB"},
	        {1572864, "1.57 ms", "1.5 MB"},
	        {2000000, "2.00 ms", "1.907 MB"},
	        {1250000000, "1.25 s", "1.164 GB"},
	        {999994999, "999.99 ms", "953.7 MB"},
	        {999995000, "1.00 s", "953.7 MB"},
	        {-2000000, "-2.00 ms", "-1.907 MB"},
	        {INT64_C(1) << 46, "70368.74 s", "64 TB"},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct text text = {0};
		time_text(rows[i].value, &text);
		text_put(&text, "|", 1);
		bytes_text(rows[i].value, &text);
		char wanted[64];
		snprintf(wanted, sizeof wanted, "%s|%s", rows[i].time, rows[i].bytes);
		assert_string_equal(text_string(&text), wanted);
		text_release(&text);
	}
}

static void whole_numbers_are_told(void **state)
{
	(void)state;
	assert_true(number_is_whole(-3, -3, 5) && number_is_whole(5, -3, 5) &&
	        number_is_whole(0x1p53, 0, 0x1p53));
	assert_false(number_is_whole(-4, -3, 5) || number_is_whole(6, -3, 5) || number_is_whole(0.5, -3, 5));
	assert_false(number_is_whole(1e308, 0, 0x1p53) || number_is_whole(INFINITY, 0, 0x1p53) ||
	        number_is_whole(-INFINITY, -0x1p53, 0));
	assert_false(number_is_whole(NAN, -1e9, 1e9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_are_read),
	        cmocka_unit_test(times_are_whole),
	        cmocka_unit_test(others_are_refused),
	        cmocka_unit_test(numbers_are_shown),
	        cmocka_unit_test(times_and_bytes_are_shown),
	        cmocka_unit_test(whole_numbers_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
