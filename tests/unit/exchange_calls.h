/* exchange_calls.h -- the collectives of an exchange, in all types and shapes, against sums by
 * hand in the order of the ring. Include it after a header that defines struct player, with an
 * exchange whose part 0 is all ranks, and GOOD. */
#ifndef RANKSH_TEST_EXCHANGE_CALLS_H
#define RANKSH_TEST_EXCHANGE_CALLS_H

#include "base/arithmetic.h"
#include "base/dtype.h"
#include "collectives/inside.h"

#include <math.h>

enum { LARGEST = 6000 };

/* ---- what comes out, by hand ---- */

static inline float rounded(enum dtype dtype, float value)
{
	char held[4];
	dtype_set(dtype, held, 0, value);
	return dtype_get(dtype, held, 0);
}

/* Element i of rank r: sums of three such depend on their order. Some are no number. */
static inline float element(enum dtype dtype, int r, int64_t i)
{
	float value = (float)((i * 7919 + r * 104729) % 2003 - 1001);
	if (dtype != DT_I32 && r == 1 && i % 97 == 5)
		return NAN;
	return rounded(dtype, dtype == DT_I32 ? value : value / 177);
}

/* counts: whose elements are in it; NULL: all */
static inline float fold(
        enum dtype dtype, enum reduction reduction, int ranks, int first, int64_t i, const bool *counts)
{
	int n = 0, added = 0;
	for (int r = 0; r < ranks; r++)
		n += !counts || counts[r];
	float sum = 0, part = rounded(dtype, 1.0f / (float)n);
	for (int k = 0; k < ranks; k++) {
		float x = element(dtype, (first + k) % ranks, i);
		if (counts && !counts[(first + k) % ranks])
			continue;
		if (reduction == REDUCE_AVG && dtype != DT_I32)
			x = rounded(dtype, x * part);
		if (added++ == 0)
			sum = x;
		else if (reduction == REDUCE_MAX)
			sum = x > sum || sum != sum ? x : sum;
		else if (reduction == REDUCE_MIN)
			sum = x < sum || sum != sum ? x : sum;
		else
			sum = rounded(dtype, sum + x);
	}
	return reduction == REDUCE_AVG && dtype == DT_I32 ? (float)((int)sum / n) : sum;
}

/* With whose element the sum of all, or of those that count, begins */
static inline int owner(int64_t count, int ranks, int64_t i, const bool *counts)
{
	int n = 0, piece = 0, place = 0;
	for (int r = 0; r < ranks; r++)
		n += !counts || counts[r];
	while (piece_at(count, n, piece + 1) <= i)
		piece++;
	for (;; place++)
		if ((!counts || counts[place]) && piece-- == 0)
			return place;
}

/* One collective as all call it: `count` elements of a rank's share, so many bytes of `shift` beside a place where lines begin */
struct call {
	const struct collective *collective;
	enum dtype dtype;
	enum reduction reduction;
	int64_t count, shift;
	int64_t lack; /* so many elements of the last parts are not there */
	int root;
	enum { APART, SAME, OVER } out;
	const bool *counts; /* NULL: all */
};

static inline float expected(const struct call *call, const struct rank *me, int64_t i)
{
	const struct collective *c = call->collective;
	int64_t k = call->count, place = me->rank;
	if (c == &collective_allreduce)
		return fold(call->dtype, call->reduction, me->ranks, owner(k, me->ranks, i, call->counts), i,
		        call->counts);
	if (c == &collective_reduce)
		return fold(call->dtype, call->reduction, me->ranks, (call->root + 1) % me->ranks, i, NULL);
	if (c == &collective_reducescatter)
		return fold(call->dtype, call->reduction, me->ranks, (me->rank + 1) % me->ranks,
		        place * k + i, NULL);
	if (c == &collective_broadcast)
		return element(call->dtype, call->root, i);
	if (c == &collective_scatter)
		return element(call->dtype, call->root, place * k + i);
	if (c == &collective_alltoall)
		return element(call->dtype, (int)(i / k), place * k + i % k);
	return element(call->dtype, (int)(i / k), i % k); /* allgather, gather */
}

