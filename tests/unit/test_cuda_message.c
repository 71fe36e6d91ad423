/* test_cuda_message.c -- the arguments that the host thread passes to an exchange: addresses,
 * sizes and turns of an operation, windows, fused messages, and its minimum duration. The
 * exchange is the test's own and records its calls. */
#include "cuda_host_scene.h"
#include "collectives/collective.h"

#include <cmocka.h>

enum { ASKED_MOST = 16, TRANSFERS_MOST = 4, PART = 3 };

/* One call of the exchange */
struct asked {
	const char *what;
	CUstream stream;
	struct exchange_started started;
	struct exchange_collective collective;
	struct split split;
	struct exchange_transfer transfer[TRANSFERS_MOST];
	int transfers;
	struct exchange_one_sided one_sided;
	CUdeviceptr window;
};
static struct asked asked[ASKED_MOST];
static int count, begun;
static const char *failing = "";

/* Alone it begins at once; what goes together begins with its end. */
static enum status ask(struct asked one)
{
	if (count == ASKED_MOST)
		_exit(1);
	asked[count++] = one;
	if (strcmp(failing, one.what) == 0)
		return (fail)(ST_GPU, "the exchange fails"); /* cmocka has a macro of that name */
	return begun || !one.started.queue ? ST_OK : one.started.queue(one.started.self, one.stream);
}

static enum status fake_collective(struct exchange *self, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream)
{
	(void)self;
	return ask((struct asked){"collective", stream, started, .collective = *call,
	        .split = call->split ? *call->split : (struct split){0}});
}

static enum status fake_transfers(struct exchange *self, const struct exchange_transfer *transfers, int n,
        struct exchange_started started, CUstream stream)
{
	struct asked one = {"transfers", stream, started, .transfers = n};
	(void)self;
	is(true, n <= TRANSFERS_MOST);
	memcpy(one.transfer, transfers, (size_t)n * sizeof *transfers);
	return ask(one);
}

static enum status fake_one_sided(struct exchange *self, const struct exchange_one_sided *call,
        struct exchange_started started, CUstream stream)
{
	(void)self;
	return ask((struct asked){"one-sided", stream, started, .one_sided = *call});
}

static enum status fake_window(struct exchange *self, int part, uint32_t seq, CUdeviceptr at)
{
	(void)self;
	is(PART, part);
	is(5, seq);
	return ask((struct asked){.what = "window", .window = at});
}

static enum status fake_begin(struct exchange *self)
{
	(void)self;
	begun++;
	return ask((struct asked){.what = "begin"});
}

static enum status fake_end(struct exchange *self)
{
	(void)self;
	begun--;
	for (int i = 0; i < count; i++)
		if (asked[i].started.queue && asked[i].started.queue(asked[i].started.self, asked[i].stream))
			return ST_GPU;
	return ask((struct asked){.what = "end"});
}

static enum status fake_alloc(struct exchange *self, int64_t bytes, CUdeviceptr *at)
{
	(void)self;
	return cuda_call(&cuda, "cuMemAlloc", cuda.cuMemAlloc(at, (size_t)bytes));
}

static void fake_free(struct exchange *self, CUdeviceptr at, int64_t bytes)
{
	(void)self, (void)bytes;
	ok(cuda.cuMemFree(at));
}

static struct exchange fake = {.alloc = fake_alloc,
        .free = fake_free,
        .collective = fake_collective,
        .transfers = fake_transfers,
        .begin = fake_begin,
        .end = fake_end,
        .window = fake_window,
        .one_sided = fake_one_sided};

static const int ranks[] = {4, 5, 6};
static struct host_match *meeting;

static struct host_order message(enum op_kind kind, struct operand *operands, int operand_count)
{
	struct host_order order = {.kind = ORDER_OPERATION, .id = 1, .match = meeting};
	order.record = (struct record){.kind = (uint8_t)kind,
	        .operand = operands,
	        .operands = (uint8_t)operand_count,
	        .dtype = DT_F32,
	        .root = 2,
	        .reduction = REDUCE_MAX};
	return order;
}

static void messages_begin(void)
{
	host.exchange = &fake;
	scene_begin("");
	meeting = calloc(1, sizeof *meeting + TRANSFERS_MOST * sizeof *meeting->transfer_seq);
	*meeting = (struct host_match){.part = PART, .seq = 5, .n = 3, .place = 1, .ranks = ranks};
	is(ST_OK, timer_open(&host));
	is(ST_OK, memory_get(&host, SPACE_DEVICE, ADDRESS, SEGMENT));
}

static void messages_end(void)
{
	ok(cuda.cuCtxSynchronize());
	timer_close(&host);
	scene_end();
	free(meeting);
}

