/* test_kernel_rows.c -- rows, losses, quantize, topk and transpose against double precision; every gradient against
 * finite differences */
#include "kernel_scene.h"

/* ---- references: one row of n ---- */

static double greatest(const double *x, int64_t n)
{
	double most = x[0];
	for (int64_t i = 1; i < n; i++)
		most = fmax(most, x[i]);
	return most;
}

static double sum_of(const double *x, int64_t n)
{
	double sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

static void rowmax_row(const double *x, int64_t n, double *y)
{
	y[0] = greatest(x, n);
}
static void rowsum_row(const double *x, int64_t n, double *y)
{
	y[0] = sum_of(x, n);
}

static void softmax_row(const double *x, int64_t n, double *y)
{
	double sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += exp(x[i]);
	for (int64_t i = 0; i < n; i++)
		y[i] = exp(x[i]) / sum;
}

static void layernorm_row(const double *x, int64_t n, double *y)
{
	double mean = sum_of(x, n) / (double)n, variance = 0;
	for (int64_t i = 0; i < n; i++)
		variance += (x[i] - mean) * (x[i] - mean) / (double)n;
	for (int64_t i = 0; i < n; i++)
		y[i] = (x[i] - mean) / sqrt(variance + 1e-5);
}

static const struct {
	const char *name;
	bool ints, one;
	void (*row)(const double *, int64_t, double *);
} rows[] = {
        {"rowmax", true, true, rowmax_row},
        {"rowsum", true, true, rowsum_row},
        {"softmax", false, false, softmax_row},
        {"layernorm", false, false, layernorm_row},
};

static void check_rows(size_t r, enum dtype dtype, enum form form_in, enum form form_out, bool add, int dims,
        const int64_t *dim)
{
	struct operand in, out;
	struct kernel_call call;
	int64_t n = dim[dims - 1], out_dim[3], out_n = rows[r].one ? 1 : n;
	double *wanted = malloc((size_t)n * sizeof *wanted);

	memcpy(out_dim, dim, (size_t)dims * sizeof *dim);
	out_dim[dims - 1] = out_n;
	call_make(&call, rows[r].name);
	call.add = add;
	operand_make(&in, "x", dtype, form_in, dims, dim, 1);
	operand_make(&out, "y", dtype, form_out, dims, out_dim, 2);
	assert_int_equal(call_run(&call, &in, 1, &out, 1), ST_OK);
	for (int64_t i = 0; i < out.count; i++) {
		if (i % out_n == 0)
			rows[r].row(in.value + i / out_n * n, n, wanted);
		double old = add ? out.value[i] : 0, value = wanted[i % out_n];
		assert_near(rows[r].name, dtype, operand_get(&out, i), value + old,
		        fabs(value) + fabs(old) + (rows[r].one ? 0.1 : 0.01));
	}
	free(wanted);
	operand_free(&in);
	operand_free(&out);
}

static void every_row_kernel(void **state)
{
	static const struct {
		int dims;
		int64_t dim[3];
	} shapes[] = {{1, {13}}, {2, {5, 7}}, {2, {3, 1031}}, {3, {2, 3, 5}}, {2, {4, 2}}};
	(void)state;
	for (size_t r = 0; r < LENGTH_OF(rows); r++)
		for (int dtype = 0; dtype < DT_COUNT; dtype++)
			for (int f = 0; f < FORMS * FORMS * 2 && (dtype != DT_I32 || rows[r].ints); f++)
				for (size_t s = 0; s < LENGTH_OF(shapes); s++)
					check_rows(r, (enum dtype)dtype, (enum form)(f % 3),
					        (enum form)(f / 3 % 3), f / 9, shapes[s].dims, shapes[s].dim);
}

static void large_logits_do_not_overflow(void **state)
{
	struct operand x, y;
	struct kernel_call call;
	(void)state;
	operand_make(&x, "x", DT_F32, PLAIN, 2, (int64_t[]){1, 3}, 0);
	for (int i = 0; i < 3; i++)
		operand_set(&x, i, i == 2 ? -INFINITY : 10000);
	call_make(&call, "softmax");
	y = x;
	assert_int_equal(call_run(&call, &x, 1, &y, 1), ST_OK); /* in place, too */
	assert_true(operand_get(&y, 0) == 0.5 && operand_get(&y, 1) == 0.5 && operand_get(&y, 2) == 0);
	operand_free(&x);
}

/* ---- losses ---- */

static double run_loss(const char *name, const struct operand *in, bool add)
{
	struct operand out;
	struct kernel_call call;
	call_make(&call, name);
	call.add = add;
	operand_make(&out, "loss", DT_F32, PLAIN, 1, (int64_t[]){1}, 9);
	double old = out.value[0];
	assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
	double loss = operand_get(&out, 0) - (add ? old : 0);
	operand_free(&out);
	return loss;
}

static void mse_is_the_mean_of_squares(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++)
		for (int form = 0; form < FORMS; form++) {
			struct operand in[2];
			double sum = 0;
			for (int i = 0; i < 2; i++)
				operand_make(&in[i], "y", (enum dtype)dtype, i ? PLAIN : (enum form)form, 2,
				        (int64_t[]){37, 41}, i + 1);
			for (int64_t i = 0; i < in[0].count; i++)
				sum += pow(in[0].value[i] - in[1].value[i], 2);
			assert_near("mse", DT_F32, run_loss("mse", in, false), sum / 37 / 41, 2);
			assert_near("mse +=", DT_F32, run_loss("mse", in, true), sum / 37 / 41, 4);
			operand_free(&in[0]);
			operand_free(&in[1]);
		}
}

