/* test_cuda_nccl.c -- ranks with one GPU each use NCCL: reductions and transfers, releases,
 * failures */
#include "nccl_players.h"

#include "exchange_calls.h"

static void the_rings_bits(void **state)
{
	(void)state;
	for (int ranks = 1; ranks <= 4; ranks++)
		play(ranks, "gpus=4", all_collectives);
}

static void rows_of_unlike_numbers(void **state)
{
	(void)state;
	for (int ranks = 1; ranks <= 4; ranks++)
		play(ranks, "gpus=4", rows);
}

static void parts_of_unlike_size(void **state)
{
	(void)state;
	for (int ranks = 2; ranks <= 4; ranks++)
		play(ranks, "gpus=4", uneven_parts);
}

/* ---- channels: what is sent one way does not wait for what is sent the other way ---- */

enum { FLOATS = 5000 };

struct halves {
	CUdeviceptr out, in; /* FLOATS each */
};

static struct halves take_halves(struct player *player)
{
	struct rank *me = player->me;
	float held[FLOATS];
	struct halves halves;
	for (int i = 0; i < FLOATS; i++)
		held[i] = (float)(me->rank * FLOATS + i);
	GOOD(player->exchange->alloc(player->exchange, sizeof held, &halves.out));
	GOOD(player->exchange->alloc(player->exchange, sizeof held, &halves.in));
	CALL(cuMemcpyHtoDAsync(halves.out, held, sizeof held, me->stream));
	CALL(cuMemsetD8Async(halves.in, 0, sizeof held, me->stream));
	CALL(cuStreamSynchronize(me->stream));
	return halves;
}

static void give_halves(struct player *player, struct halves halves)
{
	player->exchange->free(player->exchange, halves.out, FLOATS * sizeof(float));
	player->exchange->free(player->exchange, halves.in, FLOATS * sizeof(float));
}

static void check_from(struct player *player, CUdeviceptr at, int rank, CUstream stream)
{
	struct rank *me = player->me;
	float found[FLOATS];
	CALL(cuStreamSynchronize(stream));
	to_host(me, found, at, sizeof found);
	for (int i = 0; i < FLOATS; i++)
		RIGHT(found[i] == (float)(rank * FLOATS + i));
}

static void transfer(struct player *player, bool sends, int peer, CUdeviceptr at, CUstream stream)
{
	struct rank *me = player->me;
	struct exchange_transfer one = {
	        .sends = sends, .peer = peer, .at = at, .bytes = FLOATS * sizeof(float)};
	GOOD(player->exchange->transfers(player->exchange, &one, 1, (struct exchange_started){0}, stream));
}

/* Both send before they receive, on streams of their own; then the same round a ring, as one operation each; then two
 * operations that start as one, which the other rank gives the other way round. */
static void channels(struct player *player)
{
	struct rank *me = player->me;
	struct exchange *exchange = player->exchange;
	struct halves halves = take_halves(player);
	int next = (me->rank + 1) % me->ranks, before = (me->rank + me->ranks - 1) % me->ranks;
	CUstream other;
	CALL(cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING, 0));
	transfer(player, true, next, halves.out, me->stream);
	transfer(player, false, before, halves.in, other);
	check_from(player, halves.in, before, other);

	CALL(cuMemsetD8Async(halves.in, 0, 4, me->stream));
	const struct exchange_transfer both[] = {{.peer = before, .at = halves.in, .bytes = 4 * FLOATS},
	        {.sends = true, .peer = next, .at = halves.out, .bytes = 4 * FLOATS}};
	GOOD(exchange->transfers(exchange, both, 2, (struct exchange_started){0}, me->stream));
	check_from(player, halves.in, before, me->stream);

	CALL(cuMemsetD8Async(halves.in, 0, 4, me->stream));
	GOOD(exchange->begin(exchange));
	transfer(player, me->rank == 0, me->rank ? before : next, me->rank ? halves.in : halves.out,
	        me->stream);
	transfer(player, me->rank != 0, me->rank ? next : before, me->rank ? halves.out : halves.in,
	        me->stream);
	GOOD(exchange->end(exchange));
	check_from(player, halves.in, before, me->stream);
	CALL(cuStreamDestroy(other));
	give_halves(player, halves);
}

