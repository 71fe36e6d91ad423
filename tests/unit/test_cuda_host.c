/* test_cuda_host.c -- the host thread on the stand-in, with operations made by hand: their
 * times, to the nanosecond of the virtual clock, and the fate of calls that fail, of cancelled
 * operations and of those that never end */
#include "cuda_host_thread.h"

/* ---- tests */

static void streams_keep_their_order(void)
{
	start("");
	begin_session();
	give(spins(2, 1, 100 * US));
	give(spins(2, 2, 200 * US));
	give(spins(3, 3, 50 * US));
	await(3);
	lasts(1, 100 * US);
	lasts(2, 200 * US);
	lasts(3, 50 * US);
	near("the second's start", times_of(1).end, times_of(2).start);
	is(true, times_of(3).end < times_of(1).end);
	is(true, times_of(3).start < times_of(1).end);
	is(0, times_of(1).issue - times_of(1).launch);
	stop();
}

static void waits_and_events(void)
{
	start("");
	begin_session();
	give(spins(2, 1, 100 * US));
	give(operation(OP_RECORD, 2, 2));
	give(spins(2, 3, 500 * US));
	give(after(OP_WAIT, 3, 4, 2));
	give(spins(3, 5, 10 * US));
	give(after(OP_WAIT, 3, 6, 0));
	/* long over by CUDA's own word, ahead by the clock: the wait holds all the same */
	give(after(OP_WAIT, 4, 7, 3));
	give(spins(4, 8, 10 * US));
	await(8);
	near("a wait for what is told already", times_of(3).end, times_of(8).start);
	near("the event", times_of(1).end, times_of(2).start);
	is(times_of(2).start, times_of(2).end);
	near("who waited for it", times_of(1).end, times_of(5).start);
	is(true, times_of(6).end - times_of(6).start <= NEAR);
	stop();
}

static void the_host_waits_in_a_sync(void)
{
	start("");
	begin_session();
	give(spins(2, 1, 300 * US));
	give(spins(3, 2, 700 * US));
	give(after(OP_SYNC, STREAM_HOST, 3, 1));
	give(spins(2, 4, 10 * US));
	give(after(OP_SYNC, STREAM_HOST, 5, OP_EVERYTHING));
	give(after(OP_SYNC, STREAM_HOST, 6, 0));
	struct host_order computes = operation(OP_HOST, STREAM_HOST, 7);
	computes.record.duration_ns = 40 * US;
	give(computes);
	await(7);
	near("the end of the wait", times_of(1).end, times_of(3).end);
	is(true, times_of(4).issue >= times_of(3).end);
	near("the end of all", times_of(2).end, times_of(5).end);
	is(times_of(6).start, times_of(6).end);
	is(40 * US, times_of(7).end - times_of(7).start);
	stop();
}

/* Blocking streams and the default stream hold each other back; others go on. */
static void the_default_stream(void)
{
	start("");
	begin_session();
	struct host_order blocking = spins(2, 1, 100 * US);
	blocking.blocking = true;
	give(blocking);
	give(spins(STREAM_DEFAULT, 2, 100 * US));
	give(spins(3, 3, 100 * US));
	blocking.id = 4;
	give(blocking);
	await(4);
	near("the default stream", times_of(1).end, times_of(2).start);
	near("the blocking one behind it", times_of(2).end, times_of(4).start);
	is(true, times_of(3).start < times_of(1).end);
	stop();
}

/* A launch begins where the one before was due to end, whatever the calls took. */
static void played_launches(void)
{
	start("");
	begin_session();
	for (op_id id = 1; id <= 20; id++) {
		struct host_order order = spins(2, id, 1 * US);
		order.launch_ns = 12 * US;
		if (id == 10)
			order.flags = OPF_FREE_LAUNCH;
		give(order);
	}
	struct host_order computes = operation(OP_HOST, STREAM_HOST, 21), next = spins(2, 22, 1 * US);
	computes.launch_ns = 0;
	computes.record.duration_ns = 100 * US;
	next.launch_ns = 12 * US;
	give(computes);
	give(next);
	await(22);
	for (op_id id = 1; id < 10; id++) {
		is(id * 12 * US, times_of(id).issue);
		is(12 * US, times_of(id).launch);
	}
	is(0, times_of(10).launch);
	is(true, times_of(10).issue < 10 * 12 * US);
	for (op_id id = 11; id <= 20; id++)
		is((id - 1) * 12 * US, times_of(id).issue);
	is(times_of(21).end + 12 * US, times_of(22).issue);
	is(100 * US, times_of(21).end - times_of(21).start);
	stop();
}

