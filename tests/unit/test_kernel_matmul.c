/* test_kernel_matmul.c -- matmul against double precision */
#include "kernel_scene.h"
#include "kernels/widths.h"

#include <stdlib.h>

struct size {
	int64_t m, k, n;
};

static void check_values(const char *what, const struct operand *a, const struct operand *b,
        const struct operand *y, struct size size, double scale, bool add)
{
	enum dtype dtype = (enum dtype)y->tensor.layout.dtype;
	for (int64_t i = 0; i < size.m; i++)
		for (int64_t j = 0; j < size.n; j++) {
			double sum = 0, big = 0, old = add ? y->value[i * size.n + j] : 0;
			for (int64_t l = 0; l < size.k; l++) {
				double product = a->value[i * size.k + l] * b->value[l * size.n + j] * scale;
				sum += product;
				big += fabs(product);
			}
			/* f32 accumulation over k, then one rounding */
			double got = operand_get(y, i * size.n + j),
			       most = tolerance_of(dtype, sum + old) + 0x1p-22 * (big + fabs(old)) * 4;
			if (!(fabs(got - sum - old) <= most))
				fail_msg("%s %s [%d,%d,%d] at %d,%d: %.9g, wanted %.9g", what,
				        dtype_name(dtype), (int)size.m, (int)size.k, (int)size.n, (int)i,
				        (int)j, got, sum + old);
		}
}

static void check_product(
        enum dtype dtype, struct size size, enum form fa, enum form fb, enum form fy, bool add, double scale)
{
	struct operand in[2], y;
	struct kernel_call call;

	operand_make(&in[0], "a", dtype, fa, 2, (int64_t[]){size.m, size.k}, 1);
	operand_make(&in[1], "b", dtype, fb, 2, (int64_t[]){size.k, size.n}, 2);
	operand_make(&y, "y", dtype, fy, 2, (int64_t[]){size.m, size.n}, 3);
	call_make(&call, "matmul");
	call.option[0] = scale;
	call.add = add;
	assert_int_equal(call_run(&call, in, 2, &y, 1), ST_OK);
	check_values("matmul", &in[0], &in[1], &y, size, scale, add);
	operand_free(&in[0]);
	operand_free(&in[1]);
	operand_free(&y);
}

static void every_form_and_type(void **state)
{
	static const struct size sizes[] = {
	        {1, 1, 1}, {3, 5, 7}, {17, 33, 9}, {1, 8, 5}, {6, 1, 4}, {9, 31, 1}, {40, 70, 50}};
	/* in parts, of which the sizes are no multiples; and one whose b is copied */
	static const struct size cut[] = {{70, 300, 50}, {300, 50, 70}, {65, 9, 30}};
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++)
		for (size_t s = 0; s < LENGTH_OF(sizes); s++)
			for (int f = 0; f < FORMS * FORMS * FORMS * 2; f++)
				check_product((enum dtype)dtype, sizes[s], (enum form)(f % 3),
				        (enum form)(f / 3 % 3), (enum form)(f / 9 % 3), f / 27, 1);
	for (size_t s = 0; s < LENGTH_OF(cut); s++)
		for (int f = 0; f < FORMS * FORMS * 2; f++)
			check_product(DT_F32, cut[s], (enum form)(f % 3), (enum form)(f / 3 % 3), PLAIN,
			        f / 9, 0.5);
	check_product(DT_F32, (struct size){5, 6, 7}, PLAIN, TURNED, PLAIN, true, 0.125);
	check_product(DT_BF16, (struct size){5, 6, 7}, PLAIN, TURNED, PLAIN, true, 0.125);
	check_product(DT_F32, (struct size){64, 256, 64}, PLAIN, PLAIN, PLAIN, false, 1);
}

/* Rows of a wider tensor (x[0:4, 2:5]): the BLAS takes them as they are */
static void parts_of_wider_tensors(void **state)
{
	struct operand wide[2], y;
	struct kernel_call call;
	(void)state;
	for (int i = 0; i < 2; i++)
		operand_make(&wide[i], "x", DT_F32, PLAIN, 2, (int64_t[]){8, 8}, i + 1);
	operand_make(&y, "y", DT_F32, PLAIN, 2, (int64_t[]){8, 8}, 3);
	struct operand in[2] = {wide[0], wide[1]}, out = y;
	in[0].tensor.data = wide[0].memory + 4 * (1 * 8 + 2);
	in[0].tensor.layout.dim[0] = 4;
	in[0].tensor.layout.dim[1] = 3;
	in[1].tensor.data = wide[1].memory + 4 * 5;
	in[1].tensor.layout.dim[0] = 3;
	in[1].tensor.layout.dim[1] = 2;
	out.tensor.layout.dim[0] = 4;
	out.tensor.layout.dim[1] = 2;
	call_make(&call, "matmul");
	assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
	for (int64_t i = 0; i < 8; i++)
		for (int64_t j = 0; j < 8; j++) {
			double wanted = y.value[i * 8 + j];
			if (i < 4 && j < 2) {
				wanted = 0;
				for (int64_t l = 0; l < 3; l++)
					wanted += wide[0].value[(i + 1) * 8 + l + 2] *
					        wide[1].value[l * 8 + 5 + j];
			}
			assert_true(fabs(operand_get(&y, i * 8 + j) - wanted) < 1e-5);
		}
	for (int i = 0; i < 2; i++)
		operand_free(&wide[i]);
	operand_free(&y);
}

