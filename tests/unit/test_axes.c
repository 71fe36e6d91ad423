/* test_axes.c -- figures by axis: which groups belong to an axis, and what is exposed, with
 * times set by the test */
#include "trace_scene.h"

/* 8 ranks, pp=2 dp=2 tp=2, and a group of pp's */
struct axes {
	int pp, dp, tp, acts;
};

/* A group of 4 pairs, `apart` ranks from each other */
static int pairs(struct scene *scene, const char *name, bool axis, int apart)
{
	int starts[5], ranks[8], count = 0, index;
	for (int first = 0; first < 8; first++)
		if (first / apart % 2 == 0) {
			starts[count / 2] = count;
			ranks[count++] = first;
			ranks[count++] = first + apart;
		}
	starts[4] = 8;
	assert_int_equal(
	        world_group_make(scene->world, scene_name(scene, name), axis, 4, starts, ranks, &index),
	        ST_OK);
	return index;
}

static struct axes mesh(struct scene *scene)
{
	struct axes axes = {.pp = pairs(scene, "pp", true, 4), .dp = pairs(scene, "dp", true, 2)};
	axes.tp = pairs(scene, "tp", true, 1);
	axes.acts = pairs(scene, "acts", false, 4);
	return axes;
}

static void groups_count_with_their_axis(void **state)
{
	(void)state;
	int index, some;
	struct scene *scene = scene_open(8);
	struct axes axes = mesh(scene);
	struct world *world = scene->world;
	assert_int_equal(world_group_make(world, scene_name(scene, "half"), true, 2, (int[]){0, 4, 8},
	                         (int[]){0, 1, 2, 3, 4, 5, 6, 7}, &index),
	        ST_OK);
	assert_int_equal(world_group_make(world, scene_name(scene, "some"), false, 1, (int[]){0, 2},
	                         (int[]){1, 2}, &some),
	        ST_OK);
	assert_int_equal(trace_axis_of(world, 0, axes.pp), axes.pp);
	assert_int_equal(trace_axis_of(world, 0, axes.acts), axes.pp);
	assert_int_equal(trace_axis_of(world, 3, axes.acts), axes.pp);
	assert_int_equal(
	        trace_axis_of(world, 1, some), index); /* ranks 1 and 2 are together in none but `half` */
	assert_int_equal(trace_axis_of(world, 0, some), some); /* not in it */
	assert_int_equal(trace_axis_of(world, 0, 0), 0);       /* the world is in no axis */
	scene_close(scene);
}

static int64_t exposed(struct scene *scene, int axis, int operations)
{
	struct axis_use use = {.axis = axis};
	assert_int_equal(metric_axes(&scene->trace, -1, 0, &use, 1), ST_OK);
	assert_true(use.known);
	assert_int_equal(use.operations, operations);
	return use.exposed_ns / US;
}

/* Rank 0. K: a kernel, =: an operation of the axis runs, p: it waits for its peers, e: for another stream
 *
 *              20       100 130   180      250      300 320  350   370    400 420 430     500
 *      compute |KKKKKKKKK|tp p|====|KKKKKKKK|KKKKKKKK|e  e    |KKKKK|e      e   e  |KKKKKKK|
 *      comm    |                            |dp=========335   |   360 p p p|===|KKK|
 *      in      |pp p p p p p p p p p p p p p p p p p p|=======|
 *
 *   tp   130 to 180
 *   dp   300 to 320, behind the kernel, although nobody waits; 400 to 420: compute waits for a kernel that stands
 *        behind it on its stream
 *   pp   320 to 350: compute waits for it, and dp, which runs too until 335, is nobody's hurry */
static void each_instant_is_one_axis_own(void **state)
{
	(void)state;
	for (int stage = 0; stage < 2; stage++) { /* and the same where it counts as a bubble */
		struct scene *scene = scene_open(8);
		struct axes axes = mesh(scene);
		int compute = scene_stream(scene, "compute"), comm = scene_stream(scene, "comm"),
		    in = scene_stream(scene, "in");
		scene->group = axes.acts;
		scene_transfer(
		        scene, 0, in, P2P_RECV, 4, stage ? "F3" : NULL, stage ? 3 : -1, 20, 20, 320, 350);
		op_id arrived = scene_op(scene, 0, in, OP_RECORD, "record", "", 0, 20, 350, 350, 350);
		scene_op(scene, 0, compute, OP_KERNEL, "matmul", "a", 0, 20, 20, 20, 100);
		scene->group = axes.tp;
		scene_op(scene, 0, compute, OP_COLLECTIVE, "allreduce", "a", 0, 60, 100, 130, 180);
		scene_op(scene, 0, compute, OP_KERNEL, "matmul", "b", 0, 80, 180, 180, 250);
		op_id made = scene_op(scene, 0, compute, OP_RECORD, "record", "", 0, 80, 250, 250, 250);
		scene_op(scene, 0, compute, OP_KERNEL, "matmul", "c", 0, 80, 250, 250, 300);
		scene_op(scene, 0, comm, OP_WAIT, "wait", "", made, 80, 80, 250, 250);
		scene->group = axes.dp;
		scene_op(scene, 0, comm, OP_COLLECTIVE, "allreduce", "g", 0, 100, 250, 250, 335);
		scene_op(scene, 0, compute, OP_WAIT, "wait", "", arrived, 100, 300, 350, 350);
		scene_op(scene, 0, compute, OP_KERNEL, "matmul", "d", 0, 120, 350, 350, 370);
		scene_op(scene, 0, comm, OP_COLLECTIVE, "allreduce", "h", 0, 360, 360, 400, 420);
		scene_op(scene, 0, comm, OP_KERNEL, "cast", "w", 0, 140, 420, 420, 430);
		op_id cast = scene_op(scene, 0, comm, OP_RECORD, "record", "", 0, 140, 430, 430, 430);
		scene_op(scene, 0, compute, OP_WAIT, "wait", "", cast, 140, 370, 430, 430);
		scene_op(scene, 0, compute, OP_KERNEL, "matmul", "e", 0, 160, 430, 430, 500);
		assert_int_equal(exposed(scene, axes.tp, 1), 50);
		assert_int_equal(exposed(scene, axes.pp, 1), 30);
		assert_int_equal(exposed(scene, axes.acts, 1), 30);
		assert_int_equal(exposed(scene, axes.dp, 2), 20 + 20);
		scene_close(scene);
	}
}

