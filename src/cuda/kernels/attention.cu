/* attention.cu -- o = softmax(q k.T / sqrt(d)) v for every head of every sequence, and the merge
 * of two blocks of keys (src/kernels/attention.c)
 *
 * One kernel, which never stores a score: a block takes some rows of q and visits the keys tile
 * by tile. For each row it keeps the largest score so far, the sum of the exponentials and the
 * weighted sum of v; if a larger score comes, both sums are multiplied by exp(old - new)
 * (FlashAttention-2, arXiv:2307.08691, algorithm 1).
 *
 *                 keys, 64 per tile
 *       q  | s s s s | s s s s | s s . .      s: scores of a tile (registers); the last are masked
 *          -> o, most, sum  after each
 *
 * Tensor cores compute what plan_attention.c allows; attention_any does the rest, with 64 columns
 * of o per block for wide heads. */
#include "cuda/kernels/attention.cuh"
#include "cuda/kernels/exponential.cuh"

SYNC_KERNEL(attention_any, attention, TILE_THREADS)
{
	const attention &a = call;
	__shared__ tile_memory memory;
	int y = threadIdx.x / 16, x = threadIdx.x % 16;
	task at = task_of(a, blockIdx.x, parts_of(a.queries, TILE), (int)parts_of(a.d, TILE));
	long long first = at.tile * TILE, last = first + TILE < a.queries ? first + TILE : a.queries,
	          limit = keys_seen(a, last - 1);
	int column = at.chunk * TILE;
	part q = part_of(a.q, a.queries, at.sequence, at.head * a.d),
	     k = part_of(a.k, a.keys, at.sequence, at.head * a.d),
	     v = part_of(a.v, a.keys, at.sequence, at.head * a.d),
	     o = part_of(a.o, a.queries, at.sequence, at.head * a.d);
	bool idle = first + warp_row() >= a.queries;
	running row[4];
	float s[4][4], sum[4][4] = {};

	for (long long key = 0; key < limit; key += TILE) {
		tile_product(memory, q, first, k, key, a.d, s);
		for (int i = 0; i < 4 && !idle; i++) {
			float most = -INFINITY;
			long long seen = keys_seen(a, first + 4 * y + i);
			for (int j = 0; j < 4; j++) {
				s[i][j] = key + x + 16 * j < seen ? s[i][j] * a.scale * LOG2_E : -INFINITY;
				most = fmaxf(most, s[i][j]);
			}
			float factor = row[i].raise(largest_of_lanes(most, 16));
			for (int j = 0; j < 4; j++) {
				s[i][j] = power_of_2(s[i][j] - row[i].base());
				row[i].sum += s[i][j];
				sum[i][j] *= factor;
			}
		}
		tile_times(memory, s, v, key, column, a.d, sum);
	}
	if (idle)
		return;
	for (int i = 0; i < 4; i++) {
		float all = sum_of_lanes(row[i].sum, 16);
		long long r = first + 4 * y + i;
		for (int j = 0; j < 4; j++)
			if (column + x + 16 * j < a.d)
				put(o, r, column + x + 16 * j, limit ? sum[i][j] / (all == 0 ? 1 : all) : 0,
				        a.add);
		if (a.lse.data && x == 0 && at.chunk == 0)
			put(part_of(a.lse, a.queries, at.sequence, at.head), r, 0, row[i].lse(all), false);
	}
}

