/* steering.c -- keeps recorded inputs as text, and reads them in a replay
 *
 *     then    x[0]\t1.5\n time\t2400000\t0\n ...    one line a read, in reading order
 *             at ^                                   the next read is compared with this line
 *
 * Journals may have been edited: a value that cannot be read is reported and skipped; after
 * another name, current values are used. */
#include "shell/session/steering.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_MOST = 3, WHAT_MOST = 60 };

void steering_line(struct steering *steering)
{
	steering->kept = true;
	text_clear(&steering->read);
}

void steering_again(struct steering *steering, const char *then)
{
	text_clear(&steering->then);
	text_clear(&steering->told);
	text_put(&steering->then, then, strlen(then));
	steering->at = 0;
	steering->again = true;
	steering->astray = false;
	steering->differ = 0;
}

void steering_over(struct steering *steering)
{
	steering->kept = steering->again = false;
	if (steering->differ > TOLD_MOST)
		text_add(&steering->told, "... and %d more values differ\n", steering->differ - TOLD_MOST);
	steering->differ = 0;
}

void steering_release(struct steering *steering)
{
	text_release(&steering->read);
	text_release(&steering->program);
	text_release(&steering->then);
	text_release(&steering->told);
}

/* Copies a name as the log has it: cut, without control characters. */
static size_t named(const char *what, size_t length, char name[WHAT_MOST])
{
	size_t count = length < WHAT_MOST ? length : WHAT_MOST;
	for (size_t i = 0; i < count; i++)
		name[i] = (char)((unsigned char)what[i] < ' ' ? ' ' : what[i]);
	return count;
}

static bool equal(double a, double b)
{
	return a == b ? !signbit(a) == !signbit(b) : isnan(a) && isnan(b);
}

static void put_values(struct text *out, const double *value, size_t count)
{
	char digits[24];
	size_t same = 1;
	while (same < count && equal(value[same], value[0]))
		same++;
	for (size_t i = 0; i < (same == count ? 1 : count); i++) {
		text_put(out, i ? " " : "\t", 1);
		if (number_is_whole(value[i], -1e15, 1e15) && !(value[i] == 0 && signbit(value[i])))
			text_put(out, digits, (size_t)(number_digits(digits, (int64_t)value[i]) - digits));
		else
			text_add(out, "%.17g", value[i]);
	}
}

/* value: used; now: read */
static void put_read(struct text *out, const char *name, size_t length, const double *value,
        const double *now, size_t count)
{
	text_put(out, name, length);
	put_values(out, value, count);
	for (size_t i = 0; i < count; i++)
		if (!equal(value[i], now[i])) {
			put_values(out, now, count);
			break;
		}
	text_put(out, "\n", 1);
}

/* Reads one number, for all, or `count` numbers, up to a tab or line end. */
static bool take_values(const char *at, double *value, size_t count)
{
	size_t got = 0;
	for (; *at && *at != '\n' && *at != '\t'; got++) {
		char *end;
		double number = strtod(at, &end);
		if (end == at || !strchr(" \t\n", *end) || got == count)
			return false;
		value[got] = number;
		at = *end == ' ' ? end + 1 : end;
	}
	for (size_t i = got; got == 1 && i < count; i++)
		value[i] = value[0];
	return got == 1 || got == count;
}

static bool says(struct steering *steering)
{
	return steering->differ++ < TOLD_MOST;
}

/* Returns the next values, and moves `at` after them; NULL: none, or another name. */
static const char *next_of(struct steering *steering, const char *name, size_t length)
{
	const char *from = text_string(&steering->then) + steering->at;
	if (steering->astray || !*from)
		return NULL;
	if (strncmp(from, name, length) != 0 || from[length] != '\t') {
		char other[WHAT_MOST];
		size_t was = strcspn(from, "\t\n");
		bool tells = says(steering);
		if (tells && was > 0 && from[was] == '\t')
			text_add(&steering->told,
			        "it reads %.*s instead of %.*s: from there on it uses current values\n",
			        (int)length, name, (int)named(from, was, other), other);
		else if (tells)
			text_add(&steering->told,
			        "the journal's values cannot be read from %.*s on: it uses current values\n",
			        (int)length, name);
		steering->astray = true;
		return NULL;
	}
	size_t whole = strcspn(from, "\n");
	steering->at += whole + (from[whole] == '\n');
	return from + length + 1;
}

