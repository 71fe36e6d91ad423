/* test.c -- compares a script's output with its `#> text` lines
 *
 * A segment is some lines with their `#>` texts, below them or at the end of the last line. Each
 * segment runs and is compared; one that ends within a block is joined with the next. Measured
 * times are not compared. */
#include "shell/rank/conductor.h"
#include "shell/session/out.h"

#include <ctype.h>
#include <string.h>

struct test {
	struct conductor *conductor;
	const char *file;
	struct text printed, expected;
	struct text report;
	int segment_line;
};

static void keep(void *self, enum severity severity, const char *bytes, size_t count)
{
	(void)severity;
	struct test *test = self;
	text_put(&test->printed, bytes, count);
}

static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	struct test *test = self;
	text_add(&test->printed, "[rank %d] %.*s", rank, (int)count, bytes);
}

/* Returns the length without trailing blanks; *next: the line after it. */
static size_t line_at(const char *at, const char *end, const char **next)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	const char *stop = newline ? newline : end;
	*next = newline ? newline + 1 : end;
	while (stop > at && strchr(" \t\r", stop[-1]))
		stop--;
	return (size_t)(stop - at);
}

static void mark_text(char mark, const struct text *text, struct text *marked)
{
	const char *at = text_string(text), *end = at + text->count;
	while (at < end) {
		const char *next;
		size_t count = line_at(at, end, &next);
		text_add(marked, "%c %.*s\n", mark, (int)count, at);
		at = next;
	}
}

/* Returns the bytes of "1.50 ms", "20us" or "99%"; 0 if there is none. */
static size_t time_at(const char *at)
{
	static const char *const units[] = {"ns", "us", "ms", "s", "%"};
	size_t count = strspn(at, "0123456789."), unit = count + (at[count] == ' ');
	for (size_t i = 0; count && i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i]);
		if (strncmp(at + unit, units[i], length) == 0 && !isalnum((unsigned char)at[unit + length]))
			return unit + length;
	}
	return 0;
}

/* Blanks become one, because columns move with times. */
static void without_times(struct text *text)
{
	struct text plain = {0};
	char before = ' ';
	for (const char *at = text_string(text); *at; at++) {
		size_t time = isalnum((unsigned char)before) ? 0 : time_at(at);
		if (time)
			text_put(&plain, "TIME", 4);
		else if (*at != ' ' || before != ' ')
			text_put(&plain, at, 1);
		at += time ? time - 1 : 0;
		before = *at;
	}
	text_release(text);
	*text = plain;
}

/* Reports the expected and printed lines from the first difference on. */
static void compare(struct test *test, int line)
{
	struct text expected = {0}, printed = {0};
	if (test->conductor->shell.backend->measures) {
		without_times(&test->expected);
		without_times(&test->printed);
	}
	mark_text('-', &test->expected, &expected);
	mark_text('+', &test->printed, &printed);
	const char *a = text_string(&expected), *b = text_string(&printed);
	for (size_t count; *a && *b; a += count, b += count) {
		count = strcspn(a, "\n") + 1;
		if (strncmp(a + 1, b + 1, count - 1) != 0)
			break;
	}
	if (*a || *b)
		text_add(&test->report, "%s:%d: - expected, + printed\n%s%s", test->file, line, a, b);
	text_release(&expected);
	text_release(&printed);
	text_clear(&test->expected);
	text_clear(&test->printed);
}

/* Returns the `#>` comment or `end`. *quoted: in a quoted text before, then after the line. */
static const char *find_mark(const char *line, const char *end, bool *quoted)
{
	bool word_start = true;
	for (const char *at = line; at < end; at++) {
		if (*at == '"') {
			*quoted = !*quoted;
		} else if (*quoted) {
			at += *at == '\\';
		} else if (*at == '#' && word_start) {
			return at + 1 < end && at[1] == '>' ? at : end;
		}
		word_start = !*quoted && strchr(" \t;{}", *at);
	}
	return end;
}

/* Where a line has a `#>`: not at all, after a command, or on its own line */
enum marked { MARKED_NOT, MARKED_BEHIND, MARKED_ALONE };

