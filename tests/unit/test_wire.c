/* test_wire.c -- requests, replies and pictures, encoded and decoded */
#include "base/memory.h"
#include "shell/wire/plain.h"
#include "shell/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void read_back_request(const struct request *sent, struct request *got)
{
	struct text line = {0};
	request_write(sent, &line);
	assert_int_equal(line.bytes[0], WIRE_MARK);
	assert_ptr_equal(memchr(line.bytes, '\n', line.count), line.bytes + line.count - 1);
	assert_int_equal(request_read(line.bytes, line.count - 1, got), ST_OK);
	text_release(&line);
}

static void requests_come_back(void **state)
{
	(void)state;
	struct request run = {.kind = REQUEST_RUN, .silent = true, .stop = 123456789012, .stamp = 7},
	               got = {0};
	text_add(&run.text, "y = matmul x w\n\"a \\ quote\"\t█");
	read_back_request(&run, &got);
	assert_int_equal(got.kind, REQUEST_RUN);
	assert_string_equal(text_string(&got.text), text_string(&run.text));
	assert_true(got.silent);
	assert_int_equal(got.stop, 123456789012);
	assert_int_equal(got.stamp, 7);
	request_release(&got);
	request_release(&run);
	struct request view = {.kind = REQUEST_VIEW,
	        .width = 300,
	        .height = 100,
	        .from = 5,
	        .to = 12000000000,
	        .first_row = 3,
	        .selected = 99,
	        .stamp = -1};
	read_back_request(&view, &got);
	assert_int_equal(got.kind, REQUEST_VIEW);
	assert_int_equal(got.width, 300);
	assert_int_equal(got.to, 12000000000);
	assert_int_equal(got.first_row, 3);
	assert_int_equal(got.selected, 99);
	assert_int_equal(got.stamp, -1);
	request_release(&got);
}

static void a_plain_line_is_a_command(void **state)
{
	(void)state;
	struct request got = {0};
	assert_int_equal(request_read("{ not json", 10, &got), ST_OK);
	assert_int_equal(got.kind, REQUEST_RUN);
	assert_string_equal(text_string(&got.text), "{ not json");
	assert_int_equal(got.stamp, -1);
	request_release(&got);
	assert_int_equal(request_read("", 0, &got), ST_OK);
	assert_int_equal(got.text.count, 0);
	request_release(&got);
}

static void broken_requests_are_refused(void **state)
{
	(void)state;
	static const char *const lines[] = {
	        "\x1e", "\x1e{", "\x1e{}", "\x1e[1]", "\x1e{\"do\":\"fly\"}", "\x1e{\"do\":1}", "\0367"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct request got = {0};
		assert_int_equal(request_read(lines[i], strlen(lines[i]), &got), ST_SYNTAX);
		request_release(&got);
	}
	struct request wild = {0};
	const char *line =
	        "\x1e{\"do\":\"view\",\"width\":1e300,\"height\":-5,\"from\":\"x\",\"first_row\":-1}";
	assert_int_equal(request_read(line, strlen(line), &wild), ST_OK);
	assert_in_range(wild.width, 1, 1000);
	assert_in_range(wild.height, 1, 1000);
	assert_int_equal(wild.first_row, 0);
	request_release(&wild);
}

static void read_back_reply(const struct reply *sent, struct reply *got)
{
	struct text line = {0};
	reply_write(sent, &line);
	assert_int_equal(reply_read(line.bytes, line.count - 1, got), ST_OK);
	text_release(&line);
}

