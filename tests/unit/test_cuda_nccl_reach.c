/* test_cuda_nccl_reach.c -- ranks with one GPU each: put, get and add, which the target rank
 * serves */
#include "nccl_players.h"

#include <stdatomic.h>

enum { STREAMS = 2, ZONE = 5, STEPS = 300 };

/* What control would tell beside the part: from each stream of each rank to each other one. When it is open all have been told
 * of it: what follows in the pipe is this. */
static void tell_reach(struct player *player)
{
	enum { PAIRS_MOST = 4 * 4 * STREAMS };
	struct rank *me = player->me;
	ncclUniqueId ids[PAIRS_MOST] = {0};
	struct nccl_party parties[PAIRS_MOST];
	int ends[PAIRS_MOST][2], count = 0;
	GOOD(player->exchange->open(player->exchange, 0, me->ranks, me->rank, player->everybody));
	for (int i = 0; i < me->ranks * me->ranks * STREAMS; i++) {
		ends[count][0] = i / STREAMS / me->ranks;
		ends[count][1] = i / STREAMS % me->ranks;
		parties[count] =
		        (struct nccl_party){.kind = nccl_reach(i % STREAMS), .n = 2, .ranks = ends[count]};
		count += ends[count][0] != ends[count][1];
	}
	if (me->rank == 0)
		GOOD(meet_ids(&me->cuda, parties, count, ids));
	share(me, ids, sizeof ids);
	meet_told(NCCL_OF(player->exchange), parties, count, ids);
	GOOD(player->exchange->open(player->exchange, 0, me->ranks, me->rank, player->everybody));
}

/* An operation of rank `by`, as all processes know it */
struct reached {
	int by, to, stream;
	enum one_sided what;
	uint32_t window;
	int64_t first, count; /* elements of the window */
	CUdeviceptr at;       /* of `by` */
};

static struct exchange_one_sided call_of(const struct reached *op, enum dtype dtype)
{
	struct exchange_one_sided call = {.peer = op->to,
	        .what = op->what,
	        .window = op->window,
	        .offset = op->first * dtype_bytes(dtype),
	        .at = op->at,
	        .dtype = dtype,
	        .factor = 2,
	        .stream = op->stream};
	layout_make(&call.layout, dtype, 1, &op->count);
	return call;
}

/* What this rank has to do for it. stream: its own, by number */
static void do_op(struct player *player, const struct reached *op, enum dtype dtype, CUstream stream)
{
	struct rank *me = player->me;
	struct exchange_one_sided call = call_of(op, dtype);
	if (op->by == me->rank)
		GOOD(player->exchange->one_sided(
		        player->exchange, &call, (struct exchange_started){0}, stream));
	call.peer = op->by;
	call.at = 0;
	if (op->to == me->rank && op->by != me->rank)
		player->exchange->serve(player->exchange, &call);
}

static void barrier(struct player *player)
{
	struct rank *me = player->me;
	GOOD(player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_barrier,
	                .seq = ++player->seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody},
	        (struct exchange_started){0}, me->stream));
	CALL(cuStreamSynchronize(me->stream));
}

/* ---- a random program, the same on all. A window has a zone for each stream of each rank, where nobody else puts, and
 * one to which all add. */

struct wander {
	CUstream stream[STREAMS];
	CUdeviceptr window, got, own; /* a step's results and inputs lie behind each other */
	int32_t zone[RANKS_MOST][RANKS_MOST][STREAMS], added[RANKS_MOST]; /* the model */
	int32_t wanted[STEPS];
};

static struct reached draw(struct wander *wander, unsigned *seed, int step, int ranks, int me)
{
	struct reached op = {.by = rand_r(seed) % ranks,
	        .to = rand_r(seed) % ranks,
	        .stream = rand_r(seed) % STREAMS,
	        .what = (enum one_sided)(rand_r(seed) % 3),
	        .window = 1,
	        .count = ZONE};
	int32_t *zone = &wander->zone[op.to][op.by][op.stream];
	op.first = op.what == ONE_SIDED_ADD ? ranks * STREAMS * ZONE : (op.by * STREAMS + op.stream) * ZONE;
	op.at = (op.what == ONE_SIDED_GET ? wander->got : wander->own) + (CUdeviceptr)(step * ZONE * 4);
	wander->wanted[step] = -1;
	if (op.what == ONE_SIDED_PUT)
		*zone = step;
	else if (op.what == ONE_SIDED_ADD)
		wander->added[op.to] += 2 * step;
	else if (op.by == me)
		wander->wanted[step] = *zone;
	return op;
}

