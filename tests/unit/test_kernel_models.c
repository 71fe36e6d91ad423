/* test_kernel_models.c -- attention, embed, colsum and dropout against double precision;
 * gradients against finite differences */
#include "kernel_scene.h"

enum { TOKENS = 12, HIDDEN = 6 };
static const int64_t MATRIX[2] = {TOKENS, HIDDEN};

static void matrices(struct operand *operand, int count, enum dtype dtype, enum form form, int seed)
{
	for (int i = 0; i < count; i++)
		operand_make(&operand[i], "x", dtype, (enum form)((form + i) % FORMS), 2, MATRIX,
		        seed < 0 ? -1 : seed + i);
}

static void release(struct operand *operand, int count)
{
	for (int i = 0; i < count; i++)
		operand_free(&operand[i]);
}

/* ---- attention ---- */

struct attention {
	int heads, seq, causal;
};

static void attention_call(struct kernel_call *call, const char *name, struct attention a)
{
	call_make(call, name);
	call->option[0] = a.heads;
	call->option[1] = a.seq;
	call->option[2] = a.causal;
}

/* o[t,c] of q k v: [TOKENS,HIDDEN] in C order */
static double attended(const double *q, const double *k, const double *v, struct attention a, int t, int c)
{
	int seq = a.seq ? a.seq : TOKENS, d = HIDDEN / a.heads, first = t / seq * seq, head = c / d * d;
	double sum = 0, weighted = 0;
	for (int s = first; s < first + seq && (!a.causal || s <= t); s++) {
		double dot = 0;
		for (int i = head; i < head + d; i++)
			dot += q[t * HIDDEN + i] * k[s * HIDDEN + i];
		double weight = exp(dot / sqrt(d));
		sum += weight;
		weighted += weight * v[s * HIDDEN + c];
	}
	return weighted / sum;
}

static const struct attention attentions[] = {
        {1, 0, 0}, {1, 0, 1}, {2, 4, 1}, {3, 4, 0}, {6, 1, 1}, {2, 12, 1}};

static void attention_of_heads_and_sequences(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(attentions); i++)
		for (int dtype = 0; dtype < DT_I32; dtype++)
			for (int f = 0; f < FORMS * 2; f++) {
				struct operand in[3], out;
				struct kernel_call call;
				matrices(in, 3, (enum dtype)dtype, (enum form)(f % FORMS), 1);
				matrices(&out, 1, (enum dtype)dtype, (enum form)(f % FORMS), 7);
				attention_call(&call, "attention", attentions[i]);
				call.add = f >= FORMS;
				assert_int_equal(call_run(&call, in, 3, &out, 1), ST_OK);
				for (int e = 0; e < TOKENS * HIDDEN; e++) {
					double old = call.add ? out.value[e] : 0;
					double wanted = attended(in[0].value, in[1].value, in[2].value,
					        attentions[i], e / HIDDEN, e % HIDDEN);
					assert_near("attention", (enum dtype)dtype, operand_get(&out, e),
					        wanted + old, 4);
				}
				release(in, 3);
				release(&out, 1);
			}
}

/* Scores far above what exp can hold */
static void attention_does_not_overflow(void **state)
{
	struct operand in[3], out;
	struct kernel_call call;
	(void)state;
	matrices(in, 3, DT_F32, PLAIN, 1);
	matrices(&out, 1, DT_F32, PLAIN, -1);
	for (int e = 0; e < TOKENS * HIDDEN; e++)
		operand_set(&in[0], e, 1e3), operand_set(&in[1], e, e / HIDDEN == 3 ? 2e3 : 1e3);
	attention_call(&call, "attention", (struct attention){2, 0, 0});
	assert_int_equal(call_run(&call, in, 3, &out, 1), ST_OK);
	for (int e = 0; e < TOKENS * HIDDEN; e++)
		assert_near(
		        "attention", DT_F32, operand_get(&out, e), in[2].value[3 * HIDDEN + e % HIDDEN], 4);
	release(in, 3);
	release(&out, 1);
}

/* The result may lie over an input: q = attention q k v */
static void attention_in_place(void **state)
{
	struct operand in[3], out;
	struct kernel_call call;
	(void)state;
	matrices(in, 3, DT_F32, PLAIN, 1);
	matrices(&out, 1, DT_F32, PLAIN, -1);
	attention_call(&call, "attention", (struct attention){2, 4, 1});
	assert_int_equal(call_run(&call, in, 3, &out, 1), ST_OK);
	assert_int_equal(call_run(&call, in, 3, &in[0], 1), ST_OK);
	for (int e = 0; e < TOKENS * HIDDEN; e++)
		assert_true(operand_get(&in[0], e) == operand_get(&out, e));
	release(in, 3);
	release(&out, 1);
}

