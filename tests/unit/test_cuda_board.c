/* test_cuda_board.c -- ranks that share a GPU: what they reduce and move, to the simulator's bits */
#include "base/arithmetic.h"
#include "base/dtype.h"
#include "board_players.h"

#include <math.h>

enum { LARGEST = 6000 };

/* ---- what comes out, by hand ---- */

static float rounded(enum dtype dtype, float value)
{
	char held[4];
	dtype_set(dtype, held, 0, value);
	return dtype_get(dtype, held, 0);
}

/* Element i of rank r: sums of three such depend on their order. Some are no number. */
static float element(enum dtype dtype, int r, int64_t i)
{
	float value = (float)((i * 7919 + r * 104729) % 2003 - 1001);
	if (dtype != DT_I32 && r == 1 && i % 97 == 5)
		return NAN;
	return rounded(dtype, dtype == DT_I32 ? value : value / 177);
}

static float fold(enum dtype dtype, enum reduction reduction, int ranks, int first, int64_t i)
{
	float sum = 0, part = rounded(dtype, 1.0f / (float)ranks);
	for (int k = 0; k < ranks; k++) {
		float x = element(dtype, (first + k) % ranks, i);
		if (reduction == REDUCE_AVG && dtype != DT_I32)
			x = rounded(dtype, x * part);
		if (k == 0)
			sum = x;
		else if (reduction == REDUCE_MAX)
			sum = x > sum || sum != sum ? x : sum;
		else if (reduction == REDUCE_MIN)
			sum = x < sum || sum != sum ? x : sum;
		else
			sum = rounded(dtype, sum + x);
	}
	return reduction == REDUCE_AVG && dtype == DT_I32 ? (float)((int)sum / ranks) : sum;
}

static int owner(int64_t count, int ranks, int64_t i)
{
	int p = 0;
	while (piece_at(count, ranks, p + 1) <= i)
		p++;
	return p;
}

/* One collective as all call it: `count` elements of a rank's share, so many bytes of `shift` beside a place where lines begin */
struct call {
	const struct collective *collective;
	enum dtype dtype;
	enum reduction reduction;
	int64_t count, shift;
	int root;
	enum { APART, SAME, OVER } out;
};

static float expected(const struct call *call, const struct rank *me, int64_t i)
{
	const struct collective *c = call->collective;
	int64_t k = call->count, place = me->rank;
	if (c == &collective_allreduce)
		return fold(call->dtype, call->reduction, me->ranks, owner(k, me->ranks, i), i);
	if (c == &collective_reduce)
		return fold(call->dtype, call->reduction, me->ranks, (call->root + 1) % me->ranks, i);
	if (c == &collective_reducescatter)
		return fold(
		        call->dtype, call->reduction, me->ranks, (me->rank + 1) % me->ranks, place * k + i);
	if (c == &collective_broadcast)
		return element(call->dtype, call->root, i);
	if (c == &collective_scatter)
		return element(call->dtype, call->root, place * k + i);
	if (c == &collective_alltoall)
		return element(call->dtype, (int)(i / k), place * k + i % k);
	return element(call->dtype, (int)(i / k), i % k); /* allgather, gather */
}

static int64_t in_count(const struct call *call, int ranks)
{
	return call->collective->result >= RESULT_SHARED ? call->count * ranks : call->count;
}

static int64_t out_count(const struct call *call, const struct rank *me)
{
	bool grown = call->collective->result == RESULT_GROWN || call->collective->result == RESULT_EXCHANGED;
	if (call->collective->root_gets && me->rank != call->root)
		return 0;
	return grown ? call->count * me->ranks : call->count;
}

/* The rank's input and result in memory of its own, `bytes` of it from *at on */
struct held {
	CUdeviceptr at, in, out;
	int64_t bytes;
};

static struct held place(struct player *player, const struct call *call)
{
	struct rank *me = player->me;
	int size = dtype_bytes(call->dtype);
	int64_t ins = in_count(call, me->ranks), most = LARGEST * RANKS_MOST * 2;
	struct held held = {.bytes = most * 4};
	char *elements = malloc((size_t)(ins * size));
	RIGHT(elements);
	for (int64_t i = 0; i < ins; i++)
		dtype_set(call->dtype, elements, i, element(call->dtype, me->rank, i));
	GOOD(player->exchange->alloc(player->exchange, held.bytes, &held.at));
	held.in = held.at + (CUdeviceptr)(call->shift * size * (me->rank % 3));
	held.out = call->out == SAME ? held.in
	        : call->out == OVER  ? held.in + (CUdeviceptr)(3 * size)
	                             : held.at + (CUdeviceptr)(most * 2 + call->shift * size);
	CALL(cuMemcpyHtoDAsync(held.in, elements, (size_t)(ins * size), me->stream));
	CALL(cuStreamSynchronize(me->stream));
	free(elements);
	return held;
}

