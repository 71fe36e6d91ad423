/* loss.cu -- mse, sumsq, crossentropy and its gradient (src/kernels/loss.c), nonfinite
 *
 * A reduction to one number takes two launches: each block, or row, leaves its part in `parts`,
 * and loss_sum_of_parts adds these in a fixed order. */
#include "cuda/kernels/elements.cuh"
#include "cuda/kernels/exponential.cuh"
#include "cuda/kernels/rows.cuh"

/* Writes each block's sum to parts; a block takes every gridDim-th group of blockDim elements. */
template <class Term> INLINE void block_sum(const rows &call, Term term)
{
	double sum = 0;
	for (long long i = thread_number(); i < call.columns; i += thread_count())
		sum += term(i);
	sum = team_reduce(sum, [](double a, double b) { return a + b; });
	if (threadIdx.x == 0)
		call.parts[blockIdx.x] = sum;
}

SYNC_KERNEL(loss_mse, rows, THREADS)
{
	block_sum(call, [&](long long i) {
		double apart = get(&call.in[0], i) - get(&call.in[1], i);
		return apart * apart;
	});
}

SYNC_KERNEL(loss_sumsq, rows, THREADS)
{
	block_sum(call, [&](long long i) {
		double value = get(&call.in[0], i);
		return value * value;
	});
}

SYNC_KERNEL(loss_nonfinite, rows, THREADS)
{
	block_sum(call, [&](long long i) {
		double value = get(&call.in[0], i);
		return value - value == 0 ? 0. : 1.;
	});
}

/* One block: the sum of call.rows parts, divided by `divisor` */
SYNC_KERNEL(loss_sum_of_parts, rows, THREADS)
{
	double sum = team_sum(call.rows, [&](long long i) { return call.parts[i]; });
	if (threadIdx.x == 0)
		put(&call.out, 0, sum / (call.counted ? *call.counted : call.divisor), call.add);
}

/* One block: the number of rows with another class than `ignore` */
SYNC_KERNEL(loss_rows_that_count, rows, THREADS)
{
	bool classes = call.in[1].dtype == I32;
	double sum = team_sum(call.rows,
	        [&](long long r) { return !classes || get(&call.in[1], r) != call.ignore ? 1. : 0.; });
	if (threadIdx.x > 0)
		return;
	*call.counted = sum;
	if (call.count)
		put(&call.out, 0, sum, 0);
}

/* a row of logits and its targets */
template <class Way> struct choice {
	typedef typename Way::number number;
	line z, t;
	bool classes; /* t is one number, the class */
	bool ignored;
	long long columns, target;
	number most;
	double sum; /* of exp(z - most) */

	__device__ bool known() const
	{
		return !classes || ignored || (target >= 0 && target < columns);
	}
	/* the target probability of class i */
	__device__ double wanted(long long i) const
	{
		return !known() ? NAN : ignored ? 0 : classes ? i == target : t.get(i);
	}
};

template <class Way> INLINE choice<Way> choice_of(const rows &call, Way way, long long r)
{
	const strided &logits = call.in[0], &targets = call.in[1];
	bool classes = targets.dtype == I32;
	choice<Way> of = {};
	of.z = line_of(logits, r, call.columns);
	of.t = line_of(targets, r, classes ? 1 : call.columns);
	of.classes = classes;
	of.columns = call.columns;
	of.target = classes ? (long long)get(&targets, r) : 0;
	of.ignored = classes && (double)of.target == call.ignore;
	of.most = team_most(way, of.z, call.columns);
	of.sum = team_sum(
	        way, of.z, call.columns, [&](typename Way::number z) { return exponential(z - of.most); });
	return of;
}

/* parts[r]: -sum t (z - ln sum exp z), with 0 x inf = 0 */
template <class Way> INLINE void loss_crossentropy_rows(const rows &call, Way way)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		choice<Way> of = choice_of(call, way, r);
		double log_sum = log(of.sum) + of.most;
		auto term = [&](long long i) {
			double t = of.wanted(i);
			return t == 0 ? 0 : -t * (of.z.get(i) - log_sum);
		};
		double loss = of.classes ? term(of.known() && !of.ignored ? of.target : 0)
		                         : team_sum(call.columns, term);
		if (threadIdx.x == 0)
			call.parts[r] = loss;
	}
}

/* (softmax sum(t) - t) / rows that count. For classes only the target's difference, which is small
 * if the target is nearly certain, is computed in double. */
template <class Way> INLINE void loss_crossentropy_grad_rows(const rows &call, Way way)
{
	typedef typename Way::number number;
	double rows = call.counted ? *call.counted : call.divisor;
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		choice<Way> of = choice_of(call, way, r);
		line to = line_of(call.out, r, call.columns);
		double weight = of.classes
		        ? (of.ignored                  ? 0
		                          : of.known() ? 1
		                                       : NAN)
		        : team_sum(call.columns, [&](long long i) { return of.wanted(i); });
		double scale = weight / of.sum / rows;
		number factor = (number)scale;
		team_each(way, of.z, call.columns, [&](long long i, number *z) {
			bool here = !of.classes || (i <= of.target && of.target < i + Way::GROUP);
#pragma unroll
			for (int k = 0; k < Way::GROUP; k++) {
				number e = exponential(z[k] - of.most);
				z[k] = e * factor;
				if (here)
					z[k] = (number)((e / of.sum * weight - of.wanted(i + k)) / rows);
			}
			to.put(way, i, z, call.add);
		});
	}
}

ROW_KERNEL(loss_crossentropy)
ROW_KERNEL(loss_crossentropy_grad)

/* 2 (y - t) / elements */
ELEMENTWISE(loss_mse_grad, 2, double, option[0] * (a - b))
