/* test_attention.c -- attention by blocks of keys: offsets, the log of the softmax's sum,
 * merging and gradients, against double precision; merged blocks against the whole */
#include "kernel_scene.h"

enum {
	HIDDEN = 6,
	HEADS = 3,
	D = HIDDEN / HEADS,
	OPTION_HEADS = 0,
	OPTION_SEQ,
	OPTION_CAUSAL,
	OPTION_QUERY,
	OPTION_KEY
};

/* `sequences` of them; q has `queries` tokens of each from place `query` on, k and v have `keys` from `key` on */
struct block {
	int sequences, queries, keys, query, key, causal;
};

static const struct block blocks[] = {{1, 7, 7, 0, 0, 1}, {2, 5, 3, 0, 0, 0}, {2, 5, 3, 4, 2, 1},
        {1, 3, 9, 2, 0, 1}, {3, 4, 5, 1, 3, 1}, {1, 37, 19, 20, 0, 1}, {1, 37, 21, 5, 9, 1},
        {2, 3, 4, 0, 3, 1}, {2, 3, 4, 1, 9, 1}, {1, 1, 1, 0, 1, 1}, {2, 3, 0, 0, 0, 0}, {1, 0, 4, 0, 0, 1},
        {1, 0, 0, 0, 0, 0}};

static void operand(
        struct operand *o, const char *name, enum dtype dtype, int form, int rows, int columns, int seed)
{
	operand_make(o, name, dtype, (enum form)(form % FORMS), 2, (int64_t[]){rows, columns}, seed);
}

static void release(struct operand *operands, int count)
{
	for (int i = 0; i < count; i++)
		operand_free(&operands[i]);
}

static void block_call(struct kernel_call *call, const char *name, struct block b)
{
	call_make(call, name);
	call->option[OPTION_HEADS] = HEADS;
	call->option[OPTION_SEQ] = b.queries;
	call->option[OPTION_CAUSAL] = b.causal;
	call->option[OPTION_QUERY] = b.query;
	call->option[OPTION_KEY] = b.key;
}

/* Of row t of q and head h: the log of the sum of exponentials over what it sees of k */
static double lse_of(const double *q, const double *k, struct block b, int t, int h)
{
	double sum = 0;
	for (int j = 0; j < b.keys; j++) {
		int row = t / b.queries * b.keys + j;
		double dot = 0;
		if (b.causal && b.key + j > b.query + t % b.queries)
			continue;
		for (int c = h * D; c < h * D + D; c++)
			dot += q[t * HIDDEN + c] * k[row * HIDDEN + c];
		sum += exp(dot / sqrt(D));
	}
	return log(sum);
}

/* Element (t, c) of o: keys weigh exp(score - lse); 0 where nothing is seen */
static double o_of(const double *q, const double *k, const double *v, struct block b, int t, int c)
{
	int h = c / D;
	double sum = 0, lse = lse_of(q, k, b, t, h);
	for (int j = 0; j < b.keys; j++) {
		int row = t / b.queries * b.keys + j;
		double dot = 0;
		if (b.causal && b.key + j > b.query + t % b.queries)
			continue;
		for (int i = h * D; i < h * D + D; i++)
			dot += q[t * HIDDEN + i] * k[row * HIDDEN + i];
		sum += exp(dot / sqrt(D) - lse) * v[row * HIDDEN + c];
	}
	return sum;
}

static void blocks_have_offsets_and_lse(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(blocks); i++)
		for (int dtype = 0; dtype < DT_I32; dtype++)
			for (int f = 0; f < FORMS; f++) {
				struct block b = blocks[i];
				struct operand in[3], out[2];
				struct kernel_call call;
				int rows = b.sequences * b.queries;
				for (int k = 0; k < 3; k++)
					operand(&in[k], "x", (enum dtype)dtype, f + k,
					        k ? b.sequences * b.keys : rows, HIDDEN, 1 + k);
				operand(&out[0], "o", (enum dtype)dtype, f, rows, HIDDEN, -1);
				operand(&out[1], "lse", DT_F32, f + 1, rows, HEADS, -1);
				block_call(&call, "attention", b);
				assert_int_equal(call_run(&call, in, 3, out, 2), ST_OK);
				for (int e = 0; e < rows * HIDDEN; e++)
					assert_near("o", (enum dtype)dtype, operand_get(&out[0], e),
					        o_of(in[0].value, in[1].value, in[2].value, b, e / HIDDEN,
					                e % HIDDEN),
					        4);
				for (int e = 0; e < rows * HEADS; e++)
					assert_near("lse", DT_F32, operand_get(&out[1], e),
					        lse_of(in[0].value, in[1].value, b, e / HEADS, e % HEADS), 4);
				release(in, 3);
				release(out, 2);
			}
}

