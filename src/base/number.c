/* number.c -- numbers with units
 *
 * Read into ns, bytes, bytes/s or FLOP/s. Bytes use 1024s, rates 1000s, as vendors do: 12GB/s is
 * 12e9 bytes/s, 12GB is 12 x 2^30 bytes. */
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit is an optional letter of `prefix`, each worth `step` times the one before, then the name.
 * times: the factor without a prefix; 0: the prefix is required. */
static const struct {
	const char *prefix, *name;
	double times, step;
	enum unit unit;
} units[] = {
        {"", "x", 1, 1, UNIT_PLAIN},
        {"", "ns", 1, 1, UNIT_TIME},
        {"", "us", 1e3, 1, UNIT_TIME},
        {"", "\u00b5s", 1e3, 1, UNIT_TIME},
        {"", "\u03bcs", 1e3, 1, UNIT_TIME},
        {"", "ms", 1e6, 1, UNIT_TIME},
        {"", "s", 1e9, 1, UNIT_TIME},
        {"kKMGT", "", 1, 1024, UNIT_PLAIN},
        {"kKMGT", "B", 1, 1024, UNIT_BYTES},
        {"KMGT", "iB", 0, 1024, UNIT_BYTES},
        {"kKMGT", "B/s", 1, 1000, UNIT_BYTE_RATE},
        {"kMGTP", "FLOP/s", 1, 1000, UNIT_FLOP_RATE},
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Returns the length of [0-9]*[.[0-9]*][e[+-][0-9]+]; 0 without a digit. */
static size_t digits_of(const char *s)
{
	size_t whole = strspn(s, "0123456789"), at = whole, part = 0;
	if (s[at] == '.') {
		part = strspn(s + at + 1, "0123456789");
		if (whole + part == 0)
			return 0;
		at += 1 + part;
	}
	if (at && (s[at] == 'e' || s[at] == 'E')) {
		size_t sign = s[at + 1] == '+' || s[at + 1] == '-';
		size_t exponent = strspn(s + at + 1 + sign, "0123456789");
		at += exponent ? 1 + sign + exponent : 0;
	}
	return at;
}

static enum status read_digits(const char *s, size_t length, double *value)
{
	char digits[128];

	if (!length)
		return fail(ST_SYNTAX, "a number was expected at '%.20s'", s);
	if (length >= sizeof digits)
		return fail(ST_RANGE, "'%.20s...' has too many digits", s);
	memcpy(digits, s, length);
	digits[length] = '\0';
	*value = strtod(digits, NULL);
	return isinf(*value) ? fail(ST_RANGE, "%s is too large for a number", digits) : ST_OK;
}

static bool read_unit(const char *s, size_t length, struct number *number)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t name = strlen(units[i].name), prefix = length - name;
		if (name > length || prefix > 1 || memcmp(s + prefix, units[i].name, name) != 0 ||
		        (prefix ? !strchr(units[i].prefix, *s) : !units[i].times))
			continue;
		double times = prefix ? units[i].step : units[i].times;
		for (const char *at = "kMGTP"; prefix && *at != *s && *s != 'K'; at++)
			times *= units[i].step;
		double product = number->value * times, whole = round(product);
		if (fabs(product - whole) <= fabs(product) * 1e-14)
			product = whole; /* 4.02ms is 4020000 ns */
		*number = (struct number){product, units[i].unit};
		return true;
	}
	return false;
}

/* The longest run of letters is the unit, so 4kB is not 4k and a B. */
enum status number_read(const char *s, struct number *number, int *used)
{
	struct number read = {0, UNIT_PLAIN};
	size_t digits = digits_of(s), unit = 0;
	enum status status = read_digits(s, digits, &read.value);

	if (status)
		return status;
	while (is_name(s[digits + unit]))
		unit++;
	const char *after = s + digits + unit; /* "/s" must end the unit: 4kB/size divides */
	bool rate = after[0] == '/' && after[1] == 's' && !is_name(after[2]);
	if (unit && rate && read_unit(s + digits, unit + 2, &read))
		unit += 2;
	else if (unit && !read_unit(s + digits, unit, &read))
		return fail(ST_UNIT,
		        "'%.*s': no unit '%.*s' (ns us ms s, k M G, B kB MB GB, GB/s, TFLOP/s, %%, x)",
		        (int)(digits + unit > 40 ? 40 : digits + unit), s, (int)(unit > 30 ? 30 : unit),
		        s + digits);
	else if (!unit && *after == '%' && !is_name(after[1]) && (!after[1] || !strchr(".$([{", after[1]))) {
		/* not the remainder, whose right side begins with a name, number or bracket */
		read.value /= 100;
		unit = 1;
	}
	*number = read;
	*used = digits + unit;
	return ST_OK;
}

