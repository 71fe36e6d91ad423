/* test_graph.c -- captured graphs: nothing runs during capture; clones, their targets, events
 * and costs at each launch */
#include "tests/unit/world_help.h"

static op_id record_event(struct books *b, int lane, int event)
{
	op_id id = order(b, 0, lane, OP_RECORD, 0);

	world_event_record(b->world, 0, event, id);
	return id;
}

/* relu x on compute; record e; wait e on io; copy x on io; record e on io; wait e on compute */
static void fill(struct books *b, int compute, int io, int x, int event)
{
	touch(b, 0, compute, "relu", x, ACCESS_WRITE);
	record_event(b, compute, event);
	order(b, 0, io, OP_WAIT, b->world->events[event].record);
	touch(b, 0, io, "copy", x, ACCESS_READ);
	record_event(b, io, event);
	order(b, 0, compute, OP_WAIT, b->world->events[event].record);
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
	assert_int_equal(world_capture_begin(b.world, 0, g, compute), ST_OK);
	assert_int_equal(world_capture_begin(b.world, 0, g, compute), ST_ARGUMENT);
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
		if (round) { /* on another stream it comes behind the launch before */
			assert_int_equal(op_record(b.world, first)->kind, OP_WAIT);
			assert_int_equal(b.world->ops[first].stream, other);
			assert_int_equal(b.world->ops[first].target, first - 1);
			assert_null(world_launch(b.world, first++));
		}
		const struct op *op = &b.world->ops[first];
		assert_int_equal(b.world->op_count, first + 5);
		assert_int_equal(op[0].flags, 0);
		for (int i = 1; i < 6; i++)
			assert_int_equal(op[i].flags, OPF_FREE_LAUNCH);
		assert_int_equal(op[0].stream, round ? other : compute);
		assert_int_equal(op[1].stream, round ? other : compute);
		assert_int_equal(op[3].stream, io);
		assert_int_equal(op[2].target, first + 1);
		assert_int_equal(op[5].stream, op[0].stream);
		assert_int_equal(b.world->events[event].record, first + 4);
		for (op_id i = first; i < first + 6; i++) {
			const struct launch *launch = world_launch(b.world, i);
			assert_true(launch && launch->first == first && launch->last == first + 5);
			assert_int_equal(launch->graph, world_find(b.world, 0, g).index);
		}
		assert_int_equal(races_now(b.world)->count, 0);
	}
	op_id last = (op_id)b.world->op_count, next;
	uint32_t number = world_launch(b.world, last)->graph;
	assert_int_equal(world_graph_launch(b.world, 0, name(&b, "none"), 1, 0), ST_NAME);
	/* another graph of that name, and work between its launches */
	assert_int_equal(world_capture_begin(b.world, 0, g, compute), ST_OK);
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
		assert_int_equal(world_capture_begin(b.world, r, g, 1), ST_OK);
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
	for (int i = 0; i < 4; i++)
		assert_int_equal((b.world->ops[id[i]].flags & OPF_TOGETHER) != 0, i == 1);
	assert_int_equal(world_capture_begin(b.world, 0, g, 1), ST_OK);
	for (int i = 0; i < 4; i++)
		assert_int_equal(
		        world_queue(b.world, 0, 1, &record, 0, 0, i % 2 ? OPF_TOGETHER : 0, &id[i]), ST_OK);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	op_id first = (op_id)b.world->op_count + 1;
	assert_int_equal(world_graph_launch(b.world, 0, g, 1, 0), ST_OK);
	for (op_id i = 0; i < 4; i++)
		assert_int_equal((b.world->ops[first + i].flags & OPF_TOGETHER) != 0, i % 2);
	books_close(&b);
}

/* What CUDA refuses: a fork that is not joined, and a wait for what is outside. Work of a stream that was not forked is
 * no part of it. */