static void the_result_may_be_an_input(void **state)
{
	(void)state;
	for (int which = 0; which < 4; which++) {
		struct operand in[2], before;
		struct kernel_call call;
		bool add = which / 2;
		for (int i = 0; i < 2; i++)
			operand_make(&in[i], "x", DT_F32, PLAIN, 2, (int64_t[]){9, 9}, i + 1);
		call_make(&call, "matmul");
		call.add = add;
		before = in[which % 2];
		assert_int_equal(call_run(&call, in, 2, &before, 1), ST_OK);
		check_values("x = matmul", &in[0], &in[1], &before, (struct size){9, 9, 9}, 1, add);
		operand_free(&in[0]);
		operand_free(&in[1]);
	}
}

static void a_wider_result_type(void **state) /* dw (f32) += bf16 products */
{
	struct operand in[2], y;
	struct kernel_call call;
	(void)state;
	operand_make(&in[0], "a", DT_BF16, TURNED, 2, (int64_t[]){5, 6}, 1);
	operand_make(&in[1], "b", DT_BF16, PLAIN, 2, (int64_t[]){6, 7}, 2);
	operand_make(&y, "y", DT_F32, PLAIN, 2, (int64_t[]){5, 7}, 3);
	call_make(&call, "matmul");
	call.add = true;
	assert_int_equal(call_run(&call, in, 2, &y, 1), ST_OK);
	check_values("wider", &in[0], &in[1], &y, (struct size){5, 6, 7}, 1, true);
	operand_free(&in[0]);
	operand_free(&in[1]);
	operand_free(&y);
}

static enum status shape_of(
        enum dtype a, int a_dims, const int64_t *a_dim, enum dtype b, int b_dims, const int64_t *b_dim)
{
	struct kernel_call call;
	call_make(&call, "matmul");
	call.ins = 2;
	call.outs = 1;
	call.in[0].name = "x";
	call.in[1].name = "v";
	layout_make(&call.in[0].layout, a, a_dims, a_dim);
	layout_make(&call.in[1].layout, b, b_dims, b_dim);
	return kernel_shape(&call);
}

static void wrong_operands_are_named(void **state)
{
	const int64_t square[2] = {256, 256}, other[2] = {128, 64};
	(void)state;
	assert_int_equal(shape_of(DT_F32, 2, square, DT_F32, 2, other), ST_SHAPE);
	assert_string_equal(fail_text(), "v is [128,64], x is [256,256]: matmul needs [256,256] x [256,any]");
	assert_int_equal(shape_of(DT_F32, 1, square, DT_F32, 2, square), ST_SHAPE);
	assert_words("two dimensions");
	assert_int_equal(shape_of(DT_I32, 2, square, DT_I32, 2, square), ST_DTYPE);
	assert_words("x is i32");
	assert_int_equal(shape_of(DT_F32, 2, square, DT_BF16, 2, square), ST_DTYPE);
	assert_words("one type");
	assert_int_equal(shape_of(DT_F32, 2, (int64_t[]){INT64_C(1) << 32, 1}, DT_F32, 2, (int64_t[]){1, 1}),
	        ST_RANGE);
	assert_int_equal(shape_of(DT_F16, 2, square, DT_F16, 2, square), ST_OK);
}

static void the_cost_is_2mnk(void **state)
{
	struct kernel_call call;
	double flops, bytes;
	(void)state;
	call_make(&call, "matmul");
	call.ins = 2;
	call.outs = 1;
	layout_make(&call.in[0].layout, DT_F32, 2, (int64_t[]){3, 5});
	layout_make(&call.in[1].layout, DT_F32, 2, (int64_t[]){5, 7});
	assert_int_equal(kernel_shape(&call), ST_OK);
	kernel_cost(&call, &flops, &bytes);
	assert_true(flops == 2 * 3 * 5 * 7 && bytes == 4 * (15 + 35 + 21));
	call.add = true;
	kernel_cost(&call, &flops, &bytes);
	assert_true(bytes == 4 * (15 + 35 + 2 * 21));
}

/* By the kernels that ranksh asks OpenBLAS for */
int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_form_and_type),
	        cmocka_unit_test(parts_of_wider_tensors),
	        cmocka_unit_test(the_result_may_be_an_input),
	        cmocka_unit_test(a_wider_result_type),
	        cmocka_unit_test(wrong_operands_are_named),
	        cmocka_unit_test(the_cost_is_2mnk),
	};
	/* as main.c: an OpenBLAS older than the processor; a setting of the user's stays */
	if (kernels_width() == WIDTH_AVX512)
		setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
