/* test_kernels.c -- the rows, sources, optimizers, refusals and costs of kernels; every
 * allocation of every kernel fails once; all vector widths give the same bits */
#include "kernel_scene.h"
#include "kernels/widths.h"

static void rows_are_whole(void **state)
{
	const struct kernel *kernel;
	int i = 0;
	(void)state;
	for (; (kernel = kernel_at(i)) != NULL; i++) {
		assert_ptr_equal(kernel_find(kernel->name), kernel);
		assert_true(
		        kernel->usage && kernel->help && kernel->torch && kernel->cuda && kernel->example);
		assert_true(!!kernel->elements + !!kernel->rows + !!kernel->run <= 1);
		assert_true(!kernel->whole || !kernel->run);
		if (!strstr(kernel->usage, kernel->name) || !strstr(kernel->example, kernel->name))
			fail_msg("%s: usage or example is another's", kernel->name);
		assert_true((kernel->outs == 0) == (kernel->writes != 0));
		assert_true(kernel->ins <= KERNEL_ARGS_MAX && kernel->outs <= KERNEL_ARGS_MAX);
		assert_true(!kernel_is_source(kernel) || kernel->outs == 1);
		for (int o = 0; o < kernel->positional; o++)
			assert_non_null(kernel->option[o].name);
		for (int o = 0; o < KERNEL_OPTIONS_MAX && kernel->option[o].name; o++)
			assert_non_null(kernel->option[o].about);
	}
	assert_true(i > 0);
	assert_null(kernel_at(-1));
	assert_null(kernel_find("nothing"));
}

/* ---- sources ---- */

static void check_source(const char *name, enum dtype dtype, enum form form, bool add, const double *option,
        double (*of)(int64_t, const double *))
{
	struct operand out;
	struct kernel_call call;
	call_make(&call, name);
	for (int i = 0; i < 2; i++)
		call.option[i] = option[i];
	call.add = add;
	operand_make(&out, "x", dtype, form, 2, (int64_t[]){37, 41}, 7);
	assert_int_equal(call_run(&call, NULL, 0, &out, 1), ST_OK);
	for (int64_t i = 0; i < out.count; i++) {
		double value = of(i, option), old = add ? out.value[i] : 0;
		assert_near(name, dtype, operand_get(&out, i), value + old, fabs(value) + fabs(old));
	}
	operand_free(&out);
}

static double zero_at(int64_t i, const double *option)
{
	(void)i, (void)option;
	return 0;
}
static double one_at(int64_t i, const double *option)
{
	(void)i, (void)option;
	return 1;
}
static double full_at(int64_t i, const double *option)
{
	(void)i;
	return option[0];
}
static double iota_at(int64_t i, const double *option)
{
	return (double)i * option[0];
}
static double uniform_at(int64_t i, const double *option)
{
	return option[1] * philox_uniform((uint64_t)option[0], (uint64_t)i);
}
static double randn_at(int64_t i, const double *option)
{
	return option[1] * philox_normal((uint64_t)option[0], (uint64_t)i);
}

static void every_source(void **state)
{
	static const struct {
		const char *name;
		double option[2];
		double (*of)(int64_t, const double *);
	} cases[] = {
	        {"zeros", {0}, zero_at},
	        {"ones", {0}, one_at},
	        {"full", {-2.5, 0}, full_at},
	        {"full", {-INFINITY, 0}, full_at},
	        {"iota", {1, 0}, iota_at},
	        {"uniform", {3, 10}, uniform_at},
	        {"randn", {3, 1}, randn_at},
	        {"randn", {1e6, 0.1}, randn_at},
	};
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++)
		for (int dtype = 0; dtype < DT_COUNT; dtype++)
			for (int f = 0; f < FORMS * 2 && !(dtype == DT_I32 && isinf(cases[c].option[0])); f++)
				check_source(cases[c].name, (enum dtype)dtype, (enum form)(f % 3), f / 3,
				        cases[c].option, cases[c].of);
}

/* ---- in place ---- */

