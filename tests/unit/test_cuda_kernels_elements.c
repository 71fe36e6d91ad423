/* test_cuda_kernels_elements.c -- elementwise kernels as on a GPU against the simulator's, bit
 * for bit except gelu and adam: every type and form, odd sizes, +=, broadcast, in place */
#include "cuda_scene.h"

enum { OPTIONS = 5 };

static const struct row {
	const char *kernel;
	int ins;
	double option[OPTIONS];
} rows[] = {
        {"scale", 1, {0.3}},
        {"exp", 1, {0}},
        {"sqrt", 1, {0}},
        {"relu", 1, {0}},
        {"relu_grad", 2, {0}},
        {"gelu", 1, {0}},
        {"gelu_grad", 2, {0}},
        {"add", 2, {0}},
        {"sub", 2, {0}},
        {"mul", 2, {0}},
        {"div", 2, {0}},
        {"maximum", 2, {0}},
        {"fmax", 2, {0}},
        {"fmin", 2, {0}},
        {"dropout", 1, {0.3, 7, 0, 0}},
        {"dropout", 1, {0.5, -3, 5, 77}},
        {"dropout_grad", 1, {0.3, 7, 8, 80}},
        {"cast", 1, {DT_F32}},
        {"cast", 1, {DT_F16}},
        {"cast", 1, {DT_BF16}},
        {"cast", 1, {DT_I32}},
        {"fill", 1, {-2.7}},
        {"sgd", 2, {0.1}},
        {"adam", 4, {1e-3, 0.9, 0.999, 1e-8, 3}},
        {"zeros", 0, {0}},
        {"ones", 0, {0}},
        {"full", 0, {3.3}},
        {"iota", 0, {0.7}},
        {"uniform", 0, {5, 2.5}},
        {"randn", 0, {-9, 3}},
        {"spin", 1, {1e6}},
};

static const struct shape {
	int dims;
	int64_t dim[3];
} shapes[] = {{1, {1}}, {2, {5, 7}}, {1, {1031}}, {3, {3, 4, 8}}, {2, {33, 64}}, {3, {17, 3, 40}}};

/* Not a number, infinities, both zeros, and what does not fit f16 or i32, among the first elements */
static void add_odd_numbers(struct operand *operand)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 65520, 3e9, -3e9, 6e-8, 1e-40};
	for (int64_t i = 0; i < (int64_t)LENGTH_OF(odd) && 2 * i + 1 < operand->count; i++)
		operand_set(operand, 2 * i + 1, odd[i]);
}

/* Two calls of the same numbers in memory of their own: by a GPU's kernels and by the simulator's */
struct pair {
	struct operand in[2][KERNEL_ARGS_MAX], out[2];
	struct kernel_call call[2];
};

static void pair_run(struct pair *pair, int ins, int outs, bool add)
{
	for (int k = 0; k < 2; k++) {
		struct kernel_call *call = &pair->call[k];
		call->ins = ins;
		call->outs = outs;
		call->add = add;
		for (int i = 0; i < ins; i++)
			call->in[i] = pair->in[k][i].tensor;
		if (outs)
			call->out[0] = pair->out[k].tensor;
	}
	scene_run(&pair->call[0]);
	kernel_compute(&pair->call[1]);
}

/* What a GPU does in float, or less than a division's accuracy, where memory's rate wants it */
static bool is_near(const char *kernel)
{
	return strncmp(kernel, "gelu", 4) == 0 || strcmp(kernel, "adam") == 0;
}

/* All bytes are the same, those between the elements too; of a NaN only that it is one */
static void assert_same(const char *kernel, const struct operand *got, const struct operand *wanted)
{
	enum dtype dtype = (enum dtype)got->tensor.layout.dtype;
	double error = 0, whole = 0;
	for (int64_t i = 0; i < got->count; i++) {
		double x = operand_get(got, i), y = operand_get(wanted, i);
		if (isnan(x) && isnan(y))
			operand_set((struct operand *)got, i, 0), operand_set((struct operand *)wanted, i, 0);
		else if (is_near(kernel) && dtype != DT_I32 && isfinite(x) && isfinite(y)) {
			error += (x - y) * (x - y);
			whole += y * y;
			operand_set((struct operand *)got, i, y);
		} else if (x != y || signbit(x) != signbit(y))
			fail_msg("%s %s, element %lld: %.9g, wanted %.9g", kernel, dtype_name(dtype),
			        (long long)i, x, y);
	}
	if (!(sqrt(error) <= scene_tolerance(dtype) * sqrt(whole)))
		fail_msg("%s %s: %g of %g", kernel, dtype_name(dtype), sqrt(error), sqrt(whole));
	if (memcmp(got->memory, wanted->memory, got->bytes) != 0)
		fail_msg("%s %s: other bytes than the tensor's", kernel, dtype_name(dtype));
}

static void pair_check(struct pair *pair, int ins, int outs)
{
	const char *name = pair->call[0].kernel->name;
	for (int i = 0; i < ins; i++) {
		assert_same(name, &pair->in[0][i], &pair->in[1][i]);
		operand_free(&pair->in[0][i]);
		operand_free(&pair->in[1][i]);
	}
	if (!outs)
		return;
	assert_same(name, &pair->out[0], &pair->out[1]);
	operand_free(&pair->out[0]);
	operand_free(&pair->out[1]);
}

