/* test_feed.c -- a script's input on its way to rank 0: the window, the end, reports within output */
#include "shell/session/options.h"
#include "shell/terminal/feed.h"
#include "tests/unit/check.h"
#include <errno.h>
#include <fcntl.h>

/* The output arrives in pieces of `step` bytes; what remains of it is compared. */
static void passes(const char *output, const char *shown, long long received, size_t step)
{
	struct feed feed = {.to = -1};
	struct text out = {0}, all = {0};
	for (size_t at = 0; at < strlen(output); at += step) {
		size_t count = strlen(output) - at < step ? strlen(output) - at : step;
		text_put(&out, output + at, count);
		size_t whole = feed_reports(&feed, &out);
		text_put(&all, out.bytes, whole);
		memmove(out.bytes, out.bytes + whole, out.count -= whole);
	}
	text_put(&all, out.bytes, out.count);
	assert_string_equal(text_string(&all), shown);
	assert_int_equal(feed.received, received);
	text_release(&out);
	text_release(&all);
}

static void reports_are_cut_out(void **state)
{
	(void)state;
	for (size_t step = 1; step < 40; step++) {
		passes("a\n" INPUT_READ "8192\nb\n" INPUT_READ "16384\n", "a\nb\n", 16384, step);
		passes(INPUT_READ "7\n" INPUT_READ "9\n", "", 9, step);
		passes("no report \036 here", "no report \036 here", 0, step);
	}
}

/* Descriptor 0 is a pipe with more than the window. */
static void a_window_is_under_way(void **state)
{
	(void)state;
	static char bytes[FEED_WINDOW + 100], got[FEED_WINDOW + 200];
	int in[2], to[2], before = dup(0);
	memset(bytes, 'x', sizeof bytes);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(to), 0);
	assert_int_equal(write(in[1], bytes, sizeof bytes), (int)sizeof bytes);
	close(in[1]);
	dup2(in[0], 0);
	struct feed feed = {.to = to[1]};
	assert_int_equal(feed_source(&feed), 0);
	feed_pass(&feed);
	assert_int_equal(feed.sent, FEED_WINDOW);
	assert_int_equal(feed_source(&feed), -1);
	feed.received = INPUT_PART;
	assert_int_equal(feed_source(&feed), 0);
	feed_pass(&feed);
	assert_false(feed.over);
	feed_pass(&feed);
	assert_true(feed.over);
	assert_int_equal(feed.error, 0);
	assert_int_equal(feed_source(&feed), -1);
	ssize_t count = read(to[0], got, sizeof got);
	assert_int_equal(count, (int)(sizeof bytes + strlen(INPUT_END)));
	assert_memory_equal(got, bytes, sizeof bytes);
	assert_memory_equal(got + sizeof bytes, INPUT_END, strlen(INPUT_END));
	/* a job that has ended reads no more, and its writer stays alive */
	close(to[0]);
	feed.over = false;
	feed_pass(&feed);
	assert_true(feed.over);
	/* an input that cannot be read */
	int none = open("/dev/null", O_WRONLY);
	dup2(none, 0);
	feed = (struct feed){.to = to[1]};
	feed_pass(&feed);
	assert_int_equal(feed.error, EBADF);
	dup2(before, 0);
	close(before);
	close(none);
	close(in[0]);
	close(to[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reports_are_cut_out),
	        cmocka_unit_test(a_window_is_under_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