static void forks_and_joins(void **state)
{
	struct books b = books_open(1, 0);
	int s = stream(&b, 0, "s"), t = stream(&b, 0, "t"), u = stream(&b, 0, "u"), event,
	    apart = STREAM_HOST;
	int x = make(&b, 0, "x", 64), y = make(&b, 0, "y", 64);
	name_id g = name(&b, "g");
	op_id id;

	(void)state;
	assert_int_equal(world_event_make(b.world, 0, name(&b, "e"), &event), ST_OK);
	op_id outside = record_event(&b, u, event);
	assert_int_equal(world_capture_begin(b.world, 0, g, s), ST_OK);
	assert_int_equal(world_tail(b.world, 0, s), OP_CAPTURE_START);
	order(&b, 0, t, OP_WAIT, world_tail(b.world, 0, s)); /* before the first operation of s */
	touch(&b, 0, t, "relu", x, ACCESS_WRITE);
	assert_int_equal(world_capture_joined(b.world, 0), ST_ARGUMENT);
	order(&b, 0, s, OP_WAIT, world_tail(b.world, 0, t));
	assert_int_equal(world_capture_joined(b.world, 0), ST_OK);
	struct record wait = record_of(&b, OP_WAIT, "wait");
	assert_int_equal(world_queue(b.world, 0, s, &wait, 0, outside, 0, &id), ST_ARGUMENT);
	assert_int_equal(world_queue(b.world, 0, t, &wait, 0, outside, 0, &id), ST_ARGUMENT);
	assert_false(world_capture_apart(b.world, 0, &apart));
	record_event(&b, s, event);
	touch(&b, 0, t, "relu", x, ACCESS_WRITE); /* behind the join */
	assert_int_equal(world_capture_joined(b.world, 0), ST_ARGUMENT);
	order(&b, 0, s, OP_WAIT, world_tail(b.world, 0, t));
	/* u was not forked: what it gets is queued, and an event that is recorded there keeps it */
	size_t ops = b.world->op_count;
	id = touch(&b, 0, u, "copy", y, ACCESS_WRITE);
	assert_int_equal(id, ops + 1);
	outside = record_event(&b, u, event);
	apart = STREAM_HOST;
	assert_true(world_capture_apart(b.world, 0, &apart) && apart == u);
	assert_false(world_capture_apart(b.world, 0, &apart));
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	assert_int_equal(b.world->events[event].record, outside);
	ops = b.world->op_count;
	assert_int_equal(world_graph_launch(b.world, 0, g, s, 0), ST_OK);
	assert_int_equal(b.world->op_count, ops + 6);
	assert_int_equal(b.world->ops[ops + 1].target, 0); /* s has nothing before the launch */
	ops = b.world->op_count;
	assert_int_equal(world_graph_launch(b.world, 0, g, s, 0), ST_OK);
	assert_int_equal(b.world->ops[ops + 1].target, ops); /* the join of the first launch */
	assert_int_equal(races_now(b.world)->count, 0);
	books_close(&b);
}

static int64_t address(const struct books *b, int tensor)
{
	return b->world->tensors[tensor].address;
}

static uint32_t graph_with(const struct books *b, int64_t address)
{
	const struct heap *heap = world_heap(b->world, 0, SPACE_DEVICE);
	size_t i = heap->segment_count;

	while (heap->segments[--i].address > address)
		;
	return pool_graph(heap->segments[i].pool);
}

