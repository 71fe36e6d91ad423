/* test_standin_nccl.c -- the stand-in's NCCL between processes: sums in the order of the ring,
 * messages, times, and operations that never end */
#include "base/arithmetic.h"
#include "base/dtype.h"
#include "standin_ranks.h"

enum { COUNT = 301, RANKS = 3 };

/* ---- reductions: the same bits as those of a ring that is gone through by hand ---- */

struct element_type {
	enum dtype dtype;
	ncclDataType_t nccl;
};
static const struct element_type types[] = {
        {DT_F32, ncclFloat32}, {DT_F16, ncclFloat16}, {DT_BF16, ncclBfloat16}, {DT_I32, ncclInt32}};
static const ncclRedOp_t reductions[] = {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg};

/* Element i of rank r, as its type holds it: sums of three such depend on their order */
static float element(enum dtype dtype, int r, int64_t i)
{
	float value = (float)((i * 7919 + r * 104729) % 2003 - 1001);
	char held[4];
	dtype_set(dtype, held, 0, dtype == DT_I32 ? value : value / 177);
	return dtype_get(dtype, held, 0);
}

static float rounded(enum dtype dtype, float value)
{
	char held[4];
	dtype_set(dtype, held, 0, value);
	return dtype_get(dtype, held, 0);
}

static float fold(enum dtype dtype, ncclRedOp_t reduction, int ranks, int first, int64_t i)
{
	float sum = 0, part = rounded(dtype, 1.0f / (float)ranks);
	for (int k = 0; k < ranks; k++) {
		float x = element(dtype, (first + k) % ranks, i);
		if (reduction == ncclAvg && dtype != DT_I32)
			x = rounded(dtype, x * part);
		if (k == 0)
			sum = x;
		else if (reduction == ncclProd)
			sum = rounded(dtype, sum * x);
		else if (reduction == ncclMax)
			sum = x > sum ? x : sum;
		else if (reduction == ncclMin)
			sum = x < sum ? x : sum;
		else
			sum = rounded(dtype, sum + x);
	}
	return reduction == ncclAvg && dtype == DT_I32 ? (float)((int)sum / ranks) : sum;
}

/* The piece of the tensor that element i is in: the rank at which an allreduce's sum begins */
static int piece_of(int64_t i, int ranks)
{
	int p = 0;
	while (COUNT / ranks * (p + 1) + COUNT % ranks * (p + 1) / ranks <= i)
		p++;
	return p;
}

static void check_reduction(struct rank *me, const struct element_type *type, ncclRedOp_t reduction)
{
	enum dtype dtype = type->dtype;
	int bytes = dtype_bytes(dtype), last = me->ranks - 1;
	char in[4 * COUNT * RANKS_MOST], all[4 * COUNT], shared[4 * COUNT], root[4 * COUNT];
	for (int64_t i = 0; i < (int64_t)COUNT * me->ranks; i++)
		dtype_set(dtype, in, i, element(dtype, me->rank, i));
	CUdeviceptr from = on_device(me, in, (size_t)(bytes * COUNT * me->ranks)),
	            to = on_device(me, in, (size_t)(bytes * COUNT));
	const void *source = (const void *)(uintptr_t)from;
	void *result = (void *)(uintptr_t)to;

	CALL(ncclAllReduce(source, result, COUNT, type->nccl, reduction, me->comm, me->stream));
	to_host(me, all, to, sizeof all / 4 * (size_t)bytes);
	CALL(ncclReduceScatter(source, result, COUNT, type->nccl, reduction, me->comm, me->stream));
	to_host(me, shared, to, sizeof all / 4 * (size_t)bytes);
	CALL(ncclReduce(source, result, COUNT, type->nccl, reduction, last, me->comm, me->stream));
	to_host(me, root, to, sizeof all / 4 * (size_t)bytes);
	for (int64_t i = 0; i < COUNT; i++) {
		int64_t own = (int64_t)me->rank * COUNT + i;
		RIGHT(dtype_get(dtype, all, i) ==
		        fold(dtype, reduction, me->ranks, piece_of(i, me->ranks), i));
		RIGHT(dtype_get(dtype, shared, i) ==
		        fold(dtype, reduction, me->ranks, (me->rank + 1) % me->ranks, own));
		RIGHT(me->rank != last ||
		        dtype_get(dtype, root, i) == fold(dtype, reduction, me->ranks, 0, i));
	}
	CALL(cuMemFree(from));
	CALL(cuMemFree(to));
}