static double crossentropy_of(const struct operand *z, int64_t row, int64_t classes, int64_t target)
{
	double sum = 0;
	for (int64_t c = 0; c < classes; c++)
		sum += exp(z->value[row * classes + c]);
	return log(sum) - z->value[row * classes + target];
}

static void crossentropy_by_class_and_by_probability(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++)
		for (int form = 0; form < FORMS; form++) {
			struct operand in[2], soft[2];
			double by_class = 0, by_probability = 0;
			operand_make(
			        &in[0], "z", (enum dtype)dtype, (enum form)form, 2, (int64_t[]){5, 7}, 1);
			operand_make(&in[1], "t", DT_I32, (enum form)form, 1, (int64_t[]){5}, 2);
			soft[0] = in[0];
			operand_make(&soft[1], "p", DT_F32, (enum form)form, 2, (int64_t[]){5, 7}, 3);
			for (int r = 0; r < 5; r++) {
				operand_set(&in[1], r, (r * 3) % 7);
				by_class += crossentropy_of(&in[0], r, 7, (r * 3) % 7) / 5;
				for (int c = 0; c < 7; c++)
					by_probability += soft[1].value[r * 7 + c] *
					        crossentropy_of(&in[0], r, 7, c) / 5;
			}
			assert_near("classes", DT_F32, run_loss("crossentropy", in, false), by_class, 4);
			assert_near("probabilities", DT_F32, run_loss("crossentropy", soft, false),
			        by_probability, 4);
			operand_set(&in[1], 2, 7);
			assert_true(isnan(run_loss("crossentropy", in, false)));
			operand_set(&in[1], 2, -1);
			assert_true(isnan(run_loss("crossentropy", in, false)));
			operand_free(&in[0]);
			operand_free(&in[1]);
			operand_free(&soft[1]);
		}
}

/* ---- gradients ---- */

/* The forward kernel's result at x, weighted by dy (or the loss itself when it has no upstream gradient) */
static double weighted(
        const char *forward, const struct operand *x, const struct operand *target, const struct operand *dy)
{
	if (target)
		return run_loss(forward, (struct operand[]){*x, *target}, false);
	struct operand y;
	struct kernel_call call;
	double sum = 0;
	call_make(&call, forward);
	operand_make(&y, "y", DT_F32, PLAIN, 2, x->tensor.layout.dim, -1);
	assert_int_equal(call_run(&call, x, 1, &y, 1), ST_OK);
	for (int64_t i = 0; i < y.count; i++)
		sum += dy->value[i] * operand_get(&y, i);
	operand_free(&y);
	return sum;
}

