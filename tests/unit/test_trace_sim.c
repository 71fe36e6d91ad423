/* test_trace_sim.c -- the pictures of a simulated machine: lanes from the engine's times */
#include "base/ranks.h"
#include "trace_scene.h"
#include "collectives/collective.h"
#include "sim/sim.h"

/* The simulator in place of the written-down times */
struct rig {
	struct scene *scene;
	struct backend *sim;
	struct trace trace;
};

static struct rig rig_open(int n)
{
	struct rig rig = {.scene = scene_open(n)};
	struct machine *machine = &rig.scene->machine;
	assert_int_equal(machine_load(machine, "classroom"), ST_OK);
	rig.sim = sim_start(rig.scene->world, NULL, (struct backend_hooks){0});
	rig.trace = (struct trace){.world = rig.scene->world, .backend = rig.sim};
	return rig;
}

static void rig_close(struct rig *rig)
{
	rig->sim->stop(rig->sim);
	scene_close(rig->scene);
}

static op_id queue(struct rig *rig, int rank, int stream, struct record record, op_id target)
{
	op_id id;
	record.alone_ns = -1;
	assert_int_equal(world_queue(rig->scene->world, rank, stream, &record, 0, target, 0, &id), ST_OK);
	assert_int_equal(rig->sim->queued(rig->sim, id), ST_OK);
	return id;
}

static op_id spin(struct rig *rig, int rank, int stream, const char *name, int64_t us, const char *phase,
        int microbatch)
{
	struct record record = scene_record(rig->scene, OP_KERNEL, name, "y");
	record.duration_ns = us * US;
	record.phase = scene_name(rig->scene, phase);
	record.microbatch = (int16_t)microbatch;
	return queue(rig, rank, stream, record, 0);
}

static op_id allreduce(struct rig *rig, int rank, int stream)
{
	struct record record = scene_record(rig->scene, OP_COLLECTIVE, "allreduce", "y");
	record.collective = &collective_allreduce;
	record.bytes = 256 * 1024;
	return queue(rig, rank, stream, record, 0);
}

static void sync(struct rig *rig, int rank)
{
	struct record record = scene_record(rig->scene, OP_SYNC, "sync", "");
	record.reason = record.title;
	queue(rig, rank, STREAM_HOST, record, OP_EVERYTHING);
}

static void expect_picture(struct rig *rig, int64_t now, const char *wanted)
{
	struct timeline_options options = {
	        .width = 80, .merge = true, .now = now, .window = trace_window(&rig->trace, -1)};
	struct picture picture;
	struct text out = {0};
	assert_int_equal(timeline_picture(&rig->trace, &options, &picture), ST_OK);
	picture_text(&picture, false, &out);
	assert_text(text_string(&out), wanted);
	text_release(&out);
	picture_release(&picture);
}

/* Work and causes of every lane add up to the window. */
static void check_sums(struct rig *rig)
{
	struct window window = trace_window(&rig->trace, -1);
	struct spans spans = {0};

	for (int rank = 0; rank < rig->scene->world->n; rank++)
		for (int stream = 0; stream < 4; stream++) {
			int64_t at = window.from;
			assert_int_equal(trace_lane(&rig->trace, rank, stream, window, &spans), ST_OK);
			for (size_t i = 0; i < spans.count; i++) {
				assert_int_equal(spans.span[i].from, at);
				at = spans.span[i].to;
			}
			assert_int_equal(at, window.to);
		}
	spans_release(&spans);
}

static void a_straggler(void **state)
{
	(void)state;
	struct rig rig = rig_open(4);
	for (int r = 0; r < 4; r++) {
		spin(&rig, r, STREAM_DEFAULT, "matmul", r == 2 ? 4000 : 2000, NULL, -1);
		allreduce(&rig, r, STREAM_DEFAULT);
		sync(&rig, r);
	}
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	expect_picture(&rig, 6 * MS,
	        "   ms            0          1          2          3          4           5\n"
	        "   0,1,3 host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "         default ██████ matmul y ███████pppppppppppppppppppppp██ allreduce y ██|\n"
	        "   2     host    lsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|\n"
	        "         default █████████████████ matmul y ██████████████████▐█ allreduce y ██|\n"
	        "   s waited 5.48 ms in `sync`, l launch, p waited for rank 2, now 6.00 ms\n");
	check_sums(&rig);
	rig_close(&rig);
}

