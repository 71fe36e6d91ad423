/* test_timeline.c -- lanes and pictures: the causes of delays, to the nanosecond, and the
 * timeline as text */
#include "check.h"
#include "trace_scene.h"
#include "trace/picture.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void expect_picture(struct scene *scene, struct timeline_options options, const char *wanted)
{
	struct picture picture;
	struct text out = {0};

	if (!options.window.to)
		options.window = trace_window(&scene->trace, -1);
	assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
	picture_text(&picture, false, &out);
	assert_text(text_string(&out), wanted);
	text_release(&out);
	picture_release(&picture);
}

/* y = matmul x w; print y */
static struct scene *print_scene(bool final)
{
	struct scene *scene = scene_open(4);
	for (int r = 0; r < 4; r++) {
		op_id y = scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, 2020);
		scene->times[y].projected = !final;
		if (final)
			scene_op(scene, r, STREAM_HOST, OP_SYNC, "print", "", y, 20, 20, 20, 2020);
	}
	return scene;
}

/* Of 64 ranks the furthest off comes first, the many last, by their number and an example; four rows hold what matters */
static void the_furthest_off_comes_first(void **state)
{
	(void)state;
	struct scene *scene = scene_open(64);
	for (int r = 0; r < 64; r++)
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20,
		        r == 40           ? 1620
		                : r == 17 ? 1920
		                          : 1020);
	struct timeline_places places = {0};
	struct timeline_options options = {.width = 120,
	        .merge = true,
	        .now = -1,
	        .rows = 4,
	        .places = &places,
	        .window = trace_window(&scene->trace, -1)};
	struct picture picture;
	struct text out = {0};
	assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
	assert_int_equal(picture.lanes, 6);
	assert_int_equal(places.shown[0].rank, 17);
	assert_int_equal(places.shown[2].rank, 40);
	assert_int_equal(timeline_row_of(&places, 17, STREAM_DEFAULT), 1);
	assert_int_equal(timeline_row_of(&places, 63, STREAM_DEFAULT), 5);
	picture_release(&picture);
	options.rows = 0;
	assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
	picture_text(&picture, false, &out);
	assert_non_null(strstr(text_string(&out), "0-16,18-39,41-63 host"));
	text_release(&out);
	picture_release(&picture);
	timeline_places_release(&places);
	scene_close(scene);
}

/* Random ends: no rank is drawn with one whose edge is more than a column off, and ranks that are near do share rows */
static void a_row_stands_for_ranks_within_a_column(void **state)
{
	(void)state;
	uint64_t seed = 9;
	for (int round = 0; round < 20; round++) {
		struct scene *scene = scene_open(64);
		int end[64];
		for (int r = 0; r < 64; r++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			end[r] = 1000 + (int)(seed >> 33) % 400;
			scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, end[r]);
		}
		struct timeline_places places = {0};
		struct timeline_options options = {.width = 40 + 10 * round,
		        .merge = true,
		        .now = -1,
		        .places = &places,
		        .window = trace_window(&scene->trace, -1)};
		struct picture picture;
		assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
		assert_true(picture.lanes < 128);
		for (int r = 0; r < 64; r++) {
			int row = timeline_row_of(&places, r, STREAM_DEFAULT);
			assert_true(row >= 0);
			int64_t off = (int64_t)(end[places.shown[row].rank] - end[r]) * US;
			int64_t column = (options.window.to - options.window.from) / places.cells;
			assert_true(off <= column && -off <= column);
		}
		picture_release(&picture);
		timeline_places_release(&places);
		scene_close(scene);
	}
}

static void queued_work_is_dimmed(void **state)
{
	(void)state;
	struct scene *scene = print_scene(false);
	expect_picture(scene, (struct timeline_options){.width = 80, .merge = true, .now = 20 * US},
	        "   ms          ▼              0.5             1.0             1.5\n"
	        "   0-3 host    │\n"
	        "       default │░░░░░░░░░░░░░░░░░░░░░░░░░░ matmul y ░░░░░░░░░░░░░░░░░░░░░░░░░░░\n"
	        "   l launch, ░ queued, now 0.02 ms\n");
	scene_close(scene);
}

