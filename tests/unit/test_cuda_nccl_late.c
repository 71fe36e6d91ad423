/* test_cuda_nccl_late.c -- ranks with one GPU each: an allreduce that continues without its
 * latest members, which get the result on arrival */
#include "nccl_players.h"

#include "exchange_calls.h"

#include <stdatomic.h>

/* What all processes see: how often somebody who counts was through with a collective */
static _Atomic int *through;

static void await(int count)
{
	while (atomic_load(through) < count)
		sched_yield();
}

static void open_all(struct player *player)
{
	struct rank *me = player->me;
	GOOD(player->exchange->open(player->exchange, 0, me->ranks, me->rank, player->everybody));
}

/* What control would tell beside the part: from each rank to each other one. When it is open all have been told of it: what
 * follows in the pipe is this. */
static void tell_late(struct player *player)
{
	enum { PAIRS_MOST = 4 * 4 };
	struct rank *me = player->me;
	ncclUniqueId ids[PAIRS_MOST] = {0};
	struct nccl_party parties[PAIRS_MOST];
	int ends[PAIRS_MOST][2], count = 0;
	open_all(player);
	for (int i = 0; i < me->ranks * me->ranks; i++) {
		ends[count][0] = i / me->ranks;
		ends[count][1] = i % me->ranks;
		parties[count] = (struct nccl_party){.kind = NCCL_LATE, .n = 2, .ranks = ends[count]};
		count += ends[count][0] != ends[count][1];
	}
	if (me->rank == 0)
		GOOD(meet_ids(&me->cuda, parties, count, ids));
	share(me, ids, sizeof ids);
	meet_told(NCCL_OF(player->exchange), parties, count, ids);
	open_all(player);
}

/* All copies have been sent, and their memory is free again. Returns how many there are in all. */
static size_t sent(struct player *player)
{
	struct nccl_exchange *nccl = NCCL_OF(player->exchange);
	for (late_give_back(nccl); nccl->kept_count; late_give_back(nccl))
		sched_yield();
	return nccl->freed_count;
}

static void play_late(int ranks, const char *options, void (*run)(struct player *player))
{
	through = mmap(NULL, sizeof *through, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(through != MAP_FAILED);
	play(ranks, options, run);
	munmap((void *)through, sizeof *through);
}

/* ---- each set of late ones, who come when all others are through ---- */

struct table {
	struct player *player;
	int ended; /* of `through` */
};

static void without(struct table *table, const struct call *call)
{
	const struct rank *me = table->player->me;
	if (!call->counts[me->rank])
		await(table->ended);
	once(table->player, call);
	atomic_fetch_add(through, call->counts[me->rank]);
}

static void each_type(struct table *table, const bool *counts)
{
	static const int64_t sizes[] = {1, 301, LARGEST - 1};
	struct call call = {.collective = &collective_allreduce, .counts = counts};
	for (int i = 0; i < DT_COUNT * 2 * 3 * 3; i++) {
		call.dtype = (enum dtype)(i / 18);
		call.reduction = i / 9 % 2 ? REDUCE_AVG : REDUCE_SUM;
		call.count = sizes[i / 3 % 3];
		call.out = i % 3;
		call.shift = i % 2;
		for (int r = 0; r < table->player->me->ranks; r++)
			table->ended += counts[r];
		without(table, &call);
	}
	call.counts = NULL; /* and all together again */
	once(table->player, &call);
}

static void each_set(struct player *player)
{
	struct rank *me = player->me;
	struct table table = {.player = player};
	tell_late(player);
	for (int set = 1; set < 1 << me->ranks; set++) {
		int late = __builtin_popcount((unsigned)set);
		bool counts[RANKS_MOST];
		for (int r = 0; r < me->ranks; r++)
			counts[r] = !(set >> r & 1);
		if (late <= 2 && late < me->ranks)
			each_type(&table, counts);
	}
	sent(player);
}

static void the_bits_of_those_that_count(void **state)
{
	(void)state;
	for (int ranks = 2; ranks <= 4; ranks++)
		play_late(ranks, "gpus=4", each_set);
}

/* ---- the last rank is late hundreds of times before it takes the first ---- */

enum { SEQS = 300 };

static enum status add_up(struct player *player, CUdeviceptr in, CUdeviceptr out, int64_t count,
        const bool *counts, CUstream stream)
{
	struct rank *me = player->me;
	return player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_allreduce,
	                .seq = ++player->seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .dtype = DT_I32,
	                .in = in,
	                .out = out,
	                .in_count = count,
	                .out_count = count,
	                .counts = counts},
	        (struct exchange_started){0}, stream);
}

