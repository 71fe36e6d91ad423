/* attention_grad.cu -- dq dk dv of attention (src/kernels/attention.c), in two launches, neither
 * of which stores a score:
 *
 *      attention_stats   per query: the logarithm of the softmax's sum, and delta = rowsum(do o),
 *                        from o and lse if given, else as the equal rowsum(p (do v.T))
 *      attention_grad    p and ds = p (do v.T - delta) again, tile by tile: some blocks take rows
 *                        of q and compute dq, the others rows of k, for dk and dv. Each element
 *                        has one block: no atomics, so the bits are the same in every run.
 *
 * Both kinds of blocks compute the same products with different operands:
 *
 *      rows of   fixed x y   tiles z w   scores x z.T   y w.T
 *      q         q do        k v         s              do v.T         dq += ds z
 *      k         k v         q do        s.T            (do v.T).T     dk += ds.T z    dv += p.T w
 *
 * dq and dk are multiplied by the scale at the end, because the scores were q k.T scaled. */
#include "cuda/kernels/attention.cuh"

struct operands {
	bool by_key; /* the rows are of k */
	part x, y, z, w;
};

INLINE operands operands_of(const attention &a, bool by_key, long long sequence, int head)
{
	int column = head * a.d;
	part q = part_of(a.q, a.queries, sequence, column), d_o = part_of(a.d_o, a.queries, sequence, column),
	     k = part_of(a.k, a.keys, sequence, column), v = part_of(a.v, a.keys, sequence, column);
	return by_key ? operands{true, k, v, q, d_o} : operands{false, q, d_o, k, v};
}

/* A head's logarithms of sums, times log2(e); its deltas are stats_apart() further */
INLINE float *stats_of(const attention &a, long long sequence, int head)
{
	return a.stats + (sequence * a.heads + head) * a.queries;
}

INLINE long long stats_apart(const attention &a)
{
	return a.sequences * a.heads * a.queries;
}

/* The columns that rows first .. first + rows - 1 depend on: keys of queries, or queries of
 * keys */
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

/* p of one pair, from its score and its query's stats */
INLINE float probability(const attention &a, float score, float lse)
{
	return power_of_2(fused(score, a.scale * LOG2_E, -lse));
}

/* If a query sees no key, its stats do not matter, because the gradient masks it too. */
INLINE void put_stats(const attention &a, const task &at, long long row, float lse, float delta)
{
	float *stats = stats_of(a, at.sequence, at.head);
	stats[row] = lse == -INFINITY ? 0 : lse * LOG2_E;
	stats[stats_apart(a) + row] = delta;
}

/* Computes stats from o and lse, without scores. Thread `lane` of `lanes` takes every lanes-th
 * column. */
INLINE void stats_of_whole(const attention &a, const task &at, long long row, int lane, int lanes)
{
	part o = part_of(a.o, a.queries, at.sequence, at.head * a.d),
	     d_o = part_of(a.d_o, a.queries, at.sequence, at.head * a.d);
	double sum = 0;
	for (int c = lane; c < a.d && row < a.queries; c += lanes)
		sum += (double)get(o, row, c) * get(d_o, row, c);
	float delta = sum_of_lanes((float)sum, lanes);
	if (lane == 0 && row < a.queries)
		put_stats(a, at, row, get(part_of(a.lse, a.queries, at.sequence, at.head), row, 0), delta);
}

/* ---- on ordinary cores, for any type, stride and d */

SYNC_KERNEL(attention_stats_any, attention, TILE_THREADS)
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
	float s[4][4], slope[4][4], sum[4] = {};

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
		if (x == 0 && r < a.queries)
			put_stats(a, at, r, row[i].lse(all), all == 0 ? 0 : weighted / all);
	}
}

SYNC_KERNEL(attention_grad_any, attention, TILE_THREADS)
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
				s[i][j] = seen ? probability(a, s[i][j], stats[query]) : 0;
				slope[i][j] =
				        seen ? s[i][j] * (slope[i][j] - stats[stats_apart(a) + query]) : 0;
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

/* ---- on tensor cores: f16 and bf16, d up to D */

/* columns of a tile at a time: registers have no room for more beside the results */
constexpr int N = 2, COLUMNS = 8 * N;

template <int D> struct backward_memory {
	tile_pairs<D> pairs;
	float lse[2][tile_rows<D>], delta[2][tile_rows<D>]; /* stats of tiles of queries */
};

template <int D>
INLINE void load_tile(backward_memory<D> &memory, int pair, const operands &of, long long row,
        const attention &a, const float *stats)
{
	int i = threadIdx.x;
	load_pair<D>(memory.pairs, pair, of.z, of.w, row, a.d);
	if (of.by_key && i < tile_rows<D>) {
		fetch<4>(&memory.lse[pair][i], stats + row + i, row + i < a.queries);
		fetch<4>(&memory.delta[pair][i], stats + stats_apart(a) + row + i, row + i < a.queries);
	}
}