static void check_against_differences(const char *forward, const struct operand *x,
        const struct operand *target, const struct operand *dy, const struct operand *dx)
{
	const double h = 1.0 / 128;
	struct operand moved = *x;
	for (int64_t i = 0; i < x->count; i++) {
		double at = x->value[i];
		operand_set(&moved, i, at + h);
		double up = weighted(forward, &moved, target, dy);
		operand_set(&moved, i, at - h);
		double slope = (up - weighted(forward, &moved, target, dy)) / (2 * h);
		operand_set(&moved, i, at);
		if (fabs(slope - operand_get(dx, i)) > 2e-3)
			fail_msg("%s_grad at %d: %g, by differences %g", forward, (int)i, operand_get(dx, i),
			        slope);
	}
}

static void every_gradient(void **state)
{
	static const struct {
		const char *forward, *grad;
		bool output, loss;
	} cases[] = {
	        {"relu", "relu_grad", false, false},
	        {"gelu", "gelu_grad", false, false},
	        {"softmax", "softmax_grad", true, false},
	        {"layernorm", "layernorm_grad", false, false},
	        {"mse", "mse_grad", false, true},
	        {"crossentropy", "crossentropy_grad", false, true},
	};
	const int64_t dim[2] = {4, 6};
	(void)state;
	for (size_t c = 0; c < LENGTH_OF(cases); c++)
		for (int form = 0; form < FORMS; form++) {
			struct operand x, t, dy, y, dx;
			struct kernel_call call;
			operand_make(&x, "x", DT_F32, (enum form)form, 2, dim, 11);
			for (int64_t i = 0; i < x.count; i++) /* away from relu's corner */
				operand_set(&x, i, fabs(x.value[i]) < 0.05 ? 0.1 : x.value[i]);
			operand_make(&t, "t", DT_F32, (enum form)form, 2, dim, 12);
			operand_make(&dy, "dy", DT_F32, (enum form)form, 2, dim, 13);
			operand_make(&y, "y", DT_F32, PLAIN, 2, dim, 14);
			operand_make(&dx, "dx", DT_F32, (enum form)form, 2, dim, -1);
			if (cases[c].output) {
				call_make(&call, cases[c].forward);
				assert_int_equal(call_run(&call, &x, 1, &y, 1), ST_OK);
			}
			call_make(&call, cases[c].grad);
			struct operand in[2] = {cases[c].loss ? x : dy,
			        cases[c].loss             ? t
			                : cases[c].output ? y
			                                  : x};
			assert_int_equal(call_run(&call, in, 2, &dx, 1), ST_OK);
			check_against_differences(cases[c].forward, &x, cases[c].loss ? &t : NULL, &dy, &dx);
			operand_free(&x), operand_free(&t), operand_free(&dy), operand_free(&y),
			        operand_free(&dx);
		}
}

static void gradients_in_every_type(void **state)
{
	static const char *const names[] = {"gelu_grad", "softmax_grad", "layernorm_grad", "mse_grad"};
	(void)state;
	for (size_t k = 0; k < LENGTH_OF(names); k++)
		for (int dtype = DT_F16; dtype <= DT_BF16; dtype++) {
			struct operand in[2], same[2], out, wanted;
			struct kernel_call call;
			for (int i = 0; i < 2; i++) {
				operand_make(
				        &in[i], "x", (enum dtype)dtype, TURNED, 2, (int64_t[]){5, 9}, i + 1);
				operand_make(&same[i], "x", DT_F32, PLAIN, 2, (int64_t[]){5, 9}, 0);
				for (int64_t j = 0; j < in[i].count; j++)
					operand_set(&same[i], j, in[i].value[j]);
			}
			operand_make(&out, "y", (enum dtype)dtype, SLICED, 2, (int64_t[]){5, 9}, -1);
			operand_make(&wanted, "y", DT_F32, PLAIN, 2, (int64_t[]){5, 9}, -1);
			call_make(&call, names[k]);
			assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
			assert_int_equal(call_run(&call, same, 2, &wanted, 1), ST_OK);
			for (int64_t j = 0; j < out.count; j++)
				assert_near(names[k], (enum dtype)dtype, operand_get(&out, j),
				        operand_get(&wanted, j), fabs(operand_get(&wanted, j)));
			for (int i = 0; i < 2; i++)
				operand_free(&in[i]), operand_free(&same[i]);
			operand_free(&out), operand_free(&wanted);
		}
}

