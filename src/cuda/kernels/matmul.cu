/* matmul.cu -- y = scale a b, or y += scale a b, for operands that cuBLAS does not take
 * (gemm.c): strides in both dimensions, results of another type, k = 0 */
#include "cuda/kernels/tiles.cuh"

SYNC_KERNEL(matmul_any, product, TILE_THREADS)
{
	__shared__ tile_memory memory;
	long long across = parts_of(call.n, TILE), row = blockIdx.x / across * TILE,
	          column = blockIdx.x % across * TILE;
	device_matrix b = {call.b.data, call.b.column, call.b.row, call.b.type};
	float sum[4][4];
	tile_product(memory, part{call.a, call.m, 0, 0}, row, part{b, call.n, 0, 0}, column, call.k, sum);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			long long r = row + 4 * (threadIdx.x / 16) + i,
			          c = column + threadIdx.x % 16 + 16 * j;
			if (r < call.m && c < call.n)
				put(call.y, r, c, call.scale * sum[i][j], call.add);
		}
}
