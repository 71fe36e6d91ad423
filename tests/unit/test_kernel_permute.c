/* test_kernel_permute.c -- binsort, permute, unpermute, sort_chunks and topk_grad against their
 * definitions, and tensors without rows */
#include "kernel_scene.h"
#include "base/memory.h"

enum { TOKENS = 11, TOP = 3, BINS = 5, COLUMNS = 7 };

/* What the router chooses: any expert, of which the last is never chosen; all the same one; none that there is */
enum choice { CHOICE_ANY, CHOICE_ONE, CHOICE_NONE, CHOICES };

static void choose(struct operand *ids, enum choice choice, enum form form)
{
	operand_make(ids, "ids", DT_I32, form, 2, (int64_t[]){TOKENS, TOP}, -1);
	for (int64_t i = 0; i < ids->count; i++)
		operand_set(ids, i,
		        choice == CHOICE_ONE           ? 2
		                : choice == CHOICE_ANY ? (double)(philox_word(9, (uint64_t)i) % (BINS - 1))
		                : i % 2                ? -1
		                                       : BINS);
}

/* Of ids[i]: how many come before it in its bin; how many there are in the bins before */
static int64_t place_of(const struct operand *ids, int64_t i, int64_t capacity)
{
	int64_t before = 0, smaller = 0;
	double id = ids->value[i];
	for (int64_t k = 0; k < ids->count; k++) {
		before += k < i && ids->value[k] == id;
		smaller += ids->value[k] >= 0 && ids->value[k] < id;
	}
	if (id < 0 || id >= BINS || (capacity && before >= capacity))
		return -1;
	return capacity ? (int64_t)id * capacity + before : smaller + before;
}

static void sort(const struct operand *ids, int64_t capacity, struct operand *to, struct operand *n)
{
	struct kernel_call call;
	operand_make(to, "to", DT_I32, PLAIN, 2, (int64_t[]){TOKENS, TOP}, -1);
	operand_make(n, "n", DT_I32, PLAIN, 1, (int64_t[]){BINS}, -1);
	call_make(&call, "binsort");
	call.option[0] = BINS, call.option[1] = (double)capacity;
	assert_int_equal(call_run(&call, ids, 1, (struct operand[]){*to, *n}, 2), ST_OK);
}

static void binsort_counts_and_places(void **state)
{
	(void)state;
	for (int choice = 0; choice < CHOICES; choice++)
		for (int64_t capacity = 0; capacity < 9; capacity += 4) {
			struct operand ids, to, n;
			choose(&ids, (enum choice)choice, (enum form)(capacity / 4));
			sort(&ids, capacity, &to, &n);
			for (int64_t i = 0; i < ids.count; i++)
				assert_true(operand_get(&to, i) == (double)place_of(&ids, i, capacity));
			for (int bin = 0; bin < BINS; bin++) {
				int wanted = 0;
				for (int64_t i = 0; i < ids.count; i++)
					wanted += ids.value[i] == bin;
				assert_true(operand_get(&n, bin) == wanted);
			}
			operand_free(&ids), operand_free(&to), operand_free(&n);
		}
}