/* The keys are cut in two blocks at `cut`, of which the first queries see nothing of the second; merged in either
 * order they are attention to all of k. */
enum { WHOLE = 23 };

static void attend_rows(struct operand *in, int from, int to, struct operand *o, struct operand *lse)
{
	struct kernel_call call;
	struct operand part[3] = {in[0], in[1], in[2]};
	for (int i = 1; i < 3; i++) {
		part[i].tensor.layout.dim[0] = to - from;
		part[i].tensor.data = (float *)part[i].tensor.data + from * part[i].tensor.layout.stride[0];
	}
	block_call(&call, "attention", (struct block){1, WHOLE, to - from, 0, from, 1});
	assert_int_equal(call_run(&call, part, 3, (struct operand[]){*o, *lse}, 2), ST_OK);
}

static void merge(struct operand *o, struct operand *lse, struct operand *o1, struct operand *lse1)
{
	struct kernel_call call;
	call_make(&call, "attention_merge");
	assert_int_equal(call_run(&call, (struct operand[]){*o, *lse, *o1, *lse1}, 4, NULL, 0), ST_OK);
}

static void merged_blocks_are_the_whole(void **state)
{
	(void)state;
	for (int cut = 1; cut < WHOLE; cut += 5)
		for (int f = 0; f < FORMS * 2; f++) {
			struct operand in[3], o[3], lse[3];
			for (int i = 0; i < 3; i++) {
				operand(&in[i], "x", DT_F32, f, WHOLE, HIDDEN, 1 + i);
				operand(&o[i], "o", DT_F32, f, WHOLE, HIDDEN, -1);
				operand(&lse[i], "lse", DT_F32, f + i, WHOLE, HEADS, -1);
			}
			attend_rows(in, 0, WHOLE, &o[0], &lse[0]);
			bool turned = f >= FORMS;
			attend_rows(in, turned ? cut : 0, turned ? WHOLE : cut, &o[1], &lse[1]);
			attend_rows(in, turned ? 0 : cut, turned ? cut : WHOLE, &o[2], &lse[2]);
			merge(&o[1], &lse[1], &o[2], &lse[2]);
			for (int e = 0; e < WHOLE * HIDDEN; e++)
				assert_near("o", DT_F32, operand_get(&o[1], e), operand_get(&o[0], e), 4);
			for (int e = 0; e < WHOLE * HEADS; e++)
				assert_near(
				        "lse", DT_F32, operand_get(&lse[1], e), operand_get(&lse[0], e), 4);
			release(in, 3);
			release(o, 3);
			release(lse, 3);
		}
}

static void merging_what_saw_nothing(void **state)
{
	struct operand o[2], lse[2];
	(void)state;
	for (int i = 0; i < 2; i++) {
		operand(&o[i], "o", DT_F32, PLAIN, 2, HIDDEN, i);
		operand(&lse[i], "lse", DT_F32, PLAIN, 2, HEADS, i);
	}
	for (int h = 0; h < HEADS; h++)
		operand_set(&lse[0], h, -INFINITY), operand_set(&lse[1], h, -INFINITY); /* token 0: neither */
	for (int h = 0; h < HEADS; h++)
		operand_set(&lse[0], HEADS + h, -INFINITY),
		        operand_set(&lse[1], HEADS + h, 700); /* 1: the second */
	for (int c = 0; c < HIDDEN; c++)
		operand_set(&o[0], c, 0), operand_set(&o[1], c, 0);
	merge(&o[0], &lse[0], &o[1], &lse[1]);
	for (int c = 0; c < HIDDEN; c++)
		assert_true(operand_get(&o[0], c) == 0 &&
		        operand_get(&o[0], HIDDEN + c) == o[1].value[HIDDEN + c]);
	assert_true(operand_get(&lse[0], 0) == -INFINITY && operand_get(&lse[0], HEADS) == 700);
	release(o, 2);
	release(lse, 2);
}

/* ---- gradients ---- */

