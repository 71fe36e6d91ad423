/* test_cuda_shared_gpu.c -- ranks that share a GPU: reductions and transfers, with the
 * simulator's bits */
#include "shared_gpu_players.h"

#include "exchange_calls.h"

static void the_simulators_bits(void **state)
{
	static const int ranks[] = {1, 2, 3, 4, 7};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(ranks); i++)
		play(ranks[i], "", all_collectives);
}

static void rows_of_unlike_numbers(void **state)
{
	(void)state;
	for (int ranks = 1; ranks <= 4; ranks++)
		play(ranks, "", rows);
}

static void parts_of_unlike_size(void **state)
{
	(void)state;
	for (int ranks = 2; ranks <= 4; ranks++)
		play(ranks, "", uneven_parts);
}

/* ---- windows ---- */

enum { WIDE = 32, ADDS = 40 };

static struct exchange_one_sided reach(enum one_sided what, enum dtype window, CUdeviceptr at)
{
	struct exchange_one_sided call = {
	        .what = what, .window = 1, .at = at, .dtype = DT_F32, .factor = 0.5f};
	layout_make(&call.layout, window, 1, (int64_t[]){WIDE});
	return call;
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

/* All add to every second element of rank 0's window at once, of a type of two bytes, then put and get the others. */
static void windows(struct player *player)
{
	struct rank *me = player->me;
	struct exchange *exchange = player->exchange;
	float ones[WIDE], found[WIDE];
	uint16_t all[2 * WIDE];
	CUdeviceptr window, at;
	for (int i = 0; i < WIDE; i++)
		ones[i] = 2 * (float)(i % 3);
	GOOD(exchange->alloc(exchange, 4 * WIDE, &window));
	GOOD(exchange->alloc(exchange, sizeof ones, &at));
	CALL(cuMemsetD8Async(window, 0, 4 * WIDE, me->stream));
	CALL(cuMemcpyHtoDAsync(at, ones, sizeof ones, me->stream));
	GOOD(exchange->window(exchange, 0, 1, window));
	barrier(player);

	struct exchange_one_sided call = reach(ONE_SIDED_ADD, DT_BF16, at);
	call.layout.stride[0] = 2;
	for (int i = 0; i < ADDS; i++)
		GOOD(exchange->one_sided(exchange, &call, (struct exchange_started){0}, me->stream));
	barrier(player);
	if (me->rank == me->ranks - 1) {
		call.what = ONE_SIDED_PUT;
		call.offset = 2; /* those between */
		GOOD(exchange->one_sided(exchange, &call, (struct exchange_started){0}, me->stream));
	}
	barrier(player);
	call = reach(ONE_SIDED_GET, DT_BF16, at);
	call.layout.stride[0] = 2;
	GOOD(exchange->one_sided(exchange, &call, (struct exchange_started){0}, me->stream));
	to_host(me, found, at, sizeof found);
	for (int i = 0; i < WIDE; i++)
		RIGHT(found[i] == (float)(ADDS * me->ranks * (i % 3)));
	if (me->rank == 0) {
		to_host(me, all, window, sizeof all);
		for (int i = 0; i < WIDE; i++)
			RIGHT(dtype_get(DT_BF16, all, 2 * i + 1) == ones[i]);
	}
	barrier(player);
	exchange->free(exchange, window, 4 * WIDE);
	exchange->free(exchange, at, sizeof ones);
}

static void no_sum_is_lost(void **state)
{
	(void)state;
	play(1, "", windows);
	play(3, "", windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_simulators_bits),
	        cmocka_unit_test(rows_of_unlike_numbers), cmocka_unit_test(parts_of_unlike_size),
	        cmocka_unit_test(no_sum_is_lost)};
	setenv("XDG_CACHE_HOME", "/dev/null/none", 1); /* no kernels are kept */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
