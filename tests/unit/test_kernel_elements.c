/* test_kernel_elements.c -- elementwise kernels against double precision: odd sizes, every form and type, +=,
 * broadcast, in place */
#include "kernel_scene.h"

static double add_of(const double *x)
{
	return x[0] + x[1];
}
static double sub_of(const double *x)
{
	return x[0] - x[1];
}
static double mul_of(const double *x)
{
	return x[0] * x[1];
}
static double div_of(const double *x)
{
	return x[0] / x[1];
}
static double maximum_of(const double *x)
{
	return x[0] > x[1] ? x[0] : x[1];
}
static double minimum_of(const double *x)
{
	return x[0] < x[1] ? x[0] : x[1];
}
static double scale_of(const double *x)
{
	return x[0] * 0.75;
}
static double exp_of(const double *x)
{
	return exp(x[0]);
}
static double relu_of(const double *x)
{
	return x[0] > 0 ? x[0] : 0;
}
static double relu_grad_of(const double *x)
{
	return x[1] > 0 ? x[0] : 0;
}
static double cast_of(const double *x)
{
	return x[0];
}
static double gelu_of(const double *x)
{
	return 0.5 * x[0] * (1 + tanh(sqrt(2 / acos(-1)) * (x[0] + 0.044715 * x[0] * x[0] * x[0])));
}

/* ints: i32 is taken, and gives i32 */
static const struct {
	const char *name;
	int ins;
	bool ints;
	double (*of)(const double *);
	double option;
} rows[] = {
        {"add", 2, true, add_of, 0},
        {"sub", 2, true, sub_of, 0},
        {"mul", 2, true, mul_of, 0},
        {"div", 2, false, div_of, 0},
        {"maximum", 2, true, maximum_of, 0},
        {"fmax", 2, true, maximum_of, 0},
        {"fmin", 2, true, minimum_of, 0},
        {"scale", 1, false, scale_of, 0.75},
        {"exp", 1, false, exp_of, 0},
        {"relu", 1, true, relu_of, 0},
        {"relu_grad", 2, false, relu_grad_of, 0},
        {"gelu", 1, false, gelu_of, 0},
        {"cast", 1, true, cast_of, 0},
};

static void check_row(size_t r, enum dtype dtype, enum form form_in, enum form form_out, bool add, int dims,
        const int64_t *dim)
{
	struct operand in[2], out;
	struct kernel_call call;

	call_make(&call, rows[r].name);
	call.option[0] = strcmp(rows[r].name, "cast") == 0 ? dtype : rows[r].option;
	call.add = add;
	for (int i = 0; i < 2; i++)
		operand_make(&in[i], i ? "b" : "a", dtype, form_in, dims, dim, i + 1);
	operand_make(&out, "y", dtype, form_out, dims, dim, 3);
	assert_int_equal(call_run(&call, in, rows[r].ins, &out, 1), ST_OK);
	for (int64_t i = 0; i < out.count; i++) {
		double x[2] = {in[0].value[i], in[1].value[i]}, wanted = rows[r].of(x),
		       old = add ? out.value[i] : 0;
		assert_near(
		        rows[r].name, dtype, operand_get(&out, i), wanted + old, fabs(wanted) + fabs(old));
	}
	operand_free(&in[0]);
	operand_free(&in[1]);
	operand_free(&out);
}

static void every_kernel_form_and_type(void **state)
{
	static const struct {
		int dims;
		int64_t dim[3];
	} shapes[] = {{1, {1}}, {2, {5, 7}}, {1, {1031}}, {3, {3, 1, 5}}, {2, {33, 65}}};
	(void)state;
	for (size_t r = 0; r < LENGTH_OF(rows); r++)
		for (int dtype = 0; dtype < DT_COUNT; dtype++)
			for (int f = 0; f < FORMS * FORMS * 2 && (dtype != DT_I32 || rows[r].ints); f++)
				for (size_t s = 0; s < LENGTH_OF(shapes); s++)
					check_row(r, (enum dtype)dtype, (enum form)(f % FORMS),
					        (enum form)(f / FORMS % FORMS), f / FORMS / FORMS,
					        shapes[s].dims, shapes[s].dim);
}

