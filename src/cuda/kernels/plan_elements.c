/* plan_elements.c -- elementwise kernels as one launch (elements.cuh): unary, binary, dropout,
 * inplace, source, copies */
#include "base/arithmetic.h"
#include "cuda/kernels/launch.h"

#include <math.h>

/* Broadcasts from the right, as lane.c: a dimension that is 1 or missing is repeated. */
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

static bool dims_join(const struct elements *elements, int tensors, int into, int d)
{
	for (int t = 0; t < tensors; t++) {
		const long long *stride = elements->tensor[t].stride;
		if (stride[into] != stride[d] * elements->dim[d])
			return false;
	}
	return true;
}

/* Merges a dimension into the previous one if, in all tensors, the previous stride equals this
 * dimension's whole length. */
static void dims_merge(struct elements *elements, int tensors)
{
	int kept = -1;
	for (int d = 0; d < elements->dims; d++) {
		if (elements->dim[d] == 1)
			continue;
		bool join = kept >= 0 && dims_join(elements, tensors, kept, d);
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

/* Returns true if every group of `group` elements is contiguous and aligned in each tensor, or
 * one repeated element of a tensor that is only read. */
static bool is_wide(const struct elements *elements, int tensors, unsigned writes, int group)
{
	int last = elements->dims - 1;
	if (last > 0 && elements->dim[last] % group)
		return false;
	for (int t = 0; t < tensors; t++) {
		const long long *stride = elements->tensor[t].stride;
		int64_t bytes = group * dtype_bytes((enum dtype)elements->tensor[t].dtype);
		if (stride[last] != 1 && (stride[last] != 0 || writes >> t & 1))
			return false;
		if (stride[last] == 1 && (intptr_t)elements->tensor[t].data % bytes)
			return false;
		for (int d = 0; d < last && stride[last] == 1; d++)
			if (stride[d] % group)
				return false;
	}
	return true;
}

/* Groups of 16 bytes if all tensors have one type, else of four elements */
static void set_groups(struct elements *elements, int tensors, unsigned writes)
{
	enum dtype type = (enum dtype)elements->tensor[0].dtype;
	bool alike = !elements->add && type != DT_I32;
	for (int t = 1; t < tensors; t++)
		alike = alike && elements->tensor[t].dtype == (int)type;
	int group = alike ? 16 / (int)dtype_bytes(type) : 4;
	alike = alike && is_wide(elements, tensors, writes, group);
	elements->type = alike ? (int)type : DT_COUNT;
	elements->wide = alike ? group : is_wide(elements, tensors, writes, 4) ? 4 : 0;
}

static int elements_of(const struct kernel_call *call, const double *option, struct elements *elements)
{
	const struct layout *whole = call->outs ? &call->out[0].layout : &call->in[0].layout;
	int tensors = call->ins + (call->outs > 0);
	*elements = (struct elements){.count = layout_count(whole), .dims = whole->dims, .add = call->add};
	for (int d = 0; d < whole->dims; d++)
		elements->dim[d] = whole->dim[d];
	for (int i = 0; i < ELEMENTS_OPTIONS; i++)
		elements->option[i] = option[i];
	for (int t = 0; t < tensors; t++)
		add_tensor(elements, t, t < call->ins ? &call->in[t] : &call->out[0]);
	dims_merge(elements, tensors);
	return tensors;
}

void plan_elements_with(
        const struct kernel_call *call, const char *function, const double *option, struct launch_plan *plan)
{
	struct elements elements;
	int tensors = elements_of(call, option, &elements);
	set_groups(&elements, tensors, call->outs ? 1u << call->ins : call->kernel->writes);
	int64_t groups = parts_of(elements.count, elements.wide ? elements.wide : 1),
	        of_block = THREADS * (elements.type == DT_COUNT ? 1 : GROUPS);
	launch_add(plan, function, parts_of(groups, of_block), THREADS, 1, &elements, sizeof elements);
}

void plan_elements(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function, call->option, plan);
}

static void swap_dims(struct elements *elements, int a, int b)
{
	long long dim = elements->dim[a];
	elements->dim[a] = elements->dim[b];
	elements->dim[b] = dim;
	for (int t = 0; t < 2; t++) {
		long long *stride = elements->tensor[t].stride, kept = stride[a];
		stride[a] = stride[b];
		stride[b] = kept;
	}
}

/* If x is contiguous along another dimension than the result, as in a transposition, makes the
 * copy [outer, along x, along the result] for square tiles. Returns false otherwise, or if it is
 * too narrow. */
static bool as_tiles(struct elements *elements)
{
	int last = elements->dims - 1;
	const long long *in = elements->tensor[0].stride, *out = elements->tensor[1].stride;
	if (elements->dims < 2 || elements->dims > 3 || out[last] != 1 || in[last] == 1)
		return false;
	for (int d = 0; d < last; d++) {
		if (in[d] != 1 || elements->dim[d] < COPY_TILE / 2 || elements->dim[last] < COPY_TILE / 2)
			continue;
		if (elements->dims == 2) {
			elements->dims = 3;
			elements->dim[2] = 1;
			elements->tensor[0].stride[2] = elements->tensor[1].stride[2] = 0;
			swap_dims(elements, 1, 2);
			swap_dims(elements, 0, 1);
		} else
			swap_dims(elements, d, 1);
		return true;
	}
	return false;
}

void plan_tiles(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct elements elements;
	elements_of(call, call->option, &elements);
	if (!as_tiles(&elements)) {
		plan_elements(call, function, plan);
		return;
	}
	int64_t tiles =
	        elements.dim[0] * parts_of(elements.dim[1], COPY_TILE) * parts_of(elements.dim[2], COPY_TILE);
	launch_add(plan, "convert_tiles", least_of(tiles, 1 << 16), COPY_TILE, THREADS / COPY_TILE, &elements,
	        sizeof elements);
}

void plan_elements_copy(
        const struct kernel_tensor *from, const struct kernel_tensor *to, bool add, struct launch_plan *plan)
{
	struct kernel_call copy = {.ins = 1, .outs = 1, .in = {*from}, .out = {*to}, .add = add};
	plan_tiles(&copy, "convert_copy", plan);
}

/* ---- options as kernels need them: values that all elements share are computed once on the host,
 * by the simulator's libm */

/* p, seed, at, width as in src/kernels/dropout.c; then the length of a row, and 1 / (1 - p) */
void plan_dropout(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	const struct layout *x = &call->in[0].layout;
	double p = call->option[0], width = call->option[3], length = (double)x->dim[x->dims - 1];
	plan_elements_with(call, function,
	        (double[ELEMENTS_OPTIONS]){
	                p, call->option[1], call->option[2], width > 0 ? width : length, length, 1 / (1 - p)},
	        plan);
}

/* beta1, beta2, eps; the step of src/kernels/inplace.c, and 1 / its root */
void plan_adam(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	const double *option = call->option;
	double lr = option[0], beta1 = option[1], beta2 = option[2], eps = option[3], t = option[4];
	plan_elements_with(call, function,
	        (double[ELEMENTS_OPTIONS]){
	                beta1, beta2, eps, lr / (1 - pow(beta1, t)), 1 / sqrt(1 - pow(beta2, t))},
	        plan);
}

void plan_ones(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function, (double[ELEMENTS_OPTIONS]){1}, plan);
}
