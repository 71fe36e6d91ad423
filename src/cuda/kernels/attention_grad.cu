// attention_grad.cu -- dq dk dv of attention (src/kernels/attention.c), in two launches, neither of which
// stores a score:
//
//      attention_stats     of each query the logarithm of the softmax's sum, and delta = rowsum(do o): from
//                          o and lse where the call has them, else from q k v do, as rowsum(p (do v.T)) is
//                          the same
//      attention_grad      p and ds = p (do v.T - delta) again, tile by tile: some blocks take rows of q and
//                          make dq, the others rows of k, and make dk and dv. No element has two blocks:
//                          nothing is added by atomics, and the bits are the same every time.
//
// Both kinds of blocks do the same products, on other operands:
//
//      rows of   fixed x y   tiles z w   scores x z.T   y w.T
//      q         q do        k v         s              do v.T         dq += ds z
//      k         k v         q do        s.T            (do v.T).T     dk += ds.T z     dv += p.T w
//
// dq and dk are multiplied by the scale at the end, as the scores were q k.T scaled.
#include "attention.cuh"

struct operands {
	bool by_key; // the rows are of k
	part x, y, z, w;
};

INLINE operands operands_of(const attention &a, bool by_key, long long sequence, int head)
{
	int column = head * a.d;
	part q = part_of(a.q, a.queries, sequence, column), d_o = part_of(a.d_o, a.queries, sequence, column),
	     k = part_of(a.k, a.keys, sequence, column), v = part_of(a.v, a.keys, sequence, column);
	return by_key ? operands{true, k, v, q, d_o} : operands{false, q, d_o, k, v};
}

// A head's logarithms of sums; its deltas are `stats_apart` behind
INLINE float *stats_of(const attention &a, long long sequence, int head)
{
	return a.stats + (sequence * a.heads + head) * a.queries;
}

INLINE long long stats_apart(const attention &a)
{
	return a.sequences * a.heads * a.queries;
}

// The columns that rows first .. first + rows - 1 have anything to do with: keys of queries, or queries of
// keys
struct range {
	long long from, to;
};

INLINE range columns_of(const attention &a, bool by_key, long long first, int rows)
{
	if (by_key)
		return {first_query(a, first), a.queries};
	long long last = first + rows < a.queries ? first + rows : a.queries;
	return {0, keys_seen(a, last - 1)};
}

INLINE bool is_seen(const attention &a, bool by_key, long long row, long long column)
{
	long long query = by_key ? column : row, key = by_key ? row : column;
	return query < a.queries && key < keys_seen(a, query);
}

// p and ds of one pair, from its score and from do v.T: `slope` becomes ds, and the result is p. lse: times
// log2(e)
INLINE float probability(const attention &a, bool seen, float score, float lse, float delta, float *slope)
{
	float p = seen ? power_of_2(fused(score, a.scale * LOG2_E, -lse)) : 0;
	*slope = seen ? p * (*slope - delta) : 0;
	return p;
}

// With o and lse of the whole: no score is needed. Each thread of `lanes` takes every lanes-th column.
INLINE void stats_of_whole(const attention &a, const task &at, long long row, int lane, int lanes)
{
	part o = part_of(a.o, a.queries, at.sequence, at.head * a.d),
	     d_o = part_of(a.d_o, a.queries, at.sequence, at.head * a.d);
	double sum = 0;
	for (int c = lane; c < a.d && row < a.queries; c += lanes)
		sum += (double)get(o, row, c) * get(d_o, row, c);
	float delta = sum_of_lanes((float)sum, lanes);
	if (lane != 0 || row >= a.queries)
		return;
	float *stats = stats_of(a, at.sequence, at.head);
	stats[row] = get(part_of(a.lse, a.queries, at.sequence, at.head), row, 0);
	stats[stats_apart(a) + row] = delta;
}

// ---- on the ordinary cores, for any type, stride and d ----