/* An operation without an end makes the figure of its own axis unknown, and no other */
static void what_never_ends(void **state)
{
	(void)state;
	struct scene *scene = scene_open(8);
	struct axes axes = mesh(scene);
	int comm = scene_stream(scene, "comm");
	scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "matmul", "a", 0, 20, 20, 20, 100);
	scene->group = axes.tp;
	scene_op(scene, 0, STREAM_DEFAULT, OP_COLLECTIVE, "allreduce", "a", 0, 60, 100, 130, 180);
	scene->group = axes.dp;
	scene_op(scene, 0, comm, OP_COLLECTIVE, "allreduce", "a", 0, 60, 100, NEVER, NEVER);
	struct axis_use use[2] = {{.axis = axes.dp}, {.axis = axes.tp}};
	assert_int_equal(metric_axes(&scene->trace, -1, 0, use, 2), ST_WAITS);
	assert_false(use[0].known);
	assert_true(use[1].known);
	assert_int_equal(use[1].exposed_ns, 50 * US);
	scene_close(scene);
}

static uint32_t next_random(uint32_t *seed)
{
	return (*seed = *seed * 1664525u + 1013904223u) >> 8;
}

/* Kernels, communication of any group and waits for other streams on 3 streams of rank 0, at random times */
static void any_program(struct scene *scene, uint32_t *random, const int groups[5])
{
	int64_t tail[4] = {0};
	op_id last[4] = {0};
	for (int i = 0; i < 100; i++) {
		int stream = STREAM_DEFAULT + (int)(next_random(random) % 3),
		    kind = (int)(next_random(random) % 5);
		int64_t from = tail[stream] + next_random(random) % 40, to = from + next_random(random) % 90;
		op_id other = last[STREAM_DEFAULT + next_random(random) % 3];
		scene->group = groups[next_random(random) % 5];
		if (kind == 0 && other) {
			int64_t behind = scene->times[other].end / US;
			to = behind > from ? behind : from;
			last[stream] =
			        scene_op(scene, 0, stream, OP_WAIT, "wait", "", other, from, from, to, to);
		} else {
			enum op_kind what = kind == 1 ? OP_KERNEL : kind == 2 ? OP_COPY : OP_COLLECTIVE;
			last[stream] =
			        scene_op(scene, 0, stream, what, "k", "y", 0, tail[stream], from, from, to);
		}
		tail[stream] = to;
	}
}

/* Whatever runs beside whatever, what the axes have adds up to the rank's exposed time, and a group of an axis has no
 * more than the axis */
static void axes_add_up(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 100; seed++) {
		uint32_t random = seed;
		struct scene *scene = scene_open(8);
		struct axes axes = mesh(scene);
		struct axis_use *use, acts = {.axis = axes.acts};
		int64_t sum = 0, whole = 0;
		scene_stream(scene, "a");
		scene_stream(scene, "b");
		any_program(scene, &random, (int[]){0, axes.pp, axes.dp, axes.tp, axes.acts});
		size_t count = trace_axes(scene->world, 0, &use);
		assert_int_equal(count, 4); /* and the world */
		assert_int_equal(metric_axes(&scene->trace, -1, 0, use, (int)count), ST_OK);
		assert_int_equal(metric_axes(&scene->trace, -1, 0, &acts, 1), ST_OK);
		assert_true(acts.exposed_ns <= use[0].exposed_ns);
		for (size_t i = 0; i < count; i++) {
			assert_true(use[i].exposed_ns >= 0);
			sum += use[i].exposed_ns;
		}
		assert_int_equal(metric_exposed(&scene->trace, -1, 0, HIDE_COMMUNICATION, &whole), ST_OK);
		assert_true(whole > 0);
		assert_int_equal(sum, whole);
		mem_free(use);
		scene_close(scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(groups_count_with_their_axis),
	        cmocka_unit_test(each_instant_is_one_axis_own),
	        cmocka_unit_test(what_never_ends),
	        cmocka_unit_test(axes_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
