/* tiles.cuh -- matrix products on ordinary cores, for operands of any type and strides: 64 x 64
 * elements per block, summed in f32 */
#ifndef RANKSH_TILES_CUH
#define RANKSH_TILES_CUH

#include "cuda/kernels/numbers.cuh"

/* a b + c, rounded once: only for matrix products and attention, whose bits are not specified */
INLINE float fused(float a, float b, float c)
{
#ifdef __CUDA_ARCH__
	return __fmaf_rn(a, b, c);
#else
	return a * b + c;
#endif
}

INLINE float get(const device_matrix &m, long long row, long long column)
{
	return (float)load(m.data, m.type, row * m.row + column * m.column);
}

/* Not inlined: it is called for each element of a result and would be most of the code. */
static __device__ __attribute__((noinline)) void put(
        const device_matrix &m, long long row, long long column, float value, bool add)
{
	long long at = row * m.row + column * m.column;
	store(m.data, m.type, at, add ? (float)load(m.data, m.type, at) + value : value);
}

/* `rows` rows of a matrix, from element [row,column] on */
struct part {
	device_matrix matrix;
	long long rows, row, column;
};

INLINE float get(const part &p, long long row, long long column)
{
	return get(p.matrix, p.row + row, p.column + column);
}

INLINE void put(const part &p, long long row, long long column, float value, bool add)
{
	if (row < p.rows)
		put(p.matrix, p.row + row, p.column + column, value, add);
}

INLINE long long parts_of(long long count, long long size)
{
	return (count + size - 1) / size;
}

/* 256 threads: thread (y, x) of 16 x 16 has the 4 x 4 elements of rows 4 y .. 4 y + 3 and columns
 * x, x + 16, x + 32, x + 48. The 16 threads of a row are neighbours in a warp. */

/* The rows of a warp's threads begin at first + warp_row(); a warp beyond the last row only
 * loads. */
INLINE int warp_row()
{
	return threadIdx.x / 32 * 8;
}

constexpr int CHUNK = 32;

struct tile_memory {
	float p[TILE][TILE + 1];
	union {
		float pair[2][TILE][CHUNK + 1];
		float wide[TILE][TILE + 1];
	};
};

INLINE void load_chunk(float (*to)[CHUNK + 1], const part &m, long long row, int column, int d)
{
	for (int i = threadIdx.x; i < TILE * CHUNK; i += TILE_THREADS) {
		int r = i / CHUNK, c = i % CHUNK;
		to[r][c] = row + r < m.rows && column + c < d ? get(m, row + r, column + c) : 0;
	}
}

/* A chunk is summed first and then added to the total: short sums lose fewer bits. */
INLINE void add_tile(float (&sum)[4][4], const float (&own)[4][4])
{
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			sum[i][j] += own[i][j];
}

/* sum := a b.T of 64 rows of a and 64 of b, over d columns; 0 for a thread without existing
 * rows */
INLINE void tile_product(tile_memory &memory, const part &a, long long row_a, const part &b, long long row_b,
        int d, float (&sum)[4][4])
{
	int y = threadIdx.x / 16, x = threadIdx.x % 16;
	bool there = row_a + 4 * y < a.rows && row_b + x < b.rows;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			sum[i][j] = 0;
	for (int column = 0; column < d; column += CHUNK) {
		__syncthreads();
		load_chunk(memory.pair[0], a, row_a, column, d);
		load_chunk(memory.pair[1], b, row_b, column, d);
		__syncthreads();
		int count = !there ? 0 : d - column < CHUNK ? d - column : CHUNK;
		float own[4][4] = {};
		for (int c = 0; c < count; c++)
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					own[i][j] = fused(memory.pair[0][4 * y + i][c],
					        memory.pair[1][x + 16 * j][c], own[i][j]);
		add_tile(sum, own);
	}
}

/* sum += p w, with p [64,64] of this block's threads, and w the rows `row` .. row + 63 and 64
 * columns from `column` on; unchanged for a thread without existing columns */
INLINE void tile_times(tile_memory &memory, const float (&p)[4][4], const part &w, long long row, int column,
        int d, float (&sum)[4][4])
{
	int y = threadIdx.x / 16, x = threadIdx.x % 16,
	    rows = w.rows - row < TILE ? (int)(w.rows - row) : TILE;
	__syncthreads();
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			memory.p[4 * y + i][x + 16 * j] = p[i][j];
	for (int i = threadIdx.x; i < rows * TILE; i += TILE_THREADS) {
		int r = i / TILE, c = column + i % TILE;
		memory.wide[r][i % TILE] = c < d ? get(w, row + r, c) : 0;
	}
	__syncthreads();
	if (column + x >= d)
		return;
	float own[4][4] = {};
	for (int k = 0; k < rows; k++)
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++)
				own[i][j] =
				        fused(memory.p[4 * y + i][k], memory.wide[k][x + 16 * j], own[i][j]);
	add_tile(sum, own);
}

#endif