static struct operand line_at(enum access access, int64_t at, int64_t elements)
{
	return operand_at(SPACE_DEVICE, access, at, DT_F32, IN_LINE, 1, &elements);
}

static CUdeviceptr place_of(const struct operand *operand)
{
	return (CUdeviceptr)(uintptr_t)memory_at(&host, SPACE_DEVICE, operand->address);
}

/* ---- one operation */

static void collectives(void)
{
	messages_begin();
	struct operand both = line_at(ACCESS_READ | ACCESS_WRITE, 10, 12),
	               two[] = {line_at(ACCESS_READ, 10, 12), line_at(ACCESS_WRITE, 100, 36)},
	               window = line_at(0, 50, 20);
	int64_t rows[] = {1, 2, 3, 4, 5, 6};
	struct host_order order = message(OP_COLLECTIVE, &both, 1);
	order.record.collective = &collective_allreduce;
	is(ST_OK, message_queue(&host, &order, &lanes[1]));
	order = message(OP_COLLECTIVE, two, 2);
	order.record.collective = &collective_allgather;
	order.record.split = (struct split){3, 4, rows};
	is(ST_OK, message_queue(&host, &order, &lanes[0]));
	order = message(OP_COLLECTIVE, two, 1); /* a member that gets nothing */
	order.record.collective = &collective_gather;
	is(ST_OK, message_queue(&host, &order, &lanes[0]));
	order = message(OP_COLLECTIVE, &window, 1);
	order.record.collective = &collective_barrier;
	order.record.window = WINDOW_OPEN;
	is(ST_OK, message_queue(&host, &order, &lanes[0]));
	is(5, count);

	const struct exchange_collective *call = &asked[0].collective;
	is(true, asked[0].stream == lanes[1].stream && !asked[0].started.queue);
	is(true, call->collective == &collective_allreduce && call->ranks == ranks && !call->split);
	is(PART, call->part);
	is(5, call->seq);
	is(3, call->n);
	is(1, call->place);
	is(2, call->root);
	is(DT_F32, call->dtype);
	is(REDUCE_MAX, call->reduction);
	is(place_of(&both), call->in);
	is(call->in, call->out);
	is(12, call->in_count);
	is(12, call->out_count);

	call = &asked[1].collective;
	is(place_of(&two[0]), call->in);
	is(place_of(&two[1]), call->out);
	is(36, call->out_count);
	is(true, asked[1].split.rows == rows && asked[1].split.n == 3);
	call = &asked[2].collective;
	is(12, call->in_count);
	is(true, call->out == 0 && call->out_count == 0);

	is(0, strcmp(asked[3].what, "window"));
	is(place_of(&window), asked[3].window);
	call = &asked[4].collective;
	is(true, call->in == 0 && call->out == 0 && call->in_count == 0);
	messages_end();
}

/* Parts in another order than the operands, one of which two of them use */
static void transfers(void)
{
	messages_begin();
	struct operand two[] = {line_at(ACCESS_READ, 0, 8), line_at(ACCESS_WRITE, 300, 16)};
	struct part parts[] = {{P2P_RECV, 6, 1, 0}, {P2P_SEND, 4, 0, 0}, {P2P_SEND, 6, 0, 0}};
	struct host_order order = message(OP_P2P, two, 2);
	order.record.part = parts;
	order.record.parts = 3;
	for (uint32_t i = 0; i < 3; i++)
		meeting->transfer_seq[i] = 7 + i;
	is(ST_OK, message_queue(&host, &order, &lanes[2]));
	is(1, count);
	is(3, asked[0].transfers);
	is(true, asked[0].stream == lanes[2].stream);
	for (int i = 0; i < 3; i++) {
		const struct exchange_transfer *transfer = &asked[0].transfer[i];
		is(PART, transfer->part);
		is(7 + i, transfer->seq);
		is(parts[i].peer, transfer->peer);
		is(i > 0, transfer->sends);
		is(place_of(&two[i == 0]), transfer->at);
		is(i ? 32 : 64, transfer->bytes);
	}
	messages_end();
}

static void one_sided(void)
{
	messages_begin();
	struct operand x = line_at(ACCESS_READ, 20, 9);
	struct part part = {ONE_SIDED_ADD, 6, 0, 48};
	struct host_order order = message(OP_ONE_SIDED, &x, 1);
	order.record.part = &part;
	order.record.parts = 1;
	order.record.parameter[0] = -0.5;
	order.window = 2;
	order.stream = 3;
	order.remote = x;
	is(ST_OK, message_queue(&host, &order, &lanes[0]));
	const struct exchange_one_sided *call = &asked[0].one_sided;
	is(PART, call->part);
	is(6, call->peer);
	is(ONE_SIDED_ADD, call->what);
	is(2, call->window);
	is(48, call->offset);
	is(3, call->stream);
	is(true, layout_equal(&call->layout, &x.layout) && call->factor == -0.5f);
	is(place_of(&x), call->at);
	messages_end();
}