static void check_all(struct player *player, const struct wander *wander)
{
	struct rank *me = player->me;
	int32_t window[(RANKS_MOST * STREAMS + 1) * ZONE], got[STEPS * ZONE];
	int zones = me->ranks * STREAMS;
	to_host(me, window, wander->window, (size_t)(zones + 1) * ZONE * 4);
	to_host(me, got, wander->got, sizeof got);
	for (int i = 0; i < STEPS * ZONE; i++)
		RIGHT(wander->wanted[i / ZONE] < 0 || got[i] == wander->wanted[i / ZONE]);
	for (int i = 0; i < (zones + 1) * ZONE; i++) {
		int z = i / ZONE;
		int32_t wanted = z == zones ? wander->added[me->rank]
		                            : wander->zone[me->rank][z / STREAMS][z % STREAMS];
		RIGHT(window[i] == wanted);
	}
}

static void walk(struct player *player)
{
	enum { BYTES = STEPS * ZONE * 4 };
	struct rank *me = player->me;
	struct wander wander = {.stream = {me->stream}};
	unsigned seed = 11, own = (unsigned)me->rank;
	tell_reach(player);
	CALL(cuStreamCreateWithPriority(&wander.stream[1], CU_STREAM_NON_BLOCKING, 0));
	GOOD(player->exchange->alloc(player->exchange, BYTES, &wander.window));
	GOOD(player->exchange->alloc(player->exchange, BYTES, &wander.got));
	GOOD(player->exchange->alloc(player->exchange, BYTES, &wander.own));
	CALL(cuMemsetD32Async(wander.window, 0, BYTES / 4, me->stream));
	for (int step = 0; step < STEPS; step++)
		CALL(cuMemsetD32Async(
		        wander.own + (CUdeviceptr)(step * ZONE * 4), (unsigned)step, ZONE, me->stream));
	CALL(cuStreamSynchronize(me->stream));
	int opens = me->rank == 0 ? STEPS / 2 : 0; /* rank 0 is late: what reaches it waits */
	for (int step = 0; step < STEPS; step++) {
		struct reached op = draw(&wander, &seed, step, me->ranks, me->rank);
		if (op.to == 0 && op.by == 0 && step < opens)
			opens = step;
		if (step == opens)
			GOOD(player->exchange->window(player->exchange, 0, 1, wander.window));
		for (int k = rand_r(&own) % 20 ? 0 : 1000; k > 0; k--)
			sched_yield();
		do_op(player, &op, DT_I32, wander.stream[op.stream]);
	}
	CALL(cuStreamSynchronize(wander.stream[1]));
	CALL(cuStreamSynchronize(wander.stream[0]));
	barrier(player);
	check_all(player, &wander);
	CALL(cuStreamDestroy(wander.stream[1]));
}

static void here_and_there(void **state)
{
	(void)state;
	play(3, "gpus=4", walk);
	play(4, "gpus=4", walk);
}

/* ---- all add at once to the same halves, which share their bytes by two; and in several pieces ---- */

static void add_at_once(struct player *player)
{
	enum { ADDS = 40, WIDE = 33, LARGE = 5 << 20 };
	struct rank *me = player->me;
	struct reached op = {.by = me->rank, .window = 1, .what = ONE_SIDED_ADD, .count = WIDE};
	CUdeviceptr window;
	uint16_t held[WIDE];
	int32_t *large = malloc(sizeof *large * LARGE);
	RIGHT(large);
	for (int i = 0; i < WIDE; i++)
		dtype_set(DT_F16, held, i, (float)(i % 3));
	for (int i = 0; i < LARGE; i++)
		large[i] = i;
	tell_reach(player);
	window = on_device(me, large, sizeof *large * LARGE);
	CALL(cuMemsetD8Async(window, 0, sizeof *large * LARGE, me->stream));
	GOOD(player->exchange->window(player->exchange, 0, 1, window));
	barrier(player);
	op.at = on_device(me, held, sizeof held);
	for (int i = 0; i < ADDS * me->ranks; i++) {
		op.by = i % me->ranks;
		do_op(player, &op, DT_F16, me->stream);
	}
	barrier(player);
	to_host(me, held, window, sizeof held);
	for (int i = 0; i < WIDE && me->rank == 0; i++)
		RIGHT(dtype_get(DT_F16, held, i) == (float)(2 * ADDS * me->ranks * (i % 3)));
	CALL(cuMemFree(op.at));
	op = (struct reached){.by = 1, .to = 2, .window = 1, .what = ONE_SIDED_ADD, .count = LARGE};
	op.at = on_device(me, large, sizeof *large * LARGE);
	do_op(player, &op, DT_I32, me->stream);
	barrier(player);
	to_host(me, large, window, sizeof *large * LARGE);
	for (int i = 0; i < LARGE && me->rank == 2; i++)
		RIGHT(large[i] == 2 * i);
	CALL(cuMemFree(op.at));
	CALL(cuMemFree(window));
	free(large);
}

