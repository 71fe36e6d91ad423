/* value.c -- arithmetic on values with units.
 *
 *     + - %           equal units; a plain number takes the other's unit   2ms + 1 = 2ms + 1ns
 *     compare min max equal units; a plain number only if it is 0 or inf: 2ms > 1 is refused
 *     *               plain * unit; time * rate = amount                   1ms * 12GB/s = 12MB
 *     /               unit / plain; unit / same = plain; bytes / time = rate;
 *                     bytes or plain / rate = time; plain / time, plain / bytes = plain
 *
 * Times are in ns, rates per second, so a product or quotient of both has a factor of 1e9. */
#include "shell/language/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A NaN gets no sign, so that inf-inf is shown as `nan`, not `-nan`. */
struct value value_number(double number, enum unit unit)
{
	return (struct value){
	        .kind = VALUE_NUMBER, .unit = (uint8_t)unit, .number = isnan(number) ? NAN : number};
}

struct value value_of_text(const struct shell *shell, struct slice_of_text text)
{
	return value_named(names_make(shell->world->names, text.at, text.length));
}

struct value value_plain(double number)
{
	return value_number(number, UNIT_PLAIN);
}

static size_t written_length(const struct formula *formula)
{
	size_t length = formula->written.length;
	while (length && formula->written.at[length - 1] == ' ')
		length--;
	return length;
}

static enum status units_clash(struct value a, struct value b, const struct formula *at)
{
	return fail(ST_UNIT, "%.*s: %s and %s cannot be combined", SHOWN(at->written), unit_name(a.unit),
	        unit_name(b.unit));
}

static enum status same_unit(struct value a, struct value b, const struct formula *at, enum unit *unit)
{
	if (a.unit != b.unit && a.unit != UNIT_PLAIN && b.unit != UNIT_PLAIN)
		return units_clash(a, b, at);
	*unit = a.unit == UNIT_PLAIN ? b.unit : a.unit;
	return ST_OK;
}

static bool time_and(struct value a, struct value b, enum unit rate)
{
	return (a.unit == UNIT_TIME && b.unit == rate) || (a.unit == rate && b.unit == UNIT_TIME);
}

static enum status value_multiply(
        struct value a, struct value b, const struct formula *at, struct value *result)
{
	enum unit unit = UNIT_PLAIN;
	if (a.unit == UNIT_PLAIN || b.unit == UNIT_PLAIN)
		unit = a.unit == UNIT_PLAIN ? b.unit : a.unit;
	else if (time_and(a, b, UNIT_BYTE_RATE))
		unit = UNIT_BYTES;
	else if (time_and(a, b, UNIT_FLOP_RATE))
		unit = UNIT_PLAIN;
	else
		return units_clash(a, b, at);
	bool by_time = a.unit != UNIT_PLAIN && b.unit != UNIT_PLAIN;
	*result = value_number(a.number * b.number / (by_time ? 1e9 : 1), unit);
	return ST_OK;
}

static enum status value_divide(
        struct value a, struct value b, const struct formula *at, struct value *result)
{
	if (b.number == 0)
		return fail(ST_RANGE, "%.*s divides by zero", SHOWN(at->written));
	double ratio = a.number / b.number;
	if (b.unit == UNIT_PLAIN)
		*result = value_number(ratio, a.unit);
	else if (a.unit == b.unit || (a.unit == UNIT_PLAIN && (b.unit == UNIT_TIME || b.unit == UNIT_BYTES)))
		*result = value_plain(ratio);
	else if (a.unit == UNIT_BYTES && b.unit == UNIT_TIME)
		*result = value_number(ratio * 1e9, UNIT_BYTE_RATE);
	else if ((a.unit == UNIT_BYTES && b.unit == UNIT_BYTE_RATE) || a.unit == UNIT_PLAIN)
		*result = value_number(ratio * 1e9, UNIT_TIME);
	else
		return units_clash(a, b, at);
	return ST_OK;
}

static enum status value_remainder(
        struct value a, struct value b, const struct formula *at, struct value *result)
{
	enum unit unit = UNIT_PLAIN;
	enum status status = same_unit(a, b, at, &unit);
	if (status != ST_OK)
		return status;
	if (!(b.number > 0))
		return fail(ST_RANGE, "%.*s: a remainder needs a right side above zero", SHOWN(at->written));
	double rest = fmod(a.number, b.number);
	*result = value_number(rest < 0 ? rest + b.number : rest, unit);
	return ST_OK;
}

static void number_with_unit(const struct formula *number, enum unit unit, struct text *out)
{
	static const char *const units[] = {"", "ms", "B", "GB/s", "GFLOP/s"};
	size_t length = written_length(number);
	char last = number->written.at[length - 1];
	if (last >= '0' && last <= '9') /* 9, 1e3, 0.5 */
		text_add(out, "%.*s%s", (int)length, number->written.at, units[unit]);
	else if (unit == UNIT_BYTES && strchr("kMGT", last))
		text_add(out, "%.*sB", (int)length, number->written.at);
	else
		text_add(out, "%g%s", number->number.value, units[unit]);
}

