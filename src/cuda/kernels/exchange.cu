/* exchange.cu -- communication of ranks that share a GPU, after all have arrived: a member's
 * kernel reads and writes all members' memory (cuda/exchange/shared_gpu/)
 *
 * Reading the addresses, in slots in host memory, is slow, so one block reads them first
 * (exchange_find) and leaves them on the GPU. If a member was released, or the members disagree,
 * nothing is written.
 *
 * exchange_sum_blocks adds up blocks received by NCCL (cuda/exchange/nccl/). */
#include "cuda/kernels/numbers.cuh"

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

/* Called by each thread of the block. Returns false if the match must write nothing. */
INLINE bool find(const exchange_members &members, places *found)
{
	for (int p = threadIdx.x; p < members.n; p += blockDim.x)
		found->at[p] = members.found->at[p];
	__syncthreads();
	return !members.found->left;
}

/* ---- arithmetic: each step is rounded to the type (collectives/data.c) */

template <int TYPE> struct sum_of_type {
	typedef float number;
};
template <> struct sum_of_type<I32> {
	typedef int number;
};

template <int TYPE, class Number> INLINE Number rounded(Number x)
{
	if (TYPE == F16)
		return half_value(half_of(x));
	if (TYPE == BF16)
		return brain_value(brain_of(x));
	return x;
}

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

/* Adds V elements of one input (contiguous and 16 bytes, or one) to the sum of n inputs. */
template <int TYPE, int V, class Number>
INLINE void add_line(Number *sum, const void *input, long long at, bool first, int reduction, int n)
{
	const float part = rounded<TYPE>(1.0f / (float)n);
	Number mine[V];
	load_many<V>(input, TYPE, at, mine);
#pragma unroll
	for (int e = 0; e < V; e++) {
		Number x = mine[e];
		if (reduction == EXCHANGE_AVG && TYPE != I32)
			x = rounded<TYPE>((Number)((float)x * part));
		sum[e] = first ? x : rounded<TYPE>(combined(reduction, sum[e], x));
	}
}

template <int TYPE, int V, class Number> INLINE void finish_line(Number *sum, int reduction, int n)
{
#pragma unroll
	for (int e = 0; e < V; e++)
		if (reduction == EXCHANGE_AVG && TYPE == I32)
			sum[e] /= n;
}

template <int TYPE, int V>
INLINE void reduce_walk(const exchange_reduce &call, const places &at, long long begin, long long end)
{
	const int n = call.members.n, reduction = call.reduction;
	for (long long i = begin + thread_number() * V; i < end; i += thread_count() * V) {
		typename sum_of_type<TYPE>::number sum[V] = {};
		for (int k = 0, p = call.first; k < n; k++, p = p + 1 < n ? p + 1 : 0)
			add_line<TYPE, V>(sum, at.at[p].in, i, k == 0, reduction, n);
		finish_line<TYPE, V>(sum, reduction, n);
		for (int p = 0; p < n; p++)
			if (call.to < 0 || call.to == p)
				store_many<V>(at.at[p].out, TYPE, i - call.earlier, sum);
	}
}

/* If all addresses have the same offset from a multiple of 16 bytes, there are three parts:
 * single elements up to the first multiple, lines, and the rest. */
template <int TYPE> INLINE void reduce_type(const exchange_reduce &call, const places &at)
{
	const int size = TYPE == F32 || TYPE == I32 ? 4 : 2, wide = 16 / size;
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
	if (call.dtype == F32)
		reduce_type<F32>(call, at);
	else if (call.dtype == F16)
		reduce_type<F16>(call, at);
	else if (call.dtype == BF16)
		reduce_type<BF16>(call, at);
	else
		reduce_type<I32>(call, at);
}

/* ---- the same for inputs on this GPU */

template <int TYPE> INLINE void sum_type(const exchange_sum &call)
{
	const int n = call.blocks + 1, reduction = call.reduction;
	for (long long i = thread_number(); i < call.count; i += thread_count()) {
		typename sum_of_type<TYPE>::number sum;
		add_line<TYPE, 1>(&sum, call.first, i, true, reduction, n);
		for (int k = 0; k < call.blocks; k++)
			add_line<TYPE, 1>(
			        &sum, (const char *)call.block + k * call.apart, i, false, reduction, n);
		finish_line<TYPE, 1>(&sum, reduction, n);
		store(call.to, TYPE, i, sum);
	}
}

KERNEL(exchange_sum_blocks, exchange_sum)
{
	if (call.dtype == F32)
		sum_type<F32>(call);
	else if (call.dtype == F16)
		sum_type<F16>(call);
	else if (call.dtype == BF16)
		sum_type<BF16>(call);
	else
		sum_type<I32>(call);
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
	char *to = at.at[call.members.place].out;
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

/* Other ranks may add concurrently, also to the other half of these four bytes. */
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