/* The slope of sum(do o) along element e of input `which` (1 q, 2 k, 3 v), by differences in double precision */
static double slope(struct operand *in, int which, int e, struct block b)
{
	const double h = 1e-5;
	double at = in[which].value[e], sum = 0;
	for (int side = -1; side <= 1; side += 2) {
		in[which].value[e] = at + side * h;
		for (int o = 0; o < b.sequences * b.queries * HIDDEN; o++)
			sum += side * in[0].value[o] *
			        o_of(in[1].value, in[2].value, in[3].value, b, o / HIDDEN, o % HIDDEN);
	}
	in[which].value[e] = at;
	return sum / (2 * h);
}

/* do q k v and, when the whole is given, its o and lse */
static void make_inputs(struct operand in[6], struct block b, enum dtype dtype, int form)
{
	struct kernel_call call;
	int rows = b.sequences * b.queries;
	for (int i = 0; i < 4; i++)
		operand(&in[i], "x", dtype, form + i, i < 2 ? rows : b.sequences * b.keys, HIDDEN, 1 + i);
	operand(&in[4], "o", dtype, form, rows, HIDDEN, -1);
	operand(&in[5], "lse", DT_F32, form + 1, rows, HEADS, -1);
	block_call(&call, "attention", b);
	assert_int_equal(call_run(&call, in + 1, 3, in + 4, 2), ST_OK);
}

static void make_results(struct operand out[3], struct block b, enum dtype dtype, int form)
{
	for (int i = 0; i < 3; i++)
		operand(&out[i], "d", dtype, form + i, b.sequences * (i ? b.keys : b.queries), HIDDEN, -1);
}

/* With the whole's o and lse and without: a block that is all there is */
static void gradients_with_offsets(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(blocks); i++)
		for (int dtype = 0; dtype < DT_I32; dtype++)
			for (int ins = 4; ins <= 6; ins += 2) {
				struct operand in[6], out[3];
				struct kernel_call call;
				int form = (int)i + ins / 2;
				make_inputs(in, blocks[i], (enum dtype)dtype, form);
				make_results(out, blocks[i], (enum dtype)dtype, form);
				block_call(&call, "attention_grad", blocks[i]);
				assert_int_equal(call_run(&call, in, ins, out, 3), ST_OK);
				for (int which = 0; which < 3; which++)
					for (int e = 0; e < out[which].count; e += dtype ? 11 : 3)
						assert_near("attention_grad", (enum dtype)dtype,
						        operand_get(&out[which], e),
						        slope(in, which + 1, e, blocks[i]), 16);
				release(in, 6);
				release(out, 3);
			}
}

/* Of a whole cut in two, each block with the whole's o and lse: dq is the sum of both, dk and dv are theirs. */
static void gradients_of_blocks_are_those_of_the_whole(void **state)
{
	enum { CUT = 9 };
	struct block whole = {1, WHOLE, WHOLE, 0, 0, 1};
	struct operand in[6], out[3], part[3];
	struct kernel_call call;
	(void)state;
	make_inputs(in, whole, DT_F32, PLAIN);
	make_results(out, whole, DT_F32, PLAIN);
	block_call(&call, "attention_grad", whole);
	assert_int_equal(call_run(&call, in, 4, out, 3), ST_OK);
	double dq[WHOLE * HIDDEN] = {0};
	for (int k = 0; k < 2; k++) {
		int from = k ? CUT : 0, count = k ? WHOLE - CUT : CUT;
		struct block b = {1, WHOLE, count, 0, from, 1};
		struct operand of[6] = {in[0], in[1], in[2], in[3], in[4], in[5]};
		for (int i = 2; i < 4; i++) {
			of[i].tensor.data = (float *)in[i].tensor.data + from * in[i].tensor.layout.stride[0];
			of[i].tensor.layout.dim[0] = count;
		}
		make_results(part, b, DT_F32, PLAIN);
		block_call(&call, "attention_grad", b);
		assert_int_equal(call_run(&call, of, 6, part, 3), ST_OK);
		for (int e = 0; e < WHOLE * HIDDEN; e++)
			dq[e] += operand_get(&part[0], e);
		for (int i = 1; i < 3; i++)
			for (int e = 0; e < count * HIDDEN; e++)
				assert_near("dk dv", DT_F32, operand_get(&part[i], e),
				        operand_get(&out[i], from * HIDDEN + e), 8);
		release(part, 3);
	}
	for (int e = 0; e < WHOLE * HIDDEN; e++)
		assert_near("dq", DT_F32, dq[e], operand_get(&out[0], e), 8);
	release(in, 6);
	release(out, 3);
}

/* ---- costs and mistakes ---- */