static void a_class_that_is_none_spoils_its_row_only(void **state)
{
	struct operand in[2], dz;
	struct kernel_call call;
	(void)state;
	operand_make(&in[0], "z", DT_F32, PLAIN, 2, (int64_t[]){2, 3}, 1);
	operand_make(&in[1], "t", DT_I32, PLAIN, 1, (int64_t[]){2}, 1);
	operand_set(&in[1], 0, 2);
	operand_set(&in[1], 1, 3);
	operand_make(&dz, "dz", DT_F32, PLAIN, 2, (int64_t[]){2, 3}, -1);
	call_make(&call, "crossentropy_grad");
	assert_int_equal(call_run(&call, in, 2, &dz, 1), ST_OK);
	double sum = 0;
	for (int i = 0; i < 3; i++) {
		sum += operand_get(&dz, i);
		assert_true(isnan(operand_get(&dz, 3 + i)));
	}
	assert_true(fabs(sum) < 1e-6 && operand_get(&dz, 2) < 0);
	operand_free(&in[0]);
	operand_free(&in[1]);
	operand_free(&dz);
}

/* As if they were not there, which is what ignore_index of torch.nn.functional.cross_entropy does; without a row that counts: nan */
static void rows_with_an_ignored_class_do_not_count(void **state)
{
	static const double z[4][3] = {{0.5, -1, 0.25}, {1.5, 0.75, -0.5}, {0, 3, 1}, {-2, 0.125, 0.5}};
	struct operand in[2], few[2], dz, wanted;
	struct kernel_call call;
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++) {
		operand_make(&in[0], "z", (enum dtype)dtype, PLAIN, 2, (int64_t[]){4, 3}, -1);
		operand_make(&few[0], "z", (enum dtype)dtype, PLAIN, 2, (int64_t[]){2, 3}, -1);
		operand_make(&in[1], "t", DT_I32, SLICED, 1, (int64_t[]){4}, -1);
		operand_make(&few[1], "t", DT_I32, PLAIN, 1, (int64_t[]){2}, -1);
		operand_make(&dz, "dz", (enum dtype)dtype, PLAIN, 2, (int64_t[]){4, 3}, -1);
		operand_make(&wanted, "dz", (enum dtype)dtype, PLAIN, 2, (int64_t[]){2, 3}, -1);
		for (int i = 0; i < 12; i++)
			operand_set(&in[0], i, z[i / 3][i % 3]);
		for (int r = 0; r < 4; r++)
			operand_set(&in[1], r, r % 2 ? -100 : r);
		for (int i = 0; i < 6; i++)
			operand_set(&few[0], i, z[i / 3 * 2][i % 3]);
		operand_set(&few[1], 0, 0), operand_set(&few[1], 1, 2);
		assert_true(run_loss("crossentropy", in, false) == run_loss("crossentropy", few, false));
		call_make(&call, "crossentropy_grad");
		assert_int_equal(call_run(&call, in, 2, &dz, 1), ST_OK);
		assert_int_equal(call_run(&call, few, 2, &wanted, 1), ST_OK);
		for (int i = 0; i < 12; i++)
			assert_true(operand_get(&dz, i) ==
			        (i / 3 % 2 ? 0 : operand_get(&wanted, i / 6 * 3 + i % 3)));
		for (int r = 0; r < 4; r++)
			operand_set(&in[1], r, -100);
		assert_true(isnan(run_loss("crossentropy", in, false)));
		for (int i = 0; i < 2; i++)
			operand_free(&in[i]), operand_free(&few[i]);
		operand_free(&dz), operand_free(&wanted);
	}
}

