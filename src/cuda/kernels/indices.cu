/* indices.cu -- checks that a kernel's indices are in range (kernel_find_index of
 * src/kernels/common.c) */
#include "cuda/kernels/numbers.cuh"

INLINE bool is_outside(const index_check &call, long long i)
{
	double value = get(&call.in, i);
	return !(value >= 0 && value < (double)call.end) && value != call.unused;
}

/* One of the threads that find a wrong index reports the first such index of the tensor. */
KERNEL(indices_check, index_check)
{
	volatile index_fault *fault = call.fault;
	for (long long i = thread_number(); i < call.count; i += thread_count()) {
		if (!is_outside(call, i))
			continue;
		unsigned made = fault->made;
		if (made != fault->taken || atomicCAS(&call.fault->claimed, made, made + 1) != made)
			return;
		long long first = 0;
		while (!is_outside(call, first))
			first++;
		fault->op = call.op;
		fault->place = first;
		fault->value = (long long)get(&call.in, first);
		__threadfence_system();
		fault->made = made + 1;
		return;
	}
}