static void behind(struct player *player)
{
	struct rank *me = player->me;
	int last = me->ranks - 1;
	bool counts[RANKS_MOST] = {false}, late = me->rank == last;
	CUstream stream[2] = {me->stream};
	CUdeviceptr in, out;
	int32_t found[SEQS * 2];
	size_t copies = 0;
	for (int r = 0; r < last; r++)
		counts[r] = true;
	tell_late(player);
	CALL(cuStreamCreateWithPriority(&stream[1], CU_STREAM_NON_BLOCKING, 0));
	GOOD(player->exchange->alloc(player->exchange, 8, &in));
	GOOD(player->exchange->alloc(player->exchange, sizeof found, &out));
	for (int round = 1; round <= 2; round++) {
		if (late)
			await(last * round);
		for (int t = 0; t < SEQS; t++) {
			CUstream on = late ? stream[t % 2] : me->stream;
			CALL(cuMemsetD32Async(in, (unsigned)(t * 1000 + me->rank), 2, on));
			GOOD(add_up(player, in, out + (CUdeviceptr)(t * 8), 2, counts, on));
		}
		CALL(cuStreamSynchronize(stream[1]));
		to_host(me, found, out, sizeof found);
		for (int i = 0; i < SEQS * 2; i++)
			RIGHT(found[i] == (i / 2 * 1000 * last) + last * (last - 1) / 2);
		RIGHT(NCCL_OF(player->exchange)->kept_count == (me->rank ? 0 : SEQS));
		atomic_fetch_add(through, !late);
		RIGHT(sent(player) == copies || round == 1);
		copies = sent(player);
	}
	CALL(cuStreamDestroy(stream[1]));
}

static void late_for_hundreds_of_seqs(void **state)
{
	(void)state;
	play_late(3, "gpus=4", behind);
	play_late(4, "gpus=4", behind);
}

/* ---- a random program, the same on all: sums of all, and without one or two; on two streams, and nobody waits ---- */

enum { STEPS = 400, WIDTH = 5 };

static int32_t brought(int step, int rank)
{
	return step * 1000 + (10 << rank) + rank;
}

/* Whose sum step `step` is */
static void choose(unsigned *seed, int ranks, bool *counts)
{
	bool all = rand_r(seed) % 4 == 0;
	int one = rand_r(seed) % ranks, other = rand_r(seed) % ranks;
	for (int r = 0; r < ranks; r++)
		counts[r] = all || (r != one && r != other);
}

static void wander(struct player *player)
{
	struct rank *me = player->me;
	CUstream stream[2] = {me->stream};
	CUdeviceptr in[2], out;
	static int32_t found[STEPS][WIDTH];
	bool counts[STEPS][RANKS_MOST];
	unsigned seed = 5, own = (unsigned)me->rank;
	tell_late(player);
	CALL(cuStreamCreateWithPriority(&stream[1], CU_STREAM_NON_BLOCKING, 0));
	GOOD(player->exchange->alloc(player->exchange, sizeof found, &out));
	for (int s = 0; s < 2; s++)
		GOOD(player->exchange->alloc(player->exchange, sizeof found[0], &in[s]));
	for (int i = 0; i < STEPS; i++) {
		int s = rand_r(&seed) % 2;
		choose(&seed, me->ranks, counts[i]);
		bool all = memchr(counts[i], false, (size_t)me->ranks) == NULL;
		for (int k = rand_r(&own) % 20 ? 0 : 1000; k > 0; k--)
			sched_yield();
		CALL(cuMemsetD32Async(in[s], (unsigned)brought(i, me->rank), WIDTH, stream[s]));
		GOOD(add_up(player, in[s], out + (CUdeviceptr)(i * WIDTH * 4), WIDTH, all ? NULL : counts[i],
		        stream[s]));
	}
	CALL(cuStreamSynchronize(stream[1]));
	to_host(me, found, out, sizeof found);
	for (int i = 0; i < STEPS; i++) {
		int32_t sum = 0;
		for (int r = 0; r < me->ranks; r++)
			sum += counts[i][r] ? brought(i, r) : 0;
		for (int k = 0; k < WIDTH; k++)
			RIGHT(found[i][k] == sum);
	}
	sent(player);
	CALL(cuStreamDestroy(stream[1]));
}