static void replies_come_back(void **state)
{
	(void)state;
	struct reply done = {.kind = REPLY_DONE, .status = ST_INTERRUPTED, .waits = 2, .clock = 4200000},
	             got = {0};
	text_add(&done.prompt, "(2 waits) 4.20 ms > ");
	text_add(&done.enter, "next");
	text_add(&done.task, "task 4.2");
	text_add(&done.wish, "edit a b.rsh");
	text_add(&done.learned, "check\t4.2\tright\n");
	done.log = (struct log_change){.kept = 12};
	struct logged_line *line = log_add(&done.log);
	text_add(&line->line, "tensor a = load a.npy");
	text_add(&line->outside, "a.npy\t0123\n");
	line->stop = 17;
	line = log_add(&done.log);
	text_add(&line->line, "def f {\n\tsync }");
	line->stamp = 500;
	line->refused = true;
	read_back_reply(&done, &got);
	assert_int_equal(got.kind, REPLY_DONE);
	assert_int_equal(got.status, ST_INTERRUPTED);
	assert_string_equal(text_string(&got.prompt), "(2 waits) 4.20 ms > ");
	assert_string_equal(text_string(&got.enter), "next");
	assert_string_equal(text_string(&got.task), "task 4.2");
	assert_string_equal(text_string(&got.wish), "edit a b.rsh");
	assert_string_equal(text_string(&got.learned), "check\t4.2\tright\n");
	assert_int_equal(got.clock, 4200000);
	assert_int_equal(got.waits, 2);
	assert_int_equal(got.log.kept, 12);
	assert_int_equal(got.log.count, 2);
	assert_string_equal(text_string(&got.log.line[0].line), "tensor a = load a.npy");
	assert_string_equal(text_string(&got.log.line[0].outside), "a.npy\t0123\n");
	assert_int_equal(got.log.line[0].stop, 17);
	assert_int_equal(got.log.line[0].stamp, -1);
	assert_string_equal(text_string(&got.log.line[1].line), "def f {\n\tsync }");
	assert_string_equal(text_string(&got.log.line[1].outside), "");
	assert_int_equal(got.log.line[1].stop, 0);
	assert_int_equal(got.log.line[1].stamp, 500);
	assert_true(got.log.line[1].refused && !got.log.line[0].refused);
	reply_release(&got);
	reply_release(&done);
	struct reply foreign = {.kind = REPLY_FOREIGN, .rank = 3};
	text_add(&foreign.text, "one\ntwo\n");
	read_back_reply(&foreign, &got);
	assert_int_equal(got.rank, 3);
	assert_string_equal(text_string(&got.text), "one\ntwo\n");
	reply_release(&got);
	reply_release(&foreign);
}

static void every_status_travels(void **state)
{
	(void)state;
	for (int status = 0; status < ST_COUNT; status++) {
		struct reply done = {.kind = REPLY_DONE, .status = (enum status)status}, got = {0};
		read_back_reply(&done, &got);
		assert_int_equal(got.status, status);
		reply_release(&got);
	}
}

static void severities_and_numbers_come_back(void **state)
{
	(void)state;
	struct reply output = {.kind = REPLY_OUTPUT}, done = {.kind = REPLY_DONE}, got = {0};
	struct request end = {.kind = REQUEST_END, .stamp = -1}, hello = {.kind = REQUEST_HELLO}, asked = {0};
	text_add(&output.severity, "warning");
	read_back_reply(&output, &got);
	assert_string_equal(text_string(&got.severity), "warning");
	reply_release(&got);
	text_add(&done.numbers, "{\"a \\\"b\\\"\":[1,null]}");
	read_back_reply(&done, &got);
	assert_string_equal(text_string(&got.numbers), text_string(&done.numbers));
	assert_int_equal(got.severity.count, 0);
	reply_release(&got);
	read_back_request(&end, &asked);
	assert_int_equal(asked.kind, REQUEST_END);
	request_release(&asked);
	hello.numbers = true;
	read_back_request(&hello, &asked);
	assert_true(asked.numbers);
	request_release(&asked);
	reply_release(&output);
	reply_release(&done);
}

static void other_lines_are_foreign(void **state)
{
	(void)state;
	struct reply got = {0};
	assert_int_equal(reply_read("mpirun says", 11, &got), ST_OK);
	assert_int_equal(got.kind, REPLY_FOREIGN);
	assert_int_equal(got.rank, -1);
	assert_string_equal(text_string(&got.text), "mpirun says\n");
	reply_release(&got);
}

static struct picture make_picture(int width, int height)
{
	static const uint32_t glyphs[] = {'a', ' ', 0x2588, 0x2591, 0x00e9, 0x1f600, '.'};
	struct picture picture = {.width = width,
	        .height = height,
	        .cells = mem_alloc((size_t)(width * height) * sizeof(struct cell)),
	        .ops = mem_alloc((size_t)(width * height) * sizeof(op_id))};
	for (int i = 0; i < width * height; i++) {
		picture.cells[i] =
		        (struct cell){glyphs[i % 7], (uint8_t)(i / 3 % COLOUR_COUNT), i / 5 % 2, i / 7 % 2};
		picture.ops[i] = (op_id)(i / 4 % 6);
	}
	return picture;
}

