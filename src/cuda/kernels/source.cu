/* source.cu -- full (also zeros, ones, fill), iota, uniform, randn (src/kernels/source.c):
 * element i depends only on i and the options */
#include "cuda/kernels/elements.cuh"
#include "base/philox.h"

struct op_source_full {
	enum { TENSORS = 1, READS = 0, WRITES = 1 };
	typedef double number;
	template <int V, class Number>
	static __device__ __forceinline__ void run(Number (*v)[V], long long from, const double *option)
	{
		(void)from;
#pragma unroll
		for (int i = 0; i < V; i++)
			v[0][i] = option[0];
	}
};

struct op_source_iota {
	enum { TENSORS = 1, READS = 0, WRITES = 1 };
	typedef double number;
	template <int V, class Number>
	static __device__ __forceinline__ void run(Number (*v)[V], long long from, const double *option)
	{
#pragma unroll
		for (int i = 0; i < V; i++)
			v[0][i] = option[0] * (double)(from + i);
	}
};

/* A group begins at a multiple of four, and one block of Philox has four words. */
template <bool NORMAL> struct op_source_random {
	enum { TENSORS = 1, READS = 0, WRITES = 1 };
	typedef double number;
	template <int V, class Number>
	static __device__ __forceinline__ void run(Number (*v)[V], long long from, const double *option)
	{
		unsigned word[4];
#pragma unroll
		for (int i = 0; i < V; i++) {
			int place = V > 1 ? i % 4 : (int)(from % 4);
			if (i % 4 == 0)
				philox((unsigned long long)(long long)option[0],
				        (unsigned long long)(from + i) / 4, word);
			v[0][i] = option[1] *
			        (NORMAL ? philox_normal_of(word[place]) : philox_uniform_of(word[place]));
		}
	}
};

KERNEL(source_full, elements)
{
	elements_run<op_source_full>(call);
}

KERNEL(source_iota, elements)
{
	elements_run<op_source_iota>(call);
}

KERNEL(source_uniform, elements)
{
	elements_run<op_source_random<false>>(call);
}

KERNEL(source_randn, elements)
{
	elements_run<op_source_random<true>>(call);
}
