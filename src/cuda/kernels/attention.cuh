/* attention.cuh -- what the attention kernels share: masks, running sums of a softmax, and tiles
 * on tensor cores */
#ifndef RANKSH_ATTENTION_CUH
#define RANKSH_ATTENTION_CUH

#include "cuda/kernels/tiles.cuh"

constexpr float LOG2_E = 1.44269504088896341f;

/* 2^x, to 2 units in the last place; below 2^-126 it is 0 */
INLINE float power_of_2(float x)
{
#ifdef __CUDA_ARCH__
	float power;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
	return power;
#else
	return exp2f(x);
#endif
}

/* Returns how many keys query `i` of a sequence sees: the first ones. */
INLINE long long keys_seen(const attention &a, long long i)
{
	long long seen = i + 1 + a.shift;
	return !a.causal || seen > a.keys ? a.keys : seen < 0 ? 0 : seen;
}

/* Returns the first query that sees key j; a.queries or more if none does. */
INLINE long long first_query(const attention &a, long long j)
{
	long long first = j - a.shift;
	return !a.causal || first < 0 ? 0 : first;
}

struct range {
	long long from, to;
};

/* Returns the rows of one sequence, from a head's first column on. */
INLINE part part_of(const device_matrix &matrix, long long rows, long long sequence, long long column)
{
	return {matrix, rows, sequence * rows, column};
}

/* A block's work. The last rows of all heads come first: with a causal mask they take longest. */
struct task {
	long long tile, sequence;
	int head, chunk; /* chunk: of TILE columns of the result */
};

INLINE task task_of(const attention &a, long long block, long long tiles, int chunks)
{
	long long all = a.sequences * a.heads * chunks, one = block % all;
	return {tiles - 1 - block / all, one / chunks / a.heads, (int)(one / chunks % a.heads),
	        (int)(one % chunks)};
}

/* Return the maximum, or sum, over `lanes` neighbouring threads to all of them. */
INLINE float largest_of_lanes(float x, int lanes)
{
	for (int apart = 1; apart < lanes; apart *= 2)
		x = fmaxf(x, __shfl_xor_sync(~0u, x, apart));
	return x;
}

INLINE float sum_of_lanes(float x, int lanes)
{
	for (int apart = 1; apart < lanes; apart *= 2)
		x += __shfl_xor_sync(~0u, x, apart);
	return x;
}

/* The running maximum (a score times log2(e)) and sum of a softmax's row. base(): the maximum; 0
 * if none */
struct running {
	float most = -INFINITY, sum = 0;

	/* Includes a tile's maximum. Returns the factor for earlier sums. */
	__device__ float raise(float largest)
	{
		float before = most;
		most = fmaxf(most, largest);
		float factor = before == -INFINITY ? 0 : power_of_2(before - most);
		sum *= factor;
		return factor;
	}
	__device__ float base() const
	{
		return most == -INFINITY ? 0 : most;
	}
	__device__ float lse(float all) const
	{
		return most == -INFINITY && all == 0 ? -INFINITY : (base() + log2f(all)) / LOG2_E;
	}
};

/* ---- tiles on tensor cores
 *
 * A warp multiplies [16,16] by [16,8] halves and adds in f32 (mma.m16n8k16). Lane 4 g + t holds
 *
 *      of a    rows g, g+8              columns 2t 2t+1, 2t+8 2t+9
 *      of b    rows 2t 2t+1, 2t+8 2t+9  column g
 *      of c    rows g, g+8              columns 2t 2t+1
 *
 * Registers, two halves each, from the first:   a   (g,2t) (g+8,2t) (g,2t+8) (g+8,2t+8)
 *                                               b   (2t,g) (2t+8,g)
 *
 * So a lane's c of two neighbouring tiles, as halves, is its a of the next product: probabilities
 * stay in registers. Below sm_80, and on a CPU, the same is computed through shared memory.
 *
 * A warp has 16 rows, or 32 for d up to 64: then each b is read once for two products. */

typedef unsigned short half_bits;

constexpr int WARPS = ATTENTION_WARPS;

template <int D> constexpr int rows_of_block = D <= 64 ? ATTENTION_ROWS_64 : ATTENTION_ROWS_128;
template <int D> constexpr int groups = rows_of_block<D> / WARPS / 16; /* of 16 rows, per warp */
/* rows of a tile in tile_pairs */
template <int D> constexpr int tile_rows = D <= 64 ? 64 : 32;

/* an operand's rows of a block, and its results */
template <int D> using operand = unsigned[groups<D>][D / 16][4];
template <int D> using result = float[groups<D>][D / 8][4];

/* Two tiles of two operands: one is used while the next is loaded. At first they hold the block's
 * rows. */
template <int D> struct tile_pairs {
	alignas(16) half_bits half[2][2][tile_rows<D> * (D + 8)];
	static_assert(rows_of_block<D> <= 4 * tile_rows<D>, "the rows fit");
};

INLINE float half_value_of(int type, unsigned bits)
{
	half_bits half = (half_bits)bits;
	return type == F16 ? half_value(half) : brain_value(half);
}