/* The first number out of range, by each kernel that looks something up */
static void numbers_out_of_range_are_found(void **state)
{
	static const struct {
		const char *kernel;
		int argument; /* with the numbers */
		double option, number;
		const char *words; /* NULL: it may stand there */
	} looks[] = {{"embed", 1, 0, 4,
	                     "`embed` reads i[2] = 4, which is out of range for a row of the table (0 to 3)"},
	        {"embed", 1, 0, -1, "i[2] = -1"}, {"embed", 1, 0, 3, NULL},
	        {"embed_grad", 1, 6, 6, "a row of the table (0 to 5)"}, {"embed_grad", 1, 6, 5, NULL},
	        {"crossentropy", 1, -100, 2, "a class (0 to 1, or -100)"},
	        {"crossentropy", 1, -100, -100, NULL}, {"crossentropy", 1, 0, -100, "a class (0 to 1, or 0)"},
	        {"crossentropy_grad", 1, -100, -1, "a class (0 to 1, or -100)"},
	        {"permute", 1, 5, 5, "a row of xs (0 to 4, or -1)"}, {"permute", 1, 5, -1, NULL},
	        {"unpermute", 1, 0, 4, "a row of ys (0 to 3, or -1)"}, {"unpermute", 1, 0, -1, NULL},
	        {"binsort", 0, 3, 3, "a bin (0 to 2, or -1)"}, {"binsort", 0, 3, -2, "i[2] = -2"}};
	(void)state;
	for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) {
		struct operand x, ids;
		struct kernel_call call;
		int64_t place = -1;
		double value = 0;
		operand_make(&x, "x", DT_F32, PLAIN, 2, (int64_t[]){4, 2}, 1);
		operand_make(&ids, "i", DT_I32, SLICED, 1, (int64_t[]){4}, -1);
		for (int i = 0; i < 4; i++)
			operand_set(&ids, i, i == 2 ? looks[k].number : 0);
		call_make(&call, looks[k].kernel);
		call.ins = looks[k].argument + 1;
		call.in[0] = looks[k].argument ? x.tensor : ids.tensor;
		call.in[1] = ids.tensor;
		call.option[0] = looks[k].option;
		call.outs = call.kernel->outs;
		assert_int_equal(kernel_shape(&call), ST_OK);
		assert_int_equal(kernel_find_index(&call, &place, &value), looks[k].words != NULL);
		if (looks[k].words) {
			assert_int_equal(place, 2);
			assert_true(value == looks[k].number);
			assert_int_equal(kernel_index_failure(&call, place, value), ST_RANGE);
			assert_non_null(strstr(fail_text(), looks[k].words));
		}
		operand_free(&x), operand_free(&ids);
	}
}

/* ---- transpose, quantize, topk ---- */

static void transpose_turns_the_first_two(void **state)
{
	enum { N = 7, M = 5, K = 3 };
	(void)state;
	for (int dtype = 0; dtype < DT_COUNT; dtype++)
		for (int form = 0; form < FORMS; form++) {
			struct operand x, y;
			struct kernel_call call;
			operand_make(&x, "x", (enum dtype)dtype, (enum form)form, 3, (int64_t[]){N, M, K}, 1);
			operand_make(&y, "y", (enum dtype)dtype, (enum form)((form + 1) % FORMS), 3,
			        (int64_t[]){M, N, K}, -1);
			call_make(&call, "transpose");
			assert_int_equal(call_run(&call, &x, 1, &y, 1), ST_OK);
			for (int n = 0; n < N; n++)
				for (int m = 0; m < M; m++)
					for (int k = 0; k < K; k++)
						assert_true(operand_get(&y, (m * N + n) * K + k) ==
						        x.value[(n * M + m) * K + k]);
			operand_free(&x), operand_free(&y);
		}
}

static void quantize_keeps_127_steps(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++) {
		struct operand x, out[2];
		struct kernel_call call;
		double most = 0;
		operand_make(&x, "x", (enum dtype)dtype, SLICED, 2, (int64_t[]){33, 40}, 1);
		operand_make(&out[0], "q", DT_I32, TURNED, 2, (int64_t[]){33, 40}, -1);
		operand_make(&out[1], "s", DT_F32, PLAIN, 1, (int64_t[]){1}, -1);
		call_make(&call, "quantize");
		assert_int_equal(call_run(&call, &x, 1, out, 2), ST_OK);
		for (int64_t i = 0; i < x.count; i++)
			most = fmax(most, fabs(x.value[i]));
		double s = operand_get(&out[1], 0);
		assert_true(s == (float)(most / 127));
		for (int64_t i = 0; i < x.count; i++) {
			double q = operand_get(&out[0], i);
			assert_true(fabs(q) <= 127 && fabs(q * s - x.value[i]) <= s * 0.5001);
		}
		for (int64_t i = 0; i < x.count; i++)
			operand_set(&x, i, 0);
		assert_int_equal(call_run(&call, &x, 1, out, 2), ST_OK);
		assert_true(operand_get(&out[1], 0) == 1 && operand_get(&out[0], 5) == 0);
		operand_free(&x), operand_free(&out[0]), operand_free(&out[1]);
	}
}