static inline int64_t whole_count(const struct call *call, const struct rank *me)
{
	return call->count * me->ranks - call->lack;
}

static inline int64_t part_count(const struct call *call, const struct rank *me)
{
	return most_of(0, least_of(call->count, whole_count(call, me) - me->rank * call->count));
}

static inline int64_t in_count(const struct call *call, const struct rank *me)
{
	return call->collective->result >= RESULT_SHARED   ? whole_count(call, me)
	        : call->collective->result == RESULT_GROWN ? part_count(call, me)
	                                                   : call->count;
}

static inline int64_t out_count(const struct call *call, const struct rank *me)
{
	bool grown = call->collective->result == RESULT_GROWN || call->collective->result == RESULT_EXCHANGED;
	if (call->collective->root_gets && me->rank != call->root)
		return 0;
	return grown                                        ? whole_count(call, me)
	        : call->collective->result == RESULT_SHARED ? part_count(call, me)
	                                                    : call->count;
}

/* The rank's input and result in memory of its own, `bytes` of it from *at on */
struct held {
	CUdeviceptr at, in, out;
	int64_t bytes;
};

static inline struct held place(struct player *player, const struct call *call)
{
	struct rank *me = player->me;
	int size = dtype_bytes(call->dtype);
	int64_t ins = in_count(call, me), most = LARGEST * RANKS_MOST * 2;
	struct held held = {.bytes = most * 4};
	char *elements = malloc((size_t)(ins * size + 1));
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

static inline void check(struct player *player, const struct call *call, const struct held *held)
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

static inline void queue(
        struct player *player, const struct call *call, const struct held *held, CUstream stream)
{
	struct rank *me = player->me;
	int64_t outs = out_count(call, me);
	bool gives = call->collective != &collective_scatter || me->rank == call->root;
	GOOD(player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = call->collective,
	                .seq = ++player->seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .dtype = call->dtype,
	                .reduction = call->reduction,
	                .root = call->root,
	                .in = gives ? held->in : 0,
	                .out = outs ? held->out : 0,
	                .in_count = in_count(call, me),
	                .out_count = outs,
	                .chunk = call->count,
	                .counts = call->counts},
	        (struct exchange_started){0}, stream));
}

static inline void once(struct player *player, const struct call *call)
{
	struct rank *me = player->me;
	struct held held = place(player, call);
	queue(player, call, &held, me->stream);
	check(player, call, &held);
	CALL(cuStreamSynchronize(me->stream)); /* a rank without a result has looked at nothing */
	player->exchange->free(player->exchange, held.at, held.bytes);
}

static inline void each_size(struct player *player, struct call call)
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

/* Parts as of a number of rows that the ranks do not divide: some lack a few, or all */
static inline void each_lack(struct player *player, struct call call)
{
	enum { COUNT = 301 };
	for (int64_t lack = 1; lack < COUNT * player->me->ranks; lack += COUNT / 2)
		for (int out = APART; out <= OVER; out++) {
			call.count = COUNT;
			call.lack = lack;
			call.out = out;
			if (out != SAME)
				once(player, &call);
		}
}

static inline void uneven_parts(struct player *player)
{
	static const enum dtype types[] = {DT_F32, DT_BF16, DT_I32};
	for (size_t t = 0; t < LENGTH_OF(types); t++) {
		each_lack(player, (struct call){&collective_allgather, types[t], REDUCE_SUM, .root = 0});
		for (int reduction = 0; reduction < 4; reduction++)
			each_lack(player,
			        (struct call){&collective_reducescatter, types[t], (enum reduction)reduction,
			                .root = 0});
	}
}

static inline void all_collectives(struct player *player)
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

/* ---- rows of unlike numbers ---- */

enum { ROW = 3 };

/* So many rows go from one place to another. */
static inline int64_t rows_between(int from, int to)
{
	return (from * 5 + to * 3) % 4;
}

static inline void rows(struct player *player)
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
		                .seq = ++player->seq,
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

#endif
