/* source.cu -- full (also zeros, ones, fill), iota, uniform, randn (src/kernels/source.c):
 * element i depends only on i and the options */
#include "cuda/kernels/elements.cuh"
#include "base/philox.h"

ELEMENTS_EACH(source_full, 1, 0, 1, double, v[0][i] = option[0])
ELEMENTS_EACH(source_iota, 1, 0, 1, double, v[0][i] = option[0] * (double)(from + i))

/* A group begins at a multiple of four, and one block of Philox has four words. */
template <bool NORMAL> struct op_source_random {
	enum { TENSORS = 1, READS = 0, WRITES = 1 };
	typedef double number;
	ELEMENTS_RUN
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

KERNEL(source_uniform, elements)
{
	elements_run<op_source_random<false>>(call);
}

KERNEL(source_randn, elements)
{
	elements_run<op_source_random<true>>(call);
}