/* Ahead of now it is as it will be. */
static void a_replay_of_queued_work(void **state)
{
	(void)state;
	struct scene *scene = print_scene(false);
	expect_picture(scene,
	        (struct timeline_options){.width = 80, .merge = true, .now = 20 * US, .as_of = 1020 * US},
	        "   ms          0              0.5              ▼              1.5\n"
	        "   0-3 host    l                               │\n"
	        "       default .██████████████████████████ matmul y ░░░░░░░░░░░░░░░░░░░░░░░░░░░\n"
	        "   l launch, ░ queued, now 1.02 ms\n");
	scene_close(scene);
}

static void a_print_stops_the_host(void **state)
{
	(void)state;
	struct scene *scene = print_scene(true);
	expect_picture(scene, (struct timeline_options){.width = 80, .merge = true, .now = 2020 * US},
	        "   ms          0              0.5             1.0             1.5\n"
	        "   0-3 host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "       default .██████████████████████████ matmul y ███████████████████████████|\n"
	        "   s waited 2.00 ms in `print`, l launch, now 2.02 ms\n");
	expect_lane(scene, 2, STREAM_HOST, "launch 20 sync 2000(2)");
	expect_lane(scene, 2, STREAM_DEFAULT, "launch 20(2) work 2000");
	scene_close(scene);
}

/* copy h -> x on io; wait io on compute; y = matmul x w on compute; sync */
static struct scene *prefetch_scene(void)
{
	struct scene *scene = scene_open(2);
	int io = scene_stream(scene, "io"), compute = scene_stream(scene, "compute");
	for (int r = 0; r < 2; r++) {
		scene_op(scene, r, io, OP_COPY, "copy", "x", 0, 20, 20, 20, 1020);
		op_id done = scene_op(scene, r, io, OP_RECORD, "record", "", 0, 40, 1020, 1020, 1020);
		scene_op(scene, r, compute, OP_WAIT, "wait", "", done, 60, 60, 1020, 1020);
		scene_op(scene, r, compute, OP_KERNEL, "matmul", "y", 0, 80, 1020, 1020, 3020);
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 80, 80, 80, 3020);
	}
	return scene;
}

static void an_event_holds_a_stream(void **state)
{
	(void)state;
	struct scene *scene = prefetch_scene();
	expect_picture(scene, (struct timeline_options){.width = 80, .merge = true, .now = 3020 * US},
	        "   ms          0         0.5        1.0       1.5        2.0       2.5\n"
	        "   0,1 host    llssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "       io      ███████ copy x ███████                                          |\n"
	        "       compute ..eeeeeeeeeeeeeeeeeeee████████████████ matmul y ████████████████|\n"
	        "   s waited 2.94 ms in `sync`, l launch, e waited for io, now 3.02 ms\n");
	expect_lane(scene, 0, 2, "launch 20(0) work 1000 done 2000");
	expect_lane(scene, 0, 3, "launch 80(0) event 940(0) work 2000");
	scene_close(scene);
}

/* y = matmul; allreduce y; rank 2 is twice as slow */
static struct scene *straggler_scene(void)
{
	struct scene *scene = scene_open(4);
	op_id late = 0;
	int order[] = {2, 0, 1, 3};
	for (int i = 0; i < 4; i++) {
		int r = order[i], end = r == 2 ? 4020 : 2020;
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, end);
		op_id id = scene_op(
		        scene, r, STREAM_DEFAULT, OP_COLLECTIVE, "allreduce", "y", 0, 40, end, 4020, 5520);
		late = r == 2 ? id : late;
		scene->times[id].blame = r == 2 ? 0 : late;
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 40, 40, 40, 5520);
	}
	return scene;
}

static void a_straggler_holds_its_peers(void **state)
{
	(void)state;
	struct scene *scene = straggler_scene();
	expect_picture(scene, (struct timeline_options){.width = 80, .merge = true, .now = 5520 * US},
	        "   ms            0          1          2          3          4           5\n"
	        "   0,1,3 host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "         default ██████ matmul y ███████pppppppppppppppppppppp██ allreduce y ██|\n"
	        "   2     host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "         default █████████████████ matmul y ██████████████████▐█ allreduce y ██|\n"
	        "   s waited 5.48 ms in `sync`, l launch, p waited for rank 2, now 5.52 ms\n");
	expect_lane(scene, 0, STREAM_DEFAULT, "launch 20(0) work 2000 peer 2000(2) work 1500");
	expect_lane(scene, 2, STREAM_DEFAULT, "launch 20(2) work 4000 work 1500");
	for (op_id id = 1; id <= scene->world->op_count; id++)
		scene->times[id].blame = 0; /* the last to arrive is found without the backend's word, too */
	expect_lane(scene, 0, STREAM_DEFAULT, "launch 20(0) work 2000 peer 2000(2) work 1500");
	scene_close(scene);
}