/* Each against its definition; and as each is the other's transpose, sum(permute(x) ys) = sum(x unpermute(ys)) */
static void check_permute(enum choice choice, int64_t capacity, enum dtype dtype, bool add)
{
	int64_t rows = capacity ? BINS * capacity : TOKENS * TOP;
	struct operand ids, to, n, x, xs, ys, y;
	struct kernel_call call;
	double forth = 0, back = 0;
	choose(&ids, choice, PLAIN);
	sort(&ids, capacity, &to, &n);
	operand_make(&x, "x", dtype, TURNED, 2, (int64_t[]){TOKENS, COLUMNS}, 1);
	operand_make(&xs, "xs", dtype, SLICED, 2, (int64_t[]){rows, COLUMNS}, 2);
	operand_make(&ys, "ys", dtype, SLICED, 2, (int64_t[]){rows, COLUMNS}, 3);
	operand_make(&y, "y", dtype, TURNED, 2, (int64_t[]){TOKENS, COLUMNS}, 4);
	call_make(&call, "permute");
	call.option[0] = (double)rows, call.add = add;
	assert_int_equal(call_run(&call, (struct operand[]){x, to}, 2, &xs, 1), ST_OK);
	call_make(&call, "unpermute");
	call.add = add;
	assert_int_equal(call_run(&call, (struct operand[]){ys, to}, 2, &y, 1), ST_OK);
	for (int64_t e = 0; e < rows * COLUMNS; e++) {
		double wanted = add ? xs.value[e] : 0;
		for (int64_t i = 0; i < ids.count; i++)
			if (place_of(&ids, i, capacity) == e / COLUMNS)
				wanted += x.value[i / TOP * COLUMNS + e % COLUMNS];
		assert_near("permute", dtype, operand_get(&xs, e), wanted, 8);
		forth += (operand_get(&xs, e) - (add ? xs.value[e] : 0)) * ys.value[e];
	}
	for (int64_t e = 0; e < TOKENS * COLUMNS; e++) {
		double wanted = add ? y.value[e] : 0;
		for (int64_t i = e / COLUMNS * TOP; i < (e / COLUMNS + 1) * TOP; i++)
			if (place_of(&ids, i, capacity) >= 0)
				wanted += ys.value[place_of(&ids, i, capacity) * COLUMNS + e % COLUMNS];
		assert_near("unpermute", dtype, operand_get(&y, e), wanted, 8);
		back += (operand_get(&y, e) - (add ? y.value[e] : 0)) * x.value[e];
	}
	if (dtype == DT_F32 && fabs(forth - back) > 1e-3)
		fail_msg("forth %g, back %g", forth, back);
	operand_free(&ids), operand_free(&to), operand_free(&n);
	operand_free(&x), operand_free(&xs), operand_free(&ys), operand_free(&y);
}

static void permute_and_back(void **state)
{
	(void)state;
	for (int choice = 0; choice < CHOICES; choice++)
		for (int64_t capacity = 0; capacity < 9; capacity += 4)
			for (int dtype = 0; dtype < 2 * DT_I32; dtype++)
				check_permute((enum choice)choice, capacity, (enum dtype)(dtype % DT_I32),
				        dtype >= DT_I32);
}

/* Chunks of three ranks for two experts, of which some are empty: rows are numbered, so their order is seen */
static void sort_chunks_by_columns(void **state)
{
	static const int counts[3][2] = {{2, 1}, {0, 3}, {4, 0}};
	static const int wanted[10] = {0, 1, 6, 7, 8, 9, 2, 3, 4, 5};
	struct operand x, y, n, back;
	struct kernel_call call;
	(void)state;
	operand_make(&x, "x", DT_F32, SLICED, 2, (int64_t[]){10, 2}, -1);
	operand_make(&y, "y", DT_F32, TURNED, 2, (int64_t[]){10, 2}, -1);
	operand_make(&back, "x", DT_F32, PLAIN, 2, (int64_t[]){10, 2}, -1);
	operand_make(&n, "n", DT_I32, SLICED, 2, (int64_t[]){3, 2}, -1);
	for (int i = 0; i < 20; i++)
		operand_set(&x, i, i / 2 + 100 * (i % 2));
	for (int i = 0; i < 6; i++)
		operand_set(&n, i, counts[i / 2][i % 2]);
	call_make(&call, "sort_chunks");
	assert_int_equal(call_run(&call, (struct operand[]){x, n}, 2, &y, 1), ST_OK);
	for (int i = 0; i < 20; i++)
		assert_true(operand_get(&y, i) == wanted[i / 2] + 100 * (i % 2));
	/* n.T, as the language makes it: the same memory with its strides turned */
	struct operand turned = n;
	struct layout *layout = &turned.tensor.layout;
	layout->dim[0] = 2, layout->dim[1] = 3;
	layout->stride[0] = n.tensor.layout.stride[1], layout->stride[1] = n.tensor.layout.stride[0];
	assert_int_equal(call_run(&call, (struct operand[]){y, turned}, 2, &back, 1), ST_OK);
	for (int i = 0; i < 20; i++)
		assert_true(operand_get(&back, i) == x.value[i]);
	operand_set(&n, 0, 1); /* one too few: the last row is in no chunk */
	assert_int_equal(call_run(&call, (struct operand[]){x, n}, 2, &y, 1), ST_OK);
	assert_true(isnan(operand_get(&y, 19)) && !isnan(operand_get(&y, 17)));
	operand_free(&x), operand_free(&y), operand_free(&n), operand_free(&back);
}