static void fill_and_sgd(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_COUNT; dtype++)
		for (int form = 0; form < FORMS; form++) {
			struct operand in[2];
			struct kernel_call call;
			for (int i = 0; i < 2; i++)
				operand_make(&in[i], "w", (enum dtype)dtype, (enum form)((form + i) % FORMS),
				        2, (int64_t[]){33, 37}, i + 1);
			call_make(&call, "sgd");
			call.option[0] = 0.1;
			enum status status = call_run(&call, in, 2, NULL, 0);
			assert_int_equal(status, dtype == DT_I32 ? ST_DTYPE : ST_OK);
			for (int64_t i = 0; i < in[0].count && !status; i++) {
				double wanted = in[0].value[i] - 0.1 * in[1].value[i];
				assert_near("sgd", (enum dtype)dtype, operand_get(&in[0], i), wanted,
				        fabs(in[0].value[i]) + 0.1 * fabs(in[1].value[i]));
				assert_true(operand_get(&in[1], i) == in[1].value[i]);
			}
			call_make(&call, "fill");
			call.option[0] = 3;
			assert_int_equal(call_run(&call, in, 1, NULL, 0), ST_OK);
			for (int64_t i = 0; i < in[0].count; i++)
				assert_true(operand_get(&in[0], i) == 3);
			operand_free(&in[0]);
			operand_free(&in[1]);
		}
}

static void adam_follows_pytorch(void **state)
{
	struct operand in[4];
	struct kernel_call call;
	double w[45], m[45] = {0}, v[45] = {0};
	(void)state;
	for (int i = 0; i < 4; i++)
		operand_make(&in[i], "w", DT_F32, (enum form)(i % FORMS), 2, (int64_t[]){5, 9}, i + 1);
	for (int64_t i = 0; i < 45; i++) {
		w[i] = in[0].value[i];
		operand_set(&in[2], i, 0);
		operand_set(&in[3], i, 0);
	}
	call_make(&call, "adam");
	for (int t = 1; t <= 5; t++) {
		call.option[4] = t;
		assert_int_equal(call_run(&call, in, 4, NULL, 0), ST_OK);
		for (int64_t i = 0; i < 45; i++) {
			double g = in[1].value[i];
			m[i] = 0.9 * m[i] + 0.1 * g;
			v[i] = 0.999 * v[i] + 0.001 * g * g;
			w[i] -= 1e-3 * (m[i] / (1 - pow(0.9, t))) / (sqrt(v[i] / (1 - pow(0.999, t))) + 1e-8);
			assert_true(fabs(operand_get(&in[0], i) - w[i]) < 2e-6);
			assert_true(fabs(operand_get(&in[2], i) - m[i]) < 1e-6);
			assert_true(fabs(operand_get(&in[3], i) - v[i]) < 1e-6);
		}
	}
	call.option[4] = 0;
	assert_int_equal(kernel_shape(&call), ST_RANGE);
	call.option[4] = 1.5;
	assert_int_equal(kernel_shape(&call), ST_RANGE);
	call.option[4] = 1;
	call.option[1] = 1;
	assert_int_equal(kernel_shape(&call), ST_RANGE);
	assert_words("beta1=1");
	for (int i = 0; i < 4; i++)
		operand_free(&in[i]);
}

static void spin_passes_its_tensor_on(void **state)
{
	struct operand in, out;
	struct kernel_call call;
	double flops, bytes;
	(void)state;
	operand_make(&in, "x", DT_BF16, TURNED, 2, (int64_t[]){5, 7}, 1);
	operand_make(&out, "y", DT_BF16, SLICED, 2, (int64_t[]){5, 7}, -1);
	call_make(&call, "spin");
	call.option[0] = 2e6;
	assert_int_equal(call_run(&call, &in, 1, &out, 1), ST_OK);
	for (int64_t i = 0; i < in.count; i++)
		assert_true(operand_get(&out, i) == in.value[i]);
	assert_int_equal(call_run(&call, NULL, 0, NULL, 0), ST_OK);
	kernel_cost(&call, &flops, &bytes);
	assert_true(flops == 0 && bytes == 0);
	operand_free(&in);
	operand_free(&out);
}

/* ---- refusals and costs ---- */

struct spec {
	enum dtype dtype;
	int dims;
	int64_t dim[3];
};

