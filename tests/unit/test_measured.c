/* test_measured.c -- pictures and figures of measured times, which never agree to the
 * nanosecond */
#include "check.h"
#include "trace_scene.h"
#include <cjson/cJSON.h>

/* ---- a program on GPUs, with times as they are measured ----
 *
 * Hosts launch in 2 to 4 us, a launch is on its way for 2 to 5, streams take a while between operations and behind what a wait
 * waited for, a sync is told late, members of a collective end apart, clocks of ranks are off, and every time is read a
 * little wrong. What no clock can turn round stays: issue <= ready <= start <= end, and along a stream. */
enum { RANKS = 3, STREAMS = 4, LINES = 80, CLOCKS_OFF = 400, READ_WRONG = 60 };

struct gpu {
	struct scene *scene;
	uint64_t random;
	int64_t host[RANKS], free[RANKS][STREAMS + 1], off[RANKS], told[RANKS][STREAMS + 1];
	op_id record[RANKS]; /* the last record of each */
	int64_t *end;        /* by op_id, as it really was */
	int64_t now;         /* what ends behind it is projected */
};

static int64_t between(struct gpu *gpu, int64_t least, int64_t most)
{
	gpu->random = gpu->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (int64_t)((gpu->random >> 33) % (uint64_t)(most - least + 1));
}

static int64_t read_clock(struct gpu *gpu, int rank, int64_t time, int64_t not_before)
{
	int64_t read = time + gpu->off[rank] + between(gpu, -READ_WRONG, READ_WRONG);
	return read > not_before ? read : not_before;
}

/* Written down as it is read off the clocks of the rank */
static op_id note(struct gpu *gpu, int rank, int stream, enum op_kind kind, op_id target, struct times real)
{
	static const char *const titles[] = {[OP_KERNEL] = "matmul",
	        [OP_COPY] = "copy",
	        [OP_COLLECTIVE] = "allreduce",
	        [OP_RECORD] = "record",
	        [OP_WAIT] = "wait",
	        [OP_SYNC] = "sync"};
	struct record record = scene_record(gpu->scene, kind, titles[kind], "x");
	int64_t *told = &gpu->told[rank][stream];
	struct times t = {.launch = record.launch_ns, .projected = real.end > gpu->now};
	t.issue = read_clock(gpu, rank, real.issue, 0);
	t.ready = read_clock(gpu, rank, real.ready, t.issue > *told ? t.issue : *told);
	t.start = read_clock(gpu, rank, real.start, t.ready);
	t.end = read_clock(gpu, rank, real.end, t.start);
	if (kind != OP_COLLECTIVE)
		t.start = kind == OP_KERNEL || kind == OP_COPY ? t.ready : t.start;
	*told = t.end;
	record.reason = record.title;
	record.launch_ns = 3 * US;
	op_id id = scene_queue(gpu->scene, rank, stream, &record, target, t);
	gpu->end[id] = real.end;
	return id;
}

/* From issue to ready; the stream takes a while after what was there before. */
static struct times launched(struct gpu *gpu, int rank, int stream)
{
	struct times t = {.issue = gpu->host[rank] += between(gpu, 2 * US, 4 * US)};
	int64_t come = t.issue + between(gpu, 2 * US, 5 * US),
	        free = gpu->free[rank][stream] + between(gpu, 300, US);
	t.ready = t.start = t.end = come > free ? come : free;
	return t;
}

static void one_operation(struct gpu *gpu, int rank, int stream, enum op_kind kind)
{
	struct times t = launched(gpu, rank, stream);
	op_id target = kind == OP_WAIT ? gpu->record[rank] : 0;
	if (target && gpu->end[target] > t.end)
		t.end = gpu->end[target];
	if (kind == OP_WAIT)
		t.end += between(gpu, 500, 1500);
	else if (kind != OP_RECORD)
		t.end += between(gpu, 2 * US, 300 * US);
	gpu->free[rank][stream] = t.end;
	op_id id = note(gpu, rank, stream, kind, target, t);
	if (kind == OP_RECORD)
		gpu->record[rank] = id;
}