/* Two stages, three micro-batches, a stage takes 1 ms */
static struct scene *bubble_scene(void)
{
	struct scene *scene = scene_open(2);
	int up = scene_stream(scene, "up");
	for (int m = 0; m < 3; m++) {
		char phase[8] = {'F', (char)('0' + m), 0};
		int end = 1020 + 1000 * m;
		struct record f = scene_record(scene, OP_KERNEL, "matmul", "z");
		f.phase = scene_name(scene, phase);
		f.colour = 'F';
		f.microbatch = (int16_t)m;
		op_id z = scene_queue(scene, 0, STREAM_DEFAULT, &f, 0,
		        (struct times){.issue = 20 * US,
		                .ready = (end - 1000) * US,
		                .start = (end - 1000) * US,
		                .end = end * US});
		scene_op(scene, 0, up, OP_WAIT, "wait", "", z, 20, 20, end, end);
		scene_transfer(scene, 0, up, P2P_SEND, 1, phase, m, 20, end, end, end);
		op_id recv = scene_transfer(
		        scene, 1, up, P2P_RECV, 0, phase, m, 20, m ? end - 1000 : 20, end, end);
		scene_op(scene, 1, STREAM_DEFAULT, OP_WAIT, "wait", "", recv, 20, 20, end, end);
		scene_queue(scene, 1, STREAM_DEFAULT, &f, 0,
		        (struct times){.issue = 20 * US,
		                .ready = end * US,
		                .start = end * US,
		                .end = (end + 1000) * US});
	}
	return scene;
}

static void a_stage_that_waits_is_a_bubble(void **state)
{
	(void)state;
	struct scene *scene = bubble_scene();
	double part;
	expect_picture(scene, (struct timeline_options){.width = 80, .merge = true, .now = -1},
	        "   ms        0       0.5     1.0     1.5     2.0      2.5     3.0     3.5\n"
	        "   0 host    l\n"
	        "     default ██████ F0 ███████▐█████ F1 ██████▐█████ F2 ███████\n"
	        "     up      eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
	        "   1 host    l\n"
	        "     default bbbbbbbbbbbbbbbbb██████ F0 ██████▐█████ F1 ███████▐█████ F2 ██████\n"
	        "     up      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
	        "   l launch, e waited for default, b bubble: waited for rank 0\n");
	expect_lane(scene, 1, STREAM_DEFAULT, "launch 20(1) bubble 1000(0) work 1000 work 1000 work 1000");
	assert_int_equal(metric_bubble(&scene->trace, -1, -1, &part), ST_OK);
	assert_float_equal(part, 0,
	        /* from its first phase to its last, a stage that only goes forward never stands empty */
	        1e-12);
	assert_int_equal(metric_bubble(&scene->trace, -1, 0, &part), ST_OK);
	assert_float_equal(part, 0, 1e-12);
	scene_close(scene);
}

/* Twenty iterations, each with its F0 and, three times as long, its B0: no bar is one B0 of them all */
static void iterations_are_bars_of_their_own(void **state)
{
	(void)state;
	struct scene *scene = scene_open(1);
	for (int i = 0; i < 40; i++) {
		struct record record = scene_record(scene, OP_KERNEL, "matmul", "z");
		int start = 20 + i / 2 * 400 + i % 2 * 100, end = start + (i % 2 ? 300 : 100);
		record.phase = scene_name(scene, i % 2 ? "B0" : "F0");
		record.colour = i % 2 ? 'B' : 'F';
		record.microbatch = 0;
		scene_queue(scene, 0, STREAM_DEFAULT, &record, 0,
		        (struct times){
		                .issue = 20 * US, .ready = start * US, .start = start * US, .end = end * US});
	}
	expect_picture(scene, (struct timeline_options){.width = 40, .merge = true, .now = -1},
	        "ms        0      2      4      6      8\n"
	        "0 host    l\n"
	        "  default  x7 ██ x6 █ x8 █ x6 █ x10 ██3\n"
	        "l launch\n");
	scene_close(scene);
}