static void no_sum_is_lost(void **state)
{
	(void)state;
	play(3, "gpus=4", add_at_once);
}

/* ---- a release while rank 1's wait for a window that is not open, or rank 0 serves what never comes; then all goes on ---- */

/* Rank 0 is at the second of two: the first is queued. */
static void await_first(struct player *player)
{
	struct nccl_exchange *nccl = NCCL_OF(player->exchange);
	pthread_mutex_lock(&nccl->lock);
	struct party *party = nccl_latest(nccl, 0, nccl_reach(0), 1, 0);
	while (party->served < 2) {
		pthread_mutex_unlock(&nccl->lock);
		sched_yield();
		pthread_mutex_lock(&nccl->lock);
	}
	pthread_mutex_unlock(&nccl->lock);
}

static void let_go(struct player *player)
{
	struct rank *me = player->me;
	struct exchange *exchange = player->exchange;
	/* an add finds what the one before it has left */
	const enum one_sided what[] = {ONE_SIDED_PUT, ONE_SIDED_GET, ONE_SIDED_ADD, ONE_SIDED_ADD};
	int32_t found[ZONE];
	CUdeviceptr at;
	GOOD(exchange->alloc(exchange, sizeof found, &at));
	for (uint32_t again = 0; again < 8; again++) {
		bool comes = again % 2;
		struct reached op = {
		        .by = 1, .window = again * 2 + 1, .what = what[again / 2], .count = ZONE};
		op.at = at;
		tell_reach(player);
		CALL(cuMemsetD32Async(at, (unsigned)(7 + me->rank), ZONE, me->stream));
		CALL(cuStreamSynchronize(me->stream));
		if (!comes)
			GOOD(exchange->window(exchange, 0, op.window, at));
		for (int i = 0; i < 2 && (comes || me->rank == 0); i++)
			do_op(player, &op, DT_I32, me->stream);
		if (!comes && me->rank == 0)
			await_first(player);
		if (comes && me->rank == 1)
			RIGHT(me->cuda.cuStreamQuery(me->stream) == CUDA_ERROR_NOT_READY);
		exchange->release(exchange, 0, 0);
		CALL(cuStreamSynchronize(me->stream));
		if (me->rank == 1)
			do_op(player, &op, DT_I32, me->stream); /* nothing is done */
		tell(player);
		tell_reach(player);
		to_host(me, found, at, sizeof found);
		RIGHT(found[0] == 7 + me->rank);
		op.window++;
		GOOD(exchange->window(exchange, 0, op.window, at));
		do_op(player, &op, DT_I32, me->stream);
		CALL(cuStreamSynchronize(me->stream));
		barrier(player);
		to_host(me, found, at, sizeof found);
		int32_t wanted = op.what == ONE_SIDED_PUT ? 8 : op.what == ONE_SIDED_ADD ? 7 + 2 * 8 : 7;
		RIGHT(found[ZONE - 1] == (me->rank == 0 ? wanted : op.what == ONE_SIDED_GET ? 7 : 8));
		exchange->release(exchange, 0, 0);
		tell(player);
	}
}

static void released_meanwhile(void **state)
{
	(void)state;
	play(2, "gpus=2", let_go);
}

/* ---- the window's rank has no memory for an add: it says whose, and the other one waits until it is released ---- */

static void no_memory(struct player *player)
{
	struct rank *me = player->me;
	struct reached op = {.by = 1, .window = 1, .what = ONE_SIDED_ADD, .count = ZONE};
	enum status status = ST_OK;
	int part = -1;
	tell_reach(player);
	GOOD(player->exchange->alloc(player->exchange, ZONE * 4, &op.at)); /* behind the one of nccl_make */
	GOOD(player->exchange->window(player->exchange, 0, 1, op.at));
	do_op(player, &op, DT_I32, me->stream);
	while (me->rank == 0 && status == ST_OK)
		status = player->exchange->failure(player->exchange, &part);
	RIGHT(me->rank == 1 || (status == ST_GPU && part == 0));
	RIGHT(me->rank == 1 || strstr(fail_text(), "rank 1's add in rank 0's window: cuMemAlloc"));
	RIGHT(player->exchange->failure(player->exchange, &part) == ST_OK);
	player->exchange->release(player->exchange, 0, 0);
	CALL(cuStreamSynchronize(me->stream));
}

static void a_service_fails(void **state)
{
	(void)state;
	play(2, "gpus=2 fail=cuMemAlloc:3", no_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(here_and_there),
	        cmocka_unit_test(no_sum_is_lost),
	        cmocka_unit_test(released_meanwhile),
	        cmocka_unit_test(a_service_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
