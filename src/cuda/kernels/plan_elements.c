/* plan_elements.c -- what goes element by element as one launch (elements.cuh): unary, binary, dropout, inplace, source and copies */
#include "base/arithmetic.h"
#include "cuda/kernels/launch.h"

#include <math.h>

/* ---- strides */

/* As lane.c's: seen from the right; a dimension of 1, or one that it lacks, is repeated */
static void add_tensor(struct elements *elements, int t, const struct kernel_tensor *tensor)
{
	const struct layout *layout = &tensor->layout;
	int missing = elements->dims - layout->dims;
	elements->tensor[t].data = tensor->data;
	elements->tensor[t].dtype = layout->dtype;
	for (int i = 0; i < elements->dims; i++) {
		bool repeats = i < missing || layout->dim[i - missing] == 1;
		elements->tensor[t].stride[i] = repeats ? 0 : layout->stride[i - missing];
	}
}

static bool joins(const struct elements *elements, int tensors, int into, int d)
{
	for (int t = 0; t < tensors; t++) {
		const long long *stride = elements->tensor[t].stride;
		if (stride[into] != stride[d] * elements->dim[d])
			return false;
	}
	return true;
}

/* A dimension joins the one before it where, in all tensors, that one's stride is this one's whole length. */
static void merge(struct elements *elements, int tensors)
{
	int kept = -1;
	for (int d = 0; d < elements->dims; d++) {
		if (elements->dim[d] == 1)
			continue;
		bool join = kept >= 0 && joins(elements, tensors, kept, d);
		if (!join)
			kept++;
		elements->dim[kept] = join ? elements->dim[kept] * elements->dim[d] : elements->dim[d];
		for (int t = 0; t < tensors; t++)
			elements->tensor[t].stride[kept] = elements->tensor[t].stride[d];
	}
	if (kept < 0)
		elements->dim[++kept] = 1;
	elements->dims = kept + 1;
}

/* May four neighbours be taken at a time, wherever a group of four begins? In one line of each tensor, or one number for all four; only
 * what is read may be repeated. */
static bool is_wide(const struct elements *elements, int tensors, unsigned writes)
{
	int last = elements->dims - 1;
	if (last > 0 && elements->dim[last] % 4)
		return false;
	for (int t = 0; t < tensors; t++) {
		const long long *stride = elements->tensor[t].stride;
		int64_t group = 4 * dtype_bytes((enum dtype)elements->tensor[t].dtype);
		if (stride[last] != 1 && (stride[last] != 0 || writes >> t & 1))
			return false;
		if (stride[last] == 1 && (intptr_t)elements->tensor[t].data % group)
			return false;
		for (int d = 0; d < last && stride[last] == 1; d++)
			if (stride[d] % 4)
				return false;
	}
	return true;
}

/* ---- launches */

void plan_elements_with(
        const struct kernel_call *call, const char *function, const double *option, struct launch_plan *plan)
{
	const struct layout *whole = call->outs ? &call->out[0].layout : &call->in[0].layout;
	struct elements elements = {.count = layout_count(whole), .dims = whole->dims, .add = call->add};
	int tensors = call->ins + (call->outs > 0);
	unsigned writes = call->outs ? 1u << call->ins : call->kernel->writes;
	for (int d = 0; d < whole->dims; d++)
		elements.dim[d] = whole->dim[d];
	for (int i = 0; i < ELEMENTS_OPTIONS; i++)
		elements.option[i] = option[i];
	for (int t = 0; t < tensors; t++)
		add_tensor(&elements, t, t < call->ins ? &call->in[t] : &call->out[0]);
	merge(&elements, tensors);
	elements.wide = is_wide(&elements, tensors, writes);
	launch_add(plan, function, launch_blocks(parts_of(elements.count, elements.wide ? 4 : 1)), THREADS, 1,
	        &elements, sizeof elements);
}

void plan_elements(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function, call->option, plan);
}

void plan_elements_copy(
        const struct kernel_tensor *from, const struct kernel_tensor *to, bool add, struct launch_plan *plan)
{
	struct kernel_call copy = {.ins = 1, .outs = 1, .in = {*from}, .out = {*to}, .add = add};
	plan_elements(&copy, "convert_copy", plan);
}