/* ---- properties ---- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A random program with times that keep the ordering rules, or now and then never happen. */
static void random_program(struct scene *scene, uint32_t *seed, int count)
{
	struct {
		int64_t host, tail[4];
		op_id last[4];
	} rank[3] = {{0}};

	for (int i = 0; i < count; i++) {
		int r = (int)(next_random(seed) % 3), s = 1 + (int)(next_random(seed) % 3),
		    other = 1 + (int)(next_random(seed) % 3);
		int kind = (int)(next_random(seed) % 10);
		int64_t took = next_random(seed) % 90,
		        late = next_random(seed) % 3 ? 0 : next_random(seed) % 50;
		if (rank[r].host == NEVER)
			continue;
		if (kind == 0) {
			op_id on = rank[r].last[other];
			int64_t end = on
			        ? later(rank[r].host,
			                  scene->times[on].end == NEVER ? NEVER : scene->times[on].end / US)
			        : rank[r].host;
			scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", on, rank[r].host, rank[r].host,
			        rank[r].host, end);
			rank[r].host = end;
		} else if (kind == 1) {
			enum op_kind what = next_random(seed) % 2 ? OP_HOST : OP_SEGMENT;
			scene_op(scene, r, STREAM_HOST, what, "host", "", 0, rank[r].host, rank[r].host,
			        rank[r].host, rank[r].host + took);
			rank[r].host += took;
		} else {
			int64_t issue = rank[r].host = rank[r].host + 20 + (next_random(seed) % 5 ? 0 : took);
			int64_t ready = later(issue, rank[r].tail[s]), start, end;
			op_id target = 0;
			if (kind == 2 && (target = rank[r].last[other]) != 0)
				ready = later(ready,
				        scene->times[target].end == NEVER ? NEVER
				                                          : scene->times[target].end / US);
			start = ready == NEVER ? NEVER : ready + (kind == 2 || kind == 3 ? 0 : late);
			end = start == NEVER || next_random(seed) % 97 == 0
			        ? NEVER
			        : start + (kind == 2 || kind == 3 ? 0 : took);
			enum op_kind what = kind == 2 ? OP_WAIT
			        : kind == 3           ? OP_RECORD
			        : kind == 4           ? OP_COPY
			                              : OP_KERNEL;
			rank[r].last[s] =
			        scene_op(scene, r, s, what, "k", "y", target, issue, ready, start, end);
			rank[r].tail[s] = end;
		}
	}
}

static void check_lane(struct scene *scene, int rank, int stream, struct window window)
{
	struct spans spans = {0};
	int64_t at = window.from;

	assert_int_equal(trace_lane(&scene->trace, rank, stream, window, &spans), ST_OK);
	for (size_t i = 0; i < spans.count; i++) {
		const struct span *s = &spans.span[i];
		assert_int_equal(s->from, at);
		assert_true(s->to > s->from);
		if (s->kind == SPAN_WORK && stream != STREAM_HOST) {
			const struct times *t = &scene->times[s->op];
			assert_int_equal(s->from, later(t->start, window.from));
			assert_int_equal(s->to, t->end < window.to ? t->end : window.to);
		}
		at = s->to;
	}
	assert_int_equal(at, window.to);
	spans_release(&spans);
}

static void causes_and_work_add_up(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 60; seed++) {
		uint32_t random = seed;
		struct scene *scene = scene_open(3);
		scene_stream(scene, "a");
		scene_stream(scene, "b");
		random_program(scene, &random, 120);
		struct window all = trace_window(&scene->trace, -1);
		for (int i = 0; i < 40; i++) {
			struct window part = all;
			part.from += (int64_t)(next_random(&random) % (uint32_t)(all.to - all.from));
			part.to = part.from + 1 + (int64_t)(next_random(&random) % (1000 * US));
			check_lane(scene, i % 3, i % 4, i < 12 ? all : part);
		}
		scene_close(scene);
	}
}

/* Every width gives whole pictures, whatever the names are. */
static void any_width_will_do(void **state)
{
	static const int widths[] = {1, 20, 21, 39, 40, 59, 60, 75, 76, 80, 132, 300};
	(void)state;
	uint32_t random = 7;
	struct scene *scene = scene_open(3);
	scene_stream(scene, "a");
	scene_stream(scene, "stromkreis-mit-einem-sehr-langen-namen");
	random_program(scene, &random, 200);
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		for (int rows = 0; rows < 6; rows++) {
			struct picture picture;
			struct text out = {0};
			struct timeline_options options = {.width = widths[i],
			        .rows = rows,
			        .first_row = rows / 2,
			        .merge = rows % 2,
			        .window = trace_window(&scene->trace, -1),
			        .selected = 3};
			assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
			assert_int_equal(picture.width, widths[i] < 20 ? 20 : widths[i]);
			assert_true(picture.height - 1 <= picture.lanes + 12);
			picture_text(&picture, true, &out);
			assert_int_equal(text_valid(out.bytes, out.count), out.count);
			for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n"))
				assert_true(text_columns(line) <= (size_t)picture.width);
			text_release(&out);
			picture_release(&picture);
		}
	}
	scene_close(scene);
}