bool steering_knows(const struct steering *steering, const char *what, size_t length)
{
	char name[WHAT_MOST];
	const char *from = text_string(&steering->then) + steering->at;
	length = named(what, length, name);
	return steering->again && !steering->looks && !steering->astray && strncmp(from, name, length) == 0 &&
	        from[length] == '\t';
}

bool steering_then(const struct steering *steering, const char *what, size_t length, double *value)
{
	char name[WHAT_MOST];
	return steering_knows(steering, what, length) &&
	        take_values(text_string(&steering->then) + steering->at + named(what, length, name) + 1,
	                value, 1);
}

bool steering_recall(struct steering *steering, const char *what, size_t length, double *value, size_t count)
{
	char name[WHAT_MOST];
	const char *at = text_string(&steering->then) + steering->at;
	length = named(what, length, name);
	for (; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (strncmp(at, name, length) == 0 && at[length] == '\t')
			break;
	if (!*at || !take_values(at + length + 1, value, count))
		return false;
	at += strcspn(at, "\n");
	steering->at = (size_t)(at + (*at == '\n') - text_string(&steering->then));
	return true;
}

/* Returns true if an earlier replay reported these values. */
static bool change_is_reported(const char *values, const double *now, size_t count)
{
	const char *reported = values + strcspn(values, "\t\n");
	double *before = mem_alloc(count * sizeof *before);
	size_t i = 0;
	if (*reported == '\t' && take_values(reported + 1, before, count))
		while (i < count && equal(now[i], before[i]))
			i++;
	mem_free(before);
	return i == count;
}

static void tell(struct steering *steering, const char *name, int length, const struct ranks *set,
        const double *now, const double *then, size_t count)
{
	size_t i = 0, others = 0, each = count / (size_t)ranks_count(set);
	while (i < count && equal(now[i], then[i]))
		i++;
	for (size_t k = i + 1; k < count; k++)
		others += !equal(now[k], then[k]);
	if (i == count || !says(steering))
		return;
	int rank = ranks_first(set);
	for (size_t skip = i / each; skip > 0; skip--)
		rank = ranks_next(set, rank);
	text_add(&steering->told, "%.*s of rank %d was %.9g and is %.9g now", length, name, rank, then[i],
	        now[i]);
	if (others)
		text_add(&steering->told, " (%zu other value%s differ%s too)", others, others == 1 ? "" : "s",
		        others == 1 ? "s" : "");
	text_add(&steering->told, "; it uses the recorded value\n");
}

static bool as_then(struct steering *steering, const char *name, size_t length, const struct ranks *set,
        double *value, size_t count)
{
	const char *values = next_of(steering, name, length);
	if (!values)
		return false;
	double *then = mem_alloc(count * sizeof *then);
	bool good = take_values(values, then, count);
	if (good) {
		if (!change_is_reported(values, value, count))
			tell(steering, name, (int)length, set, value, then, count);
		memcpy(value, then, count * sizeof *then);
	} else if (says(steering)) {
		text_add(&steering->told,
		        "the journal's value of %.*s cannot be read: it uses the current value\n",
		        (int)length, name);
	}
	mem_free(then);
	return good;
}

bool steering_read(struct steering *steering, const char *what, size_t length, const struct ranks *set,
        double *value, size_t count)
{
	char name[WHAT_MOST];
	bool same = false;
	if (steering->looks || !(steering->kept || steering->steps || steering->again))
		return false;
	length = named(what, length, name);
	double *now = mem_alloc(count * sizeof *now);
	memcpy(now, value, count * sizeof *now);
	if (steering->again)
		same = as_then(steering, name, length, set, value, count);
	if (steering->kept)
		put_read(&steering->read, name, length, value, now, count);
	if (steering->steps)
		put_read(&steering->program, name, length, value, now, count);
	mem_free(now);
	return same;
}