/* Memory that a launch uses and another tensor has by then. No other tensor gets what the graph's own pool has. */
static void memory_is_freed(void **state)
{
	struct books b = books_open(1, 0);
	int x = make(&b, 0, "x", 64), y = make(&b, 0, "y", 64), z = make(&b, 0, "z", 64);
	name_id g = name(&b, "g");
	struct freed_use use;
	size_t from = 0;

	(void)state;
	assert_int_equal(world_capture_begin(b.world, 0, g, 1), ST_OK);
	int t = make(&b, 0, "t", 64);
	touch(&b, 0, 1, "relu", t, ACCESS_WRITE);
	touch(&b, 0, 1, "relu", x, ACCESS_READ);
	touch(&b, 0, 1, "relu", y, ACCESS_WRITE);
	touch(&b, 0, 1, "relu", y, ACCESS_READ);
	touch(&b, 0, 1, "relu", z, ACCESS_WRITE);
	world_tensor_free(b.world, t, 0);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	assert_false(world_graph_freed(b.world, 0, g, &from, &use)); /* t is the graph's */
	b.world->line = 7;
	world_tensor_free(b.world, x, 0);
	from = 0;
	assert_true(world_graph_freed(b.world, 0, g, &from, &use));
	assert_true(use.freed->owner == name(&b, "x") && use.freed->line == 7 && !use.taken);
	assert_int_equal(use.access, ACCESS_READ);
	assert_false(world_graph_freed(b.world, 0, g, &from, &use));
	from = 0;
	assert_false(world_graph_freed(b.world, 0, g, &from, &use)); /* once */
	world_tensor_free(b.world, y, 0);
	make(&b, 0, "p", 64);
	make(&b, 0, "q", 64);
	make(&b, 0, "r", 64);
	from = 0;
	for (int i = 0; i < 2; i++) { /* x's again, and y's */
		assert_true(world_graph_freed(b.world, 0, g, &from, &use));
		assert_true(use.taken && use.now == name(&b, i ? "q" : "p"));
		assert_int_equal(use.access, i ? ACCESS_READ | ACCESS_WRITE : ACCESS_READ);
	}
	assert_false(world_graph_freed(b.world, 0, g, &from, &use));
	assert_int_equal(world_graph_ready(b.world, 0, g), ST_OK);
	/* what was there before is not the graph's, also where the capture frees it */
	assert_int_equal(world_capture_begin(b.world, 0, name(&b, "h"), 1), ST_OK);
	touch(&b, 0, 1, "relu", z, ACCESS_READ);
	world_tensor_free(b.world, z, 0);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	from = 0;
	assert_true(world_graph_freed(b.world, 0, name(&b, "h"), &from, &use) && !use.taken);
	books_close(&b);
}

/* Results of a capture are in segments of the graph's: used again in the capture alone, spared, and ordinary at its end */
static void memory_of_its_own(void **state)
{
	struct books b = books_open(1, 0);
	const struct heap *heap = world_heap(b.world, 0, SPACE_DEVICE);
	int s = stream(&b, 0, "s"), u = stream(&b, 0, "u");
	name_id g = name(&b, "g");

	(void)state;
	assert_int_equal(world_capture_begin(b.world, 0, g, s), ST_OK);
	int t = make_in(&b, 0, "t", 64, SPACE_DEVICE, s, false);
	int outer = make_in(&b, 0, "outer", 64, SPACE_DEVICE, u, false);
	int64_t at = address(&b, t);
	assert_true(graph_with(&b, at) && !graph_with(&b, address(&b, outer)));
	world_tensor_free(b.world, t, s);
	t = make_in(&b, 0, "t", 64, SPACE_DEVICE, s, false);
	assert_int_equal(address(&b, t), at); /* again */
	touch(&b, 0, s, "relu", t, ACCESS_WRITE);
	order(&b, 0, u, OP_WAIT, world_tail(b.world, 0, s));
	int forked = make_in(&b, 0, "forked", 64, SPACE_DEVICE, u, false);
	assert_int_equal(graph_with(&b, address(&b, forked)), graph_with(&b, at));
	touch(&b, 0, u, "relu", forked, ACCESS_WRITE);
	touch(&b, 0, u, "relu", t, ACCESS_READ);
	/* u's work of the capture cannot be waited for: not again */
	world_tensor_free(b.world, t, u);
	int other = make_in(&b, 0, "other", 64, SPACE_DEVICE, s, false);
	assert_true(address(&b, other) != at && graph_with(&b, address(&b, other)));
	order(&b, 0, s, OP_WAIT, world_tail(b.world, 0, u));
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	assert_int_equal(world_graph_launch(b.world, 0, g, s, 0), ST_OK);

	/* spared, whether in use or not */
	world_tensor_free(b.world, other, 0);
	world_tensor_free(b.world, forked, 0);
	int64_t reserved = heap->reserved, of_graph = heap_of_graphs(heap);
	assert_int_equal(world_trim(b.world, 0), ST_OK);
	assert_true(of_graph > 0 && heap->reserved == reserved);
	int outside = make_in(&b, 0, "outside", 64, SPACE_DEVICE, s, false);
	assert_int_equal(graph_with(&b, address(&b, outside)), 0);
	world_tensor_free(b.world, outside, 0);

	/* another one of that name, which is refused, changes nothing */
	assert_int_equal(world_capture_begin(b.world, 0, g, s), ST_OK);
	world_tensor_free(b.world, make_in(&b, 0, "t", 64, SPACE_DEVICE, s, false), 0);
	assert_true(heap_of_graphs(heap) > of_graph);
	assert_int_equal(world_capture_end(b.world, 0, false), ST_OK);
	assert_int_equal(heap_of_graphs(heap), of_graph);
	/* and one that is kept takes its place; launched on u it is waited for by the memory's next user on s */
	assert_int_equal(world_graph_launch(b.world, 0, g, u, 0), ST_OK);
	op_id last = b.world->last[0];
	assert_int_equal(world_capture_begin(b.world, 0, g, s), ST_OK);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	assert_int_equal(heap_of_graphs(heap), 0);
	int next = make_in(&b, 0, "next", 64, SPACE_DEVICE, s, false);
	while (address(&b, next) != at)
		next = make_in(&b, 0, "next", 64, SPACE_DEVICE, s, false);
	op_id writes = touch(&b, 0, s, "relu", next, ACCESS_WRITE);
	assert_int_equal(b.world->ops[writes - 1].target, last);
	assert_int_equal(races_now(b.world)->count, 0);
	books_close(&b);
}