static void one_collective(struct gpu *gpu, int stream)
{
	struct times t[RANKS];
	op_id id[RANKS];
	int64_t start = 0, length = between(gpu, 20 * US, 200 * US), seen = 0;
	for (int r = 0; r < RANKS; r++) {
		t[r] = launched(gpu, r, stream);
		start = t[r].ready > start ? t[r].ready : start;
	}
	for (int r = 0; r < RANKS; r++) {
		t[r].start = start;
		gpu->free[r][stream] = t[r].end = start + length + between(gpu, 0, 3 * US);
		id[r] = note(gpu, r, stream, OP_COLLECTIVE, 0, t[r]);
		seen = gpu->scene->times[id[r]].ready > seen ? gpu->scene->times[id[r]].ready : seen;
	}
	for (int r = 0; r < RANKS; r++) /* it starts with the last to come, as far as clocks can tell */
		gpu->scene->times[id[r]].start =
		        seen < gpu->scene->times[id[r]].end ? seen : gpu->scene->times[id[r]].end;
}

static void one_sync(struct gpu *gpu, int rank, int stream)
{
	op_id target = 0;
	for (op_id id = 1; id <= gpu->scene->world->op_count; id++)
		if (gpu->scene->world->ops[id].rank == rank && gpu->scene->world->ops[id].stream == stream)
			target = id;
	struct times t = {.issue = gpu->host[rank], .ready = gpu->host[rank], .start = gpu->host[rank]};
	int64_t over = target && gpu->end[target] > t.start ? gpu->end[target] : t.start;
	gpu->host[rank] = t.end = over + between(gpu, US, 10 * US);
	note(gpu, rank, STREAM_HOST, OP_SYNC, target, t);
}

static void gpu_open(struct gpu *gpu, uint64_t seed)
{
	*gpu = (struct gpu){.scene = scene_open(RANKS), .random = seed * 77 + 1, .now = 1500 * US};
	gpu->end = mem_alloc(SCENE_OPS * sizeof *gpu->end);
	gpu->scene->backend.measures = true;
	for (int s = STREAM_DEFAULT + 1; s <= STREAMS; s++)
		scene_stream(gpu->scene, s == 2 ? "io" : s == 3 ? "compute" : "comm");
	for (int r = 0; r < RANKS; r++)
		gpu->off[r] = between(gpu, 0, CLOCKS_OFF);
	for (int line = 0; line < LINES; line++) {
		int stream = (int)between(gpu, 1, STREAMS), what = (int)between(gpu, 0, 9);
		if (what == 0)
			one_collective(gpu, stream);
		for (int r = 0; r < RANKS && what > 0; r++)
			if (what == 1)
				one_sync(gpu, r, stream);
			else
				one_operation(gpu, r, stream,
				        what < 4           ? OP_RECORD
				                : what < 6 ? OP_WAIT
				                : what < 8 ? OP_KERNEL
				                           : OP_COPY);
	}
}

static void gpu_close(struct gpu *gpu)
{
	mem_free(gpu->end);
	scene_close(gpu->scene);
}

/* ---- what holds of any of them ---- */

/* The lane tiles the window; work is drawn from start to end of its operation and nowhere else, dimmed where it is projected. */
static void check_lane(const struct scene *scene, int rank, int stream, struct window window)
{
	struct spans spans = {0};
	int64_t at = window.from, work = 0, real = 0;
	assert_int_equal(trace_lane(&scene->trace, rank, stream, window, &spans), ST_OK);
	for (size_t i = 0; i < spans.count; i++) {
		const struct span *s = &spans.span[i];
		assert_int_equal(s->from, at);
		assert_true(s->to > s->from);
		at = s->to;
		if (s->op && stream != STREAM_HOST)
			assert_int_equal(s->projected, scene->times[s->op].projected);
		if (s->kind != SPAN_WORK)
			continue;
		assert_int_equal(s->from, scene->times[s->op].start);
		assert_int_equal(s->to, scene->times[s->op].end);
		work += s->to - s->from;
	}
	assert_int_equal(at, window.to);
	for (op_id id = scene->world->first[rank]; id; id = scene->world->ops[id].next_program)
		if (scene->world->ops[id].stream == stream &&
		        trace_is_work(op_record(scene->world, id)->kind))
			real += scene->times[id].end - scene->times[id].start;
	assert_int_equal(work, real);
	spans_release(&spans);
}

/* Whoever is blamed was at it meanwhile, as far as the clocks can tell. */
static void check_blame(const struct gpu *gpu, const struct span *s)
{
	const int64_t off = CLOCKS_OFF + 2 * READ_WRONG;
	const struct times *by = &gpu->scene->times[s->blame], *t = &gpu->scene->times[s->op];
	bool works = s->op && trace_is_work(op_record(gpu->scene->world, s->op)->kind);
	switch (s->cause) {
	case CAUSE_EVENT:
		assert_true(by->end <= (works ? t->start : t->end) + off);
		assert_true(by->end >= s->from);
		return;
	case CAUSE_PEER:
		assert_true(s->blame &&
		        gpu->scene->world->ops[s->blame].rank != gpu->scene->world->ops[s->op].rank);
		assert_true(by->ready >= s->to - off);
		return;
	case CAUSE_SYNC:
		assert_int_equal(gpu->scene->world->ops[s->blame].stream, STREAM_HOST);
		return;
	default:
		assert_true(s->cause == CAUSE_LAUNCH || s->cause == CAUSE_HOST || s->cause == CAUSE_DONE);
	}
}