bool number_is_whole(double value, double least, double most)
{
	return value >= least && value <= most && value == floor(value);
}

bool number_is_time(struct number number, int64_t *ns)
{
	if (!(number.value >= 0 && number.value < 9e18) ||
	        (number.unit != UNIT_TIME && (number.unit != UNIT_PLAIN || number.value > 0)))
		return false;
	*ns = (int64_t)number.value;
	return true;
}

const char *unit_name(enum unit unit)
{
	static const char *const names[] = {"a plain number", "a time", "bytes", "bytes/s", "FLOP/s"};
	return names[unit];
}

void time_text(int64_t ns, struct text *out)
{
	double value = ns, size = fabs(value);
	if (ns == 0)
		text_add(out, "0");
	else if (size < 1e3)
		text_add(out, "%lld ns", (long long)ns);
	else if (size < 999.5e3)
		text_add(out, "%.3g us", value / 1e3);
	else if (size < 999.995e6)
		text_add(out, "%.2f ms", value / 1e6);
	else
		text_add(out, "%.2f s", value / 1e9);
}

/* Uses the largest prefix that keeps the value at 1 or more. */
static void prefixed_text(double value, double step, const char *unit, struct text *out)
{
	static const char prefix[] = " kMGTP";
	int i = 0;
	while (fabs(value) >= (i ? step - 0.05 : step) && prefix[i + 1]) {
		value /= step;
		i++;
	}
	text_add(out, i ? "%.*g %c%s" : "%.*g%c%s", fabs(value) >= 999.95 ? 5 : 4, value, prefix[i], unit);
}

void bytes_text(int64_t bytes, struct text *out)
{
	prefixed_text(bytes, 1024, "B", out);
}

static struct short_words short_of(struct text *text)
{
	struct short_words words;
	snprintf(words.text, sizeof words.text, "%s", text_string(text));
	text_release(text);
	return words;
}

struct short_words time_words(int64_t ns)
{
	struct text text = {0};
	time_text(ns, &text);
	return short_of(&text);
}

struct short_words bytes_words(int64_t bytes)
{
	struct text text = {0};
	bytes_text(bytes, &text);
	return short_of(&text);
}

char *number_digits(char *to, int64_t value)
{
	/* not sprintf: names with a `$` are spelled millions of times in a run */
	char digits[20];
	int count = 0;
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do
		digits[count++] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*to++ = '-';
	while (count > 0)
		*to++ = digits[--count];
	*to = '\0';
	return to;
}

void number_plain(double value, int digits, double whole, char out[NUMBER_ROOM])
{
	if (isnan(value))
		snprintf(out, NUMBER_ROOM, "nan");
	else if (isinf(value))
		snprintf(out, NUMBER_ROOM, value < 0 ? "-inf" : "inf");
	else if (value == trunc(value) && fabs(value) < whole)
		number_digits(out, (int64_t)value);
	else
		snprintf(out, NUMBER_ROOM, "%.*g", digits, value);
}

void number_text(struct number number, struct text *out)
{
	char plain[NUMBER_ROOM];
	number_plain(number.value, 6, 1e15, plain);
	if (number.unit == UNIT_PLAIN || !isfinite(number.value))
		text_put(out, plain, strlen(plain));
	else if (number.unit == UNIT_TIME && fabs(number.value) < 1e3)
		text_add(out, number.value == 0 ? "%.3g" : "%.3g ns", number.value);
	else if (number.unit == UNIT_TIME && fabs(number.value) < 9e18)
		time_text(llround(number.value), out);
	else if (number.unit == UNIT_TIME)
		text_add(out, "%.3g s", number.value / 1e9);
	else if (number.unit == UNIT_BYTES)
		prefixed_text(number.value, 1024, "B", out);
	else
		prefixed_text(number.value, 1000, number.unit == UNIT_BYTE_RATE ? "B/s" : "FLOP/s", out);
}
