/* cuda_scene.h -- runs a kernel's call by the GPU's kernels (see cuda_launch.h) and by the
 * simulator's: for the tests of src/cuda/kernels/ */
#ifndef RANKSH_TEST_CUDA_SCENE_H
#define RANKSH_TEST_CUDA_SCENE_H

#include "cuda_launch.h"

/* A call whose operands a test has made, its options set. scene_compare() frees them. */
struct scene {
	const char *kernel;
	int ins, outs;
	struct kernel_call call;
	struct operand in[KERNEL_ARGS_MAX];
};

/* What |out - double| / |double| may come to where no bits are promised */
static inline double scene_tolerance(enum dtype dtype)
{
	static const double most[DT_COUNT] = {[DT_F32] = 2e-6, [DT_F16] = 6e-4, [DT_BF16] = 4e-3};
	return most[dtype];
}

/* out NULL: for the shapes of the results */
static inline void scene_call(struct kernel_call *call, const struct operand *in, int ins,
        const struct operand *out, int outs, bool add)
{
	call->ins = ins;
	call->outs = outs;
	call->add = add;
	for (int i = 0; i < ins; i++)
		call->in[i] = in[i].tensor;
	assert_int_equal(kernel_shape(call), ST_OK);
	for (int i = 0; i < outs && out; i++)
		call->out[i] = out[i].tensor;
}

/* The same values in a tensor of f32, or of i32 where they are; exact: in the same type */
static inline void scene_copy(struct operand *copy, const struct operand *of, bool exact)
{
	const struct layout *layout = &of->tensor.layout;
	bool whole = layout->dtype == DT_I32;
	operand_make(copy, of->tensor.name, exact || whole ? (enum dtype)layout->dtype : DT_F32, PLAIN,
	        layout->dims, layout->dim, -1);
	for (int64_t i = 0; i < of->count; i++)
		operand_set(copy, i, operand_get(of, i));
}

static inline void scene_same(
        const struct scene *scene, const struct operand *got, const struct operand *wanted, bool exact)
{
	enum dtype dtype = (enum dtype)got->tensor.layout.dtype;
	double error = 0, whole = 0;
	for (int64_t i = 0; i < got->count; i++) {
		double x = operand_get(got, i), y = operand_get(wanted, i);
		if (isnan(x) && isnan(y))
			continue;
		bool same = x == y && signbit(x) == signbit(y);
		if ((exact || dtype == DT_I32 || !isfinite(y)) && !same)
			fail_msg("%s %s %lld: %.9g, wanted %.9g", scene->kernel, dtype_name(dtype),
			        (long long)i, x, y);
		error += same ? 0 : (x - y) * (x - y);
		whole += isfinite(y) ? y * y : 0;
	}
	if (!(sqrt(error) <= scene_tolerance(dtype) * sqrt(whole)))
		fail_msg("%s %s: %g of %g", scene->kernel, dtype_name(dtype), sqrt(error), sqrt(whole));
}

/* Runs the call with results in that form, += or not, and the simulator's kernel on the same numbers: bit
 * for bit, or in f32 within the tolerance of the result's type. */
static inline void scene_compare(struct scene *scene, enum form form, bool add, bool exact)
{
	struct operand out[KERNEL_ARGS_MAX], in[KERNEL_ARGS_MAX], wanted[KERNEL_ARGS_MAX];
	struct kernel_call again = scene->call;
	scene_call(&scene->call, scene->in, scene->ins, NULL, scene->outs, add);
	for (int i = 0; i < scene->ins; i++)
		scene_copy(&in[i], &scene->in[i], exact);
	for (int i = 0; i < scene->outs; i++) {
		const struct layout *like = &scene->call.out[i].layout;
		operand_make(&out[i], "out", (enum dtype)like->dtype, form, like->dims, like->dim, 100 + i);
		scene_copy(&wanted[i], &out[i], exact);
	}
	scene_call(&scene->call, scene->in, scene->ins, out, scene->outs, add);
	scene_call(&again, in, scene->ins, wanted, scene->outs, add);
	scene_run(&scene->call);
	kernel_compute(&again);
	for (int i = 0; i < scene->outs; i++) {
		scene_same(scene, &out[i], &wanted[i], exact);
		operand_free(&out[i]);
		operand_free(&wanted[i]);
	}
	for (int i = 0; i < scene->ins; i++) {
		if (scene->call.kernel->writes >> i & 1)
			scene_same(scene, &scene->in[i], &in[i], exact);
		operand_free(&scene->in[i]);
		operand_free(&in[i]);
	}
}

#endif