/* The same on tensor cores */
template <int type, int D> INLINE void forward(const attention &a)
{
	constexpr int ROWS = rows_of_block<D>, KEYS = tile_rows<D>, M = groups<D>, N = KEYS / 8;
	__shared__ tile_pairs<D> memory;
	task at = task_of(a, blockIdx.x, parts_of(a.queries, ROWS), 1);
	long long first = at.tile * ROWS, last = first + ROWS < a.queries ? first + ROWS : a.queries,
	          limit = keys_seen(a, last - 1), row = first_row<D>(first);
	part q = part_of(a.q, a.queries, at.sequence, at.head * a.d),
	     k = part_of(a.k, a.keys, at.sequence, at.head * a.d),
	     v = part_of(a.v, a.keys, at.sequence, at.head * a.d),
	     o = part_of(a.o, a.queries, at.sequence, at.head * a.d),
	     lse = part_of(a.lse, a.queries, at.sequence, at.head);
	operand<D> x;
	running of_row[M][2];
	float s[M][N][4], scale = a.scale * LOG2_E;
	result<D> sum;
	int now = 0;

	load_operand<D>(x, memory, q, first, a.d);
	clear(sum);
	load_pair<D>(memory, now, k, v, 0, a.d);
	for (long long key = 0; key < limit; key += KEYS, now = !now) {
		arrive();
		if (key + KEYS < limit)
			load_pair<D>(memory, !now, k, v, key + KEYS, a.d);
		clear(s);
		product<type, D>(s, x, memory.half[now][0]);
		if (key + KEYS > keys_seen(a, first))
			hide(s, row, key, [&](long long query) { return range{0, keys_seen(a, query)}; });
#pragma unroll
		for (int m = 0; m < M; m++)
#pragma unroll
			for (int half = 0; half < 2; half++) {
				running &its = of_row[m][half];
				float most = -INFINITY;
#pragma unroll
				for (int n = 0; n < N; n++)
					most = fmaxf(most, fmaxf(s[m][n][2 * half], s[m][n][2 * half + 1]));
				float factor = its.raise(scale * largest_of_lanes(most, 4)),
				      base = its.base();
#pragma unroll
				for (int n = 0; n < N; n++)
#pragma unroll
					for (int j = 2 * half; j < 2 * half + 2; j++) {
						s[m][n][j] = power_of_2(fused(s[m][n][j], scale, -base));
						its.sum += s[m][n][j];
					}
#pragma unroll
				for (int n = 0; n < D / 8; n++) {
					sum[m][n][2 * half] *= factor;
					sum[m][n][2 * half + 1] *= factor;
				}
			}
		times<type, D>(sum, s, memory.half[now][1]);
	}
	float all[M][2];
#pragma unroll
	for (int m = 0; m < M; m++)
#pragma unroll
		for (int half = 0; half < 2; half++) {
			all[m][half] = sum_of_lanes(of_row[m][half].sum, 4);
			if (a.lse.data && threadIdx.x % 4 == 0)
				put(lse, row + 16 * m + 8 * half, 0, of_row[m][half].lse(all[m][half]),
				        false);
		}
	put_rows<type, D>(o, row, a.d, sum, a.add,
	        [&](int m, int half) { return all[m][half] == 0 ? 1 : 1 / all[m][half]; });
}

#define FORWARD(name, type, D)                   \
	SYNC_KERNEL(name, attention, 32 * WARPS) \
	{                                        \
		forward<type, D>(call);          \
	}
FORWARD(attention_f16_64, F16, 64)
FORWARD(attention_f16_128, F16, 128)
FORWARD(attention_bf16_64, BF16, 64)
FORWARD(attention_bf16_128, BF16, 128)

/* One warp per token and head. If neither block has seen a key, o is unchanged. */
SYNC_KERNEL(attention_merge, attention_blocks, THREADS)
{
	long long one = (long long)blockIdx.x * blockDim.y + threadIdx.y, token = one / call.heads;
	int head = (int)(one % call.heads);
	if (token >= call.tokens)
		return;
	double a = get(call.lse, token, head), b = get(call.lse1, token, head), most = a > b ? a : b;
	if (most == -INFINITY)
		return;
	double w = exponential(a - most), w1 = exponential(b - most), sum = w + w1;
	for (int c = head * call.d + threadIdx.x; c < (head + 1) * call.d; c += 32)
		put(call.o, token, c,
		        (float)(get(call.o, token, c) * (w / sum) + get(call.o1, token, c) * (w1 / sum)),
		        false);
	__syncwarp();
	if (threadIdx.x == 0)
		put(call.lse, token, head, (float)(most + log(sum)), false);
}