/* The slope of sum(do o) along element e of input `which` (0 q, 1 k, 2 v), by differences in double
 * precision */
static double slope(const struct operand *in, int which, int e, struct attention a)
{
	const double h = 1e-5;
	double at = in[which + 1].value[e], sum = 0;
	for (int side = -1; side <= 1; side += 2) {
		in[which + 1].value[e] = at + side * h;
		for (int o = 0; o < TOKENS * HIDDEN; o++)
			sum += side * in[0].value[o] *
			        attended(in[1].value, in[2].value, in[3].value, a, o / HIDDEN, o % HIDDEN);
	}
	in[which + 1].value[e] = at;
	return sum / (2 * h);
}

static void attention_gradients(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(attentions); i++)
		for (int dtype = 0; dtype < DT_I32; dtype++)
			for (int form = 0; form < FORMS; form++) {
				struct operand in[4], out[3];
				struct kernel_call call;
				matrices(in, 4, (enum dtype)dtype, (enum form)form, 1);
				matrices(out, 3, (enum dtype)dtype, (enum form)form, -1);
				attention_call(&call, "attention_grad", attentions[i]);
				assert_int_equal(call_run(&call, in, 4, out, 3), ST_OK);
				for (int which = 0; which < 3; which++)
					for (int e = 0; e < TOKENS * HIDDEN; e += dtype || form ? 7 : 1)
						assert_near("attention_grad", (enum dtype)dtype,
						        operand_get(&out[which], e),
						        slope(in, which, e, attentions[i]), 8);
				release(in, 4);
				release(out, 3);
			}
}

static void attention_mistakes(void **state)
{
	static const struct {
		struct attention a;
		enum dtype last;
		enum status status;
		const char *words;
	} cases[] = {
	        {{4, 0, 0}, DT_F32, ST_SHAPE, "x has 6 columns: heads=4 does not divide them"},
	        {{2, 5, 0}, DT_F32, ST_SHAPE, "x has 12 rows: seq=5 does not divide them"},
	        {{0, 0, 0}, DT_F32, ST_RANGE, "heads=0"},
	        {{1, -1, 0}, DT_F32, ST_RANGE, "seq=-1"},
	        {{1, 0, 0}, DT_I32, ST_DTYPE, "i32"},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(cases); i++) {
		struct operand in[3];
		struct kernel_call call;
		matrices(in, 3, DT_F32, PLAIN, 1);
		in[2].tensor.layout.dtype = (uint8_t)cases[i].last;
		attention_call(&call, "attention", cases[i].a);
		assert_int_equal(call_run(&call, in, 3, NULL, 0), cases[i].status);
		assert_words(cases[i].words);
		release(in, 3);
	}
}

/* 2 products of 2 x seq x hidden a token, half of that when causal; the gradient has 5 */
static void attention_costs(void **state)
{
	struct operand in[4];
	struct kernel_call call;
	double flops, bytes;
	(void)state;
	matrices(in, 4, DT_F32, PLAIN, 1);
	attention_call(&call, "attention", (struct attention){2, 4, 0});
	assert_int_equal(call_run(&call, in, 3, in, 1), ST_OK);
	kernel_cost(&call, &flops, &bytes);
	assert_true(flops == 2 * 2 * TOKENS * HIDDEN * 4 && bytes == 4 * 4 * TOKENS * HIDDEN);
	attention_call(&call, "attention_grad", (struct attention){2, 4, 1});
	assert_int_equal(call_run(&call, in, 4, in, 3), ST_OK);
	kernel_cost(&call, &flops, &bytes);
	assert_true(flops == 5 * TOKENS * HIDDEN * 4 && bytes == 7 * 4 * TOKENS * HIDDEN);
	release(in, 4);
}

/* ---- embed, colsum ---- */

enum { ROWS = 5, COLUMNS = 3, IDS = 7 };
static const int numbers[IDS] = {4, 0, 2, 2, 5, -1, 2}; /* two are no rows */

static void make_ids(struct operand *ids, enum form form)
{
	operand_make(ids, "ids", DT_I32, form, 1, (int64_t[]){IDS}, 1);
	for (int i = 0; i < IDS; i++)
		operand_set(ids, i, numbers[i]);
}

