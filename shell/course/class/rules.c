/* rules.c -- parses the file `class` with a table of settings */
#include "shell/course/class/rules.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* Returns "14:30" as minutes and moves *at past it; -1 if it is no time. */
static int time_of_day(const char **at)
{
	char *end;
	long hour = isdigit((unsigned char)**at) ? strtol(*at, &end, 10) : -1;
	if (hour < 0 || hour > 23 || *end != ':' || !isdigit((unsigned char)end[1]) ||
	        !isdigit((unsigned char)end[2]))
		return -1;
	int minute = (end[1] - '0') * 10 + end[2] - '0';
	*at = end + 3;
	return minute < 60 ? (int)hour * 60 + minute : -1;
}

/* ---- a setting's value: each returns true if it can be read */

static bool read_lessons(struct class_rules *rules, const char *value)
{
	const uint64_t one = 1;
	rules->lessons = 0;
	while (*(value += strspn(value, " \t,"))) {
		char *end;
		long first = isdigit((unsigned char)*value) ? strtol(value, &end, 10) : 0, last = first;
		if (first < 1)
			return false;
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtol(end + 1, &end, 10);
		if (last < first || last > CLASS_LESSONS_MOST || (*end && !strchr(" \t,", *end)))
			return false;
		for (long lesson = first; lesson <= last; lesson++)
			rules->lessons |= one << (lesson - 1);
		value = end;
	}
	return rules->lessons != 0;
}

static bool read_minutes(struct class_rules *rules, const char *value)
{
	char *end;
	long minutes = isdigit((unsigned char)*value) ? strtol(value, &end, 10) : 0;
	if (minutes < 1 || minutes > DAY_MINUTES || *end)
		return false;
	rules->minutes = (int)minutes;
	return true;
}

static bool read_until(struct class_rules *rules, const char *value)
{
	int until = time_of_day(&value);
	rules->until = until;
	return until > 0 && !*value;
}

static bool read_when(int *when, const char *value)
{
	bool never = strcmp(value, "no") == 0;
	*when = never ? DAY_MINUTES : 0;
	if (never || strcmp(value, "yes") == 0)
		return true;
	if (strncmp(value, "after ", 6) != 0)
		return false;
	value = skip_blanks(value + 6);
	*when = time_of_day(&value);
	return *when >= 0 && !*value;
}

static bool read_hint(struct class_rules *rules, const char *value)
{
	return read_when(&rules->hint, value);
}

static bool read_solution(struct class_rules *rules, const char *value)
{
	return read_when(&rules->solution, value);
}

static const struct setting {
	const char *name;
	bool (*read)(struct class_rules *rules, const char *value);
	const char *wants;
} settings[] = {
        {"lessons", read_lessons, "numbers of lessons, as in 1 2 4-6"},
        {"minutes", read_minutes, "a number of minutes, as in 90"},
        {"until", read_until, "a time of day, as in 14:30"},
        {"hint", read_hint, "yes, no or a time, as in after 14:00"},
        {"solution", read_solution, "yes, no or a time, as in after 14:00"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };
static const char names[] = "lessons minutes until hint solution";

static enum status read_setting(struct class_rules *rules, unsigned *said, const char *line)
{
	size_t length = strcspn(line, " \t=");
	const char *sign = skip_blanks(line + length);
	int near_length = 0, row = text_place(names, line, length);
	const char *near = text_nearest(names, line, length, &near_length);
	struct class_rules changed = *rules;
	if (row < 0 && near)
		return fail(ST_SYNTAX, "no setting '%.*s'; did you mean %.*s?", (int)length, line,
		        near_length, near);
	if (row < 0)
		return fail(ST_SYNTAX, "no setting '%.*s'; there are %s", (int)length, line, names);
	if (*said & 1u << row)
		return fail(ST_SYNTAX, "%s twice", settings[row].name);
	*said |= 1u << row;
	const char *value = skip_blanks(sign + (*sign == '='));
	if (*sign != '=' || !settings[row].read(&changed, value))
		return fail(ST_SYNTAX, "%s = needs %s, not '%s'", settings[row].name, settings[row].wants,
		        *sign == '=' ? value : sign);
	*rules = changed;
	return ST_OK;
}

enum status rules_read(struct class_rules *rules, const char *bytes, size_t count, const char *name)
{
	const char *saved = text_lines_saved_as(bytes, count);
	struct text words = {0};
	char *first = NULL;
	unsigned said = 0;
	int number = 0;
	*rules = (struct class_rules){0};
	if (saved)
		return fail(ST_SYNTAX, "%s: %s", name, saved);
	FOR_LINES (line, bytes, count) {
		const char *hash = memchr(line.at, '#', line.length);
		size_t length = hash ? (size_t)(hash - line.at) : line.length;
		while (length && isspace((unsigned char)line.at[length - 1]))
			length--;
		number++;
		text_clear(&words);
		text_put(&words, line.at, length);
		const char *begin = skip_blanks(text_string(&words));
		if (!*begin || read_setting(rules, &said, begin) == ST_OK || first)
			continue;
		fail_in(ST_SYNTAX, "%s, line %d", name, number);
		first = fail_copy();
	}
	text_release(&words);
	enum status status = first ? fail(ST_SYNTAX, "%s", first) : ST_OK;
	mem_free(first);
	return status;
}

bool rules_opens(const struct class_rules *rules, int lesson)
{
	return !rules->lessons ||
	        (lesson >= 1 && lesson <= CLASS_LESSONS_MOST && rules->lessons >> (lesson - 1) & 1);
}

void rules_lessons(const struct class_rules *rules, struct text *out)
{
	const char *between = "";
	for (int lesson = 1, last; lesson <= CLASS_LESSONS_MOST; lesson = last + 1) {
		for (last = lesson; rules->lessons >> (last - 1) & 1; last++)
			if (last == CLASS_LESSONS_MOST)
				break;
		last -= !(rules->lessons >> (last - 1) & 1);
		if (last < lesson) {
			last = lesson;
			continue;
		}
		text_add(out, last > lesson ? "%s%d-%d" : "%s%d", between, lesson, last);
		between = " ";
	}
}

static void add_when(struct text *out, int when, const char *what)
{
	const char *between = out->count ? ", " : "";
	if (when == DAY_MINUTES)
		text_add(out, "%sno %s", between, what);
	else if (when)
		text_add(out, "%s%s after %d:%02d", between, what, when / 60, when % 60);
}

void rules_words(const struct class_rules *rules, struct text *out)
{
	struct text words = {0};
	if (rules->lessons) {
		text_add(&words, "lessons ");
		rules_lessons(rules, &words);
	}
	if (rules->minutes)
		text_add(&words, "%s%d minutes each", words.count ? ", " : "", rules->minutes);
	if (rules->until)
		text_add(&words, "%suntil %d:%02d", words.count ? ", " : "", rules->until / 60,
		        rules->until % 60);
	add_when(&words, rules->hint, "hints");
	add_when(&words, rules->solution, "solutions");
	text_put(out, text_string(&words), words.count);
	text_release(&words);
}