static void check_topk_row(
        const struct operand *x, int64_t row, int64_t n, int64_t k, const struct operand *out)
{
	double last = INFINITY, last_index = -1;
	for (int64_t i = 0; i < k; i++) {
		double value = operand_get(&out[0], row * k + i), index = operand_get(&out[1], row * k + i);
		assert_true(value == x->value[row * n + (int64_t)index]);
		assert_true(value < last || (value == last && index > last_index));
		last = value;
		last_index = index;
	}
	int64_t larger = 0;
	for (int64_t i = 0; i < n; i++)
		larger += x->value[row * n + i] > last;
	assert_true(larger < k);
}

static void topk_is_sorted_and_complete(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_COUNT; dtype++)
		for (int k = 1; k <= 19; k += 6) {
			struct operand x, out[2];
			struct kernel_call call;
			operand_make(&x, "x", (enum dtype)dtype, SLICED, 2, (int64_t[]){5, 19}, 1);
			operand_set(&x, 3, x.value[8]); /* equal values */
			operand_make(&out[0], "v", (enum dtype)dtype, TURNED, 2, (int64_t[]){5, k}, -1);
			operand_make(&out[1], "i", DT_I32, SLICED, 2, (int64_t[]){5, k}, -1);
			call_make(&call, "topk");
			call.option[0] = k;
			assert_int_equal(call_run(&call, &x, 1, out, 2), ST_OK);
			for (int64_t r = 0; r < 5; r++)
				check_topk_row(&x, r, 19, k, out);
			call.option[0] = 20;
			assert_int_equal(kernel_shape(&call), ST_RANGE);
			assert_words("k=20");
			operand_free(&x), operand_free(&out[0]), operand_free(&out[1]);
		}
}

/* inf and NaN of either sign, whatever the type and the layout */
static void nonfinite_counts_what_overflowed(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_COUNT; dtype++) {
		struct operand x, out;
		struct kernel_call call;
		bool whole = dtype == DT_I32; /* its numbers are all finite */
		operand_make(&x, "x", (enum dtype)dtype, SLICED, 2, (int64_t[]){5, 431}, 1);
		operand_make(&out, "n", DT_F32, PLAIN, 1, (int64_t[]){1}, -1);
		if (!whole) {
			operand_set(&x, 0, INFINITY);
			operand_set(&x, 700, -INFINITY);
			operand_set(&x, 5 * 431 - 1, NAN);
		}
		call_make(&call, "nonfinite");
		assert_int_equal(call_run(&call, &x, 1, &out, 1), ST_OK);
		assert_true(operand_get(&out, 0) == (whole ? 0 : 3));
		operand_free(&x);
		operand_free(&out);
	}
}

static void rowsum_of_ints_wraps(void **state)
{
	struct operand x, out;
	struct kernel_call call;
	(void)state;
	operand_make(&x, "x", DT_I32, PLAIN, 2, (int64_t[]){2, 3}, 0);
	operand_make(&out, "y", DT_I32, PLAIN, 2, (int64_t[]){2, 1}, -1);
	memcpy(x.memory, (int32_t[]){INT32_MAX, INT32_MAX, 5, INT32_MIN, -1, 7}, 24);
	call_make(&call, "rowsum");
	assert_int_equal(call_run(&call, &x, 1, &out, 1), ST_OK);
	assert_true(operand_get(&out, 0) == 3 && operand_get(&out, 1) == INT32_MIN + 6.0);
	operand_free(&x);
	operand_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_row_kernel),
	        cmocka_unit_test(large_logits_do_not_overflow),
	        cmocka_unit_test(mse_is_the_mean_of_squares),
	        cmocka_unit_test(crossentropy_by_class_and_by_probability),
	        cmocka_unit_test(rows_with_an_ignored_class_do_not_count),
	        cmocka_unit_test(numbers_out_of_range_are_found),
	        cmocka_unit_test(every_gradient),
	        cmocka_unit_test(gradients_in_every_type),
	        cmocka_unit_test(a_class_that_is_none_spoils_its_row_only),
	        cmocka_unit_test(quantize_keeps_127_steps),
	        cmocka_unit_test(topk_is_sorted_and_complete),
	        cmocka_unit_test(transpose_turns_the_first_two),
	        cmocka_unit_test(nonfinite_counts_what_overflowed),
	        cmocka_unit_test(rowsum_of_ints_wraps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