template <int type> INLINE unsigned pack(float low, float high)
{
	unsigned both;
#if __CUDA_ARCH__ >= 800
	if (type == BF16)
		asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
	else
		asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
	both = type == F16 ? half_of(low) | (unsigned)half_of(high) << 16
	                   : brain_of(low) | (unsigned)brain_of(high) << 16;
#endif
	return both;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
/* Emulates the instruction for GPUs without it; not inlined, because it is slow anyway. */
template <int type>
static __device__ __attribute__((noinline)) void emulate(
        float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
	__shared__ unsigned exchange[ATTENTION_WARPS][32][6];
	int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
	unsigned(*all)[6] = exchange[threadIdx.x / 32], mine[6] = {a[0], a[1], a[2], a[3], b0, b1};
	for (int i = 0; i < 6; i++)
		all[lane][i] = mine[i];
	__syncwarp();
	for (int i = 0; i < 4; i++) {
		int column = 2 * t + i % 2;
		for (int k = 0; k < 16; k++) {
			int other = k % 8 / 2, shift = k % 2 * 16;
			unsigned x = all[4 * g + other][i / 2 + k / 8 * 2] >> shift,
			         y = all[4 * column + other][4 + k / 8] >> shift;
			c[i] += half_value_of(type, x) * half_value_of(type, y);
		}
	}
	__syncwarp();
}
#endif

/* c += a b */
template <int type> INLINE void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
	if (type == BF16)
		asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
		    "{%8,%9}, "
		    "{%0,%1,%2,%3};"
		        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
	else
		asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
		    "{%8,%9}, "
		    "{%0,%1,%2,%3};"
		        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
	emulate<type>(c, a, b0, b1);
#endif
}

#ifdef __CUDA_ARCH__
INLINE unsigned shared_address(const void *at)
{
	unsigned address;
	asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(address) : "l"(at));
	return address;
}
#endif

/* Loads four [8,8] corners of halves from shared memory to registers; `apart`: between rows;
 * corner i is at from[at + i % 2 * one + i / 2 * two]. A lane gets row g, columns 2t 2t+1; with
 * `across`: rows 2t 2t+1 of column g. `at` is constant in unrolled loops, so addresses are
 * computed once. */
INLINE void load_square(
        unsigned (&r)[4], const half_bits *from, int at, int apart, int one, int two, bool across)
{
	int lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 800
	unsigned row = shared_address(from) +
	        (lane % 8 * apart + lane / 8 % 2 * one + lane / 16 * two) * (int)sizeof *from +
	        at * (int)sizeof *from;
	if (across)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		             : "r"(row)
		             : "memory");
	else
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		             : "r"(row)
		             : "memory");
#else
	int g = lane / 4, t = lane % 4;
	for (int i = 0; i < 4; i++) {
		const half_bits *corner = from + at + i % 2 * one + i / 2 * two,
		                *first = corner + (across ? 2 * t * apart + g : g * apart + 2 * t);
		r[i] = first[0] | (unsigned)first[across ? apart : 1] << 16;
	}
#endif
}

/* Starts a copy of 16 or 4 bytes (zeros unless `there`) to shared memory. arrive() waits for all
 * copies of the block. */
template <int bytes> INLINE void fetch(void *to, const void *from, bool there)
{
#if __CUDA_ARCH__ >= 800
	if (bytes == 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
		             "l"(from), "r"(there ? 16 : 0)
		             : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
		             "l"(from), "r"(there ? 4 : 0)
		             : "memory");
#else
	for (int i = 0; i < bytes / 4; i++)
		((unsigned *)to)[i] = there ? ((const unsigned *)from)[i] : 0;
#endif
}

INLINE void arrive()
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_all;" ::: "memory");
#endif
	__syncthreads();
}

/* Eight halves of a row; the plan ensures 16-byte alignment. */
struct alignas(16) eight {
	unsigned word[4];
};

INLINE const eight *eight_of(const part &m, long long row, int column)
{
	return (const eight *)((const half_bits *)m.matrix.data + (m.row + row) * m.matrix.row + m.column +
	        column);
}

/* Loads rows row .. row + COUNT - 1, d columns, zero-padded to COUNT and D. */
template <int D, int COUNT> INLINE void load_rows(half_bits *to, const part &m, long long row, int d)
{
	constexpr int AT_ONCE = 32 * WARPS / (D / 8);
	int r = threadIdx.x / (D / 8), c = threadIdx.x % (D / 8) * 8;
#pragma unroll
	for (int i = 0; i < COUNT; i += AT_ONCE)
		fetch<16>(to + (r + i) * (D + 8) + c, eight_of(m, row + r + i, c),
		        row + r + i < m.rows && c < d);
}

/* c [16 M, 8 N] += a b.T: this warp's a is in registers, the 8 N rows of b in shared memory */
template <int type, int D, int M, int N>
INLINE void product(float (&c)[M][N][4], const unsigned (&a)[M][D / 16][4], const half_bits *b)
{
#pragma unroll
	for (int k = 0; k < D / 16; k++)
#pragma unroll
		for (int n = 0; n < N; n += 2) {
			unsigned r[4];
			load_square(r, b, n * 8 * (D + 8) + k * 16, D + 8, 8, 8 * (D + 8), false);
#pragma unroll
			for (int m = 0; m < M; m++) {
				multiply<type>(c[m][n], a[m][k], r[0], r[1]);
				multiply<type>(c[m][n + 1], a[m][k], r[2], r[3]);
			}
		}
}