/* To oneself it is a copy. */
static void oneself(struct player *player)
{
	struct rank *me = player->me;
	struct halves halves = take_halves(player);
	const struct exchange_transfer both[] = {{.peer = me->rank, .at = halves.in, .bytes = 4 * FLOATS},
	        {.sends = true, .peer = me->rank, .at = halves.out, .bytes = 4 * FLOATS}};
	GOOD(player->exchange->transfers(
	        player->exchange, both, 2, (struct exchange_started){0}, me->stream));
	check_from(player, halves.in, me->rank, me->stream);
	give_halves(player, halves);
}

static void transfers_and_together(void **state)
{
	(void)state;
	play(2, "gpus=2", channels);
	play(4, "gpus=4", channels);
	play(2, "gpus=2", oneself);
	play(2, "gpus=2 delay=ncclCommInitRankConfig:20ms", channels);
}

/* ---- all have come: what is played begins there ---- */

struct mark {
	struct rank *me;
	CUdeviceptr at;
};

static enum status note(void *self, CUstream stream)
{
	struct mark *mark = self;
	return cuda_call(
	        &mark->me->cuda, "cuMemsetD8Async", mark->me->cuda.cuMemsetD8Async(mark->at, 7, 4, stream));
}

static void starts(struct player *player)
{
	struct rank *me = player->me;
	struct mark noted = {.me = me};
	float x = 3;
	int32_t mark;
	GOOD(player->exchange->alloc(player->exchange, 4, &noted.at));
	CUdeviceptr at = on_device(me, &x, sizeof x);
	GOOD(player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_allreduce,
	                .seq = ++player->seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .in = at,
	                .out = at,
	                .in_count = 1,
	                .out_count = 1},
	        (struct exchange_started){.queue = note, .self = &noted}, me->stream));
	to_host(me, &mark, noted.at, sizeof mark);
	to_host(me, &x, at, sizeof x);
	RIGHT(mark == 0x07070707 && x == 3 * (float)me->ranks);
	player->exchange->free(player->exchange, noted.at, 4);
	CALL(cuMemFree(at));
}

static void begins_where_all_have_come(void **state)
{
	(void)state;
	play(1, "gpus=1", starts);
	play(2, "gpus=2", starts);
}

/* ---- release ---- */

static enum status sum(struct player *player, CUdeviceptr at)
{
	struct rank *me = player->me;
	return player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_allreduce,
	                .seq = ++player->seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .in = at,
	                .out = at,
	                .in_count = 1,
	                .out_count = 1},
	        (struct exchange_started){0}, me->stream);
}

/* Rank 0 does not come, and all release; calls do nothing until the part is opened again, and then go on as before. */
static void released(struct player *player)
{
	struct rank *me = player->me;
	struct exchange *exchange = player->exchange;
	float x = 1;
	CUdeviceptr at = on_device(me, &x, sizeof x);
	for (int again = 0; again < 3; again++) {
		if (me->rank > 0)
			GOOD(sum(player, at));
		if (me->rank > 0)
			RIGHT(me->cuda.cuStreamQuery(me->stream) == CUDA_ERROR_NOT_READY);
		exchange->release(exchange, 0, player->seq);
		CALL(cuStreamSynchronize(me->stream));
		GOOD(sum(player, at));
		CALL(cuStreamSynchronize(me->stream));
		tell(player);
		GOOD(exchange->open(exchange, 0, me->ranks, me->rank, player->everybody));
		CALL(cuMemcpyHtoDAsync(at, &x, sizeof x, me->stream));
		GOOD(sum(player, at));
		float found;
		to_host(me, &found, at, sizeof found);
		RIGHT(found == (float)me->ranks);
	}
	CALL(cuMemFree(at));
}

static void a_release_and_on(void **state)
{
	(void)state;
	play(3, "gpus=3", released);
	play(2, "gpus=2 delay=ncclCommAbort:10ms", released);
}

/* ---- errors that come later, and calls that fail ---- */