static enum status shape_of(struct kernel_call *call, const char *name, int ins, const struct spec *specs)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	call_make(call, name);
	call->ins = ins;
	call->outs = call->kernel->outs;
	for (int i = 0; i < ins; i++) {
		call->in[i].name = names[i];
		layout_make(&call->in[i].layout, specs[i].dtype, specs[i].dims, specs[i].dim);
	}
	return kernel_shape(call);
}

static void mistakes_are_worded(void **state)
{
	static const struct {
		const char *name;
		int ins;
		struct spec in[4];
		enum status status;
		const char *words;
	} cases[] = {
	        {"add", 2, {{DT_F32, 2, {4, 3}}, {DT_F32, 2, {5, 3}}}, ST_SHAPE,
	                "a is [4,3], b is [5,3]: add needs"},
	        {"maximum", 2, {{DT_F32, 1, {4}}, {DT_F32, 2, {5, 3}}}, ST_SHAPE, "from the last dimension"},
	        {"exp", 1, {{DT_I32, 1, {4}}}, ST_DTYPE, "cast a to=f32"},
	        {"relu_grad", 2, {{DT_F32, 2, {4, 3}}, {DT_F32, 2, {3, 4}}}, ST_SHAPE,
	                "a is [4,3], b is [3,4]: relu_grad needs the same"},
	        {"softmax_grad", 2, {{DT_F32, 1, {4}}, {DT_I32, 1, {4}}}, ST_DTYPE, "b is i32"},
	        {"mse", 2, {{DT_F32, 2, {4, 1}}, {DT_F32, 1, {4}}}, ST_SHAPE, "mse needs the same shape"},
	        {"mse_grad", 2, {{DT_F32, 1, {4}}, {DT_F32, 1, {5}}}, ST_SHAPE, "[5]"},
	        {"crossentropy", 2, {{DT_F32, 2, {4, 3}}, {DT_I32, 1, {3}}}, ST_SHAPE, "targets [4] i32"},
	        {"crossentropy_grad", 2, {{DT_F32, 2, {4, 3}}, {DT_F32, 1, {4}}}, ST_SHAPE,
	                "(classes) or [4,3]"},
	        {"crossentropy", 2, {{DT_I32, 2, {4, 3}}, {DT_I32, 1, {4}}}, ST_DTYPE, "logits"},
	        {"quantize", 1, {{DT_I32, 1, {3}}}, ST_DTYPE, "quantize"},
	        {"sgd", 2, {{DT_F32, 1, {3}}, {DT_F32, 1, {4}}}, ST_SHAPE, "sgd needs the same shape"},
	        {"topk", 1, {{DT_F32, 1, {3}}}, ST_RANGE, "whole number"}, /* k not given: NaN */
	        {"add", 2, {{DT_F32, 2, {INT64_C(1) << 40, 1}}, {DT_F32, 2, {1, INT64_C(1) << 40}}}, ST_RANGE,
	                "add: "},
	};
	struct kernel_call call;
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++) {
		if (shape_of(&call, cases[c].name, cases[c].ins, cases[c].in) != cases[c].status)
			fail_msg("%s: %s", cases[c].words, fail_text());
		assert_words(cases[c].words);
	}
	call_make(&call, "randn");
	call.option[0] = 0.5;
	assert_int_equal(kernel_shape(&call), ST_RANGE);
	assert_words("seed=0.5");
}

static void costs_count_operands(void **state)
{
	static const struct {
		const char *name;
		int ins;
		struct spec in[4];
		bool add;
		double flops, bytes;
	} cases[] = {
	        {"add", 2, {{DT_F32, 2, {4, 8}}, {DT_F32, 1, {8}}}, false, 32, 4 * (32 + 8 + 32)},
	        {"add", 2, {{DT_F32, 2, {4, 8}}, {DT_F32, 1, {8}}}, true, 32, 4 * (32 + 8 + 64)},
	        {"relu", 1, {{DT_BF16, 1, {100}}}, false, 100, 400},
	        {"rowsum", 1, {{DT_F32, 2, {4, 8}}}, false, 32, 4 * (32 + 4)},
	        {"sgd", 2, {{DT_F32, 1, {10}}, {DT_F32, 1, {10}}}, false, 10, 4 * 30},
	        {"fill", 1, {{DT_F32, 1, {10}}}, false, 0, 40},
	};
	struct kernel_call call;
	double flops, bytes;
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++) {
		assert_int_equal(shape_of(&call, cases[c].name, cases[c].ins, cases[c].in), ST_OK);
		call.add = cases[c].add;
		kernel_cost(&call, &flops, &bytes);
		if (flops != cases[c].flops || bytes != cases[c].bytes)
			fail_msg("%s: %g flops, %g bytes", cases[c].name, flops, bytes);
	}
	assert_int_equal(shape_of(&call, "adam", 0, NULL), ST_RANGE); /* t must be given */
	call_make(&call, "adam");
	call.ins = 4;
	for (int i = 0; i < 4; i++)
		layout_make(&call.in[i].layout, DT_F32, 1, (int64_t[]){10});
	kernel_cost(&call, &flops, &bytes);
	assert_true(bytes == 4 * 70); /* w, m, v twice, dw once */
}