/* b's index for element i of the result: its dimensions from the last, 1 repeated */
static int64_t broadcast_index(const struct layout *b, const struct layout *out, int64_t i)
{
	int64_t at = 0, step = 1;
	for (int d = out->dims - 1, e = b->dims - 1; e >= 0; i /= out->dim[d--], e--) {
		at += b->dim[e] == 1 ? 0 : i % out->dim[d] * step;
		step *= b->dim[e];
	}
	return at;
}

static void operands_are_broadcast(void **state)
{
	static const struct {
		int a_dims;
		int64_t a[3];
		int b_dims;
		int64_t b[3];
		int dims;
		int64_t dim[3];
	} cases[] = {
	        {2, {5, 7}, 2, {5, 1}, 2, {5, 7}},
	        {2, {5, 7}, 2, {1, 7}, 2, {5, 7}},
	        {2, {5, 7}, 1, {1}, 2, {5, 7}},
	        {2, {5, 7}, 1, {7}, 2, {5, 7}},
	        {2, {5, 1}, 2, {1, 7}, 2, {5, 7}},
	        {1, {1}, 3, {2, 3, 4}, 3, {2, 3, 4}},
	        {3, {2, 1, 4}, 2, {3, 1}, 3, {2, 3, 4}},
	        {2, {40, 70}, 2, {40, 1}, 2, {40, 70}},
	};
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++)
		for (int form = 0; form < FORMS; form++) {
			struct operand in[2], out;
			struct kernel_call call;
			call_make(&call, "sub");
			operand_make(&in[0], "a", DT_F32, (enum form)form, cases[c].a_dims, cases[c].a, 1);
			operand_make(&in[1], "b", DT_F32, (enum form)form, cases[c].b_dims, cases[c].b, 2);
			operand_make(&out, "y", DT_F32, PLAIN, cases[c].dims, cases[c].dim, -1);
			assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
			for (int64_t i = 0; i < out.count; i++) {
				double a = in[0].value[broadcast_index(
				        &in[0].tensor.layout, &out.tensor.layout, i)];
				double b = in[1].value[broadcast_index(
				        &in[1].tensor.layout, &out.tensor.layout, i)];
				assert_true(operand_get(&out, i) == (float)(a - b));
			}
			for (int i = 0; i < 2; i++)
				operand_free(&in[i]);
			operand_free(&out);
		}
}

static void types_mix_as_pytorch(void **state)
{
	static const struct {
		enum dtype a, b, y;
	} cases[] = {{DT_F32, DT_BF16, DT_F32}, {DT_I32, DT_F16, DT_F16}, {DT_F16, DT_I32, DT_F16},
	        {DT_F16, DT_BF16, DT_F32}, {DT_I32, DT_F32, DT_F32}, {DT_I32, DT_I32, DT_I32}};
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++)
		for (int div = 0; div < 2; div++) {
			struct kernel_call call;
			call_make(&call, div ? "div" : "mul");
			call.ins = 2;
			call.outs = 1;
			layout_make(&call.in[0].layout, cases[c].a, 1, (int64_t[]){3});
			layout_make(&call.in[1].layout, cases[c].b, 1, (int64_t[]){3});
			assert_int_equal(kernel_shape(&call), ST_OK);
			assert_int_equal(
			        call.out[0].layout.dtype, div && cases[c].y == DT_I32 ? DT_F32 : cases[c].y);
		}
}

/* The result in an input's place: the very same tensor, turned, shifted, or smaller than the result */
static void results_may_lie_over_inputs(void **state)
{
	const int64_t dim[2] = {33, 33};
	struct operand x;
	struct kernel_call call;
	(void)state;
	for (int turned = 0; turned < 2; turned++)
		for (int add = 0; add < 2; add++) {
			operand_make(&x, "x", DT_F32, PLAIN, 2, dim, 1);
			struct operand in[2] = {x, x};
			if (turned)
				operand_place(&in[1].tensor.layout, TURNED);
			call_make(&call, "add");
			call.add = add;
			assert_int_equal(call_run(&call, in, 2, &x, 1), ST_OK);
			for (int64_t i = 0; i < x.count; i++) {
				double other = x.value[turned ? i % 33 * 33 + i / 33 : i];
				assert_true(operand_get(&x, i) ==
				        (float)(x.value[i] + other + (add ? x.value[i] : 0)));
			}
			operand_free(&x);
		}
	operand_make(
	        &x, "x", DT_F32, PLAIN, 1, (int64_t[]){3000}, 1); /* y = x[1:2001] + x[0] into x[0:2000] */
	struct operand in[2] = {x, x}, out = x;
	in[0].tensor.data = x.memory + 4;
	in[0].tensor.layout.dim[0] = out.tensor.layout.dim[0] = 2000;
	in[1].tensor.layout.dim[0] = 1;
	call_make(&call, "add");
	assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
	for (int64_t i = 0; i < 3000; i++)
		assert_true(
		        operand_get(&x, i) == (float)(i < 2000 ? x.value[i + 1] + x.value[0] : x.value[i]));
	operand_free(&x);
}