static void causes_of_measured_times(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct gpu gpu;
		struct spans spans = {0};
		gpu_open(&gpu, seed);
		struct window window = trace_window(&gpu.scene->trace, -1);
		for (int rank = 0; rank < RANKS; rank++)
			for (int stream = STREAM_HOST; stream <= STREAMS; stream++) {
				check_lane(gpu.scene, rank, stream, window);
				assert_int_equal(
				        trace_lane(&gpu.scene->trace, rank, stream, window, &spans), ST_OK);
				for (size_t i = 0; i < spans.count && stream != STREAM_HOST; i++)
					if (spans.span[i].kind == SPAN_STALL)
						check_blame(&gpu, &spans.span[i]);
			}
		spans_release(&spans);
		gpu_close(&gpu);
	}
}

/* Any times at all that keep the contract, with any blame */
static void any_times_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct gpu gpu;
		gpu_open(&gpu, seed);
		int64_t last[RANKS][STREAMS + 1] = {{0}}, issued[RANKS] = {0};
		for (op_id id = 1; id <= gpu.scene->world->op_count; id++) {
			const struct op *op = &gpu.scene->world->ops[id];
			struct times *t = &gpu.scene->times[id];
			int64_t *at = &last[op->rank][op->stream];
			t->issue = issued[op->rank] += between(&gpu, 0, 3) * between(&gpu, 0, 20);
			t->ready = t->issue + between(&gpu, 0, 9);
			t->ready = t->ready > *at ? t->ready : *at;
			t->start = t->ready + between(&gpu, 0, 9) * between(&gpu, 0, 9);
			*at = t->end = t->start + between(&gpu, 0, 3) * between(&gpu, 0, 90);
			if (op->stream == STREAM_HOST) {
				t->ready = t->start = t->issue;
				*at = t->end = issued[op->rank] += between(&gpu, 0, 90);
			}
			t->launch = between(&gpu, 0, 9);
			t->blame = (op_id)between(&gpu, 0, (int64_t)gpu.scene->world->op_count);
			t->answered = between(&gpu, 0, 1);
		}
		struct window window = trace_window(&gpu.scene->trace, -1);
		for (int rank = 0; rank < RANKS; rank++)
			for (int stream = STREAM_DEFAULT; stream <= STREAMS; stream++)
				check_lane(gpu.scene, rank, stream, window);
		gpu_close(&gpu);
	}
}

/* ---- causes one by one ---- */

/* A wait ends 2 us behind what it waited for, and it is that which is to blame: not the copy that stood before it. */
static void a_wait_ends_a_little_later(void **state)
{
	(void)state;
	struct scene *scene = scene_open(2);
	int io = scene_stream(scene, "io"), compute = scene_stream(scene, "compute");
	scene->backend.measures = true;
	scene_op(scene, 0, io, OP_COPY, "copy", "x", 0, 20, 25, 25, 125);
	op_id read = scene_op(scene, 0, io, OP_RECORD, "record", "", 0, 22, 126, 126, 126);
	scene_op(scene, 0, compute, OP_KERNEL, "relu", "z", 0, 24, 30, 30, 60);
	scene_op(scene, 0, compute, OP_WAIT, "wait", "", read, 26, 61, 61, 128);
	op_id both = scene_op(scene, 0, compute, OP_RECORD, "record", "", 0, 28, 129, 129, 129);
	scene_op(scene, 0, STREAM_DEFAULT, OP_WAIT, "wait", "", both, 30, 36, 36, 131);
	scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 32, 132, 132, 200);
	/* over long before: the device took 2 us to see it */
	scene_op(scene, 0, compute, OP_KERNEL, "relu", "z", 0, 34, 139, 139, 180);
	scene_op(scene, 0, compute, OP_WAIT, "wait", "", read, 36, 181, 181, 183);
	scene_op(scene, 0, compute, OP_KERNEL, "add", "z", 0, 38, 184, 184, 190);
	expect_lane(scene, 0, STREAM_DEFAULT, "launch 32(0) event 99(0) launch 1 work 68");
	expect_lane(
	        scene, 0, compute, "launch 30 work 30 event 68(0) launch 11 work 41 launch 4 work 6 done 10");
	struct lanes lanes = {0};
	assert_int_equal(lanes_load(&lanes, &scene->trace, 0), ST_OK);
	assert_int_equal(lanes_behind(&lanes, both), 1); /* the copy, by way of two waits */
	lanes_release(&lanes);
	scene_close(scene);
}