static void check(const struct row *row, const struct shape *shape, enum dtype dtype, enum dtype to,
        enum form form_in, enum form form_out, bool add)
{
	struct pair pair;
	int outs = kernel_find(row->kernel)->outs;
	for (int k = 0; k < 2; k++) {
		call_make(&pair.call[k], row->kernel);
		memcpy(pair.call[k].option, row->option, sizeof row->option);
		for (int i = 0; i < row->ins; i++) {
			operand_make(&pair.in[k][i], "x", dtype, form_in, shape->dims, shape->dim, i + 1);
			for (int64_t e = 0; strcmp(row->kernel, "adam") == 0 && e < pair.in[k][i].count; e++)
				operand_set(&pair.in[k][i], e, fabs(pair.in[k][i].value[e]));
			if (strcmp(row->kernel, "adam") != 0)
				add_odd_numbers(&pair.in[k][i]);
		}
		if (outs)
			operand_make(&pair.out[k], "y", to, form_out, shape->dims, shape->dim, 9);
	}
	pair_run(&pair, row->ins, outs, add && outs);
	pair_check(&pair, row->ins, outs);
}

static void each_kernel_type_and_form(void **state)
{
	(void)state;
	for (size_t r = 0; r < LENGTH_OF(rows); r++)
		for (size_t s = 0; s < LENGTH_OF(shapes); s++)
			for (int n = 0; n < DT_COUNT * FORMS * FORMS * 2; n++) {
				enum dtype dtype = (enum dtype)(n % DT_COUNT);
				enum form in = (enum form)(n / DT_COUNT % FORMS),
				          out = (enum form)(n / DT_COUNT / FORMS % FORMS);
				if (dtype == DT_I32 &&
				        kernel_find(rows[r].kernel)->arguments != ARGUMENTS_ANY)
					continue;
				check(&rows[r], &shapes[s], dtype, (enum dtype)((n + n / 8) % DT_COUNT), in,
				        out, n / DT_COUNT / FORMS / FORMS);
			}
}

/* b [8], [4,1], [1] and [4,1,8] beside a [4,8]: rows, columns and one number repeated */
static void broadcast(void **state)
{
	static const struct shape of_b[] = {{1, {8}}, {2, {12, 1}}, {1, {1}}, {3, {5, 1, 8}}};
	static const char *names[] = {"add", "sub", "mul", "div", "maximum"};
	(void)state;
	for (int n = 0; n < (int)LENGTH_OF(of_b) * (int)LENGTH_OF(names) * DT_COUNT; n++) {
		const struct shape *b = &of_b[n % 4];
		enum dtype dtype = (enum dtype)(n / 4 % DT_COUNT);
		struct pair pair;
		for (int k = 0; k < 2; k++) {
			call_make(&pair.call[k], names[n / 4 / DT_COUNT]);
			operand_make(&pair.in[k][0], "a", DT_F32, PLAIN, 2, (int64_t[]){12, 8}, 1);
			operand_make(&pair.in[k][1], "b", dtype, PLAIN, b->dims, b->dim, 2);
			operand_make(&pair.out[k], "y", DT_F32, PLAIN, b->dims > 2 ? 3 : 2,
			        b->dims > 2 ? (int64_t[]){5, 12, 8} : (int64_t[]){12, 8}, 3);
		}
		pair_run(&pair, 2, 1, n % 3 == 0);
		pair_check(&pair, 2, 1);
	}
}

/* A result over its argument, 0 to 8 elements further: the very same tensor, and what must go by way of scratch memory; addresses that
 * are no multiples of four elements */
static void over_each_other(void **state)
{
	(void)state;
	for (int n = 0; n < DT_COUNT * 9 * 2; n++) {
		enum dtype dtype = (enum dtype)(n % DT_COUNT);
		int shift = n / DT_COUNT % 9;
		struct operand memory[2];
		struct kernel_call call;
		for (int k = 0; k < 2; k++) {
			operand_make(&memory[k], "x", dtype, PLAIN, 1, (int64_t[]){512}, 4);
			call_make(&call, "add");
			call.ins = 2;
			call.outs = 1;
			call.add = n / DT_COUNT / 9;
			call.in[0] = call.in[1] = call.out[0] = memory[k].tensor;
			call.in[0].layout.dim[0] = call.in[1].layout.dim[0] = call.out[0].layout.dim[0] = 500;
			call.out[0].data = (char *)memory[k].tensor.data + shift * dtype_bytes(dtype);
			k ? kernel_compute(&call) : scene_run(&call);
		}
		assert_same("add", &memory[0], &memory[1]);
		operand_free(&memory[0]);
		operand_free(&memory[1]);
	}
}

static void nothing_to_do(void **state)
{
	static struct launch_plan plan;
	struct kernel_call call;
	(void)state;
	call_make(&call, "spin");
	launch_plan_make(&plan, &call, NULL);
	assert_int_equal(plan.launches, 0);
	call_make(&call, "relu");
	call.ins = call.outs = 1;
	assert_int_equal(layout_make(&call.in[0].layout, DT_F32, 2, (int64_t[]){0, 8}), ST_OK);
	call.out[0] = call.in[0];
	launch_plan_make(&plan, &call, NULL);
	assert_int_equal(plan.launches, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_kernel_type_and_form),
	        cmocka_unit_test(broadcast),
	        cmocka_unit_test(over_each_other),
	        cmocka_unit_test(nothing_to_do),
	};
	return cmocka_run_group_tests(tests, scene_open, scene_close);
}