static void a_missing_rank(void **state)
{
	(void)state;
	struct rig rig = rig_open(4);
	struct text out = {0};
	for (int r = 0; r < 4; r++) {
		spin(&rig, r, STREAM_DEFAULT, "matmul", 2000, NULL, -1);
		if (r != 2) {
			allreduce(&rig, r, STREAM_DEFAULT);
			sync(&rig, r);
		}
	}
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	assert_false(trace_stuck(&rig.trace, 80, false, &out));
	assert_text(text_string(&out),
	        "ranks 0,1,3 wait for a line on rank 2\n"
	        "   ranks  hangs in                waits for  last done  next in world\n"
	        "   0,1,3  allreduce y on default  rank 2     matmul y   allreduce y\n"
	        "   2                                         matmul y   nothing\n");
	text_release(&out);
	check_sums(&rig);
	rig_close(&rig);
}

/* Two stages, four micro-batches: recv, wait, kernel on rank 1 */
static void a_pipeline(void **state)
{
	(void)state;
	struct rig rig = rig_open(2);
	int up = scene_stream(rig.scene, "up");
	double part;
	for (int m = 0; m < 4; m++) {
		char phase[8] = {'F', (char)('0' + m), 0};
		for (int r = 0; r < 2; r++) {
			struct part transfer = {.direction = r == 0 ? P2P_SEND : P2P_RECV, .peer = 1 - r};
			struct operand operand = {.space = SPACE_DEVICE,
			        .access = r == 0 ? ACCESS_READ : ACCESS_WRITE,
			        .tensor = -1};
			struct record record = scene_record(rig.scene, OP_P2P, r == 0 ? "send" : "recv", "a");
			struct record wait = scene_record(rig.scene, OP_WAIT, "wait", "");
			int64_t dim[1] = {1024};
			layout_make(&operand.layout, DT_F32, 1, dim);
			record.part = &transfer;
			record.operand = &operand;
			record.parts = record.operands = 1;
			record.bytes = 4096;
			record.phase = scene_name(rig.scene, phase);
			record.microbatch = (int16_t)m;
			if (r == 0) {
				op_id done = spin(&rig, 0, STREAM_DEFAULT, "spin", 1000, phase, m);
				queue(&rig, 0, up, wait, done);
				queue(&rig, 0, up, record, 0);
			} else {
				op_id done = queue(&rig, 1, up, record, 0);
				queue(&rig, 1, STREAM_DEFAULT, wait, done);
				spin(&rig, 1, STREAM_DEFAULT, "spin", 1000, phase, m);
			}
		}
	}
	sync(&rig, 0);
	sync(&rig, 1);
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	expect_picture(&rig, -1,
	        "   ms        0            1            2            3            4            5\n"
	        "   0 host    lllssssssssssssssssssssssssssssssssssssssssssssssssss\n"
	        "     default ████ F0 █████▐███ F1 █████▐████ F2 █████▐███ F3 █████\n"
	        "     up      .eeeeeeeeeeee▎eeeeeeeeeeee▎eeeeeeeeeeee▎eeeeeeeeeeee▎\n"
	        "   1 host    lllsssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss\n"
	        "     default .bbbbbbbbbbbbb████ F0 █████▐███ F1 █████▐███ F2 █████▐███ F3 █████\n"
	        "     up      bbbbbbbbbbbbb▎bbbbbbbbbbbb▎bbbbbbbbbbbb▎bbbbbbbbbbbb▎\n"
	        "   s rank 0 host waited 3.81 ms in `sync`, l launch, e waited for default\n"
	        "   s rank 1 host waited 4.80 ms in `sync`, b bubble: waited for rank 0\n");
	check_sums(&rig);
	assert_int_equal(metric_bubble(&rig.trace, -1, -1, &part), ST_OK);
	assert_float_equal(part, 0, 1e-9); /* each rank has no gap: launches and hand-offs are left out */
	rig_close(&rig);
}

