/* kernels_cuda.h -- what CUDA's sources need to be C++ for the CPU: put in front of each of them (-include). One file has the rest: kernels.cpp.
 * Variables in shared memory are the thread's own, as it runs one block at a time. */
#ifndef RANKSH_STANDIN_KERNELS_CUDA_H
#define RANKSH_STANDIN_KERNELS_CUDA_H

#include "kernels.h"
extern "C" {
#include "base/dtype.h"
}
#include <math.h>
#include <string.h>

#define __device__
#define __forceinline__ inline
#define __restrict__
#define __shared__ static thread_local
#define __align__(n) alignas(n)

struct standin_dim {
	unsigned x, y, z;
};
extern thread_local standin_dim threadIdx, blockIdx, blockDim, gridDim;

struct alignas(16) float4 {
	float x, y, z, w;
};
struct alignas(16) int4 {
	int x, y, z, w;
};
struct alignas(16) uint4 {
	unsigned x, y, z, w;
};
struct alignas(8) ushort4 {
	unsigned short x, y, z, w;
};
struct alignas(8) uint2 {
	unsigned x, y;
};
struct alignas(8) float2 {
	float x, y;
};
struct alignas(16) double2 {
	double x, y;
};

template <class To, class From> static inline To standin_bits(From from)
{
	static_assert(sizeof(To) == sizeof from, "the same bits");
	To to;
	memcpy(&to, &from, sizeof to);
	return to;
}
#define __float_as_uint standin_bits<unsigned, float>
#define __uint_as_float standin_bits<float, unsigned>
#define __ffs __builtin_ffs
#define __popc __builtin_popcount
#define __double_as_longlong standin_bits<long long, double>
#define __longlong_as_double standin_bits<double, long long>

/* ---- f16, for which a GPU has instructions */

static inline unsigned short half_of(float value)
{
	unsigned short half;
	dtype_from_f32(DT_F16, &value, &half, 1);
	return half;
}

static inline float half_value(unsigned short half)
{
	float value;
	dtype_to_f32(DT_F16, &half, &value, 1);
	return value;
}

/* ---- kernels: a function each, and its row in the list */

struct elements;
struct standin_row {
	const char *name;
	standin_kernel_code *code;
	size_t argument_bytes;
	bool elements;
	int threads; /* of a block, at most: __launch_bounds__ */
	const standin_row *next;
	standin_row(const char *kernel, standin_kernel_code *its, size_t bytes, bool by_elements, int most);
};
/* By the type of its argument */
static inline bool standin_elements(const struct elements *)
{
	return true;
}
static inline bool standin_elements(const void *)
{
	return false;
}
typedef void standin_body(const void *argument);
void standin_run(const unsigned grid[3], const unsigned block[3], unsigned shared_bytes, const void *argument,
        standin_body *body, bool meets);

#define STANDIN_KERNEL(name, type, threads, meets)                                                          \
	static void name(const struct type &call);                                                          \
	static void name##_run(                                                                             \
	        const unsigned *grid, const unsigned *block, unsigned shared, void **arguments)             \
	{                                                                                                   \
		standin_run(                                                                                \
		        grid, block, shared, arguments[0],                                                  \
		        [](const void *argument) { name(*(const struct type *)argument); }, meets);         \
	}                                                                                                   \
	static const standin_row name##_row(                                                                \
	        #name, name##_run, sizeof(struct type), standin_elements((const struct type *)0), threads); \
	static void name(const struct type &call)
#define KERNEL(name, type) STANDIN_KERNEL(name, type, THREADS, false)
#define SYNC_KERNEL(name, type, threads) STANDIN_KERNEL(name, type, threads, true)

/* ---- where threads meet */

void __syncthreads();
void __syncwarp(unsigned mask = 0xffffffff);
int __syncthreads_or(int mine);
int __syncthreads_count(int mine);
unsigned __ballot_sync(unsigned mask, int mine);
void *standin_shared(); /* of the launch's shared_bytes */
/* Each thread of a warp gives `mine` and gets that of lane `from` */
unsigned long long standin_shuffle(unsigned long long mine, unsigned from);
unsigned standin_lane();

template <class T> static inline T __shfl_sync(unsigned, T mine, unsigned from)
{
	unsigned long long bits = 0;
	memcpy(&bits, &mine, sizeof mine);
	bits = standin_shuffle(bits, from);
	memcpy(&mine, &bits, sizeof mine);
	return mine;
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T mine, unsigned bits)
{
	return __shfl_sync(mask, mine, standin_lane() ^ bits);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T mine, unsigned by)
{
	unsigned lane = standin_lane();
	return __shfl_sync(mask, mine, lane + by < 32 ? lane + by : lane);
}

/* Fibres change places only where they meet. */
template <class T> static inline T atomicAdd(T *sum, T value)
{
	T old = *sum;
	*sum += value;
	return old;
}

static inline void __threadfence_system()
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Memory of the GPU may be other processes' too. */
static inline unsigned atomicCAS(unsigned *word, unsigned compare, unsigned value)
{
	__atomic_compare_exchange_n(word, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return compare;
}

#endif