MEETING_KERNEL(attention_stats_any, attention, TILE_THREADS)
{
	const attention &a = call;
	__shared__ tile_memory memory;
	int y = threadIdx.x / 16, x = threadIdx.x % 16;
	task at = task_of(a, blockIdx.x, parts_of(a.queries, TILE), 1);
	operands of = operands_of(a, false, at.sequence, at.head);
	long long first = at.tile * TILE;
	range keys = columns_of(a, false, first, TILE);
	bool idle = first + warp_row() >= a.queries;
	running row[4];
	float s[4][4], slope[4][4], sum[4] = {}, *stats = stats_of(a, at.sequence, at.head);

	if (a.o.data) {
		for (int i = 0; i < 4; i++)
			stats_of_whole(a, at, first + 4 * y + i, x, 16);
		return;
	}
	for (long long key = 0; key < keys.to; key += TILE) {
		tile_product(memory, of.x, first, of.z, key, a.d, s);
		tile_product(memory, of.y, first, of.w, key, a.d, slope);
		for (int i = 0; i < 4 && !idle; i++) {
			float most = -INFINITY;
			for (int j = 0; j < 4; j++) {
				bool seen = is_seen(a, false, first + 4 * y + i, key + x + 16 * j);
				s[i][j] = seen ? s[i][j] * a.scale * LOG2_E : -INFINITY;
				most = fmaxf(most, s[i][j]);
			}
			sum[i] *= row[i].raise(largest_of_lanes(most, 16));
			for (int j = 0; j < 4; j++) {
				float p = power_of_2(s[i][j] - row[i].base());
				row[i].sum += p;
				sum[i] += p * slope[i][j];
			}
		}
	}
	for (int i = 0; i < 4 && !idle; i++) {
		float all = sum_of_lanes(row[i].sum, 16), weighted = sum_of_lanes(sum[i], 16);
		long long r = first + 4 * y + i;
		if (x == 0 && r < a.queries) {
			stats[r] = row[i].lse(all);
			stats[stats_apart(a) + r] = all == 0 ? 0 : weighted / all;
		}
	}
}

MEETING_KERNEL(attention_grad_any, attention, TILE_THREADS)
{
	const attention &a = call;
	__shared__ tile_memory memory;
	int y = threadIdx.x / 16, x = threadIdx.x % 16, chunks = (int)parts_of(a.d, TILE);
	long long tiles = parts_of(a.keys, TILE), of_keys = tiles * a.sequences * a.heads * chunks;
	bool by_key = blockIdx.x < of_keys;
	task at = by_key ? task_of(a, blockIdx.x, tiles, chunks)
	                 : task_of(a, blockIdx.x - of_keys, parts_of(a.queries, TILE), chunks);
	operands of = operands_of(a, by_key, at.sequence, at.head);
	long long first = at.tile * TILE;
	range columns = columns_of(a, by_key, first, TILE);
	const float *stats = stats_of(a, at.sequence, at.head);
	int column = at.chunk * TILE;
	float s[4][4], slope[4][4], sum[4][4] = {}, sum_v[4][4] = {};

	for (long long c = columns.from / TILE * TILE; c < columns.to; c += TILE) {
		tile_product(memory, of.x, first, of.z, c, a.d, s);
		tile_product(memory, of.y, first, of.w, c, a.d, slope);
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++) {
				long long row = first + 4 * y + i, other = c + x + 16 * j,
				          query = by_key ? other : row;
				bool seen = is_seen(a, by_key, row, other);
				s[i][j] = probability(a, seen, s[i][j], seen ? stats[query] * LOG2_E : 0,
				        seen ? stats[stats_apart(a) + query] : 0, &slope[i][j]);
			}
		tile_times(memory, slope, of.z, c, column, a.d, sum);
		if (by_key)
			tile_times(memory, s, of.w, c, column, a.d, sum_v);
	}
	part d_x = part_of(by_key ? a.dk : a.dq, of.x.rows, at.sequence, at.head * a.d),
	     d_v = part_of(a.dv, a.keys, at.sequence, at.head * a.d);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4 && column + x + 16 * j < a.d; j++) {
			put(d_x, first + 4 * y + i, column + x + 16 * j, sum[i][j] * a.scale, false);
			if (by_key)
				put(d_v, first + 4 * y + i, column + x + 16 * j, sum_v[i][j], false);
		}
}

