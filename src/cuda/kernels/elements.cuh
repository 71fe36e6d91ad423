/* elements.cuh -- elementwise kernels: strides, types and += around an operation on numbers
 *
 * An operation is a struct with
 *      TENSORS         number of tensors, the result last
 *      READS, WRITES   bit t: tensor t is read, written
 *      number          double, or float if that gives the same bits for all types but i32: sum,
 *                      difference, product, quotient and root of two floats are the same through
 *                      double (Figueroa 1995, When is double rounding innocuous?)
 *      run(v, from, option)        v[t][0..V-1]: V elements of tensor t, from element `from` on
 *
 * A thread takes groups of call.wide contiguous elements if all tensors have them, else single
 * elements. */
#ifndef RANKSH_CUDA_ELEMENTS_CUH
#define RANKSH_CUDA_ELEMENTS_CUH

#include "cuda/kernels/numbers.cuh"

/* at[t]: the offset of element `index` in tensor t. Most indices fit in 32 bits, which divide
 * several times faster. */
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

template <int V, class Number>
INLINE void load_group(const struct elements &call, int t, int dtype, long long at, Number *value)
{
	if (V > 1 && call.tensor[t].stride[call.dims - 1] == 1) {
		load_many<V>(call.tensor[t].data, dtype, at, value);
		return;
	}
	value[0] = load<Number>(call.tensor[t].data, dtype, at);
#pragma unroll
	for (int i = 1; i < V; i++)
		value[i] = value[0]; /* a repeated dimension */
}

/* the number type of an operation: double for mixed types, as one of them may be i32 */
template <class Op, int TYPE> struct number_of {
	typedef typename Op::number type;
};
template <class Op> struct number_of<Op, MIXED> {
	typedef double type;
};

/* TYPE: of all tensors, without +=; or MIXED. For f32 a thread loads all its groups at once;
 * doubles and halves lack the registers. */
template <class Op, int TYPE, int V>
INLINE void elements_walk(const struct elements &call, long long from, long long end)
{
	typedef typename number_of<Op, TYPE>::type Number;
	enum { LAST = Op::TENSORS - 1, AT_ONCE = TYPE == F32 && sizeof(Number) == 4 ? GROUPS : 1 };
	long long apart = thread_count() * V;
	for (from += thread_number() * V; from < end; from += AT_ONCE * apart) {
		Number v[AT_ONCE][Op::TENSORS][V], old[V] = {};
		long long at[AT_ONCE][Op::TENSORS];
#pragma unroll
		for (int g = 0; g < AT_ONCE; g++) {
			long long first = from + g * apart;
			if (first >= end)
				break;
			if (first >> 32)
				locate<Op::TENSORS, unsigned long long>(call, first, at[g]);
			else
				locate<Op::TENSORS, unsigned>(call, (unsigned)first, at[g]);
#pragma unroll
			for (int t = 0; t < Op::TENSORS; t++)
				if (Op::READS >> t & 1)
					load_group<V>(call, t, TYPE == MIXED ? call.tensor[t].dtype : TYPE,
					        at[g][t], v[g][t]);
		}
		if (TYPE == MIXED && call.add)
			load_group<V>(call, LAST, call.tensor[LAST].dtype, at[0][LAST], old);
#pragma unroll
		for (int g = 0; g < AT_ONCE; g++) {
			if (from + g * apart >= end)
				break;
			Op::run(v[g], from + g * apart, call.option);
#pragma unroll
			for (int i = 0; i < V; i++)
				if (TYPE == MIXED && call.add)
					v[g][LAST][i] =
					        sum_of(call.tensor[LAST].dtype, old[i], v[g][LAST][i]);
#pragma unroll
			for (int t = 0; t < Op::TENSORS; t++)
				if (Op::WRITES >> t & 1)
					store_many<V>(call.tensor[t].data,
					        TYPE == MIXED ? call.tensor[t].dtype : TYPE, at[g][t],
					        v[g][t]);
		}
	}
}

/* Halves have a variant of their own if they are computed in float; double gains nothing. */
template <class Op> INLINE void elements_run(const struct elements &call)
{
	enum {
		FLOATS = sizeof(typename Op::number) == 4,
		HALF = FLOATS ? F16 : MIXED,
		BRAIN = FLOATS ? BF16 : MIXED
	};
	enum { GROUP = FLOATS ? 8 : 4 };
	long long grouped = call.wide ? call.count / call.wide * call.wide : 0;
	if (call.type == F32)
		elements_walk<Op, F32, 4>(call, 0, grouped);
	else if (call.type == F16 && FLOATS)
		elements_walk<Op, HALF, GROUP>(call, 0, grouped);
	else if (call.type == BF16 && FLOATS)
		elements_walk<Op, BRAIN, GROUP>(call, 0, grouped);
	else
		elements_walk<Op, MIXED, 4>(call, 0, grouped);
	elements_walk<Op, MIXED, 1>(call, grouped, call.count);
}

/* The head of an operation's run, and its kernel */
#define ELEMENTS_RUN                   \
	template <int V, class Number> \
	static __device__ __forceinline__ void run(Number(*v)[V], long long from, const double *option)
#define ELEMENTS_KERNEL(name)                  \
	KERNEL(name, elements)                 \
	{                                      \
		elements_run<op_##name>(call); \
	}

/* Defines the kernel `name`: a statement for element i of the tensors v[0] ... */
#define ELEMENTS_EACH(name, tensors, reads, writes, numbers, ...)                 \
	struct op_##name {                                                        \
		enum { TENSORS = (tensors), READS = (reads), WRITES = (writes) }; \
		typedef numbers number;                                           \
		ELEMENTS_RUN                                                      \
		{                                                                 \
			(void)from, (void)option;                                 \
			_Pragma("unroll") for (int i = 0; i < V; i++)             \
			{                                                         \
				__VA_ARGS__;                                      \
			}                                                         \
		}                                                                 \
	};                                                                        \
	ELEMENTS_KERNEL(name)

/* The same for an expression in the arguments a and b, and option */
#define ELEMENTWISE(name, arguments, numbers, result)                                           \
	ELEMENTS_EACH(name, (arguments) + 1, (1 << (arguments)) - 1, 1 << (arguments), numbers, \
	              Number a = v[0][i], b = v[(arguments)-1][i];                              \
	              (void)a, (void)b; v[arguments][i] = (Number)(result))

#endif