/* ---- every kernel, on any memory ---- */

/* A kernel's call on turned operands of its own, its result over its own input where that has the same shape
 * and type */
struct scene {
	const struct kernel *kernel;
	enum dtype dtype;
	struct operand in[4], out[3];
	struct kernel_call call;
};

/* Which argument is in i32, as numbers of rows, and with how many dimensions */
static const struct numbers {
	const char *kernel;
	int argument, dims;
} numbers[] = {{"embed", 1, 1}, {"embed_grad", 1, 1}, {"binsort", 0, 2}, {"permute", 1, 1},
        {"unpermute", 1, 1}, {"sort_chunks", 1, 2}, {"topk_grad", 1, 2}};

static const struct numbers *numbers_of(const struct kernel *kernel, int argument)
{
	for (size_t i = 0; i < LENGTH_OF(numbers); i++)
		if (strcmp(numbers[i].kernel, kernel->name) == 0 && numbers[i].argument == argument)
			return &numbers[i];
	return NULL;
}

static void scene_make(struct scene *scene, const struct kernel *kernel, enum dtype dtype, int64_t columns)
{
	*scene = (struct scene){.kernel = kernel, .dtype = dtype};
	struct kernel_call *call = &scene->call;
	call_make(call, kernel->name);
	for (int o = 0; o < KERNEL_OPTIONS_MAX; o++)
		call->option[o] = isnan(call->option[o]) ? 1 : call->option[o];
	call->ins = kernel->ins;
	call->outs = kernel->outs;
	for (int i = 0; i < call->ins; i++) {
		const struct numbers *ids = numbers_of(kernel, i);
		operand_make(&scene->in[i], "x", ids ? DT_I32 : dtype, i ? PLAIN : TURNED,
		        ids ? ids->dims : 2,
		        (int64_t[]){kernel_find("matmul") == kernel ? columns : 6, columns}, i + 1);
		call->in[i] = scene->in[i].tensor;
	}
	if (kernel_is_source(kernel))
		assert_int_equal(layout_make(&call->out[0].layout, dtype, 1, (int64_t[]){7}), ST_OK);
	assert_int_equal(kernel_shape(call), ST_OK);
	for (int i = 0; i < kernel->outs; i++) {
		operand_make(&scene->out[i], "y", (enum dtype)call->out[i].layout.dtype, PLAIN,
		        call->out[i].layout.dims, call->out[i].layout.dim, -1);
		call->out[i] = scene->out[i].tensor;
	}
}

static void scene_free(struct scene *scene)
{
	for (int i = 0; i < scene->call.ins; i++)
		operand_free(&scene->in[i]);
	for (int i = 0; i < scene->kernel->outs; i++)
		operand_free(&scene->out[i]);
}

static bool over_its_input(void *self)
{
	struct scene *scene = self;
	struct kernel_call *call = &scene->call;
	long live = mem_live();
	if (call->outs && call->ins && layout_same_shape(&call->out[0].layout, &call->in[0].layout) &&
	        call->in[0].layout.dtype == call->out[0].layout.dtype)
		call->out[0].data = call->in[0].data;
	kernel_compute(call);
	return mem_live() == live;
}

