/* rows.cu -- rowmax rowsum softmax layernorm and gradients (src/kernels/rows.c): a row of the
 * last dimension at a time
 *
 * Thread i of a row's team (rows.cuh) takes elements i, i + team, i + 2 team ...; then the partial
 * results are combined in a fixed order. */
#include "cuda/kernels/exponential.cuh"
#include "cuda/kernels/rows.cuh"

/* i32 sums wrap at 2^31. */
SYNC_KERNEL(rows_rowsum, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line in = line_of(call.in[0], r, call.columns);
		if (call.in[0].dtype == I32) {
			long long sum = 0;
			for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
				sum += (long long)in.get(i);
			sum = team_reduce(sum, [](long long a, long long b) { return a + b; });
			if (threadIdx.x == 0)
				line_of(call.out, r, 1).put(0, wrapped(sum), call.add);
			continue;
		}
		double sum = team_sum(call.columns, [&](long long i) { return in.get(i); });
		if (threadIdx.x == 0)
			line_of(call.out, r, 1).put(0, sum, call.add);
	}
}

SYNC_KERNEL(rows_rowmax, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		double most = team_largest(line_of(call.in[0], r, call.columns), call.columns);
		if (threadIdx.x == 0)
			line_of(call.out, r, 1).put(0, most, call.add);
	}
}

template <class Way> INLINE void rows_softmax_rows(const rows &call, Way way)
{
	typedef typename Way::number number;
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line in = line_of(call.in[0], r, call.columns), out = line_of(call.out, r, call.columns);
		number most = team_most(way, in, call.columns);
		double sum = team_sum(way, in, call.columns, [&](number x) { return exponential(x - most); });
		number inverse = (number)(1 / sum);
		team_each(way, in, call.columns, [&](long long i, number *x) {
#pragma unroll
			for (int k = 0; k < Way::GROUP; k++)
				x[k] = exponential(x[k] - most) * inverse;
			out.put(way, i, x, call.add);
		});
	}
}

template <class Way> INLINE void rows_softmax_grad_rows(const rows &call, Way way)
{
	typedef typename Way::number number;
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line slope = line_of(call.in[0], r, call.columns), of = line_of(call.in[1], r, call.columns),
		     out = line_of(call.out, r, call.columns);
		number sum = (number)team_sums(
		        way, slope, of, call.columns, [](number dy, number y) { return dy * y; },
		        [](number, number) {
			        return (number)0;
		        }).a;
		team_each(way, slope, of, call.columns, [&](long long i, number *dy, number *y) {
#pragma unroll
			for (int k = 0; k < Way::GROUP; k++)
				y[k] *= dy[k] - sum;
			out.put(way, i, y, call.add);
		});
	}
}

template <class Way> INLINE void rows_layernorm_rows(const rows &call, Way way)
{
	typedef typename Way::number number;
	double n = (double)call.columns;
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line in = line_of(call.in[0], r, call.columns), out = line_of(call.out, r, call.columns);
		number mean = (number)(team_sum(way, in, call.columns, [](number x) { return x; }) / n);
		double squares =
		        team_sum(way, in, call.columns, [&](number x) { return (x - mean) * (x - mean); });
		number inverse = (number)(1 / sqrt(squares / n + call.eps));
		team_each(way, in, call.columns, [&](long long i, number *x) {
#pragma unroll
			for (int k = 0; k < Way::GROUP; k++)
				x[k] = (x[k] - mean) * inverse;
			out.put(way, i, x, call.add);
		});
	}
}

template <class Way> INLINE void rows_layernorm_grad_rows(const rows &call, Way way)
{
	typedef typename Way::number number;
	double n = (double)call.columns;
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line slope = line_of(call.in[0], r, call.columns), in = line_of(call.in[1], r, call.columns),
		     out = line_of(call.out, r, call.columns);
		two sum = team_sums(
		        way, in, slope, call.columns, [](number x, number) { return x; },
		        [](number, number dy) { return dy; });
		number mean = (number)(sum.a / n), mean_slope = (number)(sum.b / n);
		two product = team_sums(
		        way, in, slope, call.columns,
		        [&](number x, number) { return (x - mean) * (x - mean); },
		        [&](number x, number dy) { return (x - mean) * dy; });
		double deviation = sqrt(product.a / n + call.eps);
		number inverse = (number)(1 / deviation), along = (number)(product.b / n / deviation);
		team_each(way, in, slope, call.columns, [&](long long i, number *x, number *dy) {
#pragma unroll
			for (int k = 0; k < Way::GROUP; k++)
				x[k] = (dy[k] - mean_slope - (x[k] - mean) * inverse * along) * inverse;
			out.put(way, i, x, call.add);
		});
	}
}

ROW_KERNEL(rows_softmax)
ROW_KERNEL(rows_softmax_grad)
ROW_KERNEL(rows_layernorm)
ROW_KERNEL(rows_layernorm_grad)
