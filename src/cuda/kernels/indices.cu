// indices.cu -- are the numbers that a kernel looks things up by in range? (kernel_find_index of src/kernels/common.c)
#include "numbers.cuh"

// The first one outside that a thread comes to is kept, until the host has taken it.
KERNEL(indices_check, index_check)
{
	for (long long i = thread_number(); i < call.count; i += thread_count()) {
		double value = get(&call.in, i);
		if ((value >= 0 && value < (double)call.end) || value == call.unused ||
		        atomicCAS(&call.fault->state, 0, 1) != 0)
			continue;
		call.fault->op = call.op;
		call.fault->place = i;
		call.fault->value = (long long)value;
		__threadfence_system();
		*(volatile unsigned *)&call.fault->state = 2;
	}
}
