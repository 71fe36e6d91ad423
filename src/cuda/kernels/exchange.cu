/* exchange.cu -- communication of ranks that share a GPU, after all have arrived: a member's
 * kernel reads and writes all members' memory (cuda/exchange/shared_gpu/)
 *
 * The addresses are in slots in host memory, where a read takes a microsecond or more and every
 * block would need all. So one block reads them first (exchange_find) and leaves them on the GPU.
 * If a member was released, or the members disagree, nothing is written.
 *
 * exchange_sum_blocks is for NCCL: it adds up received blocks (cuda/exchange/nccl/). */
#include "numbers.cuh"

INLINE const volatile exchange_slot *slot_of(const exchange_members &members, int place)
{
	return (const volatile exchange_slot *)((const char *)members.slots +
	        members.slot[place] * members.apart);
}

INLINE exchange_place place_found(const exchange_members &members, int p)
{
	const volatile exchange_slot *slot = slot_of(members, p);
	exchange_place at = {members.pool[p] + slot->in, members.pool[p] + slot->out, 0};
	if (members.tables) {
		const int n = members.n;
		const long long *theirs = members.tables + p * (2 * n + 2),
		                *mine = members.tables + members.place * (2 * n + 2) + n + 1;
		at.in += theirs[members.place];
		at.out = members.pool[members.place] + slot_of(members, members.place)->out + mine[p];
		at.bytes = mine[p + 1] - mine[p];
	}
	return at;
}