static void nan_and_inf_pass(void **state)
{
	static const struct {
		const char *name;
		double a, b, wanted;
	} cases[] = {
	        {"maximum", NAN, 1, NAN},
	        {"maximum", 1, NAN, NAN},
	        {"maximum", -INFINITY, 1, 1},
	        {"relu", NAN, 0, NAN},
	        {"relu", -INFINITY, 0, 0},
	        {"exp", -INFINITY, 0, 0},
	        {"div", 1, 0, INFINITY},
	        {"gelu", INFINITY, 0, INFINITY},
	        {"relu_grad", 5, 0, 0},
	};
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++) {
		struct operand in[2], out;
		struct kernel_call call;
		for (int i = 0; i < 2; i++) {
			operand_make(&in[i], "x", DT_F32, PLAIN, 1, (int64_t[]){1}, 0);
			operand_set(&in[i], 0, i ? cases[c].b : cases[c].a);
		}
		operand_make(&out, "y", DT_F32, PLAIN, 1, (int64_t[]){1}, -1);
		call_make(&call, cases[c].name);
		assert_int_equal(call_run(&call, in, call.kernel->ins, &out, 1), ST_OK);
		double got = operand_get(&out, 0);
		if (isnan(cases[c].wanted) ? !isnan(got) : got != cases[c].wanted)
			fail_msg("%s: %g", cases[c].name, got);
		operand_free(&in[0]);
		operand_free(&in[1]);
		operand_free(&out);
	}
}

static void cast_between_all_types(void **state)
{
	(void)state;
	for (int from = 0; from < DT_COUNT; from++)
		for (int to = 0; to < DT_COUNT; to++) {
			struct operand in, out;
			struct kernel_call call;
			operand_make(&in, "x", (enum dtype)from, SLICED, 2, (int64_t[]){5, 7}, 1);
			operand_make(&out, "y", (enum dtype)to, PLAIN, 2, (int64_t[]){5, 7}, -1);
			call_make(&call, "cast");
			call.option[0] = to;
			assert_int_equal(call_run(&call, &in, 1, &out, 1), ST_OK);
			for (int64_t i = 0; i < in.count; i++) {
				float wanted;
				char bytes[4];
				dtype_set((enum dtype)to, bytes, 0, (float)in.value[i]);
				wanted = dtype_get((enum dtype)to, bytes, 0);
				assert_true(operand_get(&out, i) == wanted);
			}
			operand_free(&in);
			operand_free(&out);
		}
}

/* i32 arithmetic is exact above f32's 2^24, and saturates */
/* As a GPU's integer unit, and as the collectives: modulo 2^32, exactly. */
static void ints_wrap(void **state)
{
	static const struct {
		const char *name;
		bool add; /* into 3 */
		int32_t a, b, y;
	} cases[] = {
	        {"add", false, 16777217, 2, 16777219},
	        {"add", false, INT32_MAX, INT32_MAX, -2},
	        {"add", true, INT32_MAX, 0, INT32_MIN + 2},
	        {"sub", false, INT32_MIN, 1, INT32_MAX},
	        {"mul", false, 65536, 65536, 0},
	        {"mul", false, 2147483629, 2147483587, 1159}, /* 62 bits: more than a double's 53 */
	        {"maximum", false, INT32_MIN, INT32_MAX, INT32_MAX},
	};
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++) {
		struct operand in[2], out;
		struct kernel_call call;
		for (int i = 0; i < 2; i++)
			operand_make(&in[i], "n", DT_I32, PLAIN, 1, (int64_t[]){1}, 0);
		operand_make(&out, "y", DT_I32, PLAIN, 1, (int64_t[]){1}, -1);
		memcpy(in[0].memory, &cases[c].a, 4);
		memcpy(in[1].memory, &cases[c].b, 4);
		memcpy(out.memory, (int32_t[]){3}, 4);
		call_make(&call, cases[c].name);
		call.add = cases[c].add;
		assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
		if (operand_get(&out, 0) != cases[c].y)
			fail_msg("%s %d %d: %.0f", cases[c].name, cases[c].a, cases[c].b,
			        operand_get(&out, 0));
		operand_free(&in[0]);
		operand_free(&in[1]);
		operand_free(&out);
	}
}