static void late_here_and_there(void **state)
{
	(void)state;
	play_late(3, "gpus=4", wander);
	play_late(4, "gpus=4", wander);
}

/* ---- a tensor whose pieces go in several parts ---- */

static void large(struct player *player)
{
	enum { COUNT = 7 << 20 | 5 };
	struct rank *me = player->me;
	const bool counts[] = {true, false, true};
	int32_t *held = malloc(sizeof *held * COUNT);
	RIGHT(held);
	for (int i = 0; i < COUNT; i++)
		held[i] = i * 3 + me->rank * 1000;
	tell_late(player);
	CUdeviceptr at = on_device(me, held, sizeof *held * COUNT);
	GOOD(add_up(player, at, at, COUNT, counts, me->stream));
	to_host(me, held, at, sizeof *held * COUNT);
	for (int i = 0; i < COUNT; i++)
		RIGHT(held[i] == i * 6 + 2000);
	sent(player);
	CALL(cuMemFree(at));
	free(held);
}

static void in_several_parts(void **state)
{
	(void)state;
	play_late(3, "gpus=4", large);
}

/* ---- a release while rank 2 is late, or while it has come and those that count have not; then all goes on ---- */

static void let_go(struct player *player)
{
	const bool counts[] = {true, true, false};
	struct rank *me = player->me;
	int32_t found;
	CUdeviceptr at;
	GOOD(player->exchange->alloc(player->exchange, sizeof found, &at));
	for (int again = 0; again < 4; again++) {
		bool late = me->rank == 2, comes = late == again % 2;
		tell_late(player);
		for (int k = 0; k < 3; k++) {
			CALL(cuMemsetD32Async(at, (unsigned)(1 + me->rank), 1, me->stream));
			if (comes)
				GOOD(add_up(player, at, at, 1, counts, me->stream));
			else
				player->seq++;
		}
		if (comes && late)
			RIGHT(me->cuda.cuStreamQuery(me->stream) == CUDA_ERROR_NOT_READY);
		if (comes && !late)
			to_host(me, &found, at, sizeof found);
		RIGHT(!comes || late || found == 3);
		player->exchange->release(player->exchange, 0, player->seq);
		CALL(cuStreamSynchronize(me->stream));
		GOOD(add_up(player, at, at, 1, counts, me->stream)); /* nothing is done */
		sent(player);
		tell(player);
		tell_late(player);
		CALL(cuMemsetD32Async(at, (unsigned)(1 + me->rank), 1, me->stream));
		GOOD(add_up(player, at, at, 1, counts, me->stream));
		to_host(me, &found, at, sizeof found);
		RIGHT(found == 3);
		sent(player);
		player->exchange->release(player->exchange, 0, player->seq);
		tell(player);
	}
}

static void released_meanwhile(void **state)
{
	(void)state;
	play_late(3, "gpus=4", let_go);
}

/* ---- the lowest that counts has no memory for a copy: it says so, and what it had before comes to the late one ---- */

static void full(struct player *player)
{
	enum { COUNT = 4 << 20 };
	const bool counts[] = {true, false};
	struct rank *me = player->me;
	int32_t found;
	CUdeviceptr at;
	tell_late(player);
	GOOD(player->exchange->alloc(player->exchange, COUNT * 4, &at));
	CALL(cuMemsetD32Async(at, 7, COUNT, me->stream));
	if (me->rank == 1)
		await(1);
	enum status status = add_up(player, at, at, COUNT, counts, me->stream);
	for (int seq = 2; me->rank == 0 && status == ST_OK; seq++) {
		RIGHT(seq < 100);
		status = add_up(player, at, at, COUNT, counts, me->stream);
	}
	RIGHT(status == (me->rank == 0 ? ST_DEVICE_MEMORY : ST_OK));
	atomic_fetch_add(through, 1);
	to_host(me, &found, at, sizeof found);
	RIGHT(found == 7);
	await(2);
}

static void no_memory_for_a_copy(void **state)
{
	(void)state;
	play_late(2, "gpus=2 memory=200MB", full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_bits_of_those_that_count),
	        cmocka_unit_test(late_for_hundreds_of_seqs),
	        cmocka_unit_test(late_here_and_there),
	        cmocka_unit_test(in_several_parts),
	        cmocka_unit_test(released_meanwhile),
	        cmocka_unit_test(no_memory_for_a_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
