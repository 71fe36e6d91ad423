/* widths.c -- selects the loops' machine code; bounds that loops must not see as constants */
#include "kernels/exponential.h"
#include "kernels/widths.h"

const double exponential_least = -709, exponential_most = 710;

static enum width allowed = WIDTH_AVX512;

void kernels_allow(enum width width)
{
	allowed = width;
}

enum width kernels_width(void)
{
#ifdef __x86_64__
	if (allowed == WIDTH_AVX512 && __builtin_cpu_supports("avx512f") &&
	        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return WIDTH_AVX512;
	if (allowed >= WIDTH_AVX2 && __builtin_cpu_supports("avx2"))
		return WIDTH_AVX2;
#endif
	return WIDTH_ANY;
}
