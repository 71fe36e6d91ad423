// loss.cu -- mse, sumsq, crossentropy and its gradient (src/kernels/loss.c).
//
// What becomes one number takes two launches: each block, or each row, leaves its part in `parts`, and
// sum_of_parts adds these up, always in the same order. Elements and parts are doubles.
#include "elements.cuh"
#include "exponential.cuh"
#include "rows.cuh"

// parts[b]: of block b, which takes every gridDim-th piece of blockDim of all call.columns elements
template <class Term> INLINE void block_sum(const rows &call, Term term)
{
	double sum = 0;
	for (long long i = thread_number(); i < call.columns; i += thread_count())
		sum += term(i);
	sum = team_reduce(sum, [](double a, double b) { return a + b; });
	if (threadIdx.x == 0)
		call.parts[blockIdx.x] = sum;
}

MEETING_KERNEL(loss_mse, rows, THREADS)
{
	block_sum(call, [&](long long i) {
		double apart = get(&call.in[0], i) - get(&call.in[1], i);
		return apart * apart;
	});
}

MEETING_KERNEL(loss_sumsq, rows, THREADS)
{
	block_sum(call, [&](long long i) {
		double value = get(&call.in[0], i);
		return value * value;
	});
}

// One block: call.rows parts, divided by `divisor`
MEETING_KERNEL(loss_sum_of_parts, rows, THREADS)
{
	double sum = team_sum(call.rows, [&](long long i) { return call.parts[i]; });
	if (threadIdx.x == 0)
		put(&call.out, 0, sum / call.divisor, call.add);
}

// A row of logits and its targets
struct choice {
	line z, t;
	bool classes; // t is one number, the class
	long long columns, target;
	double most, sum; // of exp(z - most)

	__device__ double exp_of(long long i) const
	{
		return exponential(z.get(i) - most);
	}
	__device__ bool known() const
	{
		return !classes || (target >= 0 && target < columns);
	}
	// The probability of class i that is wanted
	__device__ double wanted(long long i) const
	{
		return !known() ? NAN : classes ? i == target : t.get(i);
	}
};

INLINE choice choice_of(const rows &call, long long r)
{
	const strided &logits = call.in[0], &targets = call.in[1];
	bool classes = targets.dtype == I32;
	choice of = {};
	of.z = line_of(logits, r, call.columns);
	of.t = line_of(targets, r, classes ? 1 : call.columns);
	of.classes = classes;
	of.columns = call.columns;
	of.target = classes ? (long long)get(&targets, r) : 0;
	of.most = team_largest(of.z, call.columns);
	of.sum = team_sum(call.columns, [&](long long i) { return of.exp_of(i); });
	return of;
}

// parts[r]: -sum t (z - ln sum exp z), with 0 x inf = 0
MEETING_KERNEL(loss_crossentropy, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		choice of = choice_of(call, r);
		double log_sum = log(of.sum) + of.most;
		double loss = team_sum(call.columns, [&](long long i) {
			double t = of.wanted(i);
			return t == 0 ? 0 : -t * (of.z.get(i) - log_sum);
		});
		if (threadIdx.x == 0)
			call.parts[r] = loss;
	}
}

// (softmax sum(t) - t) / rows
MEETING_KERNEL(loss_crossentropy_grad, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		choice of = choice_of(call, r);
		line to = line_of(call.out, r, call.columns);
		double weight = team_sum(call.columns, [&](long long i) { return of.wanted(i); });
		for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
			to.put(i, (of.exp_of(i) / of.sum * weight - of.wanted(i)) / (double)call.rows,
			        call.add);
	}
}

// 2 (y - t) / elements
ELEMENTWISE(loss_mse_grad, 2, option[0] * (a - b))