static void topk_grad_puts_values_back(void **state)
{
	struct operand in[2], dx;
	struct kernel_call call;
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++) {
		operand_make(&in[0], "dv", (enum dtype)dtype, SLICED, 2, (int64_t[]){TOKENS, TOP}, 1);
		operand_make(&in[1], "i", DT_I32, TURNED, 2, (int64_t[]){TOKENS, TOP}, -1);
		operand_make(&dx, "dx", (enum dtype)dtype, PLAIN, 2, (int64_t[]){TOKENS, BINS}, 2);
		for (int i = 0; i < TOKENS * TOP; i++)
			operand_set(&in[1], i, (i / TOP + i % TOP) % BINS);
		call_make(&call, "topk_grad");
		call.option[0] = BINS, call.add = true;
		assert_int_equal(call_run(&call, in, 2, &dx, 1), ST_OK);
		for (int e = 0; e < TOKENS * BINS; e++) {
			double wanted = dx.value[e];
			for (int i = e / BINS * TOP; i < (e / BINS + 1) * TOP; i++)
				wanted += in[1].value[i] == e % BINS ? in[0].value[i] : 0;
			assert_near("topk_grad", (enum dtype)dtype, operand_get(&dx, e), wanted, 4);
		}
		operand_free(&in[0]), operand_free(&in[1]), operand_free(&dx);
	}
}

static void mistakes(void **state)
{
	struct operand x, ids;
	struct kernel_call call;
	(void)state;
	operand_make(&x, "x", DT_F32, PLAIN, 2, (int64_t[]){TOKENS, COLUMNS}, 1);
	operand_make(&ids, "ids", DT_I32, PLAIN, 1, (int64_t[]){TOKENS + 1}, 1);
	call_make(&call, "binsort");
	call.option[0] = BINS;
	assert_int_equal(call_run(&call, &x, 1, NULL, 0), ST_DTYPE);
	assert_words("x is f32: binsort takes whole numbers");
	call.option[0] = 1 << 20, call.option[1] = 1 << 20;
	assert_int_equal(call_run(&call, &ids, 1, NULL, 0), ST_RANGE);
	assert_words("more rows than i32 can number");
	call_make(&call, "permute");
	call.option[0] = 4;
	assert_int_equal(call_run(&call, (struct operand[]){x, ids}, 2, NULL, 0), ST_SHAPE);
	assert_words("x is [11,7], ids is [12]");
	call_make(&call, "unpermute");
	assert_int_equal(call_run(&call, (struct operand[]){ids, ids}, 2, NULL, 0), ST_SHAPE);
	assert_words("ids has 1 dimension:");
	call_make(&call, "sort_chunks");
	assert_int_equal(call_run(&call, (struct operand[]){x, ids}, 2, NULL, 0), ST_SHAPE);
	assert_words("ids has 1 dimension:");
	call_make(&call, "topk_grad");
	call.option[0] = BINS;
	assert_int_equal(call_run(&call, (struct operand[]){x, ids}, 2, NULL, 0), ST_SHAPE);
	assert_words("topk_grad needs the same shape");
	operand_free(&x), operand_free(&ids);
}

/* Every kernel on matrices without rows, or without columns: no argument is written, nothing is divided by. In f32,
 * then in i32, which many refuse. */