/* Computes the products of both pairs of operands for some columns of a tile, masked. */
template <int type, int D>
INLINE void scores(const attention &a, const operands &of, const operand<D> &x, const operand<D> &y,
        const half_bits *z, const half_bits *w, long long row, long long column, bool all_seen,
        float (&s)[groups<D>][N][4], float (&slope)[groups<D>][N][4])
{
	clear(s);
	clear(slope);
	product<type, D>(s, x, z);
	product<type, D>(slope, y, w);
	if (!all_seen)
		hide(s, row, column, [&](long long r) { return columns_of(a, of.by_key, r, 1); });
}

/* Computes stats from o and lse, with four lanes per row and eight elements at once. */
template <int type> INLINE void stats_of_halves(const attention &a, const task &at, long long row)
{
	int lane = threadIdx.x % 4;
	part o = part_of(a.o, a.queries, at.sequence, at.head * a.d),
	     d_o = part_of(a.d_o, a.queries, at.sequence, at.head * a.d);
	float sum = 0;
	for (int c = 8 * lane; c < a.d && row < a.queries; c += 32) {
		eight x = *eight_of(o, row, c), y = *eight_of(d_o, row, c);
#pragma unroll
		for (int i = 0; i < 8; i++)
			sum = fused(half_value_of(type, x.word[i / 2] >> i % 2 * 16),
			        half_value_of(type, y.word[i / 2] >> i % 2 * 16), sum);
	}
	sum = sum_of_lanes(sum, 4);
	if (lane == 0 && row < a.queries)
		put_stats(a, at, row, get(part_of(a.lse, a.queries, at.sequence, at.head), row, 0), sum);
}

template <int type, int D> INLINE void stats_kernel(const attention &a)
{
	constexpr int ROWS = rows_of_block<D>, M = groups<D>, TILE_KEYS = tile_rows<D>;
	__shared__ backward_memory<D> memory;
	task at = task_of(a, blockIdx.x, parts_of(a.queries, ROWS), 1);
	operands of = operands_of(a, false, at.sequence, at.head);
	long long first = at.tile * ROWS, row = first_row<D>(first);
	range keys = columns_of(a, false, first, ROWS);
	operand<D> x, y;
	running of_row[M][2];
	float s[M][N][4], slope[M][N][4], sum[M][2] = {}, scale = a.scale * LOG2_E;
	int now = 0;

	if (a.o.data) {
		for (int i = 0; i < 2 * M; i++)
			stats_of_halves<type>(a, at, row + 8 * i);
		return;
	}
	load_operand<D>(x, memory.pairs, of.x, first, a.d);
	load_operand<D>(y, memory.pairs, of.y, first, a.d);
	load_tile<D>(memory, now, of, 0, a, nullptr);
	for (long long key = 0; key < keys.to; key += TILE_KEYS, now = !now) {
		arrive();
		if (key + TILE_KEYS < keys.to)
			load_tile<D>(memory, !now, of, key + TILE_KEYS, a, nullptr);
		bool all_seen = key + TILE_KEYS <= keys_seen(a, first);
		for (int c = 0; c < TILE_KEYS; c += COLUMNS) {
			scores<type, D>(a, of, x, y, memory.pairs.half[now][0] + c * (D + 8),
			        memory.pairs.half[now][1] + c * (D + 8), row, key + c, all_seen, s, slope);
#pragma unroll
			for (int i = 0; i < 2 * M; i++) {
				int m = i / 2, half = i % 2;
				float most = -INFINITY;
#pragma unroll
				for (int n = 0; n < 2 * N; n++)
					most = fmaxf(most, s[m][n / 2][2 * half + n % 2]);
				sum[m][half] *= of_row[m][half].raise(scale * largest_of_lanes(most, 4));
				float base = of_row[m][half].base();
#pragma unroll
				for (int n = 0; n < 2 * N; n++) {
					float p = power_of_2(
					        fused(s[m][n / 2][2 * half + n % 2], scale, -base));
					of_row[m][half].sum += p;
					sum[m][half] =
					        fused(p, slope[m][n / 2][2 * half + n % 2], sum[m][half]);
				}
			}
		}
	}
#pragma unroll
	for (int i = 0; i < 2 * M; i++) {
		running &its = of_row[i / 2][i % 2];
		float all = sum_of_lanes(its.sum, 4), weighted = sum_of_lanes(sum[i / 2][i % 2], 4);
		if (threadIdx.x % 4 == 0 && row + 8 * i < a.queries)
			put_stats(a, at, row + 8 * i, its.lse(all), all == 0 ? 0 : weighted / all);
	}
}