/* ---- beside what was predicted ---- */

/* Queued later than the simulator has it, and it takes so many per mille longer there */
static bool predicted_times(struct backend *backend, op_id id, struct times *times)
{
	static const int64_t per_mille[] = {[OP_KERNEL] = 900, [OP_COPY] = 1250, [OP_COLLECTIVE] = 1000};
	struct scene *scene = (struct scene *)backend;
	enum op_kind kind = (enum op_kind)op_record(scene->world, id)->kind;
	*times = scene->times[id];
	times->launch = 4 * US;
	if (kind == OP_SYNC) /* what it waits for comes later by 10 us than it is */
		times->end += 10 * US;
	else
		times->end = times->start + (times->end - times->start) * per_mille[kind] / 1000;
	return kind != OP_P2P;
}

static double off_by_40_us(struct backend *backend)
{
	(void)backend;
	return 40 * US;
}

static struct scene *training_scene(void)
{
	struct scene *scene = scene_open(2);
	int io = scene_stream(scene, "io");
	for (int r = 0; r < 2; r++) {
		for (int64_t i = 0; i < 3; i++)
			scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20 + 5 * i,
			        30 + 200 * i, 30 + 200 * i, 130 + 200 * i + 50 * i * r);
		scene_op(scene, r, io, OP_COPY, "copy", "x", 0, 40, 45, 45, 245);
		scene_op(scene, r, STREAM_DEFAULT, OP_COLLECTIVE, "allreduce", "y", 0, 60, 640, 660,
		        860 + 3 * r);
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 60, 60, 60, 870);
	}
	scene->backend.measures = true;
	scene->backend.predicted = predicted_times;
	return scene;
}

static void expect_stats(struct scene *scene, int width, const char *wanted)
{
	struct text out = {0};
	assert_int_equal(trace_stats(&scene->trace, -1, width, &out), ST_OK);
	const char *from = strstr(text_string(&out), "   predicted");
	assert_non_null(from);
	assert_text(from, wanted);
	text_release(&out);
}

static void predictions_stand_beside(void **state)
{
	(void)state;
	struct scene *scene = training_scene();
	expect_stats(scene, 80,
	        "   predicted         operations  each measured  predicted   error  median\n"
	        "   matmul                     6         125 us     112 us  -10.0%   10.0%\n"
	        "   allreduce                  2         202 us     202 us   +0.0%\n"
	        "   copy on the host           2         200 us     250 us  +25.0%\n"
	        "   launch                    10          20 us       4 us  -80.0%   80.0%\n"
	        "   time                                 870 us     864 us   -0.7%\n");
	scene->backend.uncertainty = off_by_40_us;
	scene->times[3].projected =
	        true; /* not over: it counts nowhere here, and the time is not measured yet */
	expect_stats(scene, 60,
	        "   predicted         operations  each measured  predicted\n"
	        "   matmul                     5         130 us     117 us\n"
	        "   allreduce                  2         202 us     202 us\n"
	        "   copy on the host           2         200 us     250 us\n"
	        "   launch                     9          20 us       4 us\n"
	        "   predicted          error  median\n"
	        "   matmul            -10.0%   10.0%\n"
	        "   allreduce          +0.0%\n"
	        "   copy on the host  +25.0%\n"
	        "   launch            -80.0%   80.0%\n"
	        "   times \xc2\xb1"
	        "40 us\n");
	scene_close(scene);
}

/* Eight ranks that measure almost the same have one column; the one that is 2 % slower its own. */
static void figures_that_are_alike(void **state)
{
	(void)state;
	struct scene *scene = scene_open(8);
	struct text out = {0};
	for (int r = 0; r < 8; r++)
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 25 + r % 3, 25 + r % 3,
		        5000 + 4 * r + (r == 6 ? 100 : 0));
	scene->backend.measures = true;
	assert_int_equal(trace_stats(&scene->trace, -1, 80, &out), ST_OK);
	assert_non_null(strstr(text_string(&out),
	        "   ranks                    0-5,7        6\n"
	        "   time                   5.00 ms  5.12 ms\n"));
	text_clear(&out);
	assert_int_equal(trace_stalls(&scene->trace, -1, 80, &out), ST_OK);
	assert_non_null(strstr(text_string(&out), "   0-5,7  host                0.02   0%"));
	text_release(&out);
	scene_close(scene);
}

