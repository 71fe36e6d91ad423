// attention.cu -- o = softmax(q k.T / sqrt(d)) v of every head of every sequence, and how two blocks of keys
// become one (src/kernels/attention.c).
//
// One kernel, which never stores a score: a block takes some rows of q and goes over the keys tile by tile.
// Of each row it has the largest score so far, the sum of the exponentials and the sum of v by them; when a
// larger score comes, what was summed is multiplied by exp(old - new) (FlashAttention-2, arXiv:2307.08691,
// algorithm 1).
//
//                 keys, 64 a tile
//       q  | s s s s | s s s s | s s . .      s: scores of a tile, in registers; the last ones are not seen
//          -> o, most, sum  after each
//
// On tensor cores for f16 and bf16, d to 128, rows of which eight elements lie at a multiple of 16 bytes;
// attention_any takes all else, and of a wide head 64 columns of o a block.
#include "attention.cuh"
#include "exponential.cuh"

// The scores of rows `row` .. and keys `key` .. are of a tile; what is not seen becomes -inf.
template <int Rows, int Columns, typename Row, typename Key>
INLINE void hide(const attention &a, float (&s)[Rows][Columns], Row row_of, Key key_of)
{
#pragma unroll
	for (int i = 0; i < Rows; i++)
#pragma unroll
		for (int j = 0; j < Columns; j++)
			if (key_of(i, j) >= keys_seen(a, row_of(i, j)))
				s[i][j] = -INFINITY;
}

MEETING_KERNEL(attention_any, attention, TILE_THREADS)
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
		hide(
		        a, s, [&](int i, int) { return first + 4 * y + i; },
		        [&](int, int j) { return key + x + 16 * j; });
		for (int i = 0; i < 4 && !idle; i++) {
			float most = -INFINITY;
			for (int j = 0; j < 4; j++) {
				s[i][j] *= a.scale * LOG2_E;
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

// First the block's rows of q, then tiles of k and v
template <int count> struct forward_memory {
	alignas(16) half_bits half[count];
};

// The same on tensor cores: a warp has 16 rows, lane 4 g + t the rows g and g + 8 of them.
template <int type, int D> INLINE void forward(const attention &a)
{
	constexpr int KEYS = 64, N = KEYS / 8, ROWS = 16 * ATTENTION_FORWARD_WARPS;
	__shared__ forward_memory<2 * KEYS *(D + 8)> shared;
	half_bits *memory = shared.half, *tile_k = memory, *tile_v = memory + KEYS * (D + 8);
	static_assert(ROWS <= 2 * KEYS, "q fits");
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	task at = task_of(a, blockIdx.x, parts_of(a.queries, ROWS), 1);
	long long first = at.tile * ROWS, last = first + ROWS < a.queries ? first + ROWS : a.queries,
	          limit = keys_seen(a, last - 1), row = first + threadIdx.x / 32 * 16 + g;
	part q = part_of(a.q, a.queries, at.sequence, at.head * a.d),
	     k = part_of(a.k, a.keys, at.sequence, at.head * a.d),
	     v = part_of(a.v, a.keys, at.sequence, at.head * a.d),
	     o = part_of(a.o, a.queries, at.sequence, at.head * a.d);
	unsigned operand[D / 16][4];
	running of_row[2];
	float s[N][4], sum[D / 8][4];

	load_rows<D>(memory, q, first, ROWS, a.d);
	__syncthreads();
	load_operand<D>(operand, memory);
	clear(sum);
	for (long long key = 0; key < limit; key += KEYS) {
		__syncthreads();
		load_rows<D>(tile_k, k, key, KEYS, a.d);
		load_rows<D>(tile_v, v, key, KEYS, a.d);
		__syncthreads();
		clear(s);
		product<type, D, N>(s, operand, tile_k);
		if (key + KEYS > keys_seen(a, first))
			hide(
			        a, s, [&](int, int j) { return row + j / 2 * 8; },
			        [&](int i, int j) { return key + 8 * i + 2 * t + j % 2; });
#pragma unroll
		for (int half = 0; half < 2; half++) {
			float most = -INFINITY, scale = a.scale * LOG2_E;
#pragma unroll
			for (int n = 0; n < N; n++)
				most = fmaxf(most, fmaxf(s[n][2 * half], s[n][2 * half + 1]));
			float factor = of_row[half].raise(scale * largest_of_lanes(most, 4)),
			      base = of_row[half].base();
#pragma unroll
			for (int n = 0; n < N; n++)
#pragma unroll
				for (int j = 2 * half; j < 2 * half + 2; j++) {
					s[n][j] = power_of_2(fused(s[n][j], scale, -base));
					of_row[half].sum += s[n][j];
				}
#pragma unroll
			for (int n = 0; n < D / 8; n++) {
				sum[n][2 * half] *= factor;
				sum[n][2 * half + 1] *= factor;
			}
		}
		times<type, D, N>(sum, s, tile_v);
	}
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float all = sum_of_lanes(of_row[half].sum, 4), divisor = all == 0 ? 1 : all;
		long long r = row + 8 * half;
#pragma unroll
		for (int n = 0; n < D / 8; n++)
#pragma unroll
			for (int j = 0; j < 2; j++)
				if (8 * n + 2 * t + j < a.d)
					put(o, r, 8 * n + 2 * t + j, sum[n][2 * half + j] / divisor, a.add);
		if (a.lse.data && t == 0)
			put(part_of(a.lse, a.queries, at.sequence, at.head), r, 0, of_row[half].lse(all),
			        false);
	}
}

#define FORWARD(name, type, D)                                        \
	MEETING_KERNEL(name, attention, 32 * ATTENTION_FORWARD_WARPS) \
	{                                                             \
		forward<type, D>(call);                               \
	}
FORWARD(attention_f16_64, F16, 64)
FORWARD(attention_f16_128, F16, 128)
FORWARD(attention_bf16_64, BF16, 64)
FORWARD(attention_bf16_128, BF16, 128)

// o and lse, attention to a block of keys, become attention to it and another: a warp a token and head.
// Where neither has seen anything, o stays as it is. tokens: queries * sequences
MEETING_KERNEL(attention_merge, attention_blocks, THREADS)
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
