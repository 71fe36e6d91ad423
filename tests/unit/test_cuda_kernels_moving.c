/* test_cuda_kernels_moving.c -- convert and permute as on a GPU against the simulator's, bit
 * for bit; and every kernel has its launches */
#include "cuda_scene.h"

/* ints: bit i: argument i holds i32 */
static const struct moving_case {
	const char *kernel;
	int ins, outs, ints;
	double option[2];
	int dims[2];
	int64_t dim[2][3];
} cases[] = {
        {"nonfinite", 1, 1, 0, {0}, {2}, {{37, 41}}},
        {"quantize", 1, 2, 0, {0}, {2}, {{37, 41}}},
        {"topk", 1, 2, 0, {5}, {3}, {{2, 3, 41}}},
        {"topk_grad", 2, 1, 2, {17}, {2, 2}, {{9, 6}, {9, 6}}},
        {"transpose", 1, 1, 0, {0}, {3}, {{5, 7, 3}}},
        {"transpose", 1, 1, 0, {0}, {2}, {{70, 41}}},
        {"binsort", 1, 2, 1, {9, 0}, {2}, {{301, 2}}},
        {"binsort", 1, 2, 1, {9, 3}, {2}, {{301, 2}}},
        {"permute", 2, 1, 2, {11}, {2, 2}, {{25, 7}, {25, 2}}},
        {"unpermute", 2, 1, 2, {0}, {2, 2}, {{25, 7}, {13, 2}}},
        {"sort_chunks", 2, 1, 2, {0}, {2, 2}, {{25, 7}, {3, 2}}},
};

static void each_type_and_form(void **state)
{
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++)
		for (int n = 0; n < 3 * FORMS * FORMS * 2; n++) {
			const struct moving_case *of = &cases[c];
			struct scene scene = {of->kernel, .ins = of->ins, .outs = of->outs};
			bool add = n / 3 / FORMS / FORMS && of->outs == 1;
			call_make(&scene.call, of->kernel);
			memcpy(scene.call.option, of->option, sizeof of->option);
			for (int i = 0; i < of->ins; i++)
				operand_make(&scene.in[i], "x",
				        of->ints >> i & 1 ? DT_I32 : (enum dtype)(n % 3),
				        (enum form)(n / 3 % FORMS), of->dims[i], of->dim[i], i + 1);
			scene_compare(&scene, (enum form)(n / 3 / FORMS % FORMS), add, true);
		}
}

/* Each row of kernels.c has launches, of kernels that there are: shown on its example's shapes by the tests of families; here that none is
 * forgotten */
static void every_kernel_is_planned(void **state)
{
	const struct kernel *kernel;
	(void)state;
	for (int i = 0; (kernel = kernel_at(i)) != NULL; i++)
		if (!launch_knows(kernel))
			fail_msg("%s has no row in launch.c", kernel->name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_type_and_form),
	        cmocka_unit_test(every_kernel_is_planned),
	};
	return cmocka_run_group_tests(tests, scene_open, scene_close);
}