static void embed_takes_rows(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++)
		for (int form = 0; form < FORMS; form++) {
			struct operand in[2], out;
			struct kernel_call call;
			operand_make(&in[0], "table", (enum dtype)dtype, (enum form)form, 2,
			        (int64_t[]){ROWS, COLUMNS}, 1);
			make_ids(&in[1], (enum form)form);
			operand_make(&out, "x", (enum dtype)dtype, (enum form)form, 2,
			        (int64_t[]){IDS, COLUMNS}, -1);
			call_make(&call, "embed");
			assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
			for (int e = 0; e < IDS * COLUMNS; e++) {
				int row = numbers[e / COLUMNS];
				double got = operand_get(&out, e);
				assert_true(row < 0 || row >= ROWS
				                ? isnan(got)
				                : got == in[0].value[row * COLUMNS + e % COLUMNS]);
			}
			release(in, 2);
			release(&out, 1);
		}
}

static void embed_grad_adds_rows(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++)
		for (int f = 0; f < FORMS * 2; f++) {
			struct operand in[2], out;
			struct kernel_call call;
			operand_make(&in[0], "dx", (enum dtype)dtype, (enum form)(f % FORMS), 2,
			        (int64_t[]){IDS, COLUMNS}, 1);
			make_ids(&in[1], (enum form)(f % FORMS));
			operand_make(&out, "dtable", (enum dtype)dtype, (enum form)(f % FORMS), 2,
			        (int64_t[]){ROWS, COLUMNS}, 3);
			call_make(&call, "embed_grad");
			call.option[0] = ROWS;
			call.add = f >= FORMS;
			assert_int_equal(call_run(&call, in, 2, &out, 1), ST_OK);
			for (int e = 0; e < ROWS * COLUMNS; e++) {
				double wanted = call.add ? out.value[e] : 0;
				for (int i = 0; i < IDS; i++)
					wanted += numbers[i] == e / COLUMNS
					        ? in[0].value[i * COLUMNS + e % COLUMNS]
					        : 0;
				assert_near("embed_grad", (enum dtype)dtype, operand_get(&out, e), wanted, 6);
			}
			release(in, 2);
			release(&out, 1);
		}
}

static void colsum_adds_columns(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DT_I32; dtype++)
		for (int f = 0; f < FORMS * 2; f++) {
			struct operand x, y;
			struct kernel_call call;
			matrices(&x, 1, (enum dtype)dtype, (enum form)(f % FORMS), 1);
			operand_make(&y, "y", (enum dtype)dtype, (enum form)(f % FORMS), 1,
			        (int64_t[]){HIDDEN}, 2);
			call_make(&call, "colsum");
			call.add = f >= FORMS;
			assert_int_equal(call_run(&call, &x, 1, &y, 1), ST_OK);
			for (int c = 0; c < HIDDEN; c++) {
				double wanted = call.add ? y.value[c] : 0;
				for (int r = 0; r < TOKENS; r++)
					wanted += x.value[r * HIDDEN + c];
				assert_near("colsum", (enum dtype)dtype, operand_get(&y, c), wanted, 8);
			}
			release(&x, 1);
			release(&y, 1);
		}
}

static void embed_mistakes(void **state)
{
	struct operand in[2];
	struct kernel_call call;
	(void)state;
	matrices(in, 2, DT_F32, PLAIN, 1);
	call_make(&call, "embed");
	assert_int_equal(call_run(&call, in, 2, NULL, 0), ST_DTYPE);
	assert_words("x is f32: embed takes numbers of rows in i32");
	call_make(&call, "embed_grad");
	operand_free(&in[1]);
	make_ids(&in[1], PLAIN);
	call.option[0] = 5;
	assert_int_equal(call_run(&call, in, 2, NULL, 0), ST_SHAPE);
	assert_words("x has 12 rows, ids has 7 numbers");
	call_make(&call, "embed");
	assert_int_equal(call_run(&call, (struct operand[]){in[1], in[1]}, 2, NULL, 0), ST_SHAPE);
	assert_words("ids has 1 dimensions");
	release(in, 2);
}

/* ---- dropout ---- */

enum { MANY = 100003 };

