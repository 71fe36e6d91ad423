// rows.cu -- rowmax rowsum softmax layernorm and gradients (src/kernels/rows.c), crossentropy (loss.c): a
// row of the last dimension at a time, in doubles.
//
// A row has a *team*: a warp where rows are short, else a block. Thread i of a team takes the elements i, i
// + team, i + 2 team ...; then the team's threads put theirs together, always in the same order. The blocks'
// y are rows.
#include "exponential.cuh"
#include "rows.cuh"

// Sums of whole numbers wrap at 2^31, as everywhere.
MEETING_KERNEL(rows_rowsum, rows, THREADS)
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

MEETING_KERNEL(rows_rowmax, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		double most = team_largest(line_of(call.in[0], r, call.columns), call.columns);
		if (threadIdx.x == 0)
			line_of(call.out, r, 1).put(0, most, call.add);
	}
}

MEETING_KERNEL(rows_softmax, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line in = line_of(call.in[0], r, call.columns), out = line_of(call.out, r, call.columns);
		double most = team_largest(in, call.columns);
		double sum =
		        team_sum(call.columns, [&](long long i) { return exponential(in.get(i) - most); });
		for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
			out.put(i, exponential(in.get(i) - most) / sum, call.add);
	}
}

MEETING_KERNEL(rows_softmax_grad, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line slope = line_of(call.in[0], r, call.columns), of = line_of(call.in[1], r, call.columns),
		     out = line_of(call.out, r, call.columns);
		double sum = team_sum(call.columns, [&](long long i) { return slope.get(i) * of.get(i); });
		for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
			out.put(i, of.get(i) * (slope.get(i) - sum), call.add);
	}
}

// Of a row: its mean, and 1 / deviation
struct spread {
	double mean, inverse;
};

INLINE spread spread_of(const line &x, const rows &call)
{
	double mean = team_sum(call.columns, [&](long long i) { return x.get(i); }) / (double)call.columns;
	double squares = team_sum(call.columns, [&](long long i) {
		double apart = x.get(i) - mean;
		return apart * apart;
	});
	return {mean, 1 / sqrt(squares / (double)call.columns + call.eps)};
}

MEETING_KERNEL(rows_layernorm, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line in = line_of(call.in[0], r, call.columns), out = line_of(call.out, r, call.columns);
		spread of = spread_of(in, call);
		for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
			out.put(i, (in.get(i) - of.mean) * of.inverse, call.add);
	}
}

MEETING_KERNEL(rows_layernorm_grad, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		line slope = line_of(call.in[0], r, call.columns), in = line_of(call.in[1], r, call.columns),
		     out = line_of(call.out, r, call.columns);
		spread of = spread_of(in, call);
		double n = (double)call.columns;
		double mean = team_sum(call.columns, [&](long long i) { return slope.get(i); }) / n;
		double along = team_sum(call.columns, [&](long long i) {
			return slope.get(i) * ((in.get(i) - of.mean) * of.inverse);
		}) / n;
		for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
			out.put(i,
			        (slope.get(i) - mean - (in.get(i) - of.mean) * of.inverse * along) *
			                of.inverse,
			        call.add);
	}
}