/* Two products of 2 x hidden for each pair that is seen, where one on the diagonal counts half; the gradient five */
static void costs_of_what_is_seen(void **state)
{
	static const struct {
		struct block b;
		double pairs;
	} cases[] = {{{1, 8, 8, 0, 0, 1}, 32}, {{2, 8, 8, 0, 0, 0}, 128}, {{1, 8, 8, 8, 0, 1}, 64},
	        {{1, 8, 8, 0, 1, 1}, 24.5}, {{1, 8, 8, 0, 8, 1}, 0}, {{1, 8, 8, 0, 100, 1}, 0},
	        {{1, 4, 8, 4, 0, 1}, 4 * 4 + 8}, {{1, 8, 4, 2, 0, 1}, 2 + 2 + 2 + 6 * 4}};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(cases); i++) {
		struct block b = cases[i].b;
		struct operand in[6], out[3];
		struct kernel_call call;
		double flops, bytes, wanted = cases[i].pairs * 2 * HIDDEN;
		make_inputs(in, b, DT_F32, PLAIN);
		make_results(out, b, DT_F32, PLAIN);
		block_call(&call, "attention", b);
		assert_int_equal(call_run(&call, in + 1, 3, in + 4, 2), ST_OK);
		kernel_cost(&call, &flops, &bytes);
		assert_true(flops == 2 * wanted);
		double results = 4. * b.sequences * b.queries * (HIDDEN + HEADS);
		assert_true(bytes ==
		        results + (wanted > 0 ? 4. * b.sequences * (b.queries + 2 * b.keys) * HIDDEN : 0));
		block_call(&call, "attention_grad", b);
		assert_int_equal(call_run(&call, in, 6, out, 3), ST_OK);
		kernel_cost(&call, &flops, &bytes);
		assert_true(flops == 5 * wanted);
		release(in, 6);
		release(out, 3);
	}
}

static void mistakes(void **state)
{
	struct operand in[6];
	struct kernel_call call;
	struct block b = {2, 3, 4, 0, 0, 1};
	(void)state;
	make_inputs(in, b, DT_F32, PLAIN);
	block_call(&call, "attention", b);
	assert_int_equal(call_run(&call, (struct operand[]){in[1], in[2], in[1]}, 3, NULL, 0), ST_SHAPE);
	assert_words("x is [8,6], x is [6,6]: attention needs the same shape");
	call.option[OPTION_SEQ] = 2; /* 3 sequences */
	assert_int_equal(call_run(&call, in + 1, 3, NULL, 0), ST_SHAPE);
	assert_words("x has 3 sequences: they do not divide the 8 rows of x");
	block_call(&call, "attention", b);
	call.option[OPTION_KEY] = -1;
	assert_int_equal(call_run(&call, in + 1, 3, NULL, 0), ST_RANGE);
	assert_words("key=-1");
	block_call(&call, "attention_grad", b);
	assert_int_equal(
	        call_run(&call, (struct operand[]){in[2], in[1], in[2], in[3]}, 4, NULL, 0), ST_SHAPE);
	assert_words("attention_grad needs the same shape");
	assert_int_equal(
	        call_run(&call, (struct operand[]){in[0], in[1], in[2], in[3], in[4], in[4]}, 6, NULL, 0),
	        ST_SHAPE);
	assert_words("o is [6,6]: attention_grad needs a number for each token and head, [6,3]");
	block_call(&call, "attention", b);
	in[1].tensor.layout.dim[0] = 0;
	assert_int_equal(call_run(&call, in + 1, 3, NULL, 0), ST_SHAPE);
	assert_words("x has 0 sequences: they do not divide the 8 rows of x");
	call_make(&call, "attention_merge");
	assert_int_equal(
	        call_run(&call, (struct operand[]){in[0], in[1], in[2], in[3]}, 4, NULL, 0), ST_SHAPE);
	assert_int_equal(
	        call_run(&call, (struct operand[]){in[2], in[5], in[2], in[5]}, 4, NULL, 0), ST_SHAPE);
	assert_words("attention_merge needs [tokens,hidden] and [tokens,heads]");
	release(in, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(blocks_have_offsets_and_lse),
	        cmocka_unit_test(merged_blocks_are_the_whole),
	        cmocka_unit_test(merging_what_saw_nothing),
	        cmocka_unit_test(gradients_with_offsets),
	        cmocka_unit_test(gradients_of_blocks_are_those_of_the_whole),
	        cmocka_unit_test(costs_of_what_is_seen),
	        cmocka_unit_test(mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