static void check(struct player *player, const struct call *call, const struct held *held)
{
	struct rank *me = player->me;
	int64_t count = out_count(call, me);
	char *found = malloc((size_t)(count * 4 + 1));
	RIGHT(found);
	if (count)
		to_host(me, found, held->out, (size_t)(count * dtype_bytes(call->dtype)));
	for (int64_t i = 0; i < count; i++) {
		float wanted = expected(call, me, i), got = dtype_get(call->dtype, found, i);
		if (memcmp(&wanted, &got, sizeof got) != 0 && !(wanted != wanted && got != got)) {
			fprintf(stderr,
			        "rank %d of %d: %s of %s, op %d, count %d, out %d: [%d] is %g, not %g\n",
			        me->rank, me->ranks, call->collective->name, dtype_name(call->dtype),
			        (int)call->reduction, (int)call->count, (int)call->out, (int)i, (double)got,
			        (double)wanted);
			_exit(1);
		}
	}
	free(found);
}

static void queue(struct player *player, const struct call *call, const struct held *held, CUstream stream)
{
	struct rank *me = player->me;
	int64_t outs = out_count(call, me);
	bool gives = call->collective != &collective_scatter || me->rank == call->root;
	GOOD(player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = call->collective,
	                .turn = ++player->turn,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .dtype = call->dtype,
	                .reduction = call->reduction,
	                .root = call->root,
	                .in = gives ? held->in : 0,
	                .out = outs ? held->out : 0,
	                .in_count = in_count(call, me->ranks),
	                .out_count = outs},
	        (struct exchange_started){0}, stream));
}

static void once(struct player *player, const struct call *call)
{
	struct held held = place(player, call);
	queue(player, call, &held, player->me->stream);
	check(player, call, &held);
	player->exchange->free(player->exchange, held.at, held.bytes);
}

static void each_size(struct player *player, struct call call)
{
	static const int64_t counts[] = {1, 301, LARGEST - 1};
	for (size_t c = 0; c < LENGTH_OF(counts); c++)
		for (call.shift = 0; call.shift < 2; call.shift++)
			for (int out = APART; out <= OVER; out++) {
				call.count = counts[c];
				call.out = out;
				if (out != SAME || call.collective->in_place)
					once(player, &call);
			}
}

static void all_collectives(struct player *player)
{
	const struct collective *collective;
	for (int c = 0; (collective = collective_at(c)); c++)
		for (int dtype = 0; dtype < DT_COUNT && !collective->bare; dtype++)
			for (int reduction = 0; reduction < (collective->reduces ? 4 : 1); reduction++)
				each_size(player,
				        (struct call){collective, (enum dtype)dtype,
				                (enum reduction)reduction,
				                .root = (c + dtype + reduction) % player->me->ranks});
}

static void the_simulators_bits(void **state)
{
	static const int ranks[] = {1, 2, 3, 4, 7};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(ranks); i++)
		play(ranks[i], "", all_collectives);
}

/* ---- rows of unlike numbers ---- */

enum { ROW = 3 };

/* So many rows go from one place to another. */
static int64_t rows_between(int from, int to)
{
	return (from * 5 + to * 3) % 4;
}

static void rows(struct player *player)
{
	struct rank *me = player->me;
	int64_t counts[2 * RANKS_MOST], sent = 0, received = 0;
	int32_t in[4 * RANKS_MOST * ROW], out[4 * RANKS_MOST * ROW];
	for (int p = 0; p < me->ranks; p++) {
		sent += counts[p] = rows_between(me->rank, p);
		received += counts[me->ranks + p] = rows_between(p, me->rank);
	}
	struct split split = {me->ranks, ROW * 4, counts};
	CUdeviceptr at;
	GOOD(player->exchange->alloc(player->exchange, sizeof in, &at));
	for (int round = 0; round < 5; round++) {
		int64_t i = 0;
		for (int p = 0; p < me->ranks; p++)
			for (int64_t k = 0; k < counts[p] * ROW; k++)
				in[i++] = (int32_t)(round * 100000 + me->rank * 10000 + p * 1000 + k);
		CALL(cuMemcpyHtoDAsync(at, in, sizeof in, me->stream));
		GOOD(player->exchange->collective(player->exchange,
		        &(struct exchange_collective){.collective = &collective_alltoall,
		                .turn = ++player->turn,
		                .n = me->ranks,
		                .place = me->rank,
		                .ranks = player->everybody,
		                .dtype = DT_I32,
		                .in = at,
		                .out = at,
		                .in_count = sent * ROW,
		                .out_count = received * ROW,
		                .split = &split},
		        (struct exchange_started){0}, me->stream));
		to_host(me, out, at, sizeof out);
		i = 0;
		for (int p = 0; p < me->ranks; p++)
			for (int64_t k = 0; k < counts[me->ranks + p] * ROW; k++)
				RIGHT(out[i++] == round * 100000 + p * 10000 + me->rank * 1000 + k);
	}
	player->exchange->free(player->exchange, at, sizeof in);
}

static void rows_of_unlike_numbers(void **state)
{
	(void)state;
	for (int ranks = 1; ranks <= 4; ranks++)
		play(ranks, "", rows);
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
	                .turn = ++player->turn,
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
	GOOD(exchange->window(exchange, 0, 1, window, 4 * WIDE));
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
	        cmocka_unit_test(rows_of_unlike_numbers), cmocka_unit_test(no_sum_is_lost)};
	setenv("XDG_CACHE_HOME", "/nonexistent", 1); /* no kernels are kept */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
