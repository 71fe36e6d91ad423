/* inplace.cu -- sgd, adam (src/kernels/inplace.c) */
#include "elements.cuh"

struct op_sgd {
	enum { TENSORS = 2, READS = 3, WRITES = 1 };
	template <int V>
	static __device__ __forceinline__ void run(double (*v)[V], long long from, const double *option)
	{
		(void)from;
#pragma unroll
		for (int i = 0; i < V; i++)
			v[0][i] -= option[0] * v[1][i];
	}
};

enum { BETA1, BETA2, EPS, STEP, ROOT };

struct op_adam {
	enum { TENSORS = 4, READS = 15, WRITES = 1 | 4 | 8 };
	template <int V>
	static __device__ __forceinline__ void run(double (*v)[V], long long from, const double *option)
	{
		double beta1 = option[BETA1], beta2 = option[BETA2];
		(void)from;
#pragma unroll
		for (int i = 0; i < V; i++) {
			double g = v[1][i];
			v[2][i] = beta1 * v[2][i] + (1 - beta1) * g;
			v[3][i] = beta2 * v[3][i] + (1 - beta2) * g * g;
			v[0][i] -= option[STEP] * v[2][i] / (sqrt(v[3][i]) / option[ROOT] + option[EPS]);
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
