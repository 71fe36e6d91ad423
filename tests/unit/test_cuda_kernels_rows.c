/* test_cuda_kernels_rows.c -- rows, losses, embed: the GPU's kernels, compiled for the CPU,
 * against the simulator's, which have tests of their own against double precision */
#include "cuda_scene.h"

/* A call with operands of `dims` dimensions, in each form, with and without += */
struct rows_case {
	const char *kernel;
	int ins;
	bool exact; /* bit for bit */
};

static const struct rows_case of_rows[] = {
        {"rowmax", 1, true},
        {"rowsum", 1, false},
        {"softmax", 1, false},
        {"softmax_grad", 2, false},
        {"layernorm", 1, false},
        {"layernorm_grad", 2, false},
        {"mse", 2, false},
        {"sumsq", 1, false},
        {"mse_grad", 2, true},
        {"colsum", 1, false},
};

static const struct {
	int dims;
	int64_t dim[3];
} shapes[] = {{2, {5, 33}}, {1, {7}}, {3, {2, 3, 40}}, {2, {3, 1504}}, {2, {3, 1501}}, {2, {70, 1}},
        {2, {0, 33}}, {1, {0}}, {3, {2, 3, 0}}};

static void each_shape_and_type(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			for (int n = 0; n < DT_COUNT * FORMS * 2 * 2; n++) {
				struct scene scene = {of_rows[k].kernel, .ins = of_rows[k].ins, .outs = 1};
				enum dtype dtype = (enum dtype)(n / 2 % DT_COUNT);
				call_make(&scene.call, scene.kernel);
				if (dtype == DT_I32 && scene.call.kernel->arguments != ARGUMENTS_ANY)
					continue;
				if (scene.call.kernel->wants_columns &&
				        shapes[s].dim[shapes[s].dims - 1] == 0)
					continue;
				if (strcmp(scene.kernel, "colsum") == 0 &&
				        (dtype == DT_I32 || shapes[s].dims != 2))
					continue;
				for (int i = 0; i < scene.ins; i++)
					operand_make(&scene.in[i], "x", dtype,
					        (enum form)((n / 8 + n / 24 * i) % FORMS), shapes[s].dims,
					        shapes[s].dim, i);
				scene_compare(&scene, (enum form)(n / 8 % FORMS), n % 2, of_rows[k].exact);
			}
}

/* Classes and probabilities; a class that is none, one that is ignored, and one that cannot be */
static void crossentropy(void **state)
{
	(void)state;
	for (int n = 0; n < 2 * 3 * 2 * 2; n++) {
		bool gradient = n % 2, classes = n / 2 % 2, wide = n / 12;
		enum dtype dtype = (enum dtype)(n / 4 % 3);
		int64_t rows = wide ? 3 : 19, columns = wide ? 1104 : 11;
		struct scene scene = {gradient ? "crossentropy_grad" : "crossentropy", .ins = 2, .outs = 1};
		call_make(&scene.call, scene.kernel);
		operand_make(
		        &scene.in[0], "z", dtype, (enum form)(n % FORMS), 2, (int64_t[]){rows, columns}, 5);
		operand_make(&scene.in[1], "t", classes ? DT_I32 : DT_F32, SLICED, classes ? 1 : 2,
		        (int64_t[]){rows, columns}, 6);
		for (int64_t i = 0; i < scene.in[1].count; i++)
			operand_set(&scene.in[1], i,
			        classes ? (double)(i * 3 % columns) : fabs(scene.in[1].value[i]));
		operand_set(&scene.in[0], 1, -INFINITY);
		if (!classes)
			operand_set(&scene.in[1], 1, 0);
		else if (gradient)
			operand_set(&scene.in[1], 2, -1);
		scene.call.option[1] = n % 5 == 0 ? 7 : 0;
		scene.outs = gradient ? 1 : 1 + n / 4 % 2;
		for (int64_t i = 0; classes && n / 2 % 2 && i < scene.in[1].count; i += 4)
			operand_set(&scene.in[1], i, -100);
		scene_compare(&scene, PLAIN, scene.outs == 1 && n / 2 % 2, false);
	}
}

/* Ids that come twice, and ids that are none */
static void embed(void **state)
{
	(void)state;
	for (int n = 0; n < 2 * 3 * FORMS; n++) {
		bool gradient = n % 2;
		enum dtype dtype = (enum dtype)(n / 2 % 3);
		enum form form = (enum form)(n / 6);
		int64_t tokens = n / 6 == 1 ? 2300 : 300, columns = n / 6 == 0 ? 1104 : n / 6 == 1 ? 1100 : 9;
		struct scene scene = {gradient ? "embed_grad" : "embed", .ins = 2, .outs = 1};
		call_make(&scene.call, scene.kernel);
		scene.call.option[0] = gradient ? 6 : 0;
		operand_make(
		        &scene.in[0], "x", dtype, form, 2, (int64_t[]){gradient ? tokens : 6, columns}, 5);
		operand_make(&scene.in[1], "ids", DT_I32, SLICED, 1, &tokens, 6);
		for (int64_t i = 0; i < tokens; i++)
			operand_set(&scene.in[1], i, (double)(i * i % 8 - 1));
		scene_compare(&scene, form, n / 2 % 2, true);
	}
}

/* Of equals the first, and a NaN above all */
static void largest_of_a_row(void **state)
{
	(void)state;
	for (int columns = 40; columns <= 2000; columns += 1960) {
		struct scene scene = {"rowmax", .ins = 1, .outs = 1};
		call_make(&scene.call, scene.kernel);
		operand_make(&scene.in[0], "x", DT_F32, PLAIN, 2, (int64_t[]){4, columns}, 1);
		for (int i = 0; i < 2 * columns; i++)
			operand_set(&scene.in[0], i, i / columns ? 0.0 : -1.0);
		operand_set(&scene.in[0], 31, -0.0);
		operand_set(&scene.in[0], 33, 0.0);
		operand_set(&scene.in[0], columns, -0.0);
		operand_set(&scene.in[0], 2 * columns + 37, NAN);
		operand_set(&scene.in[0], 3 * columns + 36, INFINITY);
		scene_compare(&scene, PLAIN, false, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_shape_and_type),
	        cmocka_unit_test(crossentropy), cmocka_unit_test(embed), cmocka_unit_test(largest_of_a_row)};
	return cmocka_run_group_tests(tests, scene_open, scene_close);
}
