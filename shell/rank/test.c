/* test.c -- `#> text` in a script is what the lines before it print */
#include "shell/agreement/conductor.h"
#include "shell/rank/batch.h"

#include <stdio.h>
#include <string.h>

struct test {
	struct conductor *conductor;
	const char *file;
	struct text printed, expected;
	int segment_line; /* first line of what runs next */
	int differences;
};

static void keep(void *self, const char *bytes, size_t count)
{
	struct test *test = self;
	text_put(&test->printed, bytes, count);
}

static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	struct test *test = self;
	text_add(&test->printed, "[rank %d] %.*s", rank, (int)count, bytes);
}

/* The line at `at`, without blanks at its end; *next is behind it. */
static size_t line_at(const char *at, const char *end, const char **next)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	const char *stop = newline ? newline : end;
	*next = newline ? newline + 1 : end;
	while (stop > at && strchr(" \t\r", stop[-1]))
		stop--;
	return (size_t)(stop - at);
}

static bool same_line(const char **a, const char *a_end, const char **b, const char *b_end)
{
	const char *a_next, *b_next;
	if (*a == a_end || *b == b_end)
		return false;
	size_t count = line_at(*a, a_end, &a_next);
	if (line_at(*b, b_end, &b_next) != count || memcmp(*a, *b, count) != 0)
		return false;
	*a = a_next;
	*b = b_next;
	return true;
}

static void show(const char *at, const char *end, char mark, struct text *out)
{
	while (at < end) {
		const char *next;
		size_t count = line_at(at, end, &next);
		text_add(out, "%c %.*s\n", mark, (int)count, at);
		at = next;
	}
}

/* Equal lines at the beginning are left out; what follows is shown from both sides. */
static void compare(struct test *test, int line, struct text *report)
{
	const char *a = text_string(&test->expected), *b = text_string(&test->printed);
	const char *a_end = a + test->expected.count, *b_end = b + test->printed.count;
	while (same_line(&a, a_end, &b, b_end))
		;
	if (a != a_end || b != b_end) {
		test->differences++;
		text_add(report, "%s:%d: - expected, + printed\n", test->file, line);
		show(a, a_end, '-', report);
		show(b, b_end, '+', report);
	}
	text_clear(&test->expected);
	text_clear(&test->printed);
}

static bool expected_line(const char *line, size_t count, struct text *expected)
{
	while (count && strchr(" \t", *line)) {
		line++;
		count--;
	}
	if (count < 2 || line[0] != '#' || line[1] != '>')
		return false;
	size_t skip = count > 2 && line[2] == ' ' ? 3 : 2;
	text_put(expected, line + skip, count - skip);
	text_put(expected, "\n", 1);
	return true;
}

/* Runs the lines up to the `#>` lines, which end at `line`. ST_INCOMPLETE: they stand within a block, which
 * goes on. */
static enum status run_segment(
        struct test *test, const char *from, const char *to, int line, struct text *report)
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
	compare(test, line, report);
	test->segment_line = line;
	return ST_OK;
}

static enum status run_all(struct test *test, const char *bytes, size_t count, struct text *report)
{
	const char *from = bytes, *end = bytes + count, *next;
	enum status status = ST_OK;
	int line = 1;
	bool expecting = false;
	test->segment_line = 1;
	for (const char *at = bytes; at < end && status == ST_OK; at = next) {
		size_t length = line_at(at, end, &next);
		bool was_expecting = expecting;
		expecting = expected_line(at, length, &test->expected);
		if (was_expecting && !expecting) {
			status = run_segment(test, from, at, line, report);
			if (status == ST_OK)
				from = at;
			if (status == ST_INCOMPLETE)
				status = ST_OK;
		}
		line++;
	}
	if (status == ST_OK)
		status = run_segment(test, from, end, line, report);
	return status == ST_OK ? conductor_order(test->conductor, &(struct order){.kind = ORDER_END})
	                       : status;
}

static bool has_expectations(const char *bytes, size_t count)
{
	struct text found = {0};
	const char *next;
	for (const char *at = bytes, *end = bytes + count; at < end && !found.count; at = next) {
		size_t length = line_at(at, end, &next);
		expected_line(at, length, &found);
	}
	bool has = found.count > 0;
	text_release(&found);
	return has;
}

enum status test_text(struct conductor *conductor, const char *file, const char *bytes, size_t count)
{
	struct order all = {.kind = ORDER_TEXT, .file = file, .text = bytes, .count = count, .first_line = 1};
	if (!has_expectations(bytes, count)) {
		enum status status = conductor_order(conductor, &all);
		return status == ST_OK ? conductor_order(conductor, &(struct order){.kind = ORDER_END})
		                       : status;
	}
	struct test test = {.conductor = conductor, .file = file};
	struct text report = {0};
	struct conductor with = *conductor;
	conductor->say = keep;
	conductor->foreign = foreign;
	conductor->self = &test;
	enum status status = run_all(&test, bytes, count, &report);
	conductor->say = with.say;
	conductor->foreign = with.foreign;
	conductor->self = with.self;
	if (test.printed.count) /* what came last and was not compared: it says why the run ended */
		conductor->say(conductor->self, test.printed.bytes, test.printed.count);
	if (report.count)
		conductor->say(conductor->self, report.bytes, report.count);
	text_release(&test.printed);
	text_release(&test.expected);
	text_release(&report);
	return status == ST_OK && test.differences ? ST_EXPECT : status;
}
