/* test_viewer.c -- the view without a screen: keys to requests, frames to pages, a cursor along lanes */
#include "check.h"
#include "shell/terminal/viewer.h"
#include "trace/critical.h"
#include "trace/spots.h"
#include "trace_scene.h"

/* Two lanes of rank 0 and one of rank 1, from 0 to 1000 ns in 40 columns from column 10 on */
static void fill(struct reply *frame)
{
	*frame = (struct reply){.kind = REPLY_VIEW,
	        .to = 1000,
	        .whole_to = 1000,
	        .rows = 5,
	        .first_column = 10,
	        .cells = 40,
	        .row = -1};
	text_add(&frame->lanes, "0.0 0.1 1.1 ");
	text_add(&frame->density, "0123456789");
	picture_make(&frame->picture, 50, 5);
}

static void put_cursor(struct reply *frame, int row, int64_t from, int64_t until)
{
	frame->selected = 7;
	frame->row = row;
	frame->time = from;
	frame->until = until;
}

static void press(struct viewer *viewer, const struct reply *frame, int key)
{
	viewer_event(viewer, frame, &(struct screen_event){.key = key});
}

/* What rank 0 would be asked for after a key */
static void expect_seek(struct viewer *viewer, const struct reply *frame, int key, const char *seek)
{
	struct request request;
	viewer_take(viewer, frame);
	press(viewer, frame, key);
	viewer_request(viewer, &request);
	assert_string_equal(text_string(&request.seek), seek);
}

static void keys_seek(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame;
	fill(&frame);
	viewer_start(&viewer, "test");
	viewer.width = 80;
	viewer.height = 24;
	expect_seek(&viewer, &frame, 'b', "here"); /* nowhere yet: the first lane of a device */
	assert_int_equal(viewer.seek_from.stream, 1);
	put_cursor(&frame, 1, 100, 200);
	static const struct {
		int key;
		const char *seek;
	} keys[] = {{'\t', "next"}, {SCREEN_LEFT, "next back"}, {'n', "stall"}, {'N', "stall back"},
	        {'b', "blamed"}, {'g', "first"}, {'G', "last"}, {'z', "zoom"}, {'[', "part back"},
	        {']', "part"}, {'c', "critical back"}, {'C', "critical"}, {SCREEN_UP, "here"}, {'x', ""}};
	for (size_t i = 0; i < LENGTH_OF(keys); i++)
		expect_seek(&viewer, &frame, keys[i].key, keys[i].seek);
	assert_string_equal(viewer.told, "this key has no function; ? lists the keys");
	for (int moves = 0; moves < 3; moves++) { /* back from b, c and C */
		expect_seek(&viewer, &frame, SCREEN_BACKSPACE, "back");
		assert_int_equal(viewer.seek_from.op, 7);
	}
	expect_seek(&viewer, &frame, SCREEN_BACKSPACE, "");
	assert_string_equal(viewer.told, "there is nothing to go back to");
	frame.row = 2; /* the last row seen of five: they are scrolled */
	expect_seek(&viewer, &frame, SCREEN_DOWN, "bottom");
	assert_int_equal(viewer.first_row, 1);
	frame.row = 0;
	expect_seek(&viewer, &frame, SCREEN_UP, "");
	assert_string_equal(viewer.told, "this is the first lane");
	viewer_release(&viewer);
	reply_release(&frame);
}

static void a_name_is_typed(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame;
	fill(&frame);
	put_cursor(&frame, 1, 100, 200);
	viewer_start(&viewer, "test");
	viewer_take(&viewer, &frame);
	expect_seek(&viewer, &frame, '.', "");
	assert_string_equal(viewer.told, "nothing to search yet: / searches");
	static const int keys[] = {'/', 'q', 0xe9, SCREEN_BACKSPACE, 'b'};
	for (size_t i = 0; i < LENGTH_OF(keys); i++)
		press(&viewer, &frame, keys[i]);
	expect_seek(&viewer, &frame, SCREEN_ENTER, "find");
	assert_string_equal(text_string(&viewer.find), "qb");
	assert_false(viewer.leaving);
	expect_seek(&viewer, &frame, ',', "find back");
	viewer_release(&viewer);
	reply_release(&frame);
}