/* A budget that lasts `left` times and counts what it gave */
struct grants {
	struct budget budget;
	int left, given;
};
static bool grant(struct budget *budget)
{
	struct grants *grants = (struct grants *)budget;
	budget->steps = 1;
	grants->given++;
	return grants->left-- > 0;
}

static struct rig many_queued(void)
{
	struct rig rig = rig_open(3);
	scene_stream(rig.scene, "io");
	for (int rank = 0; rank < 3; rank++) {
		for (int i = 0; i < 200; i++) {
			spin(&rig, rank, 2, "spin", 10 + rank, NULL, -1);
			allreduce(&rig, rank, STREAM_DEFAULT);
		}
	}
	return rig;
}

/* In a process that has looked before, a look takes the steps that it takes in one that has not: Ctrl-C falls
 * at the same place. */
static void a_projection_counts_the_same_again(void **state)
{
	(void)state;
	struct rig rig = many_queued();
	struct grants first = {.budget = {.more = grant}, .left = 1000000}, again = first, short_of = first;
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	assert_int_equal(rig.sim->project(rig.sim, &first.budget), ST_OK);
	assert_true(first.given > 4);
	assert_int_equal(rig.sim->project(rig.sim, &again.budget), ST_OK);
	assert_int_equal(again.given, first.given);
	short_of.left = first.given / 2;
	assert_int_equal(rig.sim->project(rig.sim, &short_of.budget), ST_INTERRUPTED);
	rig_close(&rig);

	rig = many_queued();
	struct grants fresh = {.budget = {.more = grant}, .left = first.given / 2};
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	assert_int_equal(rig.sim->project(rig.sim, &fresh.budget), ST_INTERRUPTED);
	assert_int_equal(fresh.given, short_of.given);
	rig_close(&rig);
}

/* ... also where one has looked before the machine went on and the other has not: a look in a line that was
 * stopped, which goes on with the next one. */
static void a_projection_is_made_anew_behind_an_advance(void **state)
{
	(void)state;
	struct grants looked = {.budget = {.more = grant}, .left = 1000000}, fresh = looked;
	struct rig rig = many_queued();
	assert_int_equal(rig.sim->project(rig.sim, NULL), ST_OK);
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	assert_int_equal(rig.sim->project(rig.sim, &looked.budget), ST_OK);
	rig_close(&rig);

	rig = many_queued();
	assert_int_equal(rig.sim->advance(rig.sim, NULL), ST_OK);
	assert_int_equal(rig.sim->project(rig.sim, &fresh.budget), ST_OK);
	assert_int_equal(looked.given, fresh.given);
	rig_close(&rig);
}

static enum status picture_of(const struct trace *trace)
{
	struct timeline_options options = {
	        .width = 80, .merge = true, .window = trace_window(trace, -1), .now = -1};
	struct picture picture = {0};
	enum status status = timeline_picture(trace, &options, &picture);
	picture_release(&picture);
	return status;
}

static enum status time_of_all(const struct trace *trace)
{
	int64_t ns;
	enum status status = ST_OK;
	for (int rank = 0; rank < 3 && status == ST_OK; rank++)
		status = metric_time(trace, -1, rank, &ns);
	return status;
}

static void every_long_look_can_be_stopped(void **state)
{
	(void)state;
	struct rig rig = many_queued();
	for (int look = 0; look < 6; look++)
		for (int left = 0; left < 2; left++) {
			struct grants grants = {.budget = {.more = grant}, .left = left};
			struct trace trace = rig.trace;
			struct text out = {0};
			trace.budget = &grants.budget;
			assert_int_equal(look == 0  ? picture_of(&trace)
			                : look == 1 ? trace_stalls(&trace, -1, 80, &out)
			                : look == 2 ? trace_stats(&trace, -1, 80, &out)
			                : look == 3 ? trace_diff(&trace, 0, 0, 80, &out)
			                : look == 4 ? export_json(&trace, &out)
			                            : time_of_all(&trace),
			        ST_INTERRUPTED);
			text_release(&out);
		}
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_straggler),
	        cmocka_unit_test(a_missing_rank),
	        cmocka_unit_test(a_pipeline),
	        cmocka_unit_test(a_projection_counts_the_same_again),
	        cmocka_unit_test(a_projection_is_made_anew_behind_an_advance),
	        cmocka_unit_test(every_long_look_can_be_stopped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
