/* exponential.cuh -- exp in double, as the simulator computes it, and approximately in float */
#ifndef RANKSH_CUDA_EXPONENTIAL_CUH
#define RANKSH_CUDA_EXPONENTIAL_CUH

#include "cuda/kernels/kernel.cuh"
#include "kernels/exponential.h"

/* In float: the instruction computes 2^x to 2^-22, and x / ln 2 has a relative error of up to
 * 2^-24. */
INLINE float exponential(float x)
{
	float power = x * 1.44269504f;
#ifdef __CUDA_ARCH__
	asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(power));
	return power;
#else
	return exp2f(power);
#endif
}

INLINE float logistic(float x)
{
	float above = 1 + exponential(-x);
#ifdef __CUDA_ARCH__
	asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(above));
	return above;
#else
	return 1 / above;
#endif
}

#endif
