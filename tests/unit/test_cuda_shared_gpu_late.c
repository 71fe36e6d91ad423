/* test_cuda_shared_gpu_late.c -- ranks that share a GPU: collectives that continue without
 * their latest members, which get the result on arrival */
#include "base/dtype.h"
#include "shared_gpu_players.h"
#include "collectives/inside.h"

#include <sys/mman.h>

enum { MANY = 700, STEPS = 300 };

/* Element i of a rank at that step: sums depend on their order. */
static float element(int rank, int step, int64_t i)
{
	return (float)((i * 7919 + rank * 104729 + step * 1009) % 2003 - 1001) / 177;
}

/* What the ring of those that count makes of it: a piece is added up from its owner on. */
static float expected(
        const struct rank *me, const bool *counts, enum reduction reduction, int step, int64_t i)
{
	int member[RANKS_MOST], n = 0, first = 0;
	for (int r = 0; r < me->ranks; r++)
		if (counts[r])
			member[n++] = r;
	while (piece_at(MANY, n, first + 1) <= i)
		first++;
	float sum = 0, part = reduction == REDUCE_AVG ? 1.0f / (float)n : 1;
	for (int k = 0; k < n; k++) {
		float x = element(member[(first + k) % n], step, i) * part;
		sum = k ? sum + x : x;
	}
	return sum;
}

static CUdeviceptr memory(struct player *player, int64_t bytes)
{
	struct rank *me = player->me;
	CUdeviceptr at;
	GOOD(player->exchange->alloc(player->exchange, bytes, &at));
	return at;
}

static void sum(struct player *player, const bool *counts, enum reduction reduction, CUdeviceptr in,
        CUdeviceptr out, CUstream stream)
{
	struct rank *me = player->me;
	GOOD(player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_allreduce,
	                .seq = ++player->seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .dtype = DT_F32,
	                .reduction = reduction,
	                .in = in,
	                .out = out,
	                .in_count = MANY,
	                .out_count = MANY,
	                .counts = counts},
	        (struct exchange_started){0}, stream));
}

static void write_inputs(struct player *player, int step, CUdeviceptr at)
{
	struct rank *me = player->me;
	float x[MANY];
	for (int i = 0; i < MANY; i++)
		x[i] = element(me->rank, step, i);
	CALL(cuMemcpyHtoDAsync(at, x, sizeof x, me->stream));
}

static void check(
        struct player *player, const bool *counts, enum reduction reduction, int step, CUdeviceptr at)
{
	struct rank *me = player->me;
	float found[MANY];
	to_host(me, found, at, sizeof found);
	for (int i = 0; i < MANY; i++)
		RIGHT(found[i] == expected(me, counts, reduction, step, i));
}

/* ---- each rank at its own speed, each step without others */

static unsigned drawn(uint64_t *seed, unsigned below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(*seed >> 33) % below;
}

static void at_random(struct player *player)
{
	struct rank *me = player->me;
	CUdeviceptr in = memory(player, MANY * 4), out = memory(player, MANY * 4);
	uint64_t seed = 5;
	for (int step = 0; step < STEPS; step++) {
		bool counts[RANKS_MOST] = {false}, all = drawn(&seed, 3) == 0, same = drawn(&seed, 2);
		enum reduction reduction = drawn(&seed, 2) ? REDUCE_AVG : REDUCE_SUM;
		for (int r = 0; r < me->ranks; r++)
			counts[r] = all || drawn(&seed, 2);
		counts[drawn(&seed, (unsigned)me->ranks)] = true; /* one at least */
		bool looks = drawn(&seed, 4) == 0;
		write_inputs(player, step, same ? out : in);
		sum(player, all ? NULL : counts, reduction, same ? out : in, out, me->stream);
		if (looks)
			check(player, counts, reduction, step, out);
	}
	player->exchange->free(player->exchange, in, MANY * 4);
	player->exchange->free(player->exchange, out, MANY * 4);
}

static void some_are_late(void **state)
{
	(void)state;
	play(3, "", at_random);
	play(4, "", at_random);
}

/* ---- nobody waits for who has not come */

static _Atomic int *through;

static void all_before_one(struct player *player)
{
	enum { AHEAD = PART_SEQS + 50 };
	struct rank *me = player->me;
	bool counts[RANKS_MOST] = {false}, late = me->rank == 1;
	CUdeviceptr in = memory(player, MANY * 4), out = memory(player, MANY * 4);
	for (int r = 0; r < me->ranks; r++)
		counts[r] = r != 1;
	while (late && *through < me->ranks - 1)
		sched_yield();
	for (int step = 0; step < AHEAD; step++) {
		write_inputs(player, step, in);
		sum(player, counts, REDUCE_SUM, in, out, me->stream);
		if (step % 100 == 0)
			check(player, counts, REDUCE_SUM, step, out);
	}
	CALL(cuStreamSynchronize(me->stream));
	++*through;
	sum(player, NULL, REDUCE_SUM, in, out,
	        me->stream); /* now all meet again, and what was kept is given back */
	counts[1] = true;
	check(player, counts, REDUCE_SUM, AHEAD - 1, out);
	enum { OTHERS = (1 << 20) + 2 * 4096 }; /* meetings' lines, in, out */
	CUdeviceptr most = memory(player, POOL - OTHERS);
	player->exchange->free(player->exchange, most, POOL - OTHERS);
	player->exchange->free(player->exchange, in, MANY * 4);
	player->exchange->free(player->exchange, out, MANY * 4);
}

static void others_go_ahead(void **state)
{
	(void)state;
	through = mmap(NULL, sizeof *through, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	play(4, "", all_before_one);
	munmap((void *)through, sizeof *through);
}

/* ---- one that is late waits in vain until it is released */

static void given_up(struct player *player)
{
	struct rank *me = player->me;
	bool counts[RANKS_MOST] = {true};
	CUdeviceptr at = memory(player, MANY * 4);
	write_inputs(player, 0, at);
	if (me->rank > 0)
		sum(player, counts, REDUCE_SUM, at, at, me->stream);
	++*through;
	while (*through < me->ranks) /* rank 0 never brings it */
		sched_yield();
	player->exchange->release(player->exchange, 0, 1);
	CALL(cuStreamSynchronize(me->stream));
	counts[1] = counts[2] = true;
	if (me->rank == 0)
		player->seq++;
	write_inputs(player, 3, at);
	sum(player, NULL, REDUCE_SUM, at, at, me->stream);
	check(player, counts, REDUCE_SUM, 3, at);
	player->exchange->free(player->exchange, at, MANY * 4);
}

static void release(void **state)
{
	(void)state;
	through = mmap(NULL, sizeof *through, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	play(3, "", given_up);
	munmap((void *)through, sizeof *through);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(some_are_late), cmocka_unit_test(others_go_ahead),
	        cmocka_unit_test(release)};
	setenv("XDG_CACHE_HOME", "/dev/null/none", 1); /* no kernels are kept */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