/* A process that finds no memory ends with words; with memory enough, nothing is left allocated. */
static void every_allocation_may_fail(void **state)
{
	const struct kernel *kernel;
	(void)state;
	for (int i = 0; (kernel = kernel_at(i)) != NULL; i++)
		for (int dtype = 0; dtype < DT_I32; dtype++) {
			struct scene scene;
			scene_make(&scene, kernel, (enum dtype)dtype, 6);
			for (long n = 0; !ends_without_memory(n, over_its_input, &scene); n++)
				assert_true(n < 20);
			scene_free(&scene);
		}
}

/* Puts what arithmetic finds hard between ordinary numbers: all the ways to be no number, to be too large,
 * too small, or to leave a range of exp. */
static void make_hard(struct operand *operand)
{
	static const double hard[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 3e38, -3e38, 65504, 1e-40, 1e-45,
	        708.5, -708.5, 709.5, 88.7, -103.9, 1, -1, 0.5, 1e-8};
	for (int64_t i = 0; i < operand->count && operand->tensor.layout.dtype != DT_I32; i += 3)
		operand_set(operand, i, hard[i / 3 % (int64_t)LENGTH_OF(hard)]);
}

static bool same_bits(const struct operand *a, const struct operand *b)
{
	for (int64_t i = 0; i < a->count; i++) {
		double x = operand_get(a, i), y = operand_get(b, i);
		if (isnan(x) ? !isnan(y) : x != y || signbit(x) != signbit(y))
			return false;
	}
	return true;
}

/* Vectors of four and of eight give what vectors of two give. On a processor without them all are one
 * code. */
static void all_widths_give_the_same_bits(void **state)
{
	const struct kernel *kernel;
	(void)state;
	for (int i = 0; (kernel = kernel_at(i)) != NULL; i++)
		for (int pass = 0; pass < 2 * DT_I32; pass++) {
			struct scene scene[WIDTHS];
			for (int width = 0; width < WIDTHS; width++) {
				scene_make(&scene[width], kernel, (enum dtype)(pass % DT_I32), 147);
				for (int k = 0; k < scene[width].call.ins && pass >= DT_I32; k++)
					make_hard(&scene[width].in[k]);
				kernels_allow((enum width)width);
				kernel_compute(&scene[width].call);
			}
			for (int width = 1; width < WIDTHS; width++) {
				for (int k = 0; k < kernel->outs; k++)
					if (!same_bits(&scene[0].out[k], &scene[width].out[k]))
						fail_msg("%s: result %d, width %d", kernel->name, k, width);
				for (int k = 0; k < scene[0].call.ins; k++)
					if (!same_bits(&scene[0].in[k], &scene[width].in[k]))
						fail_msg("%s: argument %d, width %d", kernel->name, k, width);
			}
			for (int width = 0; width < WIDTHS; width++)
				scene_free(&scene[width]);
		}
	print_message("this processor's width: %d\n", (int)kernels_width());
}

/* Row 0 of the result lies over the row that the result's others are copies of. */
static void embed_over_its_table(void **state)
{
	struct operand in[2];
	struct kernel_call call;
	double before[6];

	(void)state;
	operand_make(&in[0], "table", DT_F32, PLAIN, 2, (int64_t[]){3, 2}, 1);
	operand_make(&in[1], "ids", DT_I32, PLAIN, 1, (int64_t[]){3}, 2);
	for (int i = 0; i < 3; i++)
		operand_set(&in[1], i, i ? 0 : 2);
	memcpy(before, in[0].value, sizeof before);
	call_make(&call, "embed");
	assert_int_equal(call_run(&call, in, 2, in, 1), ST_OK);
	for (int i = 0; i < 6; i++)
		assert_float_equal(operand_get(&in[0], i), before[i < 2 ? 4 + i : i % 2], 0);
	operand_free(&in[0]);
	operand_free(&in[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_are_whole),
	        cmocka_unit_test(every_source),
	        cmocka_unit_test(fill_and_sgd),
	        cmocka_unit_test(embed_over_its_table),
	        cmocka_unit_test(adam_follows_pytorch),
	        cmocka_unit_test(spin_passes_its_tensor_on),
	        cmocka_unit_test(mistakes_are_worded),
	        cmocka_unit_test(costs_count_operands),
	        cmocka_unit_test(every_allocation_may_fail),
	        cmocka_unit_test(all_widths_give_the_same_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
