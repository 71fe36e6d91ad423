/* permute.cu -- binsort permute unpermute sort_chunks (src/kernels/permute.c). No atomics: the
 * result is the same in every run. */
#include "cuda/kernels/numbers.cuh"

/* Returns index i, or -1 if it is not in [0, end). */
INLINE long long number_below(const struct strided &numbers, long long i, long long end)
{
	double number = get(&numbers, i);
	return number >= 0 && number < (double)end ? (long long)number : -1;
}

/* ---- binsort: `count` indices, in chunks; one thread per chunk and bin
 *      parts    per chunk: the count of each bin, then its first place; after them per bin the
 *               total, then its beginning */

INLINE long long *chunk_bins(const struct moving &call, long long chunk)
{
	return (long long *)call.parts + chunk * call.bins;
}

/* rows: chunks */
KERNEL(permute_binsort_count, moving)
{
	for (long long n = thread_number(); n < call.rows * call.bins; n += thread_count()) {
		long long chunk = n / call.bins, bin = n % call.bins, found = 0;
		for (long long i = chunk * call.chunk; i < (chunk + 1) * call.chunk && i < call.count; i++)
			found += number_below(call.in[0], i, call.bins) == bin;
		chunk_bins(call, chunk)[bin] = found;
	}
}

KERNEL(permute_binsort_sum, moving)
{
	for (long long bin = thread_number(); bin < call.bins; bin += thread_count()) {
		long long sum = 0;
		for (long long chunk = 0; chunk < call.rows; chunk++) {
			long long found = chunk_bins(call, chunk)[bin];
			chunk_bins(call, chunk)[bin] = sum;
			sum += found;
		}
		chunk_bins(call, call.rows)[bin] = sum;
		put(&call.out[1], bin, (double)sum, 0);
	}
}

/* One thread: the beginning of each bin */
KERNEL(permute_binsort_begin, moving)
{
	long long place = 0, *total = chunk_bins(call, call.rows);
	for (long long bin = 0; bin < call.bins && thread_number() == 0; bin++) {
		long long found = total[bin];
		total[bin] = call.capacity ? bin * call.capacity : place;
		place += found;
	}
}

/* One thread per chunk and bin, and one for indices in no bin */
KERNEL(permute_binsort, moving)
{
	for (long long n = thread_number(); n < call.rows * (call.bins + 1); n += thread_count()) {
		long long chunk = n / (call.bins + 1), bin = n % (call.bins + 1) - 1;
		long long place = bin < 0 ? 0 : chunk_bins(call, chunk)[bin];
		long long begin = bin < 0 ? 0 : chunk_bins(call, call.rows)[bin];
		for (long long i = chunk * call.chunk; i < (chunk + 1) * call.chunk && i < call.count; i++) {
			if (number_below(call.in[0], i, call.bins) != bin)
				continue;
			bool drops = bin < 0 || (call.capacity && place >= call.capacity);
			put(&call.out[0], i, drops ? -1. : (double)(begin + place++), 0);
		}
	}
}

/* ---- permute: one block per row of the result scans `to`, 256 indices at a time, and adds the
 * matching rows in order. count: indices; chunk: indices per row of x */
SYNC_KERNEL(permute_rows, moving, THREADS)
{
	for (long long n = blockIdx.x; n < call.rows * ((call.columns + blockDim.x - 1) / blockDim.x);
	        n += gridDim.x) {
		long long row = n % call.rows, column = n / call.rows * blockDim.x + threadIdx.x;
		double sum = 0;
		for (long long from = 0; from < call.count; from += blockDim.x) {
			long long mine = from + threadIdx.x;
			if (!__syncthreads_or(
			            mine < call.count && number_below(call.in[1], mine, call.rows) == row))
				continue;
			for (long long i = from; i < from + blockDim.x && i < call.count; i++)
				if (number_below(call.in[1], i, call.rows) == row && column < call.columns)
					sum += get(&call.in[0], i / call.chunk * call.columns + column);
		}
		if (column < call.columns)
			put(&call.out[0], row * call.columns + column, sum, call.add);
	}
}

/* unpermute. bins: rows of ys; chunk: indices per row of the result */
KERNEL(permute_back, moving)
{
	for (long long n = thread_number(); n < call.rows * call.columns; n += thread_count()) {
		long long row = n / call.columns, column = n % call.columns;
		double sum = 0;
		for (long long j = 0; j < call.chunk; j++) {
			long long from = number_below(call.in[1], row * call.chunk + j, call.bins);
			if (from >= 0)
				sum += get(&call.in[0], from * call.columns + column);
		}
		put(&call.out[0], n, sum, call.add);
	}
}

/* ---- sort_chunks: `bins` chunks, `capacity` of them in a row of n, `chunk` rows of n
 *      parts    in the result's order: the beginning of each chunk there; then where each of
 *               them begins in x */

/* One thread */
KERNEL(permute_chunks_begin, moving)
{
	long long *to = (long long *)call.parts, *from = to + call.bins + 1, *begin = from + call.bins,
	          place = 0;
	for (long long k = 0; k < call.bins && thread_number() == 0; k++) {
		long long n = number_below(call.in[1], k, call.rows + 1);
		begin[k] = place;
		place += n < 0 ? 0 : n;
	}
	begin[call.bins] = place;
	place = 0;
	for (long long k = 0; k < call.bins && thread_number() == 0; k++) {
		long long at = k % call.chunk * call.capacity + k / call.chunk;
		long long end = begin[at + 1] < call.rows ? begin[at + 1] : call.rows;
		to[k] = place;
		from[k] = begin[at];
		place += end > begin[at] ? end - begin[at] : 0;
	}
	if (thread_number() == 0)
		to[call.bins] = place;
}

KERNEL(permute_chunks, moving)
{
	const long long *to = (const long long *)call.parts, *from = to + call.bins + 1;
	for (long long n = thread_number(); n < call.rows * call.columns; n += thread_count()) {
		long long row = n / call.columns, low = 0, high = call.bins;
		while (high - low > 1) { /* the last chunk that begins at or before the row */
			long long middle = (low + high) / 2;
			*(to[middle] <= row ? &low : &high) = middle;
		}
		double value = row >= to[call.bins]
		        ? NAN
		        : get(&call.in[0], (from[low] + row - to[low]) * call.columns + n % call.columns);
		put(&call.out[0], n, value, call.add);
	}
}