/* ---- what goes together, and its time */

/* From where all have come, which the exchange says; the next one on the stream begins behind it. */
static void lasts_as_long_as_is_played(void)
{
	messages_begin();
	struct operand x = line_at(ACCESS_READ | ACCESS_WRITE, 0, 8);
	CUevent before = event_new(CU_EVENT_DEFAULT), after = event_new(CU_EVENT_DEFAULT);
	for (int together = 0; together < 2; together++) {
		struct host_order order = message(OP_COLLECTIVE, &x, 1);
		order.record.collective = &collective_allreduce;
		order.least_ns = 2000000;
		count = 0;
		ok(cuda.cuEventRecord(before, lanes[0].stream));
		for (int i = 0; i <= together; i++) {
			order.flags = i ? OPF_TOGETHER : 0;
			order.more = i < together;
			is(ST_OK, message_queue(&host, &order, &lanes[i]));
		}
		ok(cuda.cuEventRecord(after, lanes[together].stream));
		ok(cuda.cuCtxSynchronize());
		long lasted = nanoseconds(before, after);
		is(true, lasted >= 2000000 && lasted < 2200000);
	}
	is(4, count);
	ok(cuda.cuEventDestroy(before));
	ok(cuda.cuEventDestroy(after));
	messages_end();
}

static void all_of_a_together_stands_between_begin_and_end(void)
{
	static const char *const wanted[] = {"begin", "collective", "transfers", "collective", "end",
	        "collective", "begin", "collective", "end", "collective"};
	messages_begin();
	struct operand x = line_at(ACCESS_READ | ACCESS_WRITE, 0, 8);
	struct part part = {P2P_SEND, 4, 0, 0};
	struct host_order collective = message(OP_COLLECTIVE, &x, 1), send = message(OP_P2P, &x, 1);
	collective.record.collective = &collective_allreduce;
	send.record.part = &part;
	send.record.parts = 1;
	send.more = collective.more = true;
	is(ST_OK, message_queue(&host, &collective, &lanes[0]));
	collective.flags = send.flags = OPF_TOGETHER;
	is(ST_OK, message_queue(&host, &send, &lanes[1]));
	collective.more = false;
	is(ST_OK, message_queue(&host, &collective, &lanes[2]));
	collective.flags = 0;
	is(ST_OK, message_queue(&host, &collective, &lanes[0]));
	/* the last member of this one was cancelled before it came */
	collective.more = true;
	is(ST_OK, message_queue(&host, &collective, &lanes[0]));
	collective.more = false;
	is(ST_OK, message_queue(&host, &collective, &lanes[0]));
	is(10, count);
	for (int i = 0; i < count; i++)
		is(0, strcmp(asked[i].what, wanted[i]));
	is(0, begun);
	messages_end();
}

/* Whatever the exchange fails in, the others are ended, and nothing is left. */
static void an_exchange_that_fails(void)
{
	static const char *const calls[] = {"begin", "collective", "transfers", "window", "end"};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int status;
		pid_t child = fork();
		if (!child) {
			long live = mem_live();
			messages_begin();
			enum status found = ST_OK;
			struct operand x = line_at(ACCESS_READ | ACCESS_WRITE, 0, 8);
			struct part part = {P2P_SEND, 4, 0, 0};
			failing = calls[i];
			for (int k = 0; k < 3; k++) {
				struct host_order order = message(k == 1 ? OP_P2P : OP_COLLECTIVE, &x, 1);
				order.record.collective = &collective_barrier;
				order.record.window = k == 2 ? WINDOW_OPEN : WINDOW_NONE;
				order.record.part = &part;
				order.record.parts = 1;
				order.more = k < 2;
				order.flags = k ? OPF_TOGETHER : 0;
				order.least_ns = 1000;
				found = first_failure(found, message_queue(&host, &order, &lanes[k]));
			}
			is(ST_GPU, found);
			is(true, !host.batch);
			messages_end();
			is(live, mem_live());
			exit(0);
		}
		is(child, waitpid(child, &status, 0));
		is(0, status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        apart(collectives),
	        apart(transfers),
	        apart(one_sided),
	        apart(lasts_as_long_as_is_played),
	        apart(all_of_a_together_stands_between_begin_and_end),
	        apart(an_exchange_that_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