// ---- on tensor cores: f16 and bf16, d to D ----

constexpr int BACKWARD_THREADS = 32 * ATTENTION_BACKWARD_WARPS, ROWS = 16 * ATTENTION_BACKWARD_WARPS;

// Of a tile: what the registers have room for beside the results
constexpr int COLUMNS = 32, N = COLUMNS / 8;

template <int D> struct backward_memory {
	alignas(16) half_bits tile[2][ROWS * (D + 8)]; // x and y of the block, then z and w of a tile
	float lse[COLUMNS], delta[COLUMNS];            // of a tile of queries; lse times log2(e)
};

template <int D>
INLINE void load_fixed(backward_memory<D> &memory, const operands &of, long long first, int d,
        unsigned (&x)[D / 16][4], unsigned (&y)[D / 16][4])
{
	load_rows<D>(memory.tile[0], of.x, first, ROWS, d);
	load_rows<D>(memory.tile[1], of.y, first, ROWS, d);
	__syncthreads();
	load_operand<D>(x, memory.tile[0]);
	load_operand<D>(y, memory.tile[1]);
}

template <int type, int D> INLINE void stats_kernel(const attention &a)
{
	__shared__ backward_memory<D> memory;
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	task at = task_of(a, blockIdx.x, parts_of(a.queries, ROWS), 1);
	operands of = operands_of(a, false, at.sequence, at.head);
	long long first = at.tile * ROWS, row = first + threadIdx.x / 32 * 16 + g;
	range keys = columns_of(a, false, first, ROWS);
	unsigned x[D / 16][4], y[D / 16][4];
	running of_row[2];
	float s[N][4], slope[N][4], sum[2] = {}, *stats = stats_of(a, at.sequence, at.head),
	                            scale = a.scale * LOG2_E;

	if (a.o.data) {
		stats_of_whole(a, at, row, t, 4);
		stats_of_whole(a, at, row + 8, t, 4);
		return;
	}
	load_fixed<D>(memory, of, first, a.d, x, y);
	for (long long key = 0; key < keys.to; key += COLUMNS) {
		__syncthreads();
		load_rows<D>(memory.tile[0], of.z, key, COLUMNS, a.d);
		load_rows<D>(memory.tile[1], of.w, key, COLUMNS, a.d);
		__syncthreads();
		clear(s);
		clear(slope);
		product<type, D, N>(s, x, memory.tile[0]);
		product<type, D, N>(slope, y, memory.tile[1]);
		bool all_seen = key + COLUMNS <= keys_seen(a, first);
#pragma unroll
		for (int half = 0; half < 2; half++) {
			float most = -INFINITY;
#pragma unroll
			for (int n = 0; n < N; n++)
#pragma unroll
				for (int j = 2 * half; j < 2 * half + 2; j++) {
					bool seen = all_seen ||
					        is_seen(a, false, row + 8 * half,
					                key + 8 * n + 2 * t + j % 2);
					s[n][j] = seen ? s[n][j] * scale : -INFINITY;
					most = fmaxf(most, s[n][j]);
				}
			sum[half] *= of_row[half].raise(largest_of_lanes(most, 4));
			float base = of_row[half].base();
#pragma unroll
			for (int n = 0; n < N; n++)
#pragma unroll
				for (int j = 2 * half; j < 2 * half + 2; j++) {
					float p = power_of_2(s[n][j] - base);
					of_row[half].sum += p;
					sum[half] = fused(p, slope[n][j], sum[half]);
				}
		}
	}
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float all = sum_of_lanes(of_row[half].sum, 4), weighted = sum_of_lanes(sum[half], 4);
		long long r = row + 8 * half;
		if (t == 0 && r < a.queries) {
			stats[r] = of_row[half].lse(all);
			stats[stats_apart(a) + r] = all == 0 ? 0 : weighted / all;
		}
	}
}

template <int D>
INLINE void put_rows(const part &to, long long row, int d, const float (&sum)[D / 8][4], float scale)
{
	int t = threadIdx.x % 4;
#pragma unroll
	for (int n = 0; n < D / 8; n++)
#pragma unroll
		for (int j = 0; j < 4; j++)
			if (8 * n + 2 * t + j % 2 < d)
				put(to, row + j / 2 * 8, 8 * n + 2 * t + j % 2, sum[n][j] * scale, false);
}