static void reduce(struct rank *me, void *self)
{
	(void)self;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	for (size_t t = 0; t < LENGTH_OF(types); t++)
		for (size_t r = 0; r < LENGTH_OF(reductions); r++)
			if (types[t].dtype != DT_I32 ||
			        reductions[r] != ncclProd) /* beyond what a float holds */
				check_reduction(me, &types[t], reductions[r]);
	CALL(ncclCommAbort(me->comm));
}

static void sums_in_the_order_of_the_ring(void **state)
{
	(void)state;
	for (int ranks = 1; ranks <= 4; ranks++)
		run_ranks(ranks, "gpus=4", reduce, NULL);
}

/* ---- messages larger than a channel's slots, both ways at once, and collectives that only move ---- */

static void move(struct rank *me, void *self)
{
	enum { LONG = 150001 };
	size_t bytes = LONG * sizeof(int32_t);
	int next = (me->rank + 1) % me->ranks, before = (me->rank + me->ranks - 1) % me->ranks;
	int32_t *host = malloc(bytes * (size_t)me->ranks);
	(void)self;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	for (int i = 0; i < LONG; i++)
		host[i] = me->rank * LONG + i;
	CUdeviceptr from = on_device(me, host, bytes), to = on_device(me, host, bytes * (size_t)me->ranks);
	void *in = (void *)(uintptr_t)from, *out = (void *)(uintptr_t)to;

	CALL(ncclGroupStart());
	CALL(ncclSend(in, LONG, ncclInt32, next, me->comm, me->stream));
	CALL(ncclSend(in, 5, ncclInt32, next, me->comm, me->stream)); /* behind the first, to the same rank */
	CALL(ncclRecv(out, LONG, ncclInt32, before, me->comm, me->stream));
	CALL(ncclRecv((char *)out + bytes, 5, ncclInt32, before, me->comm, me->stream));
	CALL(ncclGroupEnd());
	to_host(me, host, to, bytes + 5 * sizeof *host);
	for (int i = 0; i < LONG; i++)
		RIGHT(host[i] == before * LONG + i && host[LONG + i % 5] == before * LONG + i % 5);

	CALL(ncclGroupStart());
	CALL(ncclAllGather(in, out, LONG, ncclInt32, me->comm, me->stream));
	CALL(ncclBroadcast(in, in, LONG, ncclInt32, me->ranks - 1, me->comm, me->stream));
	CALL(ncclGroupEnd());
	to_host(me, host, to, bytes * (size_t)me->ranks);
	for (int i = 0; i < LONG * me->ranks; i++)
		RIGHT(host[i] == i);
	to_host(me, host, from, bytes);
	RIGHT(host[0] == (me->ranks - 1) * LONG && host[LONG - 1] == me->ranks * LONG - 1);
	free(host);
	CALL(ncclCommAbort(me->comm));
}

static void messages_and_rows(void **state)
{
	(void)state;
	run_ranks(RANKS, "gpus=3", move, NULL);
}

/* ---- times: from the end of one collective to that of the next, of which one rank is late ---- */

static void keep_time(struct rank *me, void *self)
{
	enum { BYTES = 1 << 20 };
	float *kept = self, own, all[RANKS_MOST];
	CUevent first, late, second;
	CUdeviceptr at;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	CALL(cuMemAlloc(&at, BYTES));
	void *memory = (void *)(uintptr_t)at;
	CALL(cuEventCreate(&first, CU_EVENT_DEFAULT));
	CALL(cuEventCreate(&late, CU_EVENT_DEFAULT));
	CALL(cuEventCreate(&second, CU_EVENT_DEFAULT));

	CALL(ncclAllReduce(memory, memory, 4, ncclFloat32, ncclSum, me->comm, me->stream));
	CALL(cuEventRecord(first, me->stream));
	for (int i = 0; i < 20 * me->rank; i++)
		CALL(cuMemsetD8Async(at, 0, BYTES, me->stream));
	CALL(cuEventRecord(late, me->stream));
	CALL(ncclAllReduce(memory, memory, BYTES / 4, ncclFloat32, ncclSum, me->comm, me->stream));
	CALL(cuEventRecord(second, me->stream));
	CALL(cuStreamSynchronize(me->stream));

	CALL(cuEventElapsedTime(&own, first, second));
	CUdeviceptr mine = on_device(me, &own, sizeof own), gathered = on_device(me, all, sizeof all);
	CALL(ncclAllGather(
	        (void *)(uintptr_t)mine, (void *)(uintptr_t)gathered, 1, ncclFloat32, me->comm, me->stream));
	to_host(me, all, gathered, (size_t)me->ranks * sizeof *all);
	for (int rank = 0; rank < me->ranks; rank++)
		RIGHT(all[rank] == own);
	if (me->rank == me->ranks - 1) { /* the last to come: all wait for it */
		float waited;
		CALL(cuEventElapsedTime(&waited, first, late));
		RIGHT(waited > 0);
		/* 4 steps; 2 * 2/3 of 1 MiB is sent, 1 byte a ns */
		RIGHT((int)((own - waited) * 1e6f + 0.5f) == 20000 + 4 * 5000 + 1398101);
		*kept = own;
	}
	CALL(ncclCommAbort(me->comm));
}