/* One block. Nothing else writes `found` before this match is over. */
SYNC_KERNEL(exchange_find, exchange_members, THREADS)
{
	__shared__ int left;
	if (threadIdx.x == 0)
		left = 0;
	__syncthreads();
	for (int p = threadIdx.x; p < call.n; p += blockDim.x) {
		const volatile exchange_slot *slot = slot_of(call, p);
		call.found->at[p] = place_found(call, p);
		if ((int)(slot->released - call.seq) >= 0 || slot->call != slot_of(call, 0)->call)
			left = 1;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		call.found->left = left;
}

/* all members' addresses, in a block's shared memory */
struct places {
	exchange_place at[EXCHANGE_RANKS];
};

/* Called by each thread of the block. Returns false if nothing is to be done. */
INLINE bool find(const exchange_members &members, places *found)
{
	for (int p = threadIdx.x; p < members.n; p += blockDim.x)
		found->at[p] = members.found->at[p];
	__syncthreads();
	return !members.found->left;
}

/* ---- arithmetic: each step is rounded to the type (collectives/data.c) */

template <int TYPE> struct element {
	typedef unsigned short held;
	typedef float value;
	static __device__ __forceinline__ float get(held x)
	{
		return TYPE == F16 ? half_value(x) : brain_value(x);
	}
	static __device__ __forceinline__ held set(float x)
	{
		return TYPE == F16 ? half_of(x) : brain_of(x);
	}
};
template <> struct element<F32> {
	typedef float held;
	typedef float value;
	static __device__ __forceinline__ float get(float x)
	{
		return x;
	}
	static __device__ __forceinline__ float set(float x)
	{
		return x;
	}
};
template <> struct element<I32> {
	typedef int held;
	typedef int value;
	static __device__ __forceinline__ int get(int x)
	{
		return x;
	}
	static __device__ __forceinline__ int set(int x)
	{
		return x;
	}
};

INLINE float added(float a, float b)
{
	return a + b;
}

INLINE int added(int a, int b)
{
	return wrapped((long long)a + b);
}

/* A number wins over a NaN. */
template <class T> INLINE T combined(int reduction, T a, T b)
{
	if (reduction == EXCHANGE_MAX)
		return b > a || a != a ? b : a;
	if (reduction == EXCHANGE_MIN)
		return b < a || a != a ? b : a;
	return added(a, b);
}

/* elements that fill 16 bytes, or one */
template <class Held, int V> struct alignas(V * sizeof(Held)) line {
	Held x[V];
};

/* 1 / n in the type */
template <int TYPE> INLINE float part_of(int n)
{
	typedef element<TYPE> type;
	return TYPE == I32 ? 0.f : (float)type::get(type::set((typename type::value)(1.0f / (float)n)));
}

/* adds V elements of an input to the sum */
template <int TYPE, int V>
INLINE void add_line(
        typename element<TYPE>::value *sum, const char *input, bool first, int reduction, float part)
{
	typedef element<TYPE> type;
	typedef typename type::value number;
	line<typename type::held, V> mine = *(const line<typename type::held, V> *)input;
#pragma unroll
	for (int e = 0; e < V; e++) {
		number x = type::get(mine.x[e]);
		if (reduction == EXCHANGE_AVG && TYPE != I32)
			x = type::get(type::set((number)((float)x * part)));
		sum[e] = first ? x : type::get(type::set(combined(reduction, sum[e], x)));
	}
}

/* the result of that sum of n inputs */
template <int TYPE, int V>
INLINE line<typename element<TYPE>::held, V> whole_line(
        const typename element<TYPE>::value *sum, int reduction, int n)
{
	typedef element<TYPE> type;
	typedef typename type::value number;
	line<typename type::held, V> all;
#pragma unroll
	for (int e = 0; e < V; e++)
		all.x[e] = type::set(
		        reduction == EXCHANGE_AVG && TYPE == I32 ? (number)((int)sum[e] / n) : sum[e]);
	return all;
}

template <int TYPE, int V>
INLINE void reduce_walk(const exchange_reduce &call, const places &at, long long begin, long long end)
{
	typedef typename element<TYPE>::held held;
	const int n = call.members.n, reduction = call.reduction;
	const float part = part_of<TYPE>(n);
	for (long long i = begin + thread_number() * V; i < end; i += thread_count() * V) {
		typename element<TYPE>::value sum[V] = {};
		for (int k = 0, p = call.first; k < n; k++, p = p + 1 < n ? p + 1 : 0)
			add_line<TYPE, V>(
			        sum, at.at[p].in + i * (long long)sizeof(held), k == 0, reduction, part);
		line<held, V> all = whole_line<TYPE, V>(sum, reduction, n);
		long long there = (i - call.earlier) * (long long)sizeof(held);
		for (int p = 0; p < n; p++)
			if (call.to < 0 || call.to == p)
				*(line<held, V> *)(at.at[p].out + there) = all;
	}
}

/* If all addresses have the same offset from a multiple of 16 bytes, there are three parts:
 * single elements up to the first multiple, lines, and the rest. */
template <int TYPE> INLINE void reduce_type(const exchange_reduce &call, const places &at)
{
	typedef typename element<TYPE>::held held;
	const int size = (int)sizeof(held), wide = 16 / size;
	unsigned long long beside = (unsigned long long)(at.at[0].in + call.begin * size) % 16, differs = 0;
	for (int p = 0; p < call.members.n; p++) {
		differs |= (unsigned long long)(at.at[p].in + call.begin * size) % 16 ^ beside;
		if (call.to < 0 || call.to == p)
			differs |=
			        (unsigned long long)(at.at[p].out + (call.begin - call.earlier) * size) % 16 ^
			        beside;
	}
	long long first = call.begin + (long long)((16 - beside) % 16) / size;
	if (differs || beside % size || first >= call.end) {
		reduce_walk<TYPE, 1>(call, at, call.begin, call.end);
		return;
	}
	long long last = first + (call.end - first) / wide * wide;
	reduce_walk<TYPE, 1>(call, at, call.begin, first);
	reduce_walk<TYPE, wide>(call, at, first, last);
	reduce_walk<TYPE, 1>(call, at, last, call.end);
}

SYNC_KERNEL(exchange_reduce_all, exchange_reduce, THREADS)
{
	__shared__ places at;
	if (!find(call.members, &at))
		return;
	switch (call.dtype) {
	case F32:
		reduce_type<F32>(call, at);
		break;
	case F16:
		reduce_type<F16>(call, at);
		break;
	case BF16:
		reduce_type<BF16>(call, at);
		break;
	default:
		reduce_type<I32>(call, at);
	}
}

/* ---- the same for inputs on this GPU */

template <int TYPE> INLINE void sum_type(const exchange_sum &call)
{
	typedef typename element<TYPE>::held held;
	const int n = call.blocks + 1, reduction = call.reduction;
	const float part = part_of<TYPE>(n);
	for (long long i = thread_number(); i < call.count; i += thread_count()) {
		const long long at = i * (long long)sizeof(held);
		typename element<TYPE>::value sum;
		add_line<TYPE, 1>(&sum, (const char *)call.first + at, true, reduction, part);
		for (int k = 0; k < call.blocks; k++)
			add_line<TYPE, 1>(
			        &sum, (const char *)call.block + k * call.apart + at, false, reduction, part);
		*(line<held, 1> *)((char *)call.to + at) = whole_line<TYPE, 1>(&sum, reduction, n);
	}
}

KERNEL(exchange_sum_blocks, exchange_sum)
{
	switch (call.dtype) {
	case F32:
		sum_type<F32>(call);
		break;
	case F16:
		sum_type<F16>(call);
		break;
	case BF16:
		sum_type<BF16>(call);
		break;
	default:
		sum_type<I32>(call);
	}
}

/* ---- copies */

template <class Unit> INLINE void copy_units(const char *from, char *to, long long bytes)
{
	for (long long i = thread_number(); i < bytes / (long long)sizeof(Unit); i += thread_count())
		((Unit *)to)[i] = ((const Unit *)from)[i];
}

INLINE void copy_bytes(const char *from, char *to, long long bytes)
{
	unsigned long long beside = (unsigned long long)from % 16;
	if (from == to)
		return;
	if (beside != (unsigned long long)to % 16) {
		/* an element has at least two bytes */
		copy_units<unsigned short>(from, to, bytes);
		return;
	}
	long long head = (long long)(16 - beside) % 16;
	head = head < bytes ? head : bytes;
	long long body = (bytes - head) / 16 * 16;
	copy_units<unsigned short>(from, to, head);
	copy_units<uint4>(from + head, to + head, body);
	copy_units<unsigned short>(from + head + body, to + head + body, bytes - head - body);
}

SYNC_KERNEL(exchange_move_all, exchange_move, THREADS)
{
	__shared__ places at;
	if (!find(call.members, &at))
		return;
	char *to = at.at[call.members.place].out + call.out_at;
	for (int q = call.from; q < call.until; q++) {
		if (call.members.tables)
			copy_bytes(at.at[q].in, at.at[q].out, at.at[q].bytes);
		else
			copy_bytes(at.at[q].in + call.in_at, to + q * call.out_step, call.bytes);
	}
}

KERNEL(exchange_write_table, exchange_table)
{
	for (int i = threadIdx.x; i < call.count; i += blockDim.x)
		call.table[i] = call.at[i];
}

/* ---- one-sided */

INLINE double value_of(int dtype, unsigned bits)
{
	return dtype == F32    ? __uint_as_float(bits)
	        : dtype == I32 ? (double)(int)bits
	        : dtype == F16 ? half_value((unsigned short)bits)
	                       : brain_value((unsigned short)bits);
}

INLINE unsigned bits_of(int dtype, double value)
{
	return dtype == F32    ? __float_as_uint((float)value)
	        : dtype == I32 ? (unsigned)saturated(value)
	        : dtype == F16 ? half_of((float)value)
	                       : brain_of((float)value);
}

/* Others may add concurrently, also to the other half of these four bytes. */
INLINE void add_alone(const strided &window, long long at, double value)
{
	const bool whole = window.dtype == F32 || window.dtype == I32;
	const unsigned long long element = (unsigned long long)window.data + at * (whole ? 4 : 2);
	unsigned *word = (unsigned *)(element & ~3ull), old = *(volatile unsigned *)word, seen;
	const int shift = whole ? 0 : (int)(element & 2) * 8;
	const unsigned mask = whole ? ~0u : 0xffffu << shift;
	do {
		seen = old;
		double sum = sum_of(window.dtype, value_of(window.dtype, (seen & mask) >> shift), value);
		old = atomicCAS(word, seen, (seen & ~mask) | bits_of(window.dtype, sum) << shift);
	} while (old != seen);
}

KERNEL(exchange_reach_window, exchange_reach)
{
	if (call.released && *(volatile const int *)call.released)
		return;
	for (long long i = thread_number(); i < call.count; i += thread_count()) {
		if (call.what == EXCHANGE_PUT)
			put(&call.window, i, get(&call.at, i), 0);
		else if (call.what == EXCHANGE_GET)
			put(&call.at, i, get(&call.window, i), 0);
		else
			add_alone(call.window, place_of(&call.window, i),
			        get(&call.at, i) * (double)call.factor);
	}
}