template <int type, int D> INLINE void grad_kernel(const attention &a)
{
	__shared__ backward_memory<D> memory;
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	long long tiles = parts_of(a.keys, ROWS), of_keys = tiles * a.sequences * a.heads;
	bool by_key = blockIdx.x < of_keys;
	task at = by_key ? task_of(a, blockIdx.x, tiles, 1)
	                 : task_of(a, blockIdx.x - of_keys, parts_of(a.queries, ROWS), 1);
	operands of = operands_of(a, by_key, at.sequence, at.head);
	long long first = at.tile * ROWS, row = first + threadIdx.x / 32 * 16 + g, apart = stats_apart(a);
	range columns = columns_of(a, by_key, first, ROWS);
	const float *stats = stats_of(a, at.sequence, at.head);
	unsigned x[D / 16][4], y[D / 16][4];
	float s[N][4], slope[N][4], sum[D / 8][4], sum_v[D / 8][4], lse[2] = {}, delta[2] = {};

#pragma unroll
	for (int half = 0; half < 2; half++)
		if (!by_key && row + 8 * half < a.queries) {
			lse[half] = stats[row + 8 * half] * LOG2_E;
			delta[half] = stats[apart + row + 8 * half];
		}
	load_fixed<D>(memory, of, first, a.d, x, y);
	clear(sum);
	clear(sum_v);
	for (long long c = columns.from / COLUMNS * COLUMNS; c < columns.to; c += COLUMNS) {
		__syncthreads();
		load_rows<D>(memory.tile[0], of.z, c, COLUMNS, a.d);
		load_rows<D>(memory.tile[1], of.w, c, COLUMNS, a.d);
		if (by_key && threadIdx.x < COLUMNS && c + threadIdx.x < a.queries) {
			memory.lse[threadIdx.x] = stats[c + threadIdx.x] * LOG2_E;
			memory.delta[threadIdx.x] = stats[apart + c + threadIdx.x];
		}
		__syncthreads();
		clear(s);
		clear(slope);
		product<type, D, N>(s, x, memory.tile[0]);
		product<type, D, N>(slope, y, memory.tile[1]);
		bool all_seen = by_key ? c + COLUMNS <= a.queries && first + ROWS <= keys_seen(a, c)
		                       : c + COLUMNS <= keys_seen(a, first);
#pragma unroll
		for (int n = 0; n < N; n++)
#pragma unroll
			for (int j = 0; j < 4; j++) {
				int other = 8 * n + 2 * t + j % 2, half = j / 2;
				bool seen = all_seen || is_seen(a, by_key, row + 8 * half, c + other);
				s[n][j] =
				        probability(a, seen, s[n][j], by_key ? memory.lse[other] : lse[half],
				                by_key ? memory.delta[other] : delta[half], &slope[n][j]);
			}
		times<type, D, N>(sum, slope, memory.tile[0]);
		if (by_key)
			times<type, D, N>(sum_v, s, memory.tile[1]);
	}
	put_rows<D>(
	        part_of(by_key ? a.dk : a.dq, of.x.rows, at.sequence, at.head * a.d), row, a.d, sum, a.scale);
	if (by_key)
		put_rows<D>(part_of(a.dv, a.keys, at.sequence, at.head * a.d), row, a.d, sum_v, 1);
}

#define BACKWARD(name, type, D)                                             \
	MEETING_KERNEL(attention_stats_##name, attention, BACKWARD_THREADS) \
	{                                                                   \
		stats_kernel<type, D>(call);                                \
	}                                                                   \
	MEETING_KERNEL(attention_grad_##name, attention, BACKWARD_THREADS)  \
	{                                                                   \
		grad_kernel<type, D>(call);                                 \
	}
BACKWARD(f16_64, F16, 64)
BACKWARD(f16_128, F16, 128)
BACKWARD(bf16_64, BF16, 64)
BACKWARD(bf16_128, BF16, 128)