/* Adds the line's `#>` text to the expected output; returns its kind. */
static enum marked read_mark(const char *line, size_t count, bool *quoted, struct text *expected)
{
	const char *end = line + count, *mark = find_mark(line, end, quoted);
	if (mark == end)
		return MARKED_NOT;
	const char *text = mark + 2 + (mark + 2 < end && mark[2] == ' ');
	text_put(expected, text, (size_t)(end - text));
	text_put(expected, "\n", 1);
	while (line < mark && strchr(" \t", *line))
		line++;
	return line == mark ? MARKED_ALONE : MARKED_BEHIND;
}

/* Fails with ST_INCOMPLETE within a block. */
static enum status run_segment(struct test *test, const char *from, const char *to, int line)
{
	struct order order = {.kind = ORDER_TEXT,
	        .file = test->file,
	        .text = from,
	        .count = (size_t)(to - from),
	        .first_line = test->segment_line};
	enum status status = conductor_order(test->conductor, &order);
	if (status == ST_INCOMPLETE || status == ST_QUIT)
		return status;
	bool stops = status != ST_OK && status != ST_EXPECT;
	if (stops && (!test->expected.count || status == ST_BUG || status == ST_MPI))
		return status;
	if (stops)
		text_add(&test->printed, "%s\n", fail_text());
	compare(test, line);
	test->segment_line = line;
	return ST_OK;
}

/* Gathers `#>` texts until the next line with a command; the lines before it are a segment.
 *
 *     say "a"; say "b"      |
 *     #> a                     |  segment 1, expected "a", "b"
 *     #> b                     |
 *     print x   #> [0-3] x =   |  segment 2 begins; its own text belongs to it */
static enum status run_all(struct test *test, const char *bytes, size_t count)
{
	const char *from = bytes, *end = bytes + count, *next;
	enum status status = ST_OK;
	int line = 1;
	bool quoted = false;
	struct text marks = {0};
	test->segment_line = 1;
	for (const char *at = bytes; at < end && status == ST_OK; at = next, line++) {
		size_t length = line_at(at, end, &next);
		enum marked marked = read_mark(at, length, &quoted, &marks);
		if (test->expected.count && marked != MARKED_ALONE) {
			status = run_segment(test, from, at, line);
			if (status == ST_OK)
				from = at;
			if (status == ST_INCOMPLETE)
				status = ST_OK;
		}
		text_put(&test->expected, marks.bytes, marks.count);
		text_clear(&marks);
	}
	text_release(&marks);
	if (status == ST_OK)
		status = run_segment(test, from, end, line);
	return status == ST_OK ? conductor_order(test->conductor, &(struct order){.kind = ORDER_END})
	                       : status;
}

static int count_marks(const char *bytes, size_t count)
{
	struct text found = {0};
	const char *next;
	bool quoted = false;
	int marks = 0;
	for (const char *at = bytes, *end = bytes + count; at < end; at = next) {
		size_t length = line_at(at, end, &next);
		marks += read_mark(at, length, &quoted, &found) != MARKED_NOT;
	}
	text_release(&found);
	return marks;
}

enum status test_text(struct conductor *conductor, const char *file, const char *bytes, size_t count)
{
	if (!count_marks(bytes, count)) {
		enum status status = run_text(conductor, file, bytes, count);
		if (status == ST_OK) {
			fail(ST_EXPECT, "%s: no line has a `#>`: nothing that it prints was compared", file);
			say_failure(conductor, ST_EXPECT);
		}
		return status;
	}
	struct test test = {.conductor = conductor, .file = file};
	struct listener before = conductor->to;
	conductor->to = (struct listener){&test, keep, foreign, NULL};
	enum status status = run_all(&test, bytes, count);
	conductor->to = before;
	if (test.printed.count) /* the last output, not compared: it shows why the run ended */
		before.say(before.self, SEVERITY_OK, test.printed.bytes, test.printed.count);
	if (test.report.count) {
		before.say(before.self, SEVERITY_OK, test.report.bytes, test.report.count);
		status = status == ST_OK ? ST_EXPECT : status;
	}
	text_release(&test.printed);
	text_release(&test.expected);
	text_release(&test.report);
	return status;
}
