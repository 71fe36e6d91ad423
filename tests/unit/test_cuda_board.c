/* test_cuda_board.c -- ranks that share a GPU: what they reduce and move, to the simulator's bits, and when; turns without end, and an end to
 * those that wait */
#include "base/arithmetic.h"
#include "base/dtype.h"
#include "cuda/exchange/board/inside.h"
#include "standin_ranks.h"

#include <math.h>

enum { POOL = 32 << 20, LARGEST = 6000 };

/* A rank on the board */
struct player {
	struct rank *me;
	struct board *board;
	struct exchange *exchange;
	uint32_t turn; /* of part 0 */
	int everybody[RANKS_MOST];
};

#define GOOD(call)                                            \
	do {                                                  \
		enum status status_ = (call);                 \
		if (status_ != ST_OK)                         \
			fprintf(stderr, "%s\n", fail_text()); \
		RIGHT(status_ == ST_OK);                      \
	} while (0)

static void come(struct player *player, struct rank *me, int fd)
{
	*player = (struct player){.me = me};
	take_gpu(me, 0);
	RIGHT(board_map(fd, me->ranks, me->rank, &player->board) == 0);
	GOOD(board_open(player->board, &me->cuda, 0, POOL, &player->exchange));
	for (int r = 0; r < me->ranks; r++)
		player->everybody[r] = r;
	GOOD(player->exchange->open(player->exchange, 0, me->ranks, me->rank, player->everybody));
}

static void leave(struct player *player)
{
	player->exchange->close(player->exchange);
	board_leave(player->board);
}

/* run(player) on each of `ranks` processes */
struct scene {
	int fd;
	void (*run)(struct player *player);
};

static void play_one(struct rank *me, void *self)
{
	const struct scene *scene = self;
	struct player player;
	come(&player, me, scene->fd);
	scene->run(&player);
	leave(&player);
	RIGHT(mem_live() == 0);
}

static void play(int ranks, const char *options, void (*run)(struct player *player))
{
	struct scene scene = {board_file(), run};
	assert_true(scene.fd >= 0);
	run_ranks(ranks, options, play_one, &scene);
	close(scene.fd);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_simulators_bits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
