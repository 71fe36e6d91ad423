/* kernel_scene.h -- tensors in memory of every form, and kernels run on them, for the tests of
 * kernels */
#ifndef RANKSH_TEST_KERNEL_SCENE_H
#define RANKSH_TEST_KERNEL_SCENE_H

#include "base/memory.h"
#include "check.h"
#include "philox_at.h"
#include "kernels/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where tensors lie: in memory of the host, if not in what cuda_launch.h puts in its place */
static void *(*operand_room)(size_t bytes) = malloc;
static void (*operand_room_free)(void *memory) = free;

/* How a tensor lies in memory: in one line; every second element of padded rows; with the dimensions in
 * turned order */
enum form { PLAIN, SLICED, TURNED, FORMS };

struct operand {
	struct kernel_tensor tensor;
	char *memory;
	size_t bytes;
	int64_t count;
	double *value; /* as stored, in C order */
};

static inline void operand_place(struct layout *layout, enum form form)
{
	int64_t stride = form == SLICED ? 2 : 1;
	for (int i = 0; i < layout->dims; i++) {
		int d = form == TURNED ? i : layout->dims - 1 - i;
		layout->stride[d] = stride;
		stride *= layout->dim[d] + (form == SLICED ? 1 : 0);
	}
}

static inline double operand_get(const struct operand *operand, int64_t i)
{
	const struct layout *layout = &operand->tensor.layout;
	int64_t at = 0;
	for (int d = layout->dims - 1; d >= 0; i /= layout->dim[d--])
		at += i % layout->dim[d] * layout->stride[d];
	if (layout->dtype == DT_I32)
		return ((const int32_t *)operand->tensor.data)[at];
	return dtype_get((enum dtype)layout->dtype, operand->tensor.data, at);
}

static inline void operand_set(struct operand *operand, int64_t i, double value)
{
	const struct layout *layout = &operand->tensor.layout;
	int64_t at = 0, index = i;
	for (int d = layout->dims - 1; d >= 0; index /= layout->dim[d--])
		at += index % layout->dim[d] * layout->stride[d];
	dtype_set((enum dtype)layout->dtype, operand->tensor.data, at, (float)value);
	operand->value[i] = operand_get(operand, i);
}

/* Memory filled with 0xa5, then normal numbers of that seed (times 10 in i32); seed < 0: left at 0xa5 */
static inline void operand_make(struct operand *operand, const char *name, enum dtype dtype, enum form form,
        int dims, const int64_t *dim, int seed)
{
	*operand = (struct operand){.tensor = {.name = name}};
	assert_int_equal(layout_make(&operand->tensor.layout, dtype, dims, dim), ST_OK);
	operand_place(&operand->tensor.layout, form);
	operand->count = layout_count(&operand->tensor.layout);
	operand->bytes = (size_t)layout_span(&operand->tensor.layout);
	operand->memory = operand_room(operand->bytes);
	operand->value = malloc((size_t)operand->count * sizeof *operand->value);
	assert_true(operand->memory && operand->value);
	memset(operand->memory, 0xa5, operand->bytes);
	operand->tensor.data = operand->memory;
	for (int64_t i = 0; i < operand->count && seed >= 0; i++)
		operand_set(
		        operand, i, philox_normal((uint64_t)seed, (uint64_t)i) * (dtype == DT_I32 ? 10 : 1));
}

static inline void operand_free(struct operand *operand)
{
	operand_room_free(operand->memory);
	free(operand->value);
}

static inline void call_make(struct kernel_call *call, const char *kernel)
{
	*call = (struct kernel_call){.kernel = kernel_find(kernel)};
	assert_non_null(call->kernel);
	for (int i = 0; i < KERNEL_OPTIONS_MAX; i++)
		call->option[i] = call->kernel->option[i].value;
}

/* shape(), then the given output in place of the wanted one, then kernel_compute() */
static inline enum status call_run(
        struct kernel_call *call, const struct operand *in, int ins, const struct operand *out, int outs)
{
	call->ins = ins;
	call->outs = outs;
	for (int i = 0; i < ins; i++)
		call->in[i] = in[i].tensor;
	if (kernel_is_source(call->kernel))
		call->out[0] = out[0].tensor;
	enum status status = kernel_shape(call);
	if (status)
		return status;
	for (int i = 0; i < outs; i++) {
		assert_true(layout_same_shape(&call->out[i].layout, &out[i].tensor.layout));
		call->out[i] = out[i].tensor;
	}
	kernel_compute(call);
	return ST_OK;
}

/* Half a unit in the last place at `size`, and a little of f32's own; i32 is exact */
static inline double tolerance_of(enum dtype dtype, double size)
{
	static const double unit[DT_COUNT] = {
	        [DT_F32] = 0x1p-22, [DT_F16] = 0x1p-11 + 0x1p-20, [DT_BF16] = 0x1p-8 + 0x1p-18, [DT_I32] = 0};
	return unit[dtype] * fabs(size) + (dtype == DT_F16 ? 0x1p-24 : dtype == DT_I32 ? 0 : 1e-30);
}

static inline void assert_near(const char *what, enum dtype dtype, double got, double wanted, double size)
{
	wanted = dtype == DT_I32 ? trunc(wanted) : wanted;
	if (isnan(wanted) ? !isnan(got) : got != wanted && !(fabs(got - wanted) <= tolerance_of(dtype, size)))
		fail_msg("%s %s: %.9g, wanted %.9g", what, dtype_name(dtype), got, wanted);
}

#endif
