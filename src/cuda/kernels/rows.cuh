// rows.cuh -- a row of a tensor, and the threads that share its work: a team is blockDim.x threads, of which
// a block has blockDim.y; either is a warp, or the team is the whole block.
#ifndef RANKSH_ROWS_CUH
#define RANKSH_ROWS_CUH

#include "numbers.cuh"

INLINE long long team_first()
{
	return (long long)blockIdx.x * blockDim.y + threadIdx.y;
}

INLINE long long team_step()
{
	return (long long)gridDim.x * blockDim.y;
}

// The elements that a tensor's row of the last dimension has
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
};

// columns: of a row, 1 where the row is one number
INLINE line line_of(const strided &tensor, long long row, long long columns)
{
	return {tensor.data, tensor.dtype, place_of(&tensor, row * columns), tensor.stride[tensor.dims - 1]};
}

// The larger of two, and where it stands: of equals the first (-0 and 0 are), and a NaN is above all
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

template <class T> INLINE T of_lane(T x, int apart)
{
	return __shfl_xor_sync(~0u, x, apart);
}

INLINE largest of_lane(const largest &x, int apart)
{
	return {of_lane(x.value, apart), of_lane(x.at, apart)};
}

// join(join(a0, a1), ...) over the team's threads, in all of them: within each warp by halves, then warp by
// warp
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

// The sum of term(i) for i from 0 to count - 1
template <class Term> INLINE double team_sum(long long count, Term term)
{
	double sum = 0;
	for (long long i = threadIdx.x; i < count; i += blockDim.x)
		sum += term(i);
	return team_reduce(sum, [](double a, double b) { return a + b; });
}

INLINE double team_largest(const line &x, long long count)
{
	// a thread that finds no element of a short row has the first
	largest most = {x.get(0), 0};
	for (long long i = threadIdx.x; i < count; i += blockDim.x)
		most = larger(most, {x.get(i), i});
	return team_reduce(most, larger).value;
}

#endif
