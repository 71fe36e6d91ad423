/* test_cuda_graph.c -- launches of graphs by the host thread, on the stand-in: one call for the
 * whole graph, times of the operations inside, and the fallback if it cannot be a CUDA graph */
#include "cuda_host_thread.h"

enum { ELEMENTS = 1000, AT = 4096, VECTORS = 8 };

/* Numbered vectors, in memory that is zeroed */
static struct operand vector(int number, enum access access)
{
	int64_t elements = ELEMENTS;
	struct operand operand = {.address = AT + number * 4 * ELEMENTS,
	        .space = SPACE_DEVICE,
	        .access = (uint8_t)access,
	        .tensor = -1};
	is(ST_OK, layout_make(&operand.layout, DT_F32, 1, &elements));
	return operand;
}

static struct host_order memory(enum host_order_kind kind)
{
	return (struct host_order){
	        .kind = (uint8_t)kind, .space = SPACE_DEVICE, .address = AT, .bytes = 4 * ELEMENTS * VECTORS};
}

static void fill(int number, float value)
{
	struct operand operand = vector(number, ACCESS_WRITE);
	float values[ELEMENTS];
	for (int i = 0; i < ELEMENTS; i++)
		values[i] = value;
	is(ST_OK, host_write(host, SPACE_DEVICE, operand.address, &operand.layout, values));
}

static void holds(int number, float value)
{
	struct operand operand = vector(number, ACCESS_READ);
	float found[ELEMENTS];
	is(ST_OK, host_read(host, 0, SPACE_DEVICE, operand.address, &operand.layout, found));
	for (int i = 0; i < ELEMENTS; i++)
		is((long long)value, (long long)found[i]);
}

/* to = a + b */
static struct host_order adds(int stream, op_id id, int to, int a, int b)
{
	struct host_order order = operation(OP_KERNEL, stream, id);
	struct operand *operands = mem_alloc(3 * sizeof *operands);
	operands[0] = vector(a, ACCESS_READ);
	operands[1] = vector(b, ACCESS_READ);
	operands[2] = vector(to, ACCESS_WRITE);
	order.record.kernel = kernel_find("add");
	order.record.operands = 3;
	order.record.operand = order.arrays = operands;
	order.foreseen_ns = 10 * US;
	return order;
}

static void launch(struct host_order *orders, int n)
{
	for (int i = 0; i < n; i++) {
		orders[i].graph = orders[0].id;
		orders[i].graph_more = i < n - 1;
		orders[i].flags = i ? OPF_FREE_LAUNCH : 0;
	}
	host_give(host, orders, (size_t)n);
}

/* vector 1 = 2 * vector 0, 2 = 2 * 1, 3 = 2 * 2: as operations from `id` on */
static void launch_doubling(int stream, op_id id)
{
	struct host_order orders[3];
	for (int i = 0; i < 3; i++)
		orders[i] = adds(stream, id + (op_id)i, i + 1, i, i);
	launch(orders, 3);
}

static void open_with(const char *options)
{
	start(options);
	give(memory(ORDER_SEGMENT));
	fill(0, 1);
	begin_session();
}

static void one_call(void)
{
	open_with("free cost=call:10us cost=kernel:20us");
	launch_doubling(2, 1);
	await(3);
	holds(3, 8);
	fill(0, 2);
	launch_doubling(2, 4);
	await(6);
	holds(3, 16);
	/* an event before, the graph, an event behind it, a clock that is compared */
	is(true, times_of(4).launch > 0 && times_of(4).launch <= 3 * 10 * US);
	for (op_id id = 4; id < 7; id++) {
		lasts(id, 20 * US);
		is(0, times_of(id).divided);
		is(0, id > 4 && times_of(id).launch);
		is(true, id == 4 || times_of(id).start >= times_of(id - 1).end);
	}
	stop();
}

/* All three stand behind something: when they are over, the last one alone has times of its own inside. */
static void times_of_the_last_launch(void)
{
	open_with("free cost=kernel:20us");
	struct host_order never = operation(OP_COLLECTIVE, 2, 1);
	never.never = true;
	give(never);
	for (op_id id = 2; id < 10; id += 3)
		launch_doubling(2, id);
	give(after(OP_SYNC, STREAM_HOST, 11, 0));
	await(1);
	host_cancel(host, 1);
	await(11);
	for (op_id id = 2; id < 11; id++) {
		is(id < 8, times_of(id).divided);
		lasts(id, 20 * US);
		is(true, id == 2 || times_of(id).start >= times_of(id - 1).end);
	}
	holds(3, 8);
	stop();
}