/* A block of the gradient: rows of k, or of q */
template <int type, int D, bool by_key>
INLINE void grad_block(const attention &a, backward_memory<D> &memory, const task &at)
{
	constexpr int ROWS = rows_of_block<D>, M = groups<D>, TILE_COLUMNS = tile_rows<D>;
	operands of = operands_of(a, by_key, at.sequence, at.head);
	long long first = at.tile * ROWS, row = first_row<D>(first), apart = stats_apart(a);
	range columns = columns_of(a, by_key, first, ROWS);
	const float *stats = stats_of(a, at.sequence, at.head);
	operand<D> x, y;
	float s[M][N][4], slope[M][N][4], lse[M][2] = {}, delta[M][2] = {};
	result<D> sum, sum_v;
	int now = 0;

#pragma unroll
	for (int i = 0; i < 2 * M; i++)
		if (!by_key && row + 8 * i < a.queries) {
			lse[i / 2][i % 2] = stats[row + 8 * i];
			delta[i / 2][i % 2] = stats[apart + row + 8 * i];
		}
	load_operand<D>(x, memory.pairs, of.x, first, a.d);
	load_operand<D>(y, memory.pairs, of.y, first, a.d);
	clear(sum);
	if (by_key)
		clear(sum_v);
	long long tile = columns.from / TILE_COLUMNS * TILE_COLUMNS;
	load_tile<D>(memory, now, of, tile, a, stats);
	for (; tile < columns.to; tile += TILE_COLUMNS, now = !now) {
		arrive();
		if (tile + TILE_COLUMNS < columns.to)
			load_tile<D>(memory, !now, of, tile + TILE_COLUMNS, a, stats);
		bool all_seen = by_key
		        ? tile + TILE_COLUMNS <= a.queries && first + ROWS <= keys_seen(a, tile)
		        : tile + TILE_COLUMNS <= keys_seen(a, first);
#pragma unroll 1
		for (int c = 0; c < TILE_COLUMNS; c += COLUMNS) {
			const half_bits *z = memory.pairs.half[now][0] + c * (D + 8),
			                *w = memory.pairs.half[now][1] + c * (D + 8);
			scores<type, D>(a, of, x, y, z, w, row, tile + c, all_seen, s, slope);
#pragma unroll
			for (int n = 0; n < N; n++)
#pragma unroll
				for (int j = 0; j < 4; j++) {
					int column = c + 8 * n + threadIdx.x % 4 * 2 + j % 2;
#pragma unroll
					for (int m = 0; m < M; m++) {
						float p = probability(a, s[m][n][j],
						              by_key ? memory.lse[now][column]
						                     : lse[m][j / 2]),
						      mean = by_key ? memory.delta[now][column]
						                    : delta[m][j / 2];
						slope[m][n][j] = p * (slope[m][n][j] - mean);
						s[m][n][j] = p;
					}
				}
			times<type, D>(sum, slope, z);
			if (by_key)
				times<type, D>(sum_v, s, w);
		}
	}
	put_rows<type, D>(part_of(by_key ? a.dk : a.dq, of.x.rows, at.sequence, at.head * a.d), row, a.d, sum,
	        false, [&](int, int) { return a.scale; });
	if (by_key)
		put_rows<type, D>(part_of(a.dv, a.keys, at.sequence, at.head * a.d), row, a.d, sum_v, false,
		        [&](int, int) { return 1.f; });
}

template <int type, int D> INLINE void grad_kernel(const attention &a)
{
	constexpr int ROWS = rows_of_block<D>;
	__shared__ backward_memory<D> memory;
	long long tiles = parts_of(a.keys, ROWS), of_keys = tiles * a.sequences * a.heads;
	if (blockIdx.x < of_keys)
		grad_block<type, D, true>(a, memory, task_of(a, blockIdx.x, tiles, 1));
	else
		grad_block<type, D, false>(
		        a, memory, task_of(a, blockIdx.x - of_keys, parts_of(a.queries, ROWS), 1));
}

#define BACKWARD(name, type, D)                                    \
	SYNC_KERNEL(attention_stats_##name, attention, 32 * WARPS) \
	{                                                          \
		stats_kernel<type, D>(call);                       \
	}                                                          \
	SYNC_KERNEL(attention_grad_##name, attention, 32 * WARPS)  \
	{                                                          \
		grad_kernel<type, D>(call);                        \
	}
BACKWARD(f16_64, F16, 64)
BACKWARD(f16_128, F16, 128)
BACKWARD(bf16_64, BF16, 64)
BACKWARD(bf16_128, BF16, 128)