/* kernel(a, b) of one f32 each; option 0 */
static double of_two(const char *kernel, int ins, double a, double b, double option)
{
	struct operand in[2], out;
	struct kernel_call call;
	for (int i = 0; i < 2; i++) {
		operand_make(&in[i], "x", DT_F32, PLAIN, 1, (int64_t[]){1}, 0);
		operand_set(&in[i], 0, i ? b : a);
	}
	operand_make(&out, "y", DT_F32, PLAIN, 1, (int64_t[]){1}, -1);
	call_make(&call, kernel);
	call.option[0] = option;
	assert_int_equal(call_run(&call, in, ins, &out, 1), ST_OK);
	double result = operand_get(&out, 0);
	for (int i = 0; i < 2; i++)
		operand_free(&in[i]);
	operand_free(&out);
	return result;
}

/* torch.ops.aten.threshold_backward(dy, x, 0) is 0 where x <= 0, and a NaN is not. */
static void relu_grad_lets_a_nan_through(void **state)
{
	(void)state;
	assert_true(of_two("relu_grad", 2, 7, NAN, 0) == 7);
	assert_true(of_two("relu_grad", 2, 7, 0, 0) == 0);
	assert_true(of_two("relu_grad", 2, 7, -INFINITY, 0) == 0);
	assert_true(of_two("relu_grad", 2, 7, INFINITY, 0) == 7);
	assert_true(isnan(of_two("relu_grad", 2, NAN, 1, 0)));
}

/* 0.001 in f32 is 0.001000000047...: with the double factor the last product would end in ...05. */
static void scale_multiplies_by_an_f32(void **state)
{
	int differ = 0;
	(void)state;
	for (int i = 1; i <= 1000; i++) {
		float x = (float)i / 7, by = 0.001f;
		float wanted = x * by;
		assert_true(of_two("scale", 1, (double)x, 0, 0.001) == (double)wanted);
		differ += (float)((double)x * 0.001) != wanted;
	}
	assert_true(differ > 50);
}

static void a_number_wins_over_a_nan(void **state)
{
	(void)state;
	assert_true(of_two("fmax", 2, NAN, 2, 0) == 2 && of_two("fmax", 2, 2, NAN, 0) == 2);
	assert_true(of_two("fmin", 2, NAN, 2, 0) == 2 && of_two("fmin", 2, 2, NAN, 0) == 2);
	assert_true(isnan(of_two("fmax", 2, NAN, NAN, 0)) && isnan(of_two("fmin", 2, NAN, NAN, 0)));
	assert_true(of_two("fmax", 2, 1, 2, 0) == 2 && of_two("fmin", 2, 1, 2, 0) == 1);
	assert_true(isnan(of_two("maximum", 2, NAN, 2, 0)) && isnan(of_two("maximum", 2, 2, NAN, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_kernel_form_and_type),
	        cmocka_unit_test(operands_are_broadcast),
	        cmocka_unit_test(types_mix_as_pytorch),
	        cmocka_unit_test(results_may_lie_over_inputs),
	        cmocka_unit_test(nan_and_inf_pass),
	        cmocka_unit_test(cast_between_all_types),
	        cmocka_unit_test(ints_wrap),
	        cmocka_unit_test(relu_grad_lets_a_nan_through),
	        cmocka_unit_test(scale_multiplies_by_an_f32),
	        cmocka_unit_test(a_number_wins_over_a_nan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