static void a_collective_begins_with_the_last(void **state)
{
	float *kept = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	      before;
	const char *options = "gpus=3 cost=nccl:20us,1GB/s cost=step:5us";
	(void)state;
	run_ranks(RANKS, options, keep_time, kept);
	before = *kept;
	run_ranks(RANKS, options, keep_time, kept);
	assert_true(before > 0 && *kept == before);
	munmap(kept, sizeof *kept);
}

/* ---- communicators that do not block ---- */

/* A second call before the first has been asked for is refused, and nothing of it is queued. */
static void hurry(struct rank *me, void *self)
{
	float x = 1;
	(void)self;
	take_gpu(me, me->rank);
	RIGHT(join(me, false) == ncclSuccess);
	CUdeviceptr at = on_device(me, &x, sizeof x);
	void *memory = (void *)(uintptr_t)at;
	RIGHT(me->cuda.ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream) ==
	        ncclInProgress);
	RIGHT(me->cuda.ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream) ==
	        ncclInvalidArgument);
	RIGHT(settle(me, me->comm) == ncclSuccess);
	to_host(me, &x, at, sizeof x);
	RIGHT(x == 2);
	CALL(ncclCommAbort(me->comm));
}

static void a_call_in_progress_holds_the_next(void **state)
{
	(void)state;
	run_ranks(2, "gpus=2", hurry, NULL);
}

/* ---- collectives in a graph run each time that it does, between others ---- */