static void nothing_yet(void **state)
{
	(void)state;
	struct scene *scene = scene_open(4);
	struct timeline_options options = {
	        .width = 80, .merge = true, .now = 0, .window = trace_window(&scene->trace, -1)};
	struct picture picture;
	assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
	assert_int_equal(picture.lanes, 1);
	picture_release(&picture);
	expect_lane(scene, 0, STREAM_HOST, "");
	scene_close(scene);
}

static bool draw(void *scene)
{
	const struct trace *trace = &((struct scene *)scene)->trace;
	struct timeline_options options = {.width = 80, .merge = true, .window = trace_window(trace, -1)};
	struct picture picture;
	long before = mem_live();
	enum status status = timeline_picture(trace, &options, &picture);
	picture_release(&picture);
	return status == ST_OK && mem_live() == before;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	struct scene *scene = straggler_scene();
	sweep_memory(draw, scene);
	scene_close(scene);
}

/* Of this process, whatever else the computer does */
static double processor_ms(void)
{
	struct timespec used;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
}

/* A frame over 100,000 spans takes about half as long as it took to queue them, 15 ms on a quick processor: on
 * a slow one both take longer. */
static void a_frame_is_quick(void **state)
{
	(void)state;
	double begin = processor_ms();
	struct scene *scene = scene_open(4);
	for (int i = 0; i < 12500; i++)
		for (int r = 0; r < 4; r++)
			scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "add", "y", 0, 20 * i + 20, 20 * i + 20,
			        20 * i + 25, 20 * i + 40);
	struct timeline_options options = {
	        .width = 200, .merge = true, .window = trace_window(&scene->trace, -1)};
	struct picture picture;
	double queued = processor_ms();
	assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
	double drawn = processor_ms();
	print_message(
	        "100,000 spans are queued in %.1f ms, and drawn in %.1f\n", queued - begin, drawn - queued);
	assert_true(drawn - queued < 4 * (queued - begin));
	picture_release(&picture);
	scene_close(scene);
}

/* ---- what a picture must never do ---- */

static int first_cell_of(const struct picture *picture)
{
	int name =
	        0; /* cells begin behind the margin, the ranks and the longest lane's name: where the first operation lies */
	for (int column = 0; column < picture->width && !name; column++)
		for (int r = 1; r < picture->height && !name; r++)
			if (picture->ops[r * (size_t)picture->width + column])
				name = column;

	return name;
}

/* Of one rank's lane in a window: an operation that ran there has a cell of its own, or lies in one that shows work and is counted */
static void expect_seen(
        struct scene *scene, const struct bar_row *where, int stream, const struct spans *spans)
{
	struct shown *shown = calloc((size_t)where->cells, sizeof *shown);
	op_id before = 0;
	cells_of(where, spans, shown);
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->span[i];
		int from = cells_at(where->window, where->cells, span->from);
		int to = cells_at(where->window, where->cells, span->to - 1);
		bool own = false, counted = false, crowd = false;
		if (span->kind != SPAN_WORK || span->op == before)
			continue;
		before = span->op;
		for (int cell = from; cell <= to; cell++) {
			own |= shown[cell].thing == THING_WORK &&
			        cells_same_bar(where, shown[cell].op, span->op);
			crowd |= shown[cell].thing == THING_WORK && shown[cell].crowded;
		}
		counted = crowd && shown[to].ops > 1;
		if (!own && !counted)
			print_error("stream %d: operation %u of cells %d-%d is not seen\n", stream, span->op,
			        from, to);
		assert_true(own || counted);
	}
	/* the operations that cells have and others have not add up */
	int all = 0, told = 0;
	before = 0;
	for (size_t i = 0; i < spans->count; i++) {
		all += spans->span[i].kind == SPAN_WORK && spans->span[i].op != before;
		before = spans->span[i].kind == SPAN_WORK ? spans->span[i].op : before;
	}
	for (int cell = 0; cell < where->cells; cell++)
		told += shown[cell].crowded ? shown[cell].ops : 0;
	assert_true(told <= all);
	free(shown);
	(void)scene;
}

