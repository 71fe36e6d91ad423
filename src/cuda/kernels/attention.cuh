// attention.cuh -- what the kernels of attention share: which keys a query sees, the running sums of a
// softmax, and tiles on tensor cores.
#ifndef RANKSH_ATTENTION_CUH
#define RANKSH_ATTENTION_CUH

#include "tiles.cuh"

constexpr float LOG2_E = 1.44269504088896341f;

// 2^x, to 2 in the last place
INLINE float power_of_2(float x)
{
#ifdef __CUDA_ARCH__
	float power;
	asm("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(x));
	return power;
#else
	return exp2f(x);
#endif
}

// How many keys query `i` of a sequence sees: the first ones
INLINE long long keys_seen(const attention &a, long long i)
{
	long long seen = i + 1 + a.shift;
	return !a.causal || seen > a.keys ? a.keys : seen < 0 ? 0 : seen;
}

// The first query that sees key j; a.queries or more: none
INLINE long long first_query(const attention &a, long long j)
{
	long long first = j - a.shift;
	return !a.causal || first < 0 ? 0 : first;
}

// The rows of one sequence, the columns from one head's first on
INLINE part part_of(const device_matrix &matrix, long long rows, long long sequence, long long column)
{
	return {matrix, rows, sequence * rows, column};
}

// What this block works at. Blocks of all heads have their last rows first: where a query sees only keys
// before it, these take longest.
struct task {
	long long tile, sequence;
	int head, chunk; // chunk: of TILE columns of the result
};

INLINE task task_of(const attention &a, long long block, long long tiles, int chunks)
{
	long long all = a.sequences * a.heads * chunks, one = block % all;
	return {tiles - 1 - block / all, one / chunks / a.heads, (int)(one / chunks % a.heads),
	        (int)(one % chunks)};
}

// The largest, or the sum, over `lanes` neighbouring threads, in all of them
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

// The sums of a softmax's row, which a key after the other joins: `base` is the largest score so far (0
// where there is none yet), times log2(e).
struct running {
	float most = -INFINITY, sum = 0;

	// A tile's largest comes in: what earlier sums are to be multiplied with
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

// ---- tiles on tensor cores ----
//
// A warp multiplies [16,16] by [16,8] in halves and adds in f32 (mma.m16n8k16). Lane 4 g + t has
//      of a    rows g, g+8              columns 2t 2t+1, 2t+8 2t+9
//      of b    rows 2t 2t+1, 2t+8 2t+9  column g
//      of c    rows g, g+8              columns 2t 2t+1
// Registers, of two halves each, from their first:   a   (g,2t) (g+8,2t) (g,2t+8) (g+8,2t+8)
//                                                    b   (2t,g) (2t+8,g)
// So a lane's c of two neighbouring tiles, made halves, is its a of the next product: the probabilities never
// leave the registers. Below sm_80, and on a CPU, the same is computed by way of shared memory.

typedef unsigned short half_bits;

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
// What the instruction does, for those that have none: slow, so not worth its code at every place
template <int type>
static __device__ __attribute__((noinline)) void emulate(
        float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
	__shared__ unsigned exchange[ATTENTION_FORWARD_WARPS][32][6];
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

// c += a b
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

// The four [8,8] corners of 16 x 16 halves in shared memory, `apart` from row to row, as registers:
//      r[0]  r[2]      of each a lane has row g, columns 2t 2t+1
//      r[1]  r[3]      across: rows 2t 2t+1 of column g
INLINE void load_square(unsigned (&r)[4], const half_bits *from, int apart, bool across)
{
	int lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 800
	unsigned at;
	const half_bits *row = from + (lane % 16) * apart + lane / 16 * 8;
	asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(at) : "l"(row));
	if (across)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		             : "r"(at)
		             : "memory");
	else
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		             : "r"(at)
		             : "memory");
#else
	int g = lane / 4, t = lane % 4;
	for (int i = 0; i < 4; i++) {
		const half_bits *corner = from + i % 2 * 8 * apart + i / 2 * 8,
		                *first = corner + (across ? 2 * t * apart + g : g * apart + 2 * t);
		r[i] = first[0] | (unsigned)first[across ? apart : 1] << 16;
	}
#endif
}

// Rows row .. row + count - 1, of which those that there are, and d columns, filled up with zeros to D. The
// plan has seen to it that eight halves lie at a multiple of 16 bytes.
template <int D> INLINE void load_rows(half_bits *to, const part &m, long long row, int count, int d)
{
	struct alignas(16) eight {
		unsigned word[4];
	};
	for (int i = threadIdx.x; i < count * (D / 8); i += blockDim.x) {
		int r = i / (D / 8), c = i % (D / 8) * 8;
		eight value = {};
		if (row + r < m.rows && c < d)
			value = *(const eight *)((const half_bits *)m.matrix.data +
			        (m.row + row + r) * m.matrix.row + m.column + c);
		*(eight *)(to + r * (D + 8) + c) = value;
	}
}

// c [16, 8 N] += a b.T: a of this warp's 16 rows is in registers, b has 8 N rows in shared memory
template <int type, int D, int N>
INLINE void product(float (&c)[N][4], const unsigned (&a)[D / 16][4], const half_bits *b)
{
#pragma unroll
	for (int k = 0; k < D / 16; k++)
#pragma unroll
		for (int n = 0; n < N; n += 2) {
			unsigned r[4];
			load_square(r, b + n * 8 * (D + 8) + k * 16, D + 8, false);
			multiply<type>(c[n], a[k], r[0], r[2]);
			multiply<type>(c[n + 1], a[k], r[1], r[3]);
		}
}

// c [16, D] += p w: p [16, 8 N] as product() has left it, made halves; w has 8 N rows in shared memory
template <int type, int D, int N>
INLINE void times(float (&c)[D / 8][4], const float (&p)[N][4], const half_bits *w)
{
#pragma unroll
	for (int k = 0; k < N; k += 2) {
		unsigned a[4] = {pack<type>(p[k][0], p[k][1]), pack<type>(p[k][2], p[k][3]),
		        pack<type>(p[k + 1][0], p[k + 1][1]), pack<type>(p[k + 1][2], p[k + 1][3])};
#pragma unroll
		for (int n = 0; n < D / 8; n += 2) {
			unsigned r[4];
			load_square(r, w + k * 8 * (D + 8) + n * 8, D + 8, true);
			multiply<type>(c[n], a, r[0], r[1]);
			multiply<type>(c[n + 1], a, r[2], r[3]);
		}
	}
}

// This warp's 16 of the rows in shared memory, as registers
template <int D> INLINE void load_operand(unsigned (&a)[D / 16][4], const half_bits *rows)
{
#pragma unroll
	for (int k = 0; k < D / 16; k++)
		load_square(a[k], rows + threadIdx.x / 32 * 16 * (D + 8) + k * 16, D + 8, false);
}

template <int N> INLINE void clear(float (&c)[N][4])
{
#pragma unroll
	for (int n = 0; n < N; n++)
		c[n][0] = c[n][1] = c[n][2] = c[n][3] = 0;
}

#endif
