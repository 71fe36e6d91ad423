/* kernel.cuh -- declares kernels: KERNEL(name, struct) { ... call ... }; SYNC_KERNEL if threads of
 * a block synchronize (__syncthreads, shuffles). */
#ifndef RANKSH_CUDA_KERNEL_CUH
#define RANKSH_CUDA_KERNEL_CUH

#include "cuda/kernels/arguments.h"

#ifndef INFINITY /* NVRTC has no math.h */
#define INFINITY __uint_as_float(0x7f800000)
#define NAN __uint_as_float(0x7fffffff)
#endif

#ifndef KERNEL
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define IN_PLACE __grid_constant__ /* threads index the argument in place, without a copy */
#else
#define IN_PLACE
#endif
#define SYNC_KERNEL(name, type, threads) \
	extern "C" __global__ void __launch_bounds__(threads) name(const IN_PLACE struct type call)
#define KERNEL(name, type) SYNC_KERNEL(name, type, THREADS)
#endif
#define INLINE static __device__ __forceinline__

INLINE long long thread_number()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

INLINE long long thread_count()
{
	return (long long)gridDim.x * blockDim.x;
}

/* base/bits.h for a GPU, and the bounds of kernels/exponential.h */
INLINE unsigned long long bits_of_double(double value)
{
	return (unsigned long long)__double_as_longlong(value);
}

INLINE double double_of_bits(unsigned long long bits)
{
	return __longlong_as_double((long long)bits);
}

constexpr double exponential_least = -709, exponential_most = 710;

#endif