static void what_ran_is_seen(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 12; seed++) {
		uint32_t random = seed;
		struct scene *scene = scene_open(3);
		scene_stream(scene, "a");
		scene_stream(scene, "b");
		random_program(scene, &random, 300);
		struct window whole = trace_window(&scene->trace, -1);
		struct lanes lanes = {0};
		struct spans spans = {0};
		assert_int_equal(lanes_load(&lanes, &scene->trace, (int)(seed % 3)), ST_OK);
		for (int cells = 7; cells <= 300; cells += 13)
			for (int part = 0; part < 4; part++) {
				int64_t length = (whole.to - whole.from) >> part;
				struct window window = {whole.from + length / 3 * (part > 0), 0, -1};
				window.to = window.from + (length < cells ? cells : length);
				for (int stream = 0; stream < lanes.streams; stream++) {
					int microbatches = 0;
					struct bar_row where = {.trace = &scene->trace,
					        .window = window,
					        .cells = cells,
					        .host = stream == STREAM_HOST,
					        .microbatches = &microbatches};
					lanes_spans(&lanes, stream, window, &spans);
					spans_cut(&scene->trace, &spans, window.from + length / 2, false);
					expect_seen(scene, &where, stream, &spans);
				}
			}
		spans_release(&spans);
		lanes_release(&lanes);
		scene_close(scene);
	}
}

/* Behind the cell of now no bar is solid and no label reversed; letters are in the words below. */
static void expect_honest(const struct trace *trace, struct timeline_options options)
{
	struct picture picture;
	struct text words = {0};
	assert_int_equal(timeline_picture(trace, &options, &picture), ST_OK);
	int first = first_cell_of(&picture), lanes = picture.lanes, now = 0;
	for (int column = first; column < picture.width; column++)
		if (picture.cells[column].glyph == 0x25bc)
			now = column;
	for (int row = 1 + lanes; row < picture.height; row++) {
		text_add(&words, " ");
		for (int column = 0; column < picture.width; column++)
			text_put_point(&words, picture.cells[row * picture.width + column].glyph);
	}
	for (int row = 1; row <= lanes && options.width < 100; row++)
		for (int column = first; column < picture.width; column++) {
			const struct cell *cell = &picture.cells[row * picture.width + column];
			char told[4] = {' ', (char)cell->glyph, ' ', 0};
			bool solid = cell->glyph == 0x2588 || cell->glyph == 0x2590 || cell->glyph == 0x258e;
			if (now && column > now)
				assert_false(solid || cell->reverse);
			if (cell->glyph >= 'a' && cell->glyph <= 'z' && cell->colour == COLOUR_STALL)
				assert_non_null(strstr(text_string(&words), told));
		}
	text_release(&words);
	picture_release(&picture);
}

static void nothing_undone_is_solid(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 12; seed++) {
		uint32_t random = seed;
		struct scene *scene = scene_open(3);
		scene_stream(scene, "a");
		scene_stream(scene, "b");
		random_program(scene, &random, 120);
		struct window whole = trace_window(&scene->trace, -1);
		int64_t length = whole.to - whole.from;
		for (int width = 40; width <= 300; width += 20)
			for (int part = 1; part < 4; part++) {
				struct timeline_options options = {.width = width,
				        .window = {whole.from + length * (part - 1) / 8, whole.to, -1},
				        .merge = part % 2,
				        .now = whole.from + length * part / 4};
				expect_honest(&scene->trace, options);
			}
		scene_close(scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_furthest_off_comes_first),
	        cmocka_unit_test(a_row_stands_for_ranks_within_a_column),
	        cmocka_unit_test(queued_work_is_dimmed),
	        cmocka_unit_test(a_replay_of_queued_work),
	        cmocka_unit_test(a_print_stops_the_host),
	        cmocka_unit_test(an_event_holds_a_stream),
	        cmocka_unit_test(a_straggler_holds_its_peers),
	        cmocka_unit_test(a_stage_that_waits_is_a_bubble),
	        cmocka_unit_test(iterations_are_bars_of_their_own),
	        cmocka_unit_test(causes_and_work_add_up),
	        cmocka_unit_test(any_width_will_do),
	        cmocka_unit_test(what_ran_is_seen),
	        cmocka_unit_test(nothing_undone_is_solid),
	        cmocka_unit_test(nothing_yet),
	        cmocka_unit_test(memory_may_run_out),
	        cmocka_unit_test(a_frame_is_quick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
