/* test_cuda_kernels_matmul.c -- matmul on a GPU against double precision: the arguments for
 * cuBLAS, executed here as its manual says, and matmul_any for all other cases */
#include "cuda_scene.h"

/* What a shape of y [m,n] = a [m,k] b [k,n] comes to, with operands in these forms */
struct product_case {
	int m, k, n;
	enum form a, b, y;
	enum dtype in, out;
	bool cublas; /* it takes this */
};

static void product(struct product_case c, bool add)
{
	struct operand in[2], out, old;
	struct kernel_call call;
	struct gemm gemm;
	int64_t y[2] = {c.m, c.n};
	double error = 0, whole = 0;

	operand_make(&in[0], "a", c.in, c.a, 2, (int64_t[]){c.m, c.k ? c.k : 1}, 1);
	operand_make(&in[1], "b", c.in, c.b, 2, (int64_t[]){c.k ? c.k : 1, c.n}, 2);
	in[0].tensor.layout.dim[1] = in[1].tensor.layout.dim[0] = c.k;
	operand_make(&out, "y", c.out, c.y, 2, y, 3);
	operand_make(&old, "y", c.out, c.y, 2, y, 3);
	call_make(&call, "matmul");
	call.option[0] = 0.5;
	scene_call(&call, in, 2, &out, 1, add);
	assert_int_equal(gemm_of(&call, &gemm), c.cublas);
	scene_run(&call);
	for (int i = 0; i < c.m * c.n; i++) {
		double wanted = add ? old.value[i] : 0, got = operand_get(&out, i);
		for (int k = 0; k < c.k; k++)
			wanted += 0.5 * in[0].value[i / c.n * c.k + k] * in[1].value[k * c.n + i % c.n];
		error += (got - wanted) * (got - wanted);
		whole += wanted * wanted;
	}
	if (!(sqrt(error) <= scene_tolerance(c.out) * sqrt(whole)))
		fail_msg("matmul %d %d %d: %g of %g", c.m, c.k, c.n, sqrt(error), sqrt(whole));
	operand_free(&in[0]);
	operand_free(&in[1]);
	operand_free(&out);
	operand_free(&old);
}

static void products(void **state)
{
	static const struct product_case cases[] = {
	        {5, 7, 9, PLAIN, PLAIN, PLAIN, DT_F32, DT_F32, true},
	        {5, 7, 9, TURNED, PLAIN, PLAIN, DT_F16, DT_F16, true},
	        {5, 7, 9, PLAIN, TURNED, PLAIN, DT_BF16, DT_BF16, true},
	        {5, 7, 9, TURNED, TURNED, PLAIN, DT_BF16, DT_F32, true},
	        {5, 7, 9, PLAIN, TURNED, TURNED, DT_F32, DT_F32, true},
	        {1, 7, 9, PLAIN, PLAIN, PLAIN, DT_F32, DT_F32, true},
	        {5, 1, 1, PLAIN, PLAIN, PLAIN, DT_F32, DT_F32, true},
	        {65, 70, 130, SLICED, PLAIN, PLAIN, DT_F32, DT_F32, false},
	        {65, 70, 66, PLAIN, SLICED, PLAIN, DT_BF16, DT_BF16, false},
	        {3, 33, 2, TURNED, PLAIN, SLICED, DT_F16, DT_F16, false},
	        {5, 7, 9, PLAIN, TURNED, PLAIN, DT_F32, DT_BF16, false},
	        {5, 7, 9, PLAIN, PLAIN, PLAIN, DT_F16, DT_BF16, false},
	        {5, 0, 9, PLAIN, PLAIN, PLAIN, DT_F32, DT_F32, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int add = 0; add < 2; add++)
			product(cases[i], add);
}

/* y = matmul y w and y = matmul w y, into y itself */
static void over_an_argument(void **state)
{
	(void)state;
	for (int n = 0; n < 2 * 2 * 2; n++) {
		int64_t dim[2] = {6, 6};
		struct operand in[2], copy[2], wanted;
		struct kernel_call call, again;
		for (int i = 0; i < 2; i++) {
			operand_make(&in[i], "y", DT_F32, n / 4 ? PLAIN : SLICED, 2, dim, i);
			operand_make(&copy[i], "y", DT_F32, PLAIN, 2, dim, i);
		}
		operand_make(&wanted, "y", DT_F32, PLAIN, 2, dim, n % 2);
		call_make(&call, "matmul");
		call_make(&again, "matmul");
		scene_call(&call, in, 2, &in[n % 2], 1, n / 2 % 2);
		scene_call(&again, copy, 2, &wanted, 1, n / 2 % 2);
		scene_run(&call);
		kernel_compute(&again);
		for (int i = 0; i < 36; i++)
			assert_near(
			        "matmul", DT_F32, operand_get(&in[n % 2], i), operand_get(&wanted, i), 10);
		for (int i = 0; i < 2; i++) {
			operand_free(&in[i]);
			operand_free(&copy[i]);
		}
		operand_free(&wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(over_an_argument)};
	return cmocka_run_group_tests(tests, scene_open, scene_close);
}