static void a_hundred_streams(void)
{
	enum { STREAMS = 100, EACH = 10 };
	start("");
	begin_session();
	for (op_id i = 0; i < STREAMS * EACH; i++)
		give(spins(2 + (int)(i % STREAMS), i + 1, 20 * US));
	give(after(OP_SYNC, STREAM_HOST, STREAMS * EACH + 1, OP_EVERYTHING));
	await(STREAMS * EACH + 1);
	int64_t latest = 0;
	for (op_id id = 1; id <= STREAMS * EACH; id++) {
		lasts(id, 20 * US);
		if (id > STREAMS)
			is(true, times_of(id).start >= times_of(id - STREAMS).end);
		latest = times_of(id).end > latest ? times_of(id).end : latest;
	}
	near("the end of all", latest, times_of(STREAMS * EACH + 1).end);
	stop();
}

/* Queues are freed as they are used; what an operation costs the thread is told, and not judged. */
static void a_hundred_thousand_orders(void)
{
	enum { ORDERS = 100000, BATCH = 1000 };
	struct timespec begun, ended;
	size_t told = 0;
	int64_t last = 0;
	start("");
	long live = mem_live();
	begin_session();
	clock_gettime(CLOCK_MONOTONIC, &begun);
	for (op_id i = 1; i <= ORDERS; i++)
		give(after(OP_SYNC, STREAM_HOST, i, 0));
	while (told < ORDERS) {
		host_await(host);
		size_t took = host_take(host, reports, REPORTS);
		for (size_t i = 0; i < took; i++, told++) {
			is(told + 1, reports[i].measured.id);
			is(true, reports[i].measured.issue >= last);
			last = reports[i].measured.end;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("an order takes %.2f us from control to the thread and back\n",
	        ((double)(ended.tv_sec - begun.tv_sec) * 1e9 + (double)(ended.tv_nsec - begun.tv_nsec)) /
	                1e3 / ORDERS);
	is(true, mem_live() < live + 16);
	stop();
}

static const char *const kinds_of_failure[] = {"fail=cuEventCreate:5", "fail=cuEventRecord:4",
        "fail=cuEventQuery:2", "fail=cuEventElapsedTime:3", "fail=cuStreamWaitValue32:2",
        "fail=cuLaunchHostFunc:2", "fail=cuStreamWaitEvent:1"};

/* One call fails: one operation has no result and the call's words, all others are as ever. */
static void a_call_that_fails_once(void)
{
	for (size_t i = 0; i < sizeof kinds_of_failure / sizeof *kinds_of_failure; i++) {
		pid_t child = fork();
		int status;
		is(true, child >= 0);
		if (child) {
			is(child, waitpid(child, &status, 0));
			is(0, status);
			continue;
		}
		start(kinds_of_failure[i]);
		begin_session();
		for (op_id id = 1; id <= 6; id++)
			give(spins(2, id, 10 * US));
		give(operation(OP_RECORD, 2, 7));
		give(after(OP_WAIT, 3, 8, 7));
		give(after(OP_SYNC, STREAM_HOST, 9, OP_EVERYTHING));
		await(9);
		int failed = 0;
		for (op_id id = 1; id <= 9; id++) {
			const struct host_report *report = report_of(id);
			times_of(id);
			is(report->status != ST_OK, report->measured.undone);
			is(report->status != ST_OK, report->words != NULL);
			if (report->status == ST_OK)
				continue;
			failed++;
			is(true, strstr(report->words, "CUDA_ERROR_UNKNOWN") != NULL);
			mem_free(report->words);
		}
		is(1, failed);
		stop();
		exit(0);
	}
}

/* Memory that is none is written: the context is lost. What was in flight, and all that comes, has the same failure, at once. */
static void a_lost_context(void)
{
	start("");
	begin_session();
	give(spins(2, 1, 10 * US));
	give(after(OP_SYNC, STREAM_HOST, 2, 1));
	await(2);
	CUcontext context;
	ok(table.cuDevicePrimaryCtxRetain(&context, 0));
	ok(table.cuCtxSetCurrent(context));
	void (*spoil)(CUresult);
	*(void **)&spoil = dlsym(table.handles[CUDA_PART_DRIVER], "standin_spoil");
	spoil(CUDA_ERROR_ILLEGAL_ADDRESS);
	give(spins(2, 3, 10 * US));
	give(spins(3, 4, 10 * US));
	give(after(OP_SYNC, STREAM_HOST, 5, OP_EVERYTHING));
	await(5);
	for (op_id id = 3; id <= 5; id++) {
		is(ST_GPU, report_of(id)->status);
		is(1, times_of(id).undone);
		is(true, strstr(report_of(id)->words, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL);
		mem_free(report_of(id)->words);
	}
	stop();
}

static void what_does_not_agree_stands_until_it_is_cancelled(void)
{
	start("");
	begin_session();
	struct host_order never = operation(OP_COLLECTIVE, 2, 1);
	never.never = true;
	give(never);
	give(spins(2, 2, 10 * US));
	give(spins(3, 3, 10 * US));
	give(after(OP_SYNC, STREAM_HOST, 4, 2));
	await(1);
	is(3, reports[0].measured.id);
	host_cancel(host, 1);
	await(4);
	is(1, times_of(1).undone);
	is(ST_OK, report_of(1)->status);
	is(0, times_of(2).undone);
	is(true, times_of(2).start >= times_of(1).end);
	is(true, times_of(4).end >= times_of(2).end - NEAR);
	/* one that has not been issued is never begun; a wait in a sync ends */
	never.id = 5;
	give(never);
	give(after(OP_SYNC, STREAM_HOST, 6, 5));
	give(spins(4, 7, 1000 * US));
	host_cancel(host, 7);
	host_cancel(host, 6);
	await(6);
	is(1, times_of(6).undone);
	is(1, times_of(7).undone);
	is(true, times_of(7).end - times_of(7).start <= NEAR);
	host_cancel(host, 5);
	await(7);
	struct host_order undone = spins(2, 8, 1000 * US);
	undone.undone = true;
	give(undone);
	await(8);
	is(1, times_of(8).undone);
	is(times_of(8).start, times_of(8).end);
	stop();
}

static void behind_a_crash_there_is_nothing(void)
{
	start("");
	begin_session();
	give(spins(2, 1, 10 * US));
	give(operation(OP_CRASH, STREAM_HOST, 2));
	give(spins(2, 3, 10 * US));
	give(after(OP_SYNC, STREAM_HOST, 4, OP_EVERYTHING));
	await(2);
	is(times_of(2).issue, times_of(2).end);
	stop();
	is(2, count);
}

/* Memory comes with an operation whose time it takes, is read and written while the thread waits in a sync, and goes. */
static void memory_as_it_is_now(void)
{
	start("");
	begin_session();
	struct layout layout;
	int64_t elements = 1000;
	float values[1000], found[1000] = {0};
	for (int i = 0; i < elements; i++)
		values[i] = (float)i;
	is(ST_OK, layout_make(&layout, DT_F32, 1, &elements));
	struct host_order segment = operation(OP_SEGMENT, STREAM_HOST, 1);
	segment.more = true;
	segment.least_ns = 30 * US;
	give(segment);
	struct host_order memory = {
	        .kind = ORDER_SEGMENT, .space = SPACE_DEVICE, .address = 4096, .bytes = 1 << 20};
	give(memory);
	await(1);
	is(30 * US, times_of(1).end - times_of(1).start);
	struct host_order never = operation(OP_COLLECTIVE, 2, 2);
	never.never = true;
	give(never);
	give(after(OP_SYNC, STREAM_HOST, 3, 2));
	is(ST_OK, host_read(host, 0, SPACE_DEVICE, 4096, &layout, found));
	is(0, found[999] != 0);
	is(ST_OK, host_write(host, SPACE_DEVICE, 4096, &layout, values));
	is(ST_OK, host_read(host, 0, SPACE_DEVICE, 4096, &layout, found));
	is(0, memcmp(found, values, sizeof found));
	/* memory that the host has not come to yet can be read; what an operation never brought cannot */
	is(ST_OK, host_read(host, 0, SPACE_DEVICE, 1 << 24, &layout, found));
	is(0, found[999] != 0);
	is(ST_ARGUMENT, host_read(host, 1, SPACE_DEVICE, 4096, &layout, found));
	is(1, count);
	host_cancel(host, 2);
	await(3);
	memory.kind = ORDER_SEGMENT_GONE;
	give(memory);
	/* what no operation has asked for is told of the next one, once */
	memory = (struct host_order){
	        .kind = ORDER_SEGMENT, .space = SPACE_DEVICE, .address = 4096, .bytes = INT64_C(1) << 40};
	give(memory);
	give(spins(2, 4, 10 * US));
	give(spins(2, 5, 10 * US));
	await(5);
	is(ST_DEVICE_MEMORY, report_of(4)->status);
	mem_free(report_of(4)->words);
	is(ST_OK, report_of(5)->status);
	stop();
}

static int open_calls, closed, begun, ended, transferred, freed;
static enum status never_comes(struct exchange *exchange, int part, int n, int place, const int *ranks)
{
	(void)exchange, (void)part, (void)place, (void)ranks;
	open_calls++;
	return n == 2 ? ST_OK : (fail)(ST_GPU, "nobody came");
}
static void no_release(struct exchange *exchange, int part, uint32_t seq)
{
	(void)exchange, (void)part, (void)seq;
}
static void close_it(struct exchange *exchange)
{
	(void)exchange;
	closed++;
}
static enum status count_begin(struct exchange *exchange)
{
	(void)exchange;
	begun++;
	return ST_OK;
}
static enum status count_end(struct exchange *exchange)
{
	(void)exchange;
	is(begun, ++ended);
	return ST_OK;
}
static enum status count_transfers(struct exchange *exchange, const struct exchange_transfer *transfers,
        int n, struct exchange_started started, CUstream stream)
{
	(void)exchange, (void)transfers, (void)stream;
	is(0, n);
	is(begun, ended + 1);
	transferred++;
	return started.queue ? started.queue(started.self, stream) : ST_OK;
}
static enum status get_some(struct exchange *exchange, int64_t bytes, CUdeviceptr *at)
{
	(void)exchange;
	return CUDA_CALL(&table, cuMemAlloc, at, (size_t)bytes);
}
static void count_free(struct exchange *exchange, CUdeviceptr at, int64_t bytes)
{
	(void)exchange;
	is(1 << 20, bytes);
	ok(table.cuMemFree(at));
	freed++;
}
static struct exchange empty = {.alloc = get_some,
        .free = count_free,
        .begin = count_begin,
        .end = count_end,
        .transfers = count_transfers,
        .open = never_comes,
        .release = no_release,
        .close = close_it};
static enum status make_empty(void *self, struct exchange **exchange)
{
	*exchange = self;
	return self ? ST_OK : (fail)(ST_GPU, "there is nobody");
}

static void groups_are_made_in_order(void)
{
	start("");
	stop();
	struct host_setup setup = {.cuda = &table, .naps = true, .exchange = make_empty, .self = &empty};
	is(ST_OK, host_start(&setup, &host));
	struct host_order part = {.kind = ORDER_PART, .match = mem_alloc(sizeof *part.match)};
	part.match->n = 2;
	give(part);
	part.match = mem_alloc(sizeof *part.match);
	part.match->n = 3;
	give(part);
	give(spins(2, 1, 10 * US));
	await(2);
	is(2, open_calls);
	is(0, strcmp("nobody came", report_of(0)->words)); /* of the part, of no operation */
	mem_free(report_of(0)->words);
	is(ST_OK, report_of(1)->status);
	stop();
	is(1, closed);
	setup.self = NULL;
	is(ST_GPU, host_start(&setup, &host));
	is(0, strcmp("there is nobody", fail_text()));
}

/* The host thread frees a segment when the order says so, and the remaining ones when it stops. */
static void memory_goes_back_to_the_exchange(void)
{
	start("");
	stop();
	struct host_setup setup = {.cuda = &table, .naps = true, .exchange = make_empty, .self = &empty};
	is(ST_OK, host_start(&setup, &host));
	struct host_order memory = {
	        .kind = ORDER_SEGMENT, .space = SPACE_DEVICE, .address = 4096, .bytes = 1 << 20};
	give(memory);
	memory.address = 1 << 24;
	give(memory);
	memory.kind = ORDER_SEGMENT_GONE;
	give(memory);
	give(spins(2, 1, 10 * US));
	await(1);
	is(1, freed);
	stop();
	is(2, freed);
}

/* A `together` of which the middle one, or the last one, was ended before begins all the same, and lasts what it has to. */
static void a_together_whose_last_was_ended(void)
{
	start("");
	stop();
	struct host_setup setup = {.cuda = &table, .naps = true, .exchange = make_empty, .self = &empty};
	is(ST_OK, host_start(&setup, &host));
	begin_session();
	for (op_id id = 1; id <= 6; id++) {
		struct host_order order = operation(OP_P2P, 2 + (int)(id - 1) % 3, id);
		order.match = mem_alloc(sizeof *order.match);
		order.more = id % 3 != 0;
		order.flags = id % 3 == 1 ? 0 : OPF_TOGETHER;
		order.undone = id == 2 || id == 6;
		order.least_ns = 50 * US;
		give(order);
	}
	give(after(OP_SYNC, STREAM_HOST, 7, OP_EVERYTHING));
	await(7);
	is(2, begun);
	is(2, ended);
	is(4, transferred);
	for (op_id id = 1; id <= 6; id++) {
		is(id == 2 || id == 6, times_of(id).undone);
		if (!times_of(id).undone)
			is(true, times_of(id).end - times_of(id).start >= 50 * US);
	}
	stop();
}

static int priorities[8], made;
static unsigned stream_flags[8];
static CUresult (*make_stream)(CUstream *, unsigned, int);
static CUresult note_stream(CUstream *stream, unsigned flags, int priority)
{
	stream_flags[made] = flags;
	priorities[made++] = priority;
	return make_stream(stream, flags, priority);
}

static void streams_as_they_are_asked_for(void)
{
	start("");
	int least, greatest;
	CUcontext context;
	ok(table.cuDevicePrimaryCtxRetain(&context, 0));
	ok(table.cuCtxSetCurrent(context));
	ok(table.cuCtxGetStreamPriorityRange(&least, &greatest));
	ok(table.cuDevicePrimaryCtxRelease(0));
	make_stream = table.cuStreamCreateWithPriority;
	table.cuStreamCreateWithPriority = note_stream;
	struct host_order urgent = spins(2, 1, US), blocking = spins(3, 2, US);
	urgent.priority = 1;
	blocking.blocking = true;
	give(urgent);
	give(blocking);
	give(urgent);
	await(3);
	is(2, made);
	is(true, greatest < least);
	is(greatest, priorities[0]);
	is(CU_STREAM_NON_BLOCKING, stream_flags[0]);
	is(0, priorities[1]);
	is(CU_STREAM_DEFAULT, stream_flags[1]);
	stop();
}

static CUresult no_record(CUevent event, CUstream stream)
{
	(void)event, (void)stream;
	return CUDA_SUCCESS;
}
static CUresult over(CUevent event)
{
	(void)event;
	return CUDA_SUCCESS;
}
static CUresult no_time(float *ms, CUevent from, CUevent to)
{
	(void)from, (void)to;
	*ms = 0;
	return CUDA_SUCCESS;
}

/* The thread's own part of an operation, without CUDA's calls: told, and not judged. */
static void what_an_operation_costs_the_thread(void)
{
	enum { ORDERS = 20000 };
	struct timespec begins, ends;
	start("clock=wall");
	table.cuEventRecord = no_record;
	table.cuEventQuery = table.cuEventSynchronize = over;
	table.cuEventElapsedTime = no_time;
	struct host_order *orders = mem_alloc(ORDERS * sizeof *orders);
	for (op_id i = 0; i < ORDERS; i++)
		orders[i] = operation(OP_RECORD, 2 + (int)i % 4, i + 1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begins);
	host_give(host, orders, ORDERS);
	for (size_t told = 0; told < ORDERS; told += host_take(host, reports, REPORTS))
		host_await(host);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ends);
	printf("an operation takes %.2f us beside CUDA's calls\n",
	        ((double)(ends.tv_sec - begins.tv_sec) * 1e9 + (double)(ends.tv_nsec - begins.tv_nsec)) /
	                1e3 / ORDERS);
	mem_free(orders);
	stop();
}

static void no_gpu(void)
{
	long live = mem_live();
	is(ST_GPU, try_start("fail=cuEventCreate:1"));
	is(true, strstr(fail_text(), "cuEventCreate") != NULL);
	is(live, mem_live());
}

/* What stands for ever is let go at the end. */
static void stopped_while_a_wait_never_ends(void)
{
	start("");
	long live = mem_live();
	begin_session();
	struct host_order never = operation(OP_COLLECTIVE, 2, 1);
	never.never = true;
	give(never);
	give(spins(3, 2, INT64_C(3600) * 1000000 * US));
	give(after(OP_SYNC, STREAM_HOST, 3, OP_EVERYTHING));
	for (op_id id = 4; id < 1000; id++)
		give(spins(2, id, 10 * US));
	stop();
	is(true, mem_live() < live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        apart(streams_keep_their_order),
	        apart(waits_and_events),
	        apart(the_host_waits_in_a_sync),
	        apart(the_default_stream),
	        apart(played_launches),
	        apart(a_hundred_streams),
	        apart(a_hundred_thousand_orders),
	        apart(a_call_that_fails_once),
	        apart(a_lost_context),
	        apart(what_does_not_agree_stands_until_it_is_cancelled),
	        apart(behind_a_crash_there_is_nothing),
	        apart(memory_as_it_is_now),
	        apart(groups_are_made_in_order),
	        apart(memory_goes_back_to_the_exchange),
	        apart(a_together_whose_last_was_ended),
	        apart(streams_as_they_are_asked_for),
	        apart(what_an_operation_costs_the_thread),
	        apart(no_gpu),
	        apart(stopped_while_a_wait_never_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