static void dropout_drops_by_seed_and_element(void **state)
{
	struct operand x, y, again, turned;
	struct kernel_call call;
	int dropped = 0, differ = 0;
	(void)state;
	operand_make(&x, "x", DT_F32, PLAIN, 1, (int64_t[]){MANY}, 1);
	operand_make(&y, "y", DT_F32, PLAIN, 1, (int64_t[]){MANY}, -1);
	operand_make(&again, "y", DT_F32, SLICED, 1, (int64_t[]){MANY}, -1);
	operand_make(&turned, "y", DT_F32, PLAIN, 1, (int64_t[]){MANY}, -1);
	call_make(&call, "dropout");
	call.option[0] = 0.25, call.option[1] = 7;
	assert_int_equal(call_run(&call, &x, 1, &y, 1), ST_OK);
	call_make(&call, "dropout_grad"); /* the same elements, the same factor */
	call.option[0] = 0.25, call.option[1] = 7;
	assert_int_equal(call_run(&call, &x, 1, &again, 1), ST_OK);
	call.option[1] = 8;
	assert_int_equal(call_run(&call, &x, 1, &turned, 1), ST_OK);
	for (int i = 0; i < MANY; i++) {
		double got = operand_get(&y, i);
		dropped += got == 0;
		differ += (got == 0) != (operand_get(&turned, i) == 0);
		assert_true(got == operand_get(&again, i));
		assert_true((got == 0) == (philox_uniform(7, (uint64_t)i) < 0.25));
		if (got != 0)
			assert_near("dropout", DT_F32, got, x.value[i] / 0.75, fabs(x.value[i]) * 2);
	}
	assert_true(abs(dropped - MANY / 4) < 700); /* five deviations of 137 */
	assert_true(differ > MANY / 4);
	release(&x, 1), release(&y, 1), release(&again, 1), release(&turned, 1);
}

static void dropout_of_a_part_is_that_of_the_whole(void **state)
{
	enum { TALL = 70, WIDE = 37, TOP = 3, LEFT = 10, PART_ROWS = 61, PART_COLUMNS = 11 };
	struct operand whole, kept, part, mine;
	struct kernel_call call;
	(void)state;
	operand_make(&whole, "x", DT_F32, PLAIN, 2, (int64_t[]){TALL, WIDE}, 1);
	operand_make(&kept, "y", DT_F32, PLAIN, 2, (int64_t[]){TALL, WIDE}, -1);
	operand_make(&part, "x", DT_F32, SLICED, 2, (int64_t[]){PART_ROWS, PART_COLUMNS}, 2);
	operand_make(&mine, "y", DT_F32, PLAIN, 2, (int64_t[]){PART_ROWS, PART_COLUMNS}, -1);
	call_make(&call, "dropout");
	call.option[0] = 0.25, call.option[1] = 7;
	assert_int_equal(call_run(&call, &whole, 1, &kept, 1), ST_OK);
	call.option[2] = TOP * WIDE + LEFT, call.option[3] = WIDE;
	assert_int_equal(call_run(&call, &part, 1, &mine, 1), ST_OK);
	for (int r = 0; r < PART_ROWS; r++)
		for (int c = 0; c < PART_COLUMNS; c++)
			assert_true((operand_get(&mine, r * PART_COLUMNS + c) == 0) ==
			        (operand_get(&kept, (TOP + r) * WIDE + LEFT + c) == 0));
	release(&whole, 1), release(&kept, 1), release(&part, 1), release(&mine, 1);
}

static void dropout_mistakes(void **state)
{
	struct operand x;
	struct kernel_call call;
	(void)state;
	matrices(&x, 1, DT_F32, PLAIN, 1);
	call_make(&call, "dropout");
	call.option[0] = 1;
	assert_int_equal(call_run(&call, &x, 1, NULL, 0), ST_RANGE);
	assert_words("p=1: 0 or more and below 1");
	call.option[0] = 0, call.option[1] = 0.5;
	assert_int_equal(call_run(&call, &x, 1, NULL, 0), ST_RANGE);
	call.option[1] = -3, call.option[2] = -1;
	assert_int_equal(call_run(&call, &x, 1, NULL, 0), ST_RANGE);
	assert_words("at=-1");
	call.option[2] = 0, call.option[3] = HIDDEN - 1;
	assert_int_equal(call_run(&call, &x, 1, NULL, 0), ST_RANGE);
	assert_words("a row of x has");
	call.option[3] = 0;
	assert_int_equal(call_run(&call, &x, 1, &x, 1), ST_OK);
	for (int e = 0; e < TOKENS * HIDDEN; e++)
		assert_true(operand_get(&x, e) == x.value[e]);
	release(&x, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(attention_of_heads_and_sequences),
	        cmocka_unit_test(attention_does_not_overflow),
	        cmocka_unit_test(attention_in_place),
	        cmocka_unit_test(attention_gradients),
	        cmocka_unit_test(attention_mistakes),
	        cmocka_unit_test(attention_costs),
	        cmocka_unit_test(embed_takes_rows),
	        cmocka_unit_test(embed_grad_adds_rows),
	        cmocka_unit_test(colsum_adds_columns),
	        cmocka_unit_test(embed_mistakes),
	        cmocka_unit_test(dropout_drops_by_seed_and_element),
	        cmocka_unit_test(dropout_of_a_part_is_that_of_the_whole),
	        cmocka_unit_test(dropout_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