/* What happens under the cursor stays in its column; the window never leaves what there is by more than half. */
static void zoom_keeps_the_cursor(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame;
	fill(&frame);
	put_cursor(&frame, 1, 800, 900);
	viewer_start(&viewer, "test");
	viewer.width = 10;
	viewer_take(&viewer, &frame);
	press(&viewer, &frame, '+');
	assert_int_equal(viewer.from, 400);
	assert_int_equal(viewer.to, 900);
	assert_false(viewer.whole);
	press(&viewer, &frame, '-');
	assert_true(viewer.whole);
	press(&viewer, &frame, '-');
	assert_string_equal(viewer.told, "this is everything");
	for (int i = 0; i < 100; i++)
		press(&viewer, &frame, '+');
	assert_int_equal(viewer.to - viewer.from, 10);
	for (int i = 0; i < 300; i++)
		press(&viewer, &frame, 'l');
	assert_int_equal(viewer.from, 995);
	assert_string_equal(viewer.told, "nothing is later");
	viewer_release(&viewer);
	reply_release(&frame);
}

static void the_mouse_picks(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame;
	fill(&frame);
	viewer_start(&viewer, "test");
	viewer.width = 50;
	viewer.height = 24;
	viewer_take(&viewer, &frame);
	struct screen_event event = {SCREEN_PRESS, 30, page_layout(&viewer).picture + 3};
	viewer_event(&viewer, &frame, &event);
	event.key = SCREEN_RELEASE;
	viewer_event(&viewer, &frame, &event);
	assert_string_equal(viewer.seek, "here");
	assert_int_equal(viewer.seek_from.rank, 1);
	assert_int_equal(viewer.seek_from.time, 512); /* column 20 of 40 */
	event.key = SCREEN_WHEEL_UP;
	viewer_event(&viewer, &frame, &event);
	assert_int_equal(viewer.to - viewer.from, 500);
	int64_t from = viewer.from;
	event = (struct screen_event){SCREEN_PRESS, 20, 5};
	viewer_event(&viewer, &frame, &event);
	event = (struct screen_event){SCREEN_RELEASE, 24, 5};
	viewer_event(&viewer, &frame, &event);
	assert_int_equal(viewer.from, from - 50); /* four columns of 12.5 ns */
	viewer_release(&viewer);
	reply_release(&frame);
}

static void expect_row(struct picture *page, int row, int column, const char *wanted)
{
	struct text got = {0};
	for (const char *at = wanted; utf8_next(&at);)
		text_put_point(&got, picture_cell(page, row, column++)->glyph);
	assert_text(text_string(&got), wanted);
	text_release(&got);
}

static void a_page_shows_the_cursor_and_its_links(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame;
	struct picture page;
	fill(&frame);
	put_cursor(&frame, 0, 250, 500);
	text_add(&frame.links, "2 250 e\n");
	viewer_start(&viewer, "test");
	viewer.width = 50;
	viewer.height = 12;
	viewer_take(&viewer, &frame);
	page_make(&viewer, &frame, &page);
	int top = page_layout(&viewer).picture;
	expect_row(&page, top + 1, 9, "▸         ▲[        ] ");
	expect_row(&page, top + 2, 19, "│ ");
	expect_row(&page, top + 3, 19, "○ ");
	picture_release(&page);
	viewer.big = true;
	viewer.width = 100;
	viewer.height = 24;
	page_make(&viewer, &frame, &page);
	expect_row(&page, page_layout(&viewer).picture + 3, 40, "▛ ");
	picture_release(&page);
	viewer_release(&viewer);
	reply_release(&frame);
}