/* A free segment of the stream's comes before a new one. Launched on another stream, the graph waits for its last users. */
static void free_segment_comes(void **state)
{
	struct books b = books_open(1, 0);
	const struct heap *heap = world_heap(b.world, 0, SPACE_DEVICE);
	int s = stream(&b, 0, "s"), u = stream(&b, 0, "u");
	int old = make_in(&b, 0, "old", 64, SPACE_DEVICE, s, false);
	op_id last = touch(&b, 0, s, "relu", old, ACCESS_WRITE), first = last + 1;

	(void)state;
	world_tensor_free(b.world, old, 0);
	assert_int_equal(world_capture_begin(b.world, 0, name(&b, "g"), s), ST_OK);
	int t = make_in(&b, 0, "t", 64, SPACE_DEVICE, s, false);
	touch(&b, 0, s, "relu", t, ACCESS_WRITE);
	assert_int_equal(world_capture_end(b.world, 0, true), ST_OK);
	assert_int_equal(heap->segment_count, 1);
	assert_int_equal(heap_of_graphs(heap), heap->reserved);
	assert_int_equal(world_graph_launch(b.world, 0, name(&b, "g"), u, 0), ST_OK);
	assert_int_equal(b.world->ops[first].stream, u);
	assert_int_equal(b.world->ops[first].target, last);
	assert_int_equal(races_now(b.world)->count, 0);
	books_close(&b);
}

/* Captures of one name in a row have the memory of those before. */
static void captures_in_a_row(void **state)
{
	struct books b = books_open(1, 0);
	const struct heap *heap = world_heap(b.world, 0, SPACE_DEVICE);
	int s = stream(&b, 0, "s"), u = stream(&b, 0, "u");
	size_t segments = 0, queued = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		assert_int_equal(world_capture_begin(b.world, 0, name(&b, "g"), s), ST_OK);
		int t = make_in(&b, 0, "t", 64, SPACE_DEVICE, s, false);
		touch(&b, 0, s, "relu", t, ACCESS_WRITE);
		world_tensor_free(b.world, t, 0);
		int y = make_in(&b, 0, "y", 50000, SPACE_DEVICE, s, false);
		touch(&b, 0, s, "relu", y, ACCESS_WRITE);
		assert_int_equal(world_capture_end(b.world, 0, round % 5 < 3), ST_OK);
		if (round % 5 < 3)
			assert_int_equal(
			        world_graph_launch(b.world, 0, name(&b, "g"), round % 2 ? u : s, 0), ST_OK);
		world_tensor_free(b.world, y, round % 2 ? u : s);
		if (round == 9) {
			segments = heap->segment_count;
			queued = b.world->op_count;
		}
	}
	assert_true(heap->segment_count <= segments);
	assert_true(b.world->op_count < 6 * queued); /* 4 times the rounds: each launch adds as many waits */
	assert_int_equal(races_now(b.world)->count, 0);
	books_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(launches), cmocka_unit_test(graphs_meet),
	        cmocka_unit_test(members_of_a_together), cmocka_unit_test(forks_and_joins),
	        cmocka_unit_test(memory_is_freed), cmocka_unit_test(memory_of_its_own),
	        cmocka_unit_test(free_segment_comes), cmocka_unit_test(captures_in_a_row)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
