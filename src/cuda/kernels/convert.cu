/* convert.cu -- copies between types and layouts, quantize, topk and its gradient
 * (src/kernels/convert.c) */
#include "cuda/kernels/elements.cuh"
#include "cuda/kernels/rows.cuh"

ELEMENTWISE(convert_copy, 1, float, a)

/* dim: outer, the contiguous dimension of x, that of the result. Reads a tile along x and writes
 * it along the result; padded lines put a column into different banks. */
SYNC_KERNEL(convert_tiles, elements, THREADS)
{
	__shared__ double cell[COPY_TILE][COPY_TILE + 1];
	const long long *in = call.tensor[0].stride, *out = call.tensor[1].stride;
	long long down = (call.dim[1] + COPY_TILE - 1) / COPY_TILE,
	          across = (call.dim[2] + COPY_TILE - 1) / COPY_TILE;
	for (long long tile = blockIdx.x; tile < call.dim[0] * down * across; tile += gridDim.x) {
		long long outer = tile / (down * across), r0 = tile / across % down * COPY_TILE,
		          c0 = tile % across * COPY_TILE;
		for (int i = threadIdx.y; i < COPY_TILE; i += blockDim.y) {
			long long r = r0 + threadIdx.x, c = c0 + i;
			if (r < call.dim[1] && c < call.dim[2])
				cell[i][threadIdx.x] = load(call.tensor[0].data, call.tensor[0].dtype,
				        outer * in[0] + r * in[1] + c * in[2]);
		}
		__syncthreads();
		for (int i = threadIdx.y; i < COPY_TILE; i += blockDim.y) {
			long long r = r0 + i, c = c0 + threadIdx.x,
			          at = outer * out[0] + r * out[1] + c * out[2];
			if (r >= call.dim[1] || c >= call.dim[2])
				continue;
			double value = cell[threadIdx.x][i];
			if (call.add)
				value = sum_of(call.tensor[1].dtype,
				        load(call.tensor[1].data, call.tensor[1].dtype, at), value);
			store(call.tensor[1].data, call.tensor[1].dtype, at, value);
		}
		__syncthreads();
	}
}

/* ---- quantize: the largest of each block, then of all */

/* a NaN is the largest */
INLINE double larger_size(double a, double b)
{
	return a != a || a > b ? a : b;
}

SYNC_KERNEL(convert_largest, moving, THREADS)
{
	double most = 0;
	for (long long i = thread_number(); i < call.count; i += thread_count())
		most = larger_size(fabs(get(&call.in[0], i)), most);
	most = team_reduce(most, larger_size);
	if (threadIdx.x == 0)
		((double *)call.parts)[blockIdx.x] = most;
}

/* The scale is stored after the parts, rounded to f32, because the result may have another
 * type. */
SYNC_KERNEL(convert_scale, moving, THREADS)
{
	double *parts = (double *)call.parts, most = 0;
	for (long long i = threadIdx.x; i < call.count; i += blockDim.x)
		most = larger_size(parts[i], most);
	most = team_reduce(most, larger_size);
	if (threadIdx.x == 0) {
		double scale = most == 0 ? 1 : (float)(most / 127);
		parts[call.count] = scale == 0 ? 1 : scale;
		put(&call.out[1], 0, parts[call.count], 0);
	}
}

/* rows: elements; count: parts */
KERNEL(convert_quantize, moving)
{
	double scale = ((const double *)call.parts)[call.count];
	for (long long i = thread_number(); i < call.rows; i += thread_count())
		put(&call.out[0], i, rint(get(&call.in[0], i) / scale), 0);
}

/* ---- topk */

/* Larger values come first, NaN before all, ties by index. at < 0: no value */
INLINE bool is_before(const largest &a, const largest &b)
{
	bool a_nan = a.value != a.value, b_nan = b.value != b.value;
	if (a.at < 0 || b.at < 0)
		return a.at >= 0;
	if (a_nan != b_nan)
		return a_nan;
	if (!a_nan && a.value != b.value)
		return a.value > b.value;
	return a.at < b.at;
}

INLINE largest first_of(const largest &a, const largest &b)
{
	return is_before(a, b) ? a : b;
}

/* One block per row finds its `count` results one by one: each is the first after the previous
 * one. */
SYNC_KERNEL(convert_topk, moving, THREADS)
{
	for (long long r = blockIdx.x; r < call.rows; r += gridDim.x) {
		largest last = {0, -1};
		for (long long j = 0; j < call.count; j++) {
			largest best = {0, -1};
			for (long long i = threadIdx.x; i < call.columns; i += blockDim.x) {
				largest mine = {get(&call.in[0], r * call.columns + i), i};
				if (last.at < 0 || is_before(last, mine))
					best = first_of(mine, best);
			}
			last = team_reduce(best, first_of);
			if (threadIdx.x == 0) {
				put(&call.out[0], r * call.count + j, last.value, 0);
				put(&call.out[1], r * call.count + j, (double)last.at, 0);
			}
		}
	}
}

/* One thread per value, `count` per row. The first thread with an index adds up the values of that
 * index, in order. Before, the result holds zeros, or for += the old values. */
KERNEL(convert_topk_grad, moving)
{
	for (long long n = thread_number(); n < call.rows * call.count; n += thread_count()) {
		long long row = n / call.count * call.count;
		double place = get(&call.in[1], n), sum = 0;
		bool first = place >= 0 && place < (double)call.columns;
		for (long long i = row; i < n && first; i++)
			first = get(&call.in[1], i) != place;
		for (long long i = n; i < row + call.count && first; i++)
			if (get(&call.in[1], i) == place)
				sum += get(&call.in[0], i);
		if (first)
			put(&call.out[0], n / call.count * call.columns + (long long)place, sum, call.add);
	}
}