static void repeat(struct rank *me, void *self)
{
	float x = 1;
	CUgraph graph;
	CUgraphExec executable;
	(void)self;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	CUdeviceptr at = on_device(me, &x, sizeof x);
	void *memory = (void *)(uintptr_t)at;
	CALL(cuStreamBeginCapture(me->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	CALL(cuStreamEndCapture(me->stream, &graph));
	CALL(cuGraphInstantiate(&executable, graph, 0));
	to_host(me, &x, at, sizeof x);
	RIGHT(x == 1); /* nothing has run */
	for (int times = 0; times < 3; times++) {
		CALL(cuGraphLaunch(executable, me->stream));
		CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	}
	to_host(me, &x, at, sizeof x);
	RIGHT(x == 512); /* doubled nine times */
	CALL(cuGraphExecDestroy(executable));
	CALL(cuGraphDestroy(graph));
	CALL(ncclCommAbort(me->comm));
}

static void collectives_in_a_graph(void **state)
{
	(void)state;
	run_ranks(2, "gpus=2", repeat, NULL);
}

/* ---- what cannot be, and what never ends ---- */

static void crowd(struct rank *me, void *self)
{
	take_gpu(me, 0);
	RIGHT(join(me, *(bool *)self) == ncclInvalidUsage);
	RIGHT(strstr(me->cuda.ncclGetLastError(NULL), "Duplicate GPU detected"));
	if (*(bool *)self)
		RIGHT(!me->comm);
	else
		CALL(ncclCommAbort(me->comm));
}

static void two_ranks_on_one_gpu_are_refused(void **state)
{
	bool blocking[] = {true, false};
	(void)state;
	run_ranks(2, "gpus=2", crowd, &blocking[0]);
	run_ranks(2, "gpus=2", crowd, &blocking[1]);
}

/* Rank 0 does not come to the second collective: the others stand there until they are aborted. */
static void leave(struct rank *me, void *self)
{
	float x = 1;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	CUdeviceptr at = on_device(me, &x, sizeof x);
	void *memory = (void *)(uintptr_t)at;
	CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	CALL(cuStreamSynchronize(me->stream));
	if (me->rank == 0 && self)
		raise(SIGKILL);
	if (me->rank > 0) {
		CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
		RIGHT(me->cuda.cuStreamQuery(me->stream) == CUDA_ERROR_NOT_READY);
		RIGHT(state_of(me, me->comm) == ncclSuccess);
	}
	CALL(ncclCommAbort(me->comm));
	CALL(cuStreamSynchronize(me->stream));
}

static void an_abort_frees_who_waits(void **state)
{
	int status[RANKS_MOST], dies = 1;
	(void)state;
	run_ranks(RANKS, "gpus=3", leave, NULL);
	start_ranks(RANKS, "gpus=3", leave, &dies, status);
	assert_true(WIFSIGNALED(status[0]) && WTERMSIG(status[0]) == SIGKILL);
	assert_int_equal(status[1], 0);
	assert_int_equal(status[2], 0);
}

/* A process that stands in a collective still ends. */
static void end(struct rank *me, void *self)
{
	(void)self;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	float x = 1;
	CUdeviceptr at = on_device(me, &x, sizeof x);
	void *memory = (void *)(uintptr_t)at;
	if (me->rank == 0)
		CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	exit(0);
}

static void a_process_in_a_collective_ends(void **state)
{
	(void)state;
	run_ranks(2, "gpus=2", end, NULL);
}

/* Nobody else ever comes to the communicator. */
static void alone(struct rank *me, void *self)
{
	ncclUniqueId id;
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	(void)self;
	config.blocking = 0;
	take_gpu(me, 0);
	open_part(me, CUDA_PART_NCCL);
	CALL(ncclGetUniqueId(&id));
	RIGHT(me->cuda.ncclCommInitRankConfig(&me->comm, 2, id, 0, &config) == ncclInProgress);
	RIGHT(state_of(me, me->comm) == ncclInProgress);
	CALL(ncclCommAbort(me->comm));
	id.internal[0] ^= 1; /* a place that nobody has made */
	RIGHT(me->cuda.ncclCommInitRankConfig(&me->comm, 2, id, 0, &config) == ncclInProgress);
	RIGHT(settle(me, me->comm) == ncclSystemError);
	CALL(ncclCommAbort(me->comm));
}

static void making_one_is_aborted(void **state)
{
	(void)state;
	run_ranks(1, "gpus=1", alone, NULL);
}

/* NCCL tells of an error later: the stream stands until the abort. */
static void break_later(struct rank *me, void *self)
{
	float x = 1;
	(void)self;
	take_gpu(me, me->rank);
	RIGHT(join(me, true) == ncclSuccess);
	CUdeviceptr at = on_device(me, &x, sizeof x);
	void *memory = (void *)(uintptr_t)at;
	CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	CALL(cuStreamSynchronize(me->stream));
	CALL(ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, me->comm, me->stream));
	ncclResult_t state;
	while ((state = state_of(me, me->comm)) == ncclSuccess)
		sched_yield();
	RIGHT(state == ncclRemoteError);
	RIGHT(me->cuda.cuStreamQuery(me->stream) == CUDA_ERROR_NOT_READY);
	CALL(ncclCommAbort(me->comm));
	CALL(cuStreamSynchronize(me->stream));
}

static void an_error_that_comes_later(void **state)
{
	(void)state;
	run_ranks(2, "gpus=2 async=2", break_later, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sums_in_the_order_of_the_ring),
	        cmocka_unit_test(messages_and_rows),
	        cmocka_unit_test(a_collective_begins_with_the_last),
	        cmocka_unit_test(a_call_in_progress_holds_the_next),
	        cmocka_unit_test(collectives_in_a_graph),
	        cmocka_unit_test(two_ranks_on_one_gpu_are_refused),
	        cmocka_unit_test(an_abort_frees_who_waits),
	        cmocka_unit_test(a_process_in_a_collective_ends),
	        cmocka_unit_test(making_one_is_aborted),
	        cmocka_unit_test(an_error_that_comes_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
