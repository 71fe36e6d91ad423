/* test_graph.c -- captured graphs: nothing runs while captured; clones, their targets, events and price at
 * each launch */
#include "tests/unit/world_help.h"

static op_id record_event(struct books *b, int lane, int event)
{
	op_id id = order(b, 0, lane, OP_RECORD, 0);

	world_event_record(b->world, 0, event, id);
	return id;
}

/* relu x on compute; record e; wait e on io; copy x on io; record e on io */
static void fill(struct books *b, int compute, int io, int x, int event)
{
	touch(b, 0, compute, "relu", x, ACCESS_WRITE);
	record_event(b, compute, event);
	order(b, 0, io, OP_WAIT, b->world->events[event].record);
	touch(b, 0, io, "copy", x, ACCESS_READ);
	record_event(b, io, event);
}

static void launches(void **state)
{
	struct books b = books_open(1, 0);
	int compute = stream(&b, 0, "compute"), io = stream(&b, 0, "io"), other = stream(&b, 0, "other"),
	    event;
	int x = make(&b, 0, "x", 64);
	name_id g = name(&b, "g");

	(void)state;
	assert_int_equal(world_event_make(b.world, 0, name(&b, "e"), &event), ST_OK);
	op_id before = record_event(&b, io, event);
	size_t ops = b.world->op_count;
	assert_int_equal(world_capture_begin(b.world, 0, g), ST_OK);
	assert_int_equal(world_capture_begin(b.world, 0, g), ST_ARGUMENT);
	fill(&b, compute, io, x, event);
	assert_true(world_capturing(b.world, 0));
	assert_int_equal(world_tail(b.world, 0, io), b.world->events[event].record);
	assert_int_equal(world_tail(b.world, 0, other), 0);
	struct record sync = record_of(&b, OP_SYNC, "sync");
	op_id id;
	assert_int_equal(world_queue(b.world, 0, STREAM_HOST, &sync, 0, OP_EVERYTHING, 0, &id), ST_ARGUMENT);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	assert_int_equal(b.world->op_count, ops);
	assert_int_equal(b.world->events[event].record, before);
	assert_int_equal(world_find(b.world, 0, g).kind, THING_GRAPH);
	assert_null(world_launch(b.world, before));

	for (int round = 0; round < 2; round++) {
		op_id first = (op_id)b.world->op_count + 1;
		assert_int_equal(world_graph_launch(b.world, 0, g, round ? other : compute, 0), ST_OK);
		const struct op *op = &b.world->ops[first];
		assert_int_equal(b.world->op_count, first + 4);
		assert_int_equal(op[0].flags, 0);
		for (int i = 1; i < 5; i++)
			assert_int_equal(op[i].flags, OPF_FREE_LAUNCH);
		assert_int_equal(op[0].stream, round ? other : compute);
		assert_int_equal(op[1].stream, round ? other : compute);
		assert_int_equal(op[3].stream, io);
		assert_int_equal(op[2].target, first + 1);
		assert_int_equal(b.world->events[event].record, first + 4);
		for (op_id i = first; i < first + 5; i++) {
			const struct launch *launch = world_launch(b.world, i);
			assert_true(launch && launch->first == first && launch->last == first + 4);
			assert_int_equal(launch->graph, world_find(b.world, 0, g).index);
		}
		if (round == 0) {
			assert_int_equal(races_now(b.world)->count, 0);
			order(&b, 0, other, OP_WAIT, first + 4);
		}
	}
	assert_int_equal(races_now(b.world)->count, 0);
	op_id last = (op_id)b.world->op_count, next;
	uint32_t number = world_launch(b.world, last)->graph;
	assert_int_equal(world_graph_launch(b.world, 0, name(&b, "none"), 1, 0), ST_NAME);
	/* another graph of that name, and work between its launches */
	assert_int_equal(world_capture_begin(b.world, 0, g), ST_OK);
	touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	next = touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	assert_int_equal(world_graph_launch(b.world, 0, g, compute, 0), ST_OK);
	assert_null(world_launch(b.world, next));
	assert_int_equal(world_launch(b.world, next + 1)->first, next + 1);
	assert_true(world_launch(b.world, next + 1)->graph != number);
	assert_int_equal(world_launch(b.world, last)->graph, number);
	books_close(&b);
}

static void graphs_meet(void **state)
{
	struct books b = books_open(2, 0);
	name_id g = name(&b, "g");

	(void)state;
	for (int r = 0; r < 2; r++) {
		assert_int_equal(world_capture_begin(b.world, r, g), ST_OK);
		collective(&b, r, 1, "allreduce", 0, 64);
		transfer(&b, r, 1, r ? P2P_RECV : P2P_SEND, 1 - r, 8);
		assert_int_equal(world_capture_end(b.world, r, true), ST_OK);
	}
	assert_int_equal(b.world->match_count, 0);
	for (int round = 0; round < 3; round++) {
		for (int r = 0; r < 2; r++)
			assert_int_equal(world_graph_launch(b.world, r, g, 1, 0), ST_OK);
	}
	assert_int_equal(b.world->match_count, 6);
	for (size_t i = 1; i <= 6; i++)
		assert_true(b.world->matches[i].count == 2 && !b.world->matches[i].mismatch);
	books_close(&b);
}

/* Communication that starts as one is a chain, of each rank and of each launch by itself. */
static void members_of_a_together(void **state)
{
	struct books b = books_open(2, 0);
	name_id g = name(&b, "g");
	struct record record = record_of(&b, OP_COLLECTIVE, "allreduce");
	op_id id[4];

	(void)state;
	record.group = 0;
	record.bytes = 64;
	for (int i = 0; i < 4; i++) { /* [0 kernel 1] [2] [3] on rank 0, each with one of rank 1 behind it */
		int flags = i == 1 ? OPF_FREE_LAUNCH | OPF_TOGETHER : 0;
		assert_int_equal(world_queue(b.world, 0, 1, &record, 0, 0, flags, &id[i]), ST_OK);
		kernel(&b, 0, 1, "relu");
		collective(&b, 1, 1, "allreduce", 0, 64);
	}
	assert_int_equal(world_together_next(b.world, id[0]), id[1]);
	for (int i = 1; i < 4; i++)
		assert_int_equal(world_together_next(b.world, id[i]), 0);
	assert_int_equal(world_capture_begin(b.world, 0, g), ST_OK);
	for (int i = 0; i < 4; i++)
		assert_int_equal(
		        world_queue(b.world, 0, 1, &record, 0, 0, i % 2 ? OPF_TOGETHER : 0, &id[i]), ST_OK);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	op_id first = (op_id)b.world->op_count + 1;
	assert_int_equal(world_graph_launch(b.world, 0, g, 1, 0), ST_OK);
	for (op_id i = 0; i < 4; i++)
		assert_int_equal(world_together_next(b.world, first + i), i % 2 ? 0 : first + i + 1);
	books_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(launches), cmocka_unit_test(graphs_meet),
	        cmocka_unit_test(members_of_a_together)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