static void pictures_come_back(void **state)
{
	(void)state;
	static const int sizes[][2] = {{1, 1}, {20, 5}, {300, 100}, {7, 0}};
	for (int s = 0; s < 4; s++) {
		struct picture sent = make_picture(sizes[s][0], sizes[s][1]), got;
		struct text text = {0};
		wire_put_picture(&sent, &text);
		assert_int_equal(picture_read(text_string(&text), &got), ST_OK);
		assert_int_equal(got.width, sent.width);
		assert_int_equal(got.height, sent.height);
		size_t cells = (size_t)(sent.width * sent.height);
		assert_memory_equal(got.cells, sent.cells, cells * sizeof *sent.cells);
		assert_memory_equal(got.ops, sent.ops, cells * sizeof *sent.ops);
		picture_release(&got);
		picture_release(&sent);
		text_release(&text);
	}
}

/* A picture cut anywhere, or with a byte changed, is refused or read: never more than its own memory is
 * touched. */
static void broken_pictures_do_no_harm(void **state)
{
	(void)state;
	struct picture sent = make_picture(9, 4), got;
	struct text text = {0};
	wire_put_picture(&sent, &text);
	for (size_t at = 0; at < text.count; at++) {
		char *copy = mem_copy_text(text.bytes, text.count);
		copy[at] = '\0';
		if (picture_read(copy, &got) == ST_OK)
			picture_release(&got);
		for (int byte = 1; byte < 256; byte += 7) {
			memcpy(copy, text.bytes, text.count + 1);
			copy[at] = (char)byte;
			if (picture_read(copy, &got) == ST_OK)
				picture_release(&got);
		}
		mem_free(copy);
	}
	assert_int_equal(picture_read("99999 99999\n", &got), ST_SYNTAX);
	assert_int_equal(picture_read("-1 4\n", &got), ST_SYNTAX);
	picture_release(&sent);
	text_release(&text);
}

static int start(void **state)
{
	(void)state;
	wire_start();
	return 0;
}

static void shown_as(const char *bytes, size_t count, bool colours, const char *wanted)
{
	struct text out = {0};
	plain_put(bytes, count, colours, &out);
	assert_string_equal(text_string(&out), wanted);
	text_release(&out);
}
#define SHOWN_AS(bytes, colours, wanted) shown_as(bytes, sizeof(bytes) - 1, colours, wanted)

/* Control characters, as bytes, as UTF-8 and as UTF-8 that is longer than need be, become a '?'; of escapes the colours alone
 * stay that style() and pictures write, and only where they are wanted. */
static void what_is_shown_moves_no_terminal(void **state)
{
	(void)state;
	SHOWN_AS("a\tb\n\xc3\xa9\xe2\x96\x88\xf0\x9f\x98\x80", false,
	        "a\tb\n\xc3\xa9\xe2\x96\x88\xf0\x9f\x98\x80");
	SHOWN_AS("\033[2J\033]0;t\007\r\b\177\0.", true,
	        "?[2J?]0;t????"
	        "?.");
	SHOWN_AS("\x9b"
	         "2J\xc2\x9b"
	         "2J\xe0\x82\x9b"
	         "2J\xc0\x9b"
	         "[2J",
	        true, "?2J?2J?2J?[2J");
	SHOWN_AS("\xe2\x96", true, "?");
	SHOWN_AS("\033[38;5;75ma\033[0m", true, "\033[38;5;75ma\033[0m");
	SHOWN_AS("\033[0;2;7;1;38;5;203ma\033[1m", true, "\033[0;2;7;1;38;5;203ma\033[1m");
	SHOWN_AS("\033[38;5;75ma\033[0m", false, "?[38;5;75ma?[0m");
	SHOWN_AS("\033[8ma\033[31mb\033[38;5;0mc\033[m\033[5;1m\033[;m\033[38;5m\033[0", true,
	        "?[8ma?[31mb?[38;5;0mc?[m?[5;1m?[;m?[38;5m?[0");
	char words[] = "a\033[2J\xc2\x9b\x9b\xc3\xa9\n";
	text_make_safe(words);
	assert_string_equal(words, "a?[2J??\xc3\xa9\n");
	(fail)(ST_NAME, "no '%s'", "\033c");
	fail_in(ST_NAME, "%s:1", "\007.rsh");
	assert_string_equal(fail_text(), "?.rsh:1: no '?c'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(requests_come_back),
	        cmocka_unit_test(a_plain_line_is_a_command),
	        cmocka_unit_test(broken_requests_are_refused),
	        cmocka_unit_test(replies_come_back),
	        cmocka_unit_test(every_status_travels),
	        cmocka_unit_test(severities_and_numbers_come_back),
	        cmocka_unit_test(other_lines_are_foreign),
	        cmocka_unit_test(pictures_come_back),
	        cmocka_unit_test(broken_pictures_do_no_harm),
	        cmocka_unit_test(what_is_shown_moves_no_terminal),
	};
	return cmocka_run_group_tests(tests, start, NULL);
}