/* c [16 M, D] += p w: p [16 M, 8 N] is product()'s result as halves, the 8 N rows of w are in
 * shared memory */
template <int type, int D, int M, int N>
INLINE void times(float (&c)[M][D / 8][4], const float (&p)[M][N][4], const half_bits *w)
{
#pragma unroll
	for (int k = 0; k < N; k += 2) {
		unsigned a[M][4];
#pragma unroll
		for (int m = 0; m < M; m++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				a[m][i] = pack<type>(
				        p[m][k + i / 2][i % 2 * 2], p[m][k + i / 2][i % 2 * 2 + 1]);
#pragma unroll
		for (int n = 0; n < D / 8; n += 2) {
			unsigned r[4];
			load_square(r, w, k * 8 * (D + 8) + n * 8, D + 8, 8 * (D + 8), 8, true);
#pragma unroll
			for (int m = 0; m < M; m++) {
				multiply<type>(c[m][n], a[m], r[0], r[1]);
				multiply<type>(c[m][n + 1], a[m], r[2], r[3]);
			}
		}
	}
}

/* Loads this block's rows of an operand through shared memory; a warp gets its own in
 * registers. */
template <int D>
INLINE void load_operand(operand<D> &a, tile_pairs<D> &memory, const part &m, long long row, int d)
{
	half_bits *rows = memory.half[0][0];
	load_rows<D, rows_of_block<D>>(rows, m, row, d);
	arrive();
#pragma unroll
	for (int i = 0; i < groups<D>; i++)
#pragma unroll
		for (int k = 0; k < D / 16; k++)
			load_square(a[i][k], rows + threadIdx.x / 32 * groups<D> * 16 * (D + 8),
			        i * 16 * (D + 8) + k * 16, D + 8, 8 * (D + 8), 8, false);
	__syncthreads();
}

/* Loads the tiles of two operands from `row` on, as pair 0 or 1. */
template <int D>
INLINE void load_pair(tile_pairs<D> &memory, int pair, const part &a, const part &b, long long row, int d)
{
	load_rows<D, tile_rows<D>>(memory.half[pair][0], a, row, d);
	load_rows<D, tile_rows<D>>(memory.half[pair][1], b, row, d);
}

/* Returns this lane's first row in a block that begins at `first`; its other rows are 8 apart. */
template <int D> INLINE long long first_row(long long first)
{
	return first + threadIdx.x / 32 * 16 * groups<D> + threadIdx.x % 32 / 4;
}

template <int M, int N> INLINE void clear(float (&c)[M][N][4])
{
#pragma unroll
	for (int i = 0; i < M * N * 4; i++)
		c[i / 4 / N][i / 4 % N][i % 4] = 0;
}

/* Sets to -inf those of the 8 N columns from `column` on that a row does not see. row: this lane's
 * first */
template <int M, int N, typename Seen>
INLINE void hide(float (&s)[M][N][4], long long row, long long column, Seen seen_of)
{
	int t = threadIdx.x % 4;
#pragma unroll
	for (int m = 0; m < M; m++)
#pragma unroll
		for (int half = 0; half < 2; half++) {
			range seen = seen_of(row + 16 * m + 8 * half);
#pragma unroll
			for (int n = 0; n < N; n++)
#pragma unroll
				for (int j = 0; j < 2; j++) {
					long long at = column + 8 * n + 2 * t + j;
					if (at < seen.from || at >= seen.to)
						s[m][n][2 * half + j] = -INFINITY;
				}
		}
}

/* Writes this warp's rows times factor(m, half), two elements at once if they are adjacent. */
template <int type, int D, typename Factor>
INLINE void put_rows(const part &to, long long row, int d, const result<D> &sum, bool add, Factor factor)
{
	int t = threadIdx.x % 4;
	bool pairs = to.matrix.type == type && to.matrix.column == 1 && !add;
#pragma unroll
	for (int m = 0; m < groups<D>; m++)
#pragma unroll
		for (int half = 0; half < 2; half++) {
			long long r = row + 16 * m + 8 * half;
			float by = factor(m, half);
			half_bits *line =
			        (half_bits *)to.matrix.data + (to.row + r) * to.matrix.row + to.column;
			bool whole = pairs && (unsigned long long)line % 4 == 0 && r < to.rows;
#pragma unroll
			for (int n = 0; n < D / 8; n++) {
				float low = sum[m][n][2 * half] * by, high = sum[m][n][2 * half + 1] * by;
				int c = 8 * n + 2 * t;
				if (c >= d)
					continue;
				if (whole)
					*(unsigned *)(line + c) = pack<type>(low, high);
				else {
					put(to, r, c, low, add);
					put(to, r, c + 1, high, add);
				}
			}
		}
}

#endif
