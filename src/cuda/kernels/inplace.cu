/* inplace.cu -- sgd, adam (src/kernels/inplace.c) */
#include "cuda/kernels/elements.cuh"

struct op_sgd {
	enum { TENSORS = 2, READS = 3, WRITES = 1 };
	typedef double number;
	template <int V, class Number>
	static __device__ __forceinline__ void run(Number (*v)[V], long long from, const double *option)
	{
		(void)from;
#pragma unroll
		for (int i = 0; i < V; i++)
			v[0][i] -= option[0] * v[1][i];
	}
};

enum { BETA1, BETA2, EPS, STEP, ROOT };

/* sqrt(x) and 1 / x from an approximate instruction and one Newton step, to 2^-40: several times
 * faster. If the step does not work (0, infinity, negative), the full operation is used. */
INLINE double near_root(double x)
{
#ifdef __CUDA_ARCH__
	double inverse;
	asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
	double root = x * inverse;
	if (root - root == 0)
		return root + 0.5 * root * (1 - root * inverse);
#endif
	return sqrt(x);
}

INLINE double near_inverse(double x)
{
#ifdef __CUDA_ARCH__
	double inverse;
	asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
	double one = x * inverse;
	if (one - one == 0)
		return inverse * (2 - one);
#endif
	return 1 / x;
}

struct op_adam {
	enum { TENSORS = 4, READS = 15, WRITES = 1 | 4 | 8 };
	typedef double number;
	template <int V, class Number>
	static __device__ __forceinline__ void run(Number (*v)[V], long long from, const double *option)
	{
		double beta1 = option[BETA1], beta2 = option[BETA2];
		(void)from;
#pragma unroll
		for (int i = 0; i < V; i++) {
			double g = v[1][i];
			v[2][i] = beta1 * v[2][i] + (1 - beta1) * g;
			v[3][i] = beta2 * v[3][i] + (1 - beta2) * g * g;
			v[0][i] -= option[STEP] * v[2][i] *
			        near_inverse(near_root(v[3][i]) * option[ROOT] + option[EPS]);
		}
	}
};

KERNEL(inplace_sgd, elements)
{
	elements_run<op_sgd>(call);
}

KERNEL(inplace_adam, elements)
{
	elements_run<op_adam>(call);
}
