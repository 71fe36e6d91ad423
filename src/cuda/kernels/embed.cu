// embed.cu -- embed and its gradient, colsum (src/kernels/embed.c)
#include "rows.cuh"

// A team a row of the result. in: the table of call.count rows, ids
MEETING_KERNEL(embed_rows, rows, THREADS)
{
	for (long long r = team_first(); r < call.rows; r += team_step()) {
		long long id = (long long)get(&call.in[1], r);
		bool known = id >= 0 && id < call.count;
		line from = line_of(call.in[0], known ? id : 0, call.columns),
		     to = line_of(call.out, r, call.columns);
		for (long long i = threadIdx.x; i < call.columns; i += blockDim.x)
			to.put(i, known ? from.get(i) : NAN, call.add);
	}
}

// A block a row of the table. All threads look through the ids, a warp 32 at a time, and add the rows of dx
// that they find in the order in which these stand, each thread up to COLUMNS columns of them. in: dx of
// call.count rows, ids
MEETING_KERNEL(embed_grad, rows, THREADS)
{
	constexpr int COLUMNS = 4;
	__shared__ unsigned found[32];
	int warps = blockDim.x / 32;
	long long row = blockIdx.x;
	line to = line_of(call.out, row, call.columns);
	for (long long column = threadIdx.x; column - threadIdx.x < call.columns;
	        column += COLUMNS * blockDim.x) {
		double sum[COLUMNS] = {};
		for (long long from = 0; from < call.count; from += blockDim.x) {
			long long mine = from + threadIdx.x;
			bool same = mine < call.count && (long long)get(&call.in[1], mine) == row;
			unsigned bits = __ballot_sync(~0u, same);
			__syncthreads();
			if (threadIdx.x % 32 == 0)
				found[threadIdx.x / 32] = bits;
			__syncthreads();
			for (int w = 0; w < warps; w++)
				for (unsigned left = found[w]; left; left &= left - 1) {
					line x = line_of(call.in[0], from + 32 * w + __ffs((int)left) - 1,
					        call.columns);
					for (int k = 0; k < COLUMNS; k++)
						if (column + k * blockDim.x < call.columns)
							sum[k] += x.get(column + k * blockDim.x);
				}
		}
		for (int k = 0; k < COLUMNS; k++)
			if (column + k * blockDim.x < call.columns)
				to.put(column + k * blockDim.x, sum[k], call.add);
	}
}

// A block 32 columns: thread (x, y) adds the rows y, y + blockDim.y ... of column x, then the first row of
// threads adds up what the others have.
MEETING_KERNEL(embed_colsum, rows, 512)
{
	__shared__ double part[16][32];
	long long column = (long long)blockIdx.x * 32 + threadIdx.x;
	double sum = 0;
	for (long long r = threadIdx.y; r < call.rows && column < call.columns; r += blockDim.y)
		sum += line_of(call.in[0], r, call.columns).get(column);
	part[threadIdx.y][threadIdx.x] = sum;
	__syncthreads();
	if (threadIdx.y > 0 || column >= call.columns)
		return;
	for (int i = 1; i < (int)blockDim.y; i++)
		sum += part[i][threadIdx.x];
	line_of(call.out, 0, call.columns).put(column, sum, call.add);
}