/* Any key on a screen of any size, from a frame with anything in it or nothing: a page of that size, and no memory lost. */
static void any_size_has_a_page(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame, nothing = {.kind = REPLY_VIEW, .whole_to = 1};
	unsigned random = 1;
	fill(&frame);
	put_cursor(&frame, 2, 10, 20);
	text_add(&frame.text, "one\ntwo\nthree\nfour\n");
	text_add(&frame.links, "0 500 e\n9 20 p\n-1 10 b\n");
	viewer_start(&viewer, "test");
	for (int i = 0; i < 4000; i++) {
		const struct reply *seen = i % 7 ? &frame : &nothing;
		struct picture page;
		random = random * 1664525u + 1013904223u;
		viewer.width = 1 + (int)(random >> 10) % 120;
		viewer.height = 1 + (int)(random >> 20) % 40;
		int key = (int)(random >> 8) % (SCREEN_OTHER - SCREEN_UP + 96);
		struct screen_event event = {key < 96 ? key + 32 : SCREEN_UP + key - 96,
		        (int)(random >> 6) % 120, (int)(random >> 14) % 40};
		viewer_take(&viewer, seen);
		viewer_event(&viewer, seen, &event);
		page_make(&viewer, seen, &page);
		assert_int_equal(page.width, viewer.width);
		assert_int_equal(page.height, viewer.height);
		for (int c = 0; c < page.width * page.height; c++)
			assert_true(page.cells[c].glyph >= ' ');
		picture_release(&page);
	}
	viewer_release(&viewer);
	reply_release(&frame);
}

/* ---- the cursor, on rank 0 ---- */

/* io: copy 20..1020; compute waits for it, then matmul to 3020, relu to 4000; rank 1 the same */
static struct scene *two_lanes(void)
{
	struct scene *scene = scene_open(2);
	int io = scene_stream(scene, "io"), compute = scene_stream(scene, "compute");
	for (int r = 0; r < 2; r++) {
		scene_op(scene, r, io, OP_COPY, "copy", "x", 0, 20, 20, 20, 1020);
		op_id done = scene_op(scene, r, io, OP_RECORD, "record", "", 0, 40, 1020, 1020, 1020);
		scene_op(scene, r, compute, OP_WAIT, "wait", "", done, 60, 60, 1020, 1020);
		scene_op(scene, r, compute, OP_KERNEL, "matmul", "y", 0, 80, 1020, 1020, 3020);
		scene_op(scene, r, compute, OP_KERNEL, "relu", "y", 0, 100, 3020, 3020, 4000);
	}
	return scene;
}

static void expect_spot(const struct scene *scene, const struct spot *spot, const char *wanted)
{
	struct text got = {0};
	op_label(scene->world, spot->span.op, &got);
	text_add(&got, " %s%d.%d %d", spot->span.kind == SPAN_STALL ? "wait " : "", spot->rank, spot->stream,
	        (int)(spot->span.from / US));
	assert_text(text_string(&got), wanted);
	text_release(&got);
}

static void a_cursor_walks(void **state)
{
	(void)state;
	struct scene *scene = two_lanes();
	const struct trace *trace = &scene->trace;
	struct spot spot = {0};
	struct text text = {0};
	assert_true(spot_near(trace, 0, 3, 0, &spot));
	expect_spot(scene, &spot, "matmul y 0.3 1020");
	assert_true(spot_beside(trace, 1, &spot));
	expect_spot(scene, &spot, "relu y 0.3 3020");
	assert_false(spot_beside(trace, 1, &spot));
	assert_true(spot_stall(trace, -1, 100 * US, &spot));
	expect_spot(scene, &spot, "matmul y wait 0.3 80");
	assert_true(spot_blamed(trace, &spot));
	expect_spot(scene, &spot, "copy x 0.2 20");
	assert_true(spot_named(trace, 1, "RELU", &spot));
	expect_spot(scene, &spot, "relu y 0.3 3020");
	assert_true(spot_named(trace, 1, "relu", &spot)); /* from the beginning on */
	expect_spot(scene, &spot, "relu y 0.3 3020");
	assert_false(spot_named(trace, 1, "softmax", &spot));
	assert_true(spot_near(trace, 1, STREAM_HOST, 4000 * US, &spot));
	expect_spot(scene, &spot, "relu y 1.0 80"); /* its launch */
	assert_true(spot_of(trace, scene->world->first[1], &spot));
	expect_spot(scene, &spot, "copy x 1.2 20");
	assert_true(spot_near(trace, 0, 3, 2000 * US, &spot));
	details_put(trace, &spot, &text);
	assert_text(text_string(&text),
	        "matmul y   rank 0, compute   took 2.00 ms\n"
	        "queued at 80 us   could begin 1.02 ms   began 1.02 ms   ended 3.02 ms\n"
	        "waited 940 us for copy x of rank 0, io (event)\n"
	        "waited 80 us (launch)\n");
	text_release(&text);
	scene_close(scene);
}