static void tensors_without_elements(void **state)
{
	const struct kernel *kernel;
	(void)state;
	for (int k = 0; (kernel = kernel_at(k)) != NULL; k++)
		for (int pass = 0; pass < 8; pass++) {
			struct kernel_call call;
			float some[9] = {7, 7, 7, 7, 7, 7, 7, 7, 7}, result[3][16]; /* three rows of three */
			call_make(&call, kernel->name);
			if (kernel_is_source(kernel) || kernel->bare)
				continue;
			for (int i = 0; i < KERNEL_OPTIONS_MAX; i++)
				call.option[i] = isnan(call.option[i]) ? 1 : call.option[i];
			call.ins = kernel->ins, call.outs = kernel->outs;
			for (int i = 0; i < call.ins; i++) {
				enum dtype dtype = pass & 1 && (i || call.ins == 1) ? DT_I32 : DT_F32;
				call.in[i] = (struct kernel_tensor){.name = "x", .data = some};
				int64_t cut = pass & 2 && i ? 3 : 0;
				layout_make(&call.in[i].layout, dtype, 2,
				        (int64_t[]){pass & 4 ? 3 : cut, pass & 4 ? cut : 3});
			}
			if (kernel_shape(&call) != ST_OK)
				continue;
			for (int i = 0; i < call.outs; i++)
				call.out[i].data = result[i];
			kernel_compute(&call);
			assert_true(some[0] == 7);
		}
}

/* A sum of nothing is 0; the largest of nothing is refused. */
static void sums_of_nothing(void **state)
{
	struct kernel_call call;
	struct operand y;
	float nothing = 7;
	(void)state;
	operand_make(&y, "y", DT_F32, PLAIN, 2, (int64_t[]){2, 3}, 1);
	call_make(&call, "matmul");
	call.ins = 2, call.outs = 1;
	for (int i = 0; i < 2; i++) {
		call.in[i] = (struct kernel_tensor){.name = "x.T", .data = &nothing};
		assert_int_equal(layout_make(&call.in[i].layout, DT_F32, 2, (int64_t[]){0, 3 - !i}), ST_OK);
	}
	call.in[0].layout.dim[0] = 2, call.in[0].layout.dim[1] = 0; /* transposed */
	call.in[0].layout.stride[0] = 1, call.in[0].layout.stride[1] = 2;
	assert_int_equal(kernel_shape(&call), ST_OK);
	call.out[0] = y.tensor;
	call.add = true;
	kernel_compute(&call);
	assert_true(operand_get(&y, 5) == y.value[5]);
	call.add = false;
	kernel_compute(&call);
	for (int i = 0; i < 6; i++)
		assert_true(operand_get(&y, i) == 0);
	call.kernel = kernel_find("rowmax");
	call.ins = 1;
	assert_int_equal(kernel_shape(&call), ST_SHAPE);
	assert_words("x.T is [2,0]: rowmax needs rows with elements");
	operand_free(&y);
}

/* A result that has elements is computed, whatever the others are. */
static void some_results_without_elements(void **state)
{
	struct kernel_call call;
	struct operand ids, to, n, x, q, scale;
	(void)state;
	operand_make(&ids, "ids", DT_I32, PLAIN, 2, (int64_t[]){0, 2}, 1);
	operand_make(&to, "to", DT_I32, PLAIN, 2, (int64_t[]){0, 2}, -1);
	operand_make(&n, "n", DT_I32, PLAIN, 1, (int64_t[]){3}, -1);
	call_make(&call, "binsort");
	call.option[0] = 3;
	assert_int_equal(call_run(&call, &ids, 1, (struct operand[]){to, n}, 2), ST_OK);
	for (int i = 0; i < 3; i++)
		assert_true(operand_get(&n, i) == 0);
	operand_make(&x, "x", DT_F32, PLAIN, 1, (int64_t[]){0}, 1);
	operand_make(&q, "q", DT_I32, PLAIN, 1, (int64_t[]){0}, -1);
	operand_make(&scale, "s", DT_F32, PLAIN, 1, (int64_t[]){1}, -1);
	call_make(&call, "quantize");
	assert_int_equal(call_run(&call, &x, 1, (struct operand[]){q, scale}, 2), ST_OK);
	assert_true(operand_get(&scale, 0) == 1);
	struct operand *all[] = {&ids, &to, &n, &x, &q, &scale};
	for (size_t i = 0; i < LENGTH_OF(all); i++)
		operand_free(all[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(binsort_counts_and_places),
	        cmocka_unit_test(permute_and_back),
	        cmocka_unit_test(sort_chunks_by_columns),
	        cmocka_unit_test(topk_grad_puts_values_back),
	        cmocka_unit_test(mistakes),
	        cmocka_unit_test(tensors_without_elements),
	        cmocka_unit_test(sums_of_nothing),
	        cmocka_unit_test(some_results_without_elements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