enum status value_comparable(
        struct value a, const struct formula *left, struct value b, const struct formula *right)
{
	static const char *const what[] = {"a number", "a time", "a size", "a rate", "a rate"};
	static const char *const one[] = {"", "1ms", "1B", "1GB/s", "1GFLOP/s"};
	bool plain = a.unit == UNIT_PLAIN;
	struct value bare = plain ? a : b;
	enum unit unit = (enum unit)(plain ? b.unit : a.unit);
	if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER || a.unit == b.unit || bare.unit != UNIT_PLAIN ||
	        bare.number == 0 || !isfinite(bare.number))
		return ST_OK;
	const struct formula *number = plain ? left : right, *other = plain ? right : left;
	struct text hint = {0};
	if (number->kind == FORMULA_NUMBER) {
		text_add(&hint, "write ");
		number_with_unit(number, unit, &hint);
		text_add(&hint, " (or another unit)");
	} else {
		text_add(&hint, "%.*s is %g, without a unit, which a factor of %s would give it",
		        (int)written_length(number), number->written.at, bare.number, one[unit]);
	}
	enum status status = fail(ST_UNIT, "%.*s is %s: %s", (int)written_length(other), other->written.at,
	        what[unit], text_string(&hint));
	text_release(&hint);
	return status;
}

static bool numbers_compare(enum formula_kind kind, double a, double b)
{
	switch (kind) {
	case FORMULA_EQUAL:
		return a == b;
	case FORMULA_UNEQUAL:
		return a != b;
	case FORMULA_LESS:
		return a < b;
	case FORMULA_AT_MOST:
		return a <= b;
	case FORMULA_MORE:
		return a > b;
	default:
		return a >= b;
	}
}

enum status value_binary(enum formula_kind kind, struct value a, struct value b, const struct formula *at,
        struct value *result)
{
	enum unit unit = UNIT_PLAIN;
	enum status status;

	if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER) {
		bool texts = a.kind != VALUE_NUMBER && b.kind != VALUE_NUMBER;
		if (!texts || (kind != FORMULA_EQUAL && kind != FORMULA_UNEQUAL))
			return fail(
			        ST_ARGUMENT, "%.*s: a number was expected on both sides", SHOWN(at->written));
		*result = value_plain((a.name == b.name) == (kind == FORMULA_EQUAL));
		return ST_OK;
	}
	if (kind == FORMULA_MULTIPLY)
		return value_multiply(a, b, at, result);
	if (kind == FORMULA_DIVIDE)
		return value_divide(a, b, at, result);
	if (kind == FORMULA_REMAINDER)
		return value_remainder(a, b, at, result);
	if (kind == FORMULA_WHOLE) {
		status = value_divide(a, b, at, result);
		result->number = floor(result->number);
		return status;
	}
	status = same_unit(a, b, at, &unit);
	if (status != ST_OK)
		return status;
	if (kind == FORMULA_ADD || kind == FORMULA_SUBTRACT)
		*result = value_number(kind == FORMULA_ADD ? a.number + b.number : a.number - b.number, unit);
	else
		*result = value_plain(numbers_compare(kind, a.number, b.number));
	return ST_OK;
}

enum status value_whole(struct value value, struct slice_of_text what, int64_t *whole)
{
	if (value.kind != VALUE_NUMBER)
		return fail(ST_ARGUMENT, "'%.*s' is not a number", SHOWN(what));
	if (value.unit != UNIT_PLAIN && value.unit != UNIT_BYTES)
		return fail(ST_UNIT, "'%.*s' is %s, and a count was expected", SHOWN(what),
		        unit_name(value.unit));
	if (value.number != floor(value.number) || !(fabs(value.number) <= 0x1p53))
		return fail(ST_RANGE, "'%.*s' is %g: a whole number was expected", SHOWN(what), value.number);
	*whole = (int64_t)value.number;
	return ST_OK;
}

/* Converts *number, in ns, to the largest unit in which it is whole, and returns that unit. */
static const char *time_unit(double *number)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (*number != 0 && fabs(*number) < 0x1p53 && fmod(*number, units[i].ns) == 0) {
			*number /= units[i].ns;
			return units[i].name;
		}
	return "ns";
}

/* "4", "0.050000000000000003", "20us", "(inf-inf)" */
void value_exact(struct value value, struct text *out)
{
	double rate = value.unit == UNIT_BYTE_RATE || value.unit == UNIT_FLOP_RATE ? 1e9 : 1;
	const char *const units[] = {"", "ns", "B", "GB/s", "GFLOP/s"};
	double number = value.number / rate;
	const char *unit = value.unit == UNIT_TIME ? time_unit(&number) : units[value.unit];
	char digits[40];
	bool whole = number_is_whole(number, -0x1p53, 0x1p53) && (number != 0 || !signbit(number));
	if (whole)
		*number_digits(digits, (int64_t)number) = '\0';
	/* the fewest digits that read back as the same number */
	for (int precision = 6; precision <= 17 && !whole; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	text_add(out, "%s%s", isnan(number) ? "(inf-inf)" : digits, isfinite(number) ? unit : "");
}

void value_text(const struct shell *shell, struct value value, struct text *out)
{
	if (value.kind == VALUE_NUMBER) {
		number_text((struct number){value.number, value.unit}, out);
		return;
	}
	const char *text = names_text(shell->world->names, value.name);
	text_put(out, text, strlen(text));
}