/* The simulator's times are exact, and compared with nothing. */
static void the_simulator_is_not_compared(void **state)
{
	(void)state;
	struct scene *scene = training_scene();
	struct text out = {0};
	scene->backend.predicted = NULL;
	assert_int_equal(trace_stats(&scene->trace, -1, 80, &out), ST_OK);
	assert_int_equal(trace_stalls(&scene->trace, -1, 80, &out), ST_OK);
	assert_null(strstr(text_string(&out), "predicted"));
	assert_null(strstr(text_string(&out), "\xc2\xb1"));
	text_release(&out);
	scene_close(scene);
}

/* ---- pictures and files ---- */

/* Ranks are some us apart: one set of rows, but for the rank that anyone can see is late. */
static void ranks_that_nobody_can_tell_apart(void **state)
{
	(void)state;
	struct scene *scene = scene_open(4);
	struct timeline_options options = {.width = 80, .merge = true, .now = 5531 * US};
	struct picture picture;
	struct text out = {0};
	for (int r = 0; r < 4; r++) {
		int64_t end = (r == 2 ? 4020 : 2020) + 3 * r, off = 2 * r;
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 24 + off, 24 + off, end);
		scene_op(scene, r, STREAM_DEFAULT, OP_COLLECTIVE, "allreduce", "y", 0, 40, end + 1 + off,
		        4031, 5520 + off);
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 40, 40, 40, 5525 + off);
	}
	scene->backend.measures = true;
	options.window = trace_window(&scene->trace, -1);
	assert_int_equal(timeline_picture(&scene->trace, &options, &picture), ST_OK);
	picture_text(&picture, false, &out);
	assert_text(text_string(&out),
	        "   ms            0          1          2          3          4           5\n"
	        "   0,1,3 host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "         default ██████ matmul y ███████pppppppppppppppppppppp██ allreduce y ██|\n"
	        "   2     host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "         default █████████████████ matmul y ██████████████████▐█ allreduce y ██|\n"
	        "   s waited 5.49 ms in `sync`, l launch, p waited for rank 2, now 5.53 ms\n");
	text_release(&out);
	picture_release(&picture);
	scene_close(scene);
}

static double number_at(const cJSON *event, const char *key)
{
	const cJSON *value = cJSON_GetObjectItem(event, key);
	assert_true(cJSON_IsNumber(value));
	return value->valuedouble;
}

/* Clocks of ranks are off, and no arrow goes back in time; what has not run yet says so. */
static void the_export_goes_forward(void **state)
{
	(void)state;
	struct gpu gpu;
	struct text out = {0};
	double left = 0;
	int arrows = 0, projected = 0;
	gpu_open(&gpu, 5);
	assert_int_equal(export_json(&gpu.scene->trace, &out), ST_OK);
	cJSON *root = cJSON_Parse(text_string(&out));
	const cJSON *event;
	cJSON_ArrayForEach(event, cJSON_GetObjectItem(root, "traceEvents"))
	{
		const char *phase = cJSON_GetObjectItem(event, "ph")->valuestring;
		if (*phase == 's')
			left = number_at(event, "ts");
		else if (*phase == 'f')
			arrows += number_at(event, "ts") >= left;
		if (*phase == 'f')
			assert_true(number_at(event, "ts") >= left);
		if (*phase == 'X')
			assert_true(number_at(event, "ts") >= 0 && number_at(event, "dur") > 0);
		if (*phase == 'X')
			projected += cJSON_IsTrue(
			        cJSON_GetObjectItem(cJSON_GetObjectItem(event, "args"), "projected"));
	}
	assert_true(arrows > 10 && projected > 10);
	cJSON_Delete(root);
	text_release(&out);
	gpu_close(&gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(causes_of_measured_times),
	        cmocka_unit_test(any_times_add_up),
	        cmocka_unit_test(a_wait_ends_a_little_later),
	        cmocka_unit_test(predictions_stand_beside),
	        cmocka_unit_test(figures_that_are_alike),
	        cmocka_unit_test(the_simulator_is_not_compared),
	        cmocka_unit_test(ranks_that_nobody_can_tell_apart),
	        cmocka_unit_test(the_export_goes_forward),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