/* The same addresses of the books, somewhere else */
static void memory_that_moves(void)
{
	open_with("free");
	launch_doubling(2, 1);
	await(3);
	give(memory(ORDER_SEGMENT_GONE));
	struct host_order other = memory(ORDER_SEGMENT);
	other.address = 1 << 24;
	other.bytes = 64;
	give(other); /* where the old one was */
	give(memory(ORDER_SEGMENT));
	give(after(OP_SYNC, STREAM_HOST, 4, OP_EVERYTHING));
	await(4);
	fill(0, 3);
	launch_doubling(2, 5);
	await(7);
	holds(3, 24);
	stop();
}

/* 1: v1 = v0 + v0 on stream 2 | a wait, v2 = v1 + v1 on stream 3 | a wait, v3 = v2 + v1 on 2. From `id` on: seven operations */
static void launch_fork(op_id id)
{
	struct host_order orders[7] = {adds(2, id, 1, 0, 0), operation(OP_RECORD, 2, id + 1),
	        after(OP_WAIT, 3, id + 2, id + 1), adds(3, id + 3, 2, 1, 1), operation(OP_RECORD, 3, id + 4),
	        after(OP_WAIT, 2, id + 5, id + 4), adds(2, id + 6, 3, 2, 1)};
	launch(orders, 7);
}

static void two_streams(void)
{
	open_with("free cost=kernel:20us");
	launch_fork(1);
	await(7);
	holds(3, 6);
	near("what waits", times_of(4).end, times_of(6).end);
	near("the other stream's start", times_of(1).end, times_of(4).start);
	near("the last one's start", times_of(4).end, times_of(7).start);
	is(times_of(1).end, times_of(2).end);
	/* what is on the other stream by now has nothing to do with it: no graph, as its first operation would wait for that */
	struct host_order never = operation(OP_COLLECTIVE, 3, 8);
	never.never = true;
	give(never);
	launch_fork(9);
	await(9);
	is(9, report_of(9)->measured.id);
	host_cancel(host, 8);
	give(after(OP_SYNC, STREAM_HOST, 16, OP_EVERYTHING));
	await(16);
	/* behind a graph its other stream goes on when all of it is over */
	launch_fork(17);
	give(adds(3, 24, 4, 3, 3));
	await(24);
	near("behind the graph", times_of(23).end, times_of(24).start);
	holds(4, 12);
	stop();
}

/* The times of an earlier launch are predicted and scaled to its duration. An operation after a wait starts when the
 * operation that it waits for ends. */
static void times_of_an_earlier_fork(void)
{
	open_with("free cost=kernel:20us");
	struct host_order never = operation(OP_COLLECTIVE, 2, 1);
	never.never = true;
	give(never);
	launch_fork(2);
	launch_fork(9);
	give(after(OP_SYNC, STREAM_HOST, 16, 0));
	await(1);
	host_cancel(host, 1);
	await(16);
	is(true, times_of(2).divided);
	near("the other stream's start", times_of(2).end, times_of(5).start);
	near("the last one's start", times_of(5).end, times_of(8).start);
	stop();
}

/* A launch that fails is told of all of it; what cannot be made a graph runs as single launches. */
static void failures(void)
{
	open_with("free fail=cuGraphLaunch:2");
	launch_doubling(2, 1);
	launch_doubling(2, 4);
	launch_doubling(2, 7);
	await(9);
	for (op_id id = 1; id < 10; id++) {
		bool fails = id > 3 && id < 7;
		is(fails ? ST_GPU : ST_OK, report_of(id)->status);
		is(fails, report_of(id)->measured.undone);
		mem_free(report_of(id)->words);
	}
	holds(3, 8);
	stop();
}

static const char *const calls[] = {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate",
        "cuEventRecordWithFlags", "cuLaunchKernel"};
static int call;

/* cuLaunchKernel: behind what warms up */
static void no_graph(void)
{
	char options[100];
	snprintf(options, sizeof options, "free fail=%s:%d", calls[call], call == 4 ? 2 : 1);
	open_with(options);
	launch_doubling(2, 1);
	launch_doubling(2, 4);
	await(6);
	for (op_id id = 1; id < 7; id++)
		is(ST_OK, report_of(id)->status);
	holds(3, 8);
	stop();
}

static void no_graph_where_it_cannot_be_made(void **state)
{
	(void)state;
	void *body = (void *)(uintptr_t)no_graph;
	for (call = 0; call < (int)(sizeof calls / sizeof *calls); call++)
		run_apart(&body);
}

/* More graphs than are kept */
static void a_hundred_graphs(void)
{
	open_with("free");
	long live = mem_live();
	for (op_id i = 0; i < 100; i++)
		launch_doubling((int)i + 2, 1 + 3 * i);
	await(300);
	holds(3, 8);
	stop();
	is(true, mem_live() < live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        apart(one_call),
	        apart(times_of_the_last_launch),
	        apart(memory_that_moves),
	        apart(two_streams),
	        apart(times_of_an_earlier_fork),
	        apart(failures),
	        cmocka_unit_test(no_graph_where_it_cannot_be_made),
	        apart(a_hundred_graphs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