/* From one end of the time to the other in ten seconds; the keys; what rank 0 is asked for */
static void a_replay_moves_now(void **state)
{
	(void)state;
	struct viewer viewer;
	struct reply frame;
	struct request request;
	struct text text = {0};
	fill(&frame);
	viewer_start(&viewer, "test");
	viewer_request(&viewer, &request);
	assert_int_equal(request.now, -1);
	viewer_take(&viewer, &frame);
	press(&viewer, &frame, '>');
	assert_string_equal(viewer.told, "no replay: r starts one");
	press(&viewer, &frame, 'r');
	viewer_tick(&viewer, 3000);
	viewer_request(&viewer, &request);
	assert_int_equal(request.now, 300);
	press(&viewer, &frame, ' ');
	viewer_tick(&viewer, 3000);
	assert_int_equal(viewer.replay.now, 300);
	press(&viewer, &frame, SCREEN_RIGHT); /* a column of 40 */
	assert_int_equal(viewer.replay.now, 325);
	press(&viewer, &frame, '<');
	press(&viewer, &frame, ' ');
	viewer_tick(&viewer, 1000);
	assert_int_equal(viewer.replay.now, 375);
	viewer_replay_text(&viewer, &text);
	assert_text(text_string(&text), "replay at 375 ns, 50 ns/s   space stops  arrows step  < >  r ends");
	viewer_tick(&viewer, 1000000);
	assert_int_equal(viewer.replay.now, 1000);
	assert_false(viewer.replay.runs);
	press(&viewer, &frame, ' '); /* once more */
	assert_int_equal(viewer.replay.now, 0);
	assert_true(viewer.replay.runs);
	viewer.from = 100; /* a part is seen: the window goes along */
	viewer.to = 200;
	viewer_tick(&viewer, 8000);
	assert_true(viewer.from <= 400 && viewer.to > 400);
	press(&viewer, &frame, 'r');
	viewer_request(&viewer, &request);
	assert_int_equal(request.now, -1);
	text_release(&text);
	viewer_release(&viewer);
	reply_release(&frame);
}

/* Of two_lanes: copy x, matmul y, and the launch before it */
static void the_cursor_follows_the_critical_path(void **state)
{
	(void)state;
	struct scene *scene = two_lanes();
	const struct trace *trace = &scene->trace;
	struct critical path;
	struct spot spot = {0};
	size_t steps = 0;
	assert_int_equal(critical_find(trace, -1, false, &path), ST_OK);
	int64_t before = INT64_MAX;
	for (bool stands = false; spot_on_path(trace, &path, -1, stands, &spot); stands = true, steps++) {
		assert_true(spot.span.from < before);
		before = spot.span.from;
	}
	assert_int_equal(steps, path.count);
	assert_int_equal(before, path.piece[0].from);
	for (steps = 1; spot_on_path(trace, &path, 1, true, &spot); steps++)
		assert_true(spot.span.from > before);
	assert_int_equal(steps, path.count);
	critical_release(&path);
	scene_close(scene);
}

static void density_adds_up(void **state)
{
	(void)state;
	struct scene *scene = two_lanes();
	uint8_t level[4];
	trace_density(&scene->trace, (struct window){0, 4000 * US, -1}, 4, level);
	const uint8_t wanted[4] = {4, 5, 5, 5}; /* one of two streams, all the time but for 20 us */
	for (int i = 0; i < 4; i++)
		assert_int_equal(level[i], wanted[i]);
	trace_density(&scene->trace, (struct window){5000 * US, 6000 * US, -1}, 4, level);
	for (int i = 0; i < 4; i++)
		assert_int_equal(level[i], 0);
	scene_close(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keys_seek),
	        cmocka_unit_test(a_name_is_typed),
	        cmocka_unit_test(zoom_keeps_the_cursor),
	        cmocka_unit_test(the_mouse_picks),
	        cmocka_unit_test(a_page_shows_the_cursor_and_its_links),
	        cmocka_unit_test(any_size_has_a_page),
	        cmocka_unit_test(a_cursor_walks),
	        cmocka_unit_test(a_replay_moves_now),
	        cmocka_unit_test(the_cursor_follows_the_critical_path),
	        cmocka_unit_test(density_adds_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
