/* rows.cuh -- rows of a tensor and teams of threads. A row has a team: a warp if it is short, else
 * a block. A team has blockDim.x threads, a block blockDim.y teams. */
#ifndef RANKSH_ROWS_CUH
#define RANKSH_ROWS_CUH

#include "cuda/kernels/numbers.cuh"

INLINE long long team_first()
{
	return (long long)blockIdx.x * blockDim.y + threadIdx.y;
}

INLINE long long team_step()
{
	return (long long)gridDim.x * blockDim.y;
}

/* a row of the last dimension */
struct line {
	void *data;
	int type;
	long long first, step;

	__device__ double get(long long i) const
	{
		return load(data, type, first + i * step);
	}
	__device__ void put(long long i, double value, bool add) const
	{
		long long at = first + i * step;
		store(data, type, at, add ? sum_of(type, load(data, type, at), value) : value);
	}
	/* Returns the type of a group: four are f32, eight are halves. */
	template <class Way> __device__ int type_of(Way) const
	{
		return Way::GROUP == 4    ? (int)F32
		        : Way::GROUP == 8 ? (type == F16 ? (int)F16 : (int)BF16)
		                          : type;
	}
	/* Reads a group of elements as the call's `way` does. */
	template <class Way> __device__ void get(Way way, long long i, typename Way::number *value) const
	{
		if (Way::GROUP == 1)
			value[0] = get(i);
		else
			load_many<Way::GROUP>(data, type_of(way), first + i, value);
	}
	template <class Way>
	__device__ void put(Way way, long long i, const typename Way::number *value, bool add) const
	{
		if (Way::GROUP == 1)
			put(i, value[0], add);
		else
			store_many<Way::GROUP>(data, type_of(way), first + i, value);
	}
};

/* How a row's elements are read: 16 bytes at a time if all are contiguous and of one type (four
 * f32 as doubles or eight halves as floats), else one at a time as double */
template <int ITS_GROUP, class Number> struct way {
	enum { GROUP = ITS_GROUP };
	typedef Number number;
};

/* Defines the kernel `name` by name_rows(call, way). */
#define ROW_KERNEL(name)                                        \
	SYNC_KERNEL(name, rows, THREADS)                        \
	{                                                       \
		if (call.type == F32)                           \
			name##_rows(call, way<4, double>());    \
		else if (call.type == F16 || call.type == BF16) \
			name##_rows(call, way<8, float>());     \
		else                                            \
			name##_rows(call, way<1, double>());    \
	}

/* columns: per row; 1 if the row is one number */
INLINE line line_of(const strided &tensor, long long row, long long columns)
{
	return {tensor.data, tensor.dtype, place_of(&tensor, row * columns), tensor.stride[tensor.dims - 1]};
}

/* The larger of two and its index: of equals (also -0 and 0) the first; a NaN is the largest */
struct largest {
	double value;
	long long at;
};

INLINE largest larger(const largest &a, const largest &b)
{
	if (a.value != a.value || b.value != b.value)
		return a.value != a.value ? a : b;
	if (a.value == b.value)
		return a.at < b.at ? a : b;
	return a.value > b.value ? a : b;
}

struct two {
	double a, b;
};

template <class T> INLINE T of_lane(T x, int apart)
{
	return __shfl_xor_sync(~0u, x, apart);
}

INLINE two of_lane(const two &x, int apart)
{
	return {of_lane(x.a, apart), of_lane(x.b, apart)};
}

INLINE largest of_lane(const largest &x, int apart)
{
	return {of_lane(x.value, apart), of_lane(x.at, apart)};
}

/* join(join(a0, a1), ...) over the team's threads, for all of them: within each warp by halves,
 * then warp by warp */
template <class T, class Join> INLINE T team_reduce(T x, Join join)
{
	__shared__ T of_warp[32];
	for (int apart = 16; apart > 0; apart /= 2)
		x = join(x, of_lane(x, apart));
	if (blockDim.x == 32)
		return x;
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		of_warp[threadIdx.x / 32] = x;
	__syncthreads();
	x = of_warp[0];
	for (unsigned w = 1; w < blockDim.x / 32; w++)
		x = join(x, of_warp[w]);
	return x;
}

template <class Term> INLINE double team_sum(long long count, Term term)
{
	double sum = 0;
	for (long long i = threadIdx.x; i < count; i += blockDim.x)
		sum += term(i);
	return team_reduce(sum, [](double a, double b) { return a + b; });
}

/* each(i, GROUP elements of each line from i on) */
template <class Way, class Each> INLINE void team_each(Way way, const line &x, long long count, Each each)
{
#pragma unroll 4
	for (long long i = threadIdx.x * Way::GROUP; i < count; i += blockDim.x * Way::GROUP) {
		typename Way::number a[Way::GROUP];
		x.get(way, i, a);
		each(i, a);
	}
}

template <class Way, class Each>
INLINE void team_each(Way way, const line &x, const line &y, long long count, Each each)
{
#pragma unroll 2
	for (long long i = threadIdx.x * Way::GROUP; i < count; i += blockDim.x * Way::GROUP) {
		typename Way::number a[Way::GROUP], b[Way::GROUP];
		x.get(way, i, a);
		y.get(way, i, b);
		each(i, a, b);
	}
}

/* The sum of term(element) over a line; a group's terms are added in its number type. */
template <class Way, class Term> INLINE double team_sum(Way way, const line &x, long long count, Term term)
{
	double sum = 0;
	team_each(way, x, count, [&](long long, typename Way::number *a) {
		typename Way::number part = term(a[0]);
#pragma unroll
		for (int k = 1; k < Way::GROUP; k++)
			part += term(a[k]);
		sum += part;
	});
	return team_reduce(sum, [](double a, double b) { return a + b; });
}

/* the sums of first(x, y) and second(x, y) */
template <class Way, class First, class Second>
INLINE two team_sums(Way way, const line &x, const line &y, long long count, First first, Second second)
{
	two sum = {};
	team_each(way, x, y, count, [&](long long, typename Way::number *a, typename Way::number *b) {
		typename Way::number part = first(a[0], b[0]), other = second(a[0], b[0]);
#pragma unroll
		for (int k = 1; k < Way::GROUP; k++) {
			part += first(a[k], b[k]);
			other += second(a[k], b[k]);
		}
		sum.a += part;
		sum.b += other;
	});
	return team_reduce(sum, [](const two &a, const two &b) -> two { return {a.a + b.a, a.b + b.b}; });
}

/* the largest element that is not NaN */
template <class Way> INLINE typename Way::number team_most(Way way, const line &x, long long count)
{
	typedef typename Way::number number;
	number most = -INFINITY;
	team_each(way, x, count, [&](long long, number *a) {
#pragma unroll
		for (int k = 0; k < Way::GROUP; k++)
			most = a[k] > most ? a[k] : most;
	});
	return team_reduce(most, [](number a, number b) { return b > a ? b : a; });
}

INLINE double team_largest(const line &x, long long count)
{
	/* a thread without an element of a short row uses the first */
	largest most = {x.get(0), 0};
	for (long long i = threadIdx.x; i < count; i += blockDim.x)
		most = larger(most, {x.get(i), i});
	return team_reduce(most, larger).value;
}

#endif