/* The second sum breaks: the call itself is told, or who asks; the stream goes on, and the part too when it is opened again. */
static void late(struct player *player)
{
	struct rank *me = player->me;
	struct exchange *exchange = player->exchange;
	float x = 1;
	int part = 0;
	CUdeviceptr at = on_device(me, &x, sizeof x);
	GOOD(exchange->failure(exchange, &part));
	GOOD(sum(player, at));
	CALL(cuStreamSynchronize(me->stream));
	enum status status = sum(player, at);
	while (status == ST_OK)
		status = exchange->failure(exchange, &part);
	RIGHT(status == ST_GPU && part == 0 && strstr(fail_text(), "remote process"));
	CALL(cuStreamSynchronize(me->stream));
	GOOD(exchange->failure(exchange, &part));
	RIGHT(sum(player, at) == ST_GPU && strstr(fail_text(), "remote process"));
	exchange->release(exchange, 0, player->seq);
	tell(player);
	GOOD(exchange->open(exchange, 0, me->ranks, me->rank, player->everybody));
	GOOD(sum(player, at));
	CALL(cuStreamSynchronize(me->stream));
	CALL(cuMemFree(at));
}

static void an_error_that_comes_later(void **state)
{
	(void)state;
	/* three operations warm up the part, and three each channel */
	play(2, "gpus=2 async=11", late);
}

static void refused(struct player *player)
{
	struct rank *me = player->me;
	float x = 1;
	CUdeviceptr at = on_device(me, &x, sizeof x);
	RIGHT(sum(player, at) == ST_GPU && strstr(fail_text(), "ncclAllReduce: "));
	GOOD(sum(player, at));
	to_host(me, &x, at, sizeof x);
	RIGHT(x == 2);
	CALL(cuMemFree(at));
}

static void a_call_fails(void **state)
{
	(void)state;
	play(2, "gpus=2 fail=ncclAllReduce:4", refused); /* behind three warm-ups */
}

/* A communicator that cannot be made is told where the part is opened, and at each call. */
static void unmade(struct rank *me, void *self)
{
	struct player player;
	(void)self;
	come(&player, me);
	RIGHT(player.exchange->open(player.exchange, 0, me->ranks, me->rank, player.everybody) == ST_GPU);
	RIGHT(strstr(fail_text(), "NCCL's communicator of 2 ranks: ncclCommInitRankConfig: "));
	RIGHT(sum(&player, 0) == ST_GPU && strstr(fail_text(), "ncclCommInitRankConfig"));
	leave(&player);
	RIGHT(mem_live() == 0);
}

/* Rank 1 is killed before it comes to a communicator: the other one waits in `open` until it is released. */
static void *lets_go(void *self)
{
	struct player *player = self;
	player->exchange->release(player->exchange, 0, 0);
	return NULL;
}

static void left_alone(struct rank *me, void *self)
{
	struct player player;
	pthread_t thread;
	(void)self;
	if (me->rank == 1) {
		ncclUniqueId ids[1 + 2 * RANKS_MOST];
		share(me, ids, sizeof ids);
		raise(SIGKILL);
	}
	come(&player, me);
	RIGHT(pthread_create(&thread, NULL, lets_go, &player) == 0);
	GOOD(player.exchange->open(player.exchange, 0, me->ranks, me->rank, player.everybody));
	GOOD(sum(&player, 0));
	pthread_join(thread, NULL);
	leave(&player);
	RIGHT(mem_live() == 0);
}

static void communicators_that_are_not_made(void **state)
{
	int status[RANKS_MOST];
	(void)state;
	run_ranks(2, "gpus=2 fail=ncclCommInitRankConfig:1 sticky", unmade, NULL);
	start_ranks(2, "gpus=2", left_alone, NULL, status);
	assert_true(WIFSIGNALED(status[1]));
	assert_int_equal(status[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_rings_bits),
	        cmocka_unit_test(rows_of_unlike_numbers),
	        cmocka_unit_test(parts_of_unlike_size),
	        cmocka_unit_test(transfers_and_together),
	        cmocka_unit_test(begins_where_all_have_come),
	        cmocka_unit_test(a_release_and_on),
	        cmocka_unit_test(an_error_that_comes_later),
	        cmocka_unit_test(a_call_fails),
	        cmocka_unit_test(communicators_that_are_not_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
