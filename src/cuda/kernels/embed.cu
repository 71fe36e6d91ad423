/* embed.cu -- embed and its gradient, colsum (src/kernels/embed.c) */
#include "cuda/kernels/rows.cuh"

/* One team per row of the result. in: the table of call.count rows, ids */
SYNC_KERNEL(embed_rows, rows, THREADS)
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

/* up to COLUMNS columns of a row, from `column` on */
enum { COLUMNS = 4 };
template <class Way> INLINE void get_columns(const line &from, long long column, const rows &call, float *x)
{
	for (int c = 0; c < COLUMNS; c++)
		x[c] = 0;
	if (Way::GROUP == 1)
		for (int c = 0; c < COLUMNS && column + c < call.columns; c++)
			x[c] = (float)from.get(column + c);
	else if (column < call.columns)
		load_many<COLUMNS>(from.data, from.type_of(Way()), from.first + column, x);
}

template <class Way>
INLINE void put_columns(const line &to, long long column, const rows &call, const double *sum)
{
	if (Way::GROUP == 1)
		for (int c = 0; c < COLUMNS && column + c < call.columns; c++)
			to.put(column + c, sum[c], call.add);
	else if (column < call.columns)
		store_many<COLUMNS>(to.data, to.type_of(Way()), to.first + column, sum);
}

/* Adds the first AT_ONCE rows of dx in `found`, at most n. All are loaded before the first is
 * added. */
template <class Way, int AT_ONCE>
INLINE void add_found(const rows &call, const unsigned short *found, int n, long long from, long long column,
        double (&sum)[COLUMNS])
{
	float x[AT_ONCE][COLUMNS];
#pragma unroll
	for (int k = 0; k < AT_ONCE; k++)
		if (k < n)
			get_columns<Way>(
			        line_of(call.in[0], from + found[k], call.columns), column, call, x[k]);
#pragma unroll
	for (int k = 0; k < AT_ONCE; k++)
		for (int c = 0; c < COLUMNS && k < n; c++)
			sum[c] += x[k][c];
}

/* One block per row of the table. Each warp collects the positions of that id in its part of the
 * ids, in order; then all threads add those rows of dx, COLUMNS columns per thread, in the order
 * of the ids. in: dx of call.count rows, ids */
template <class Way> INLINE void embed_grad_rows(const rows &call, Way)
{
	enum { IDS = 256, WARPS = THREADS / 32, AT_ONCE = 4 };
	__shared__ unsigned short found[WARPS][IDS]; /* positions among the ids at hand */
	__shared__ int many[WARPS];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	long long row = blockIdx.x;
	for (long long first = 0; first < call.columns; first += COLUMNS * THREADS) {
		long long column = first + threadIdx.x * COLUMNS;
		double sum[COLUMNS] = {};
		for (long long from = 0; from < call.count; from += IDS * WARPS) {
			int n = 0;
#pragma unroll
			for (int j = 0; j < IDS; j += 32) {
				int mine = warp * IDS + j + lane;
				bool same = from + mine < call.count &&
				        (long long)get(&call.in[1], from + mine) == row;
				unsigned bits = __ballot_sync(~0u, same);
				if (same)
					found[warp][n + __popc(bits & ((1u << lane) - 1))] =
					        (unsigned short)mine;
				n += __popc(bits);
			}
			if (lane == 0)
				many[warp] = n;
			__syncthreads();
			for (int w = 0; w < WARPS; w++)
				for (int i = 0; i < many[w]; i += AT_ONCE)
					add_found<Way, AT_ONCE>(
					        call, &found[w][i], many[w] - i, from, column, sum);
			__syncthreads();
		}
		put_columns<Way>(line_of(call.out, row, call.columns), column, call, sum);
	}
}

ROW_KERNEL(embed_grad)

/* One block per 32 columns: thread (x, y) adds rows y, y + blockDim.y ... of column x, then the
 * first row of threads adds up the others' sums. */
SYNC_KERNEL(embed_colsum, rows, 512)
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
