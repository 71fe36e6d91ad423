/* elements.cuh -- a kernel that works element by element: strides, types and += around an operation on doubles.
 *
 * An operation is a struct with
 *      TENSORS         how many there are, the result last
 *      READS, WRITES   bit t: tensor t is read, written
 *      run<V>(v, from, option)     v[t][0..V-1]: V elements of tensor t, from element `from` on
 * A thread takes a group of four elements at a time where `wide` says that a group lies in one line in all tensors, else a single one. */
#ifndef RANKSH_CUDA_ELEMENTS_CUH
#define RANKSH_CUDA_ELEMENTS_CUH

#include "numbers.cuh"

/* at[t]: where element `index` lies in tensor t. Most indices fit 32 bits, which divide several times faster. */
template <int TENSORS, class Index>
INLINE void locate(const struct elements &call, Index index, long long *at)
{
	for (int t = 0; t < TENSORS; t++)
		at[t] = 0;
	for (int d = call.dims - 1; d > 0; d--) {
		Index rest = index / (Index)call.dim[d];
		long long inner = (long long)(index - rest * (Index)call.dim[d]);
#pragma unroll
		for (int t = 0; t < TENSORS; t++)
			at[t] += inner * call.tensor[t].stride[d];
		index = rest;
	}
#pragma unroll
	for (int t = 0; t < TENSORS; t++)
		at[t] += (long long)index * call.tensor[t].stride[0];
}

template <int V> INLINE void load_group(const struct elements &call, int t, long long at, double *value)
{
	if (V == 4 && call.tensor[t].stride[call.dims - 1] == 1) {
		load_four(call.tensor[t].data, call.tensor[t].dtype, at, value);
		return;
	}
	value[0] = load(call.tensor[t].data, call.tensor[t].dtype, at);
#pragma unroll
	for (int i = 1; i < V; i++)
		value[i] = value[0]; /* a dimension that is repeated */
}

template <int V> INLINE void store_group(const struct elements &call, int t, long long at, const double *value)
{
	if (V == 4)
		store_four(call.tensor[t].data, call.tensor[t].dtype, at, value);
	else
		store(call.tensor[t].data, call.tensor[t].dtype, at, value[0]);
}

template <class Op, int V> INLINE void elements_walk(const struct elements &call, long long from, long long end)
{
	for (from += thread_number() * V; from < end; from += thread_count() * V) {
		enum { LAST = Op::TENSORS - 1 };
		double v[Op::TENSORS][V], old[V] = {};
		long long at[Op::TENSORS];
		if (from >> 32)
			locate<Op::TENSORS, unsigned long long>(call, from, at);
		else
			locate<Op::TENSORS, unsigned>(call, (unsigned)from, at);
#pragma unroll
		for (int t = 0; t < Op::TENSORS; t++)
			if (Op::READS >> t & 1)
				load_group<V>(call, t, at[t], v[t]);
		if (call.add)
			load_group<V>(call, LAST, at[LAST], old);
		Op::template run<V>(v, from, call.option);
#pragma unroll
		for (int i = 0; i < V; i++)
			if (call.add)
				v[LAST][i] = sum_of(call.tensor[LAST].dtype, old[i], v[LAST][i]);
#pragma unroll
		for (int t = 0; t < Op::TENSORS; t++)
			if (Op::WRITES >> t & 1)
				store_group<V>(call, t, at[t], v[t]);
	}
}

template <class Op> INLINE void elements_run(const struct elements &call)
{
	long long grouped = call.wide ? call.count / 4 * 4 : 0;
	elements_walk<Op, 4>(call, 0, grouped);
	elements_walk<Op, 1>(call, grouped, call.count);
}

/* Defines the kernel `name`: each element of the result is an expression in a and b, those of its arguments, and option. */
#define ELEMENTWISE(name, arguments, result)                                                                  \
	struct op_##name {                                                                                    \
		enum { TENSORS = (arguments) + 1, READS = (1 << (arguments)) - 1, WRITES = 1 << (arguments) };\
		template <int V>                                                                              \
		static __device__ __forceinline__ void run(double (*v)[V], long long from, const double *option)\
		{                                                                                             \
			(void)from, (void)option;                                                             \
			_Pragma("unroll") for (int i = 0; i < V; i++)                                         \
			{                                                                                     \
				double a = v[0][i], b = v[(arguments) - 1][i];                                \
				(void)a, (void)b;                                                             \
				v[arguments][i] = result;                                                     \
			}                                                                                     \
		}                                                                                             \
	};                                                                                                    \
	KERNEL(name, elements)                                                                                \
	{                                                                                                     \
		elements_run<op_##name>(call);                                                                \
	}

#endif
