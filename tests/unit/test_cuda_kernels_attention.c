/* test_cuda_kernels_attention.c -- attention, its gradient and merging: the GPU's kernels,
 * compiled for the CPU, against the simulator's in f32, which have tests of their own against
 * double precision. Tensor cores are emulated lane by lane. */
#include "cuda_scene.h"

enum { HEADS, SEQ, CAUSAL, QUERY, KEY };

struct block {
	enum dtype dtype;
	enum form form; /* PLAIN with d a multiple of 8, in halves: on tensor cores */
	int heads, d, sequences, queries, keys, causal, query, key;
};

static const struct block blocks[] = {
        {DT_F32, PLAIN, 2, 24, 2, 37, 37, 1, 0, 0},
        {DT_F32, TURNED, 1, 70, 1, 66, 70, 0, 0, 0},
        {DT_F32, SLICED, 2, 3, 1, 70, 65, 1, 0, 9},
        {DT_F32, PLAIN, 1, 8, 2, 40, 90, 1, 50, 0},
        {DT_F32, PLAIN, 2, 4, 2, 5, 6, 1, 0, 30},
        {DT_F16, SLICED, 2, 8, 1, 20, 33, 1, 15, 2},
        {DT_BF16, PLAIN, 3, 7, 1, 20, 20, 1, 0, 0},
        {DT_F16, PLAIN, 2, 64, 1, 140, 140, 1, 0, 0},
        {DT_BF16, PLAIN, 2, 8, 2, 33, 70, 0, 0, 0},
        {DT_BF16, PLAIN, 1, 64, 1, 70, 100, 1, 3, 0},
        {DT_BF16, PLAIN, 1, 128, 1, 130, 65, 1, 0, 40},
        {DT_F16, PLAIN, 1, 104, 1, 65, 70, 1, 9, 0},
        {DT_BF16, PLAIN, 1, 40, 1, 20, 20, 1, 0, 30},
        {DT_F32, PLAIN, 2, 4, 1, 0, 5, 1, 0, 0},
        {DT_F32, PLAIN, 2, 4, 2, 5, 0, 0, 0, 0},
        {DT_BF16, PLAIN, 2, 8, 1, 0, 5, 1, 0, 0},
        {DT_F16, PLAIN, 2, 64, 2, 5, 0, 1, 0, 0},
};

static void options(struct kernel_call *call, const struct block *b)
{
	call->option[HEADS] = b->heads;
	call->option[SEQ] = b->queries;
	call->option[CAUSAL] = b->causal;
	call->option[QUERY] = b->query;
	call->option[KEY] = b->key;
}

static void tokens(
        struct operand *o, const struct block *b, enum dtype dtype, int rows, int columns, int seed)
{
	operand_make(o, "x", dtype, b->form, 2, (int64_t[]){b->sequences * rows, columns}, seed);
}

static void forward(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		for (int add = 0; add < 2; add++) {
			const struct block *b = &blocks[i];
			struct scene scene = {"attention", .ins = 3, .outs = add ? 1 : 2};
			call_make(&scene.call, scene.kernel);
			options(&scene.call, b);
			for (int k = 0; k < 3; k++)
				tokens(&scene.in[k], b, b->dtype, k ? b->keys : b->queries, b->heads * b->d,
				        k);
			scene_compare(&scene, b->form, add, false);
		}
}

/* Of the whole, and of a block: there o and lse are those of all keys */
static void gradient(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		for (int ins = 4; ins <= 6; ins += 2) {
			const struct block *b = &blocks[i];
			struct scene scene = {"attention_grad", .ins = ins, .outs = 3};
			call_make(&scene.call, scene.kernel);
			options(&scene.call, b);
			for (int k = 0; k < ins && k < 5; k++)
				tokens(&scene.in[k], b, b->dtype, k == 2 || k == 3 ? b->keys : b->queries,
				        b->heads * b->d, k);
			if (ins == 6)
				tokens(&scene.in[5], b, DT_F32, b->queries, b->heads, 5);
			for (int64_t k = 0; ins == 6 && k < scene.in[5].count; k++)
				operand_set(&scene.in[5], k, 4 + scene.in[5].value[k]);
			scene_compare(&scene, b->form, false, false);
		}
}

/* A token of which one block has seen nothing, one of which neither has */
static void merging(void **state)
{
	(void)state;
	for (int n = 0; n < 3 * FORMS; n++) {
		struct block b = {(enum dtype)(n % 3), (enum form)(n / 3), .sequences = 1};
		struct scene scene = {"attention_merge", .ins = 4};
		call_make(&scene.call, scene.kernel);
		for (int k = 0; k < 4; k++)
			tokens(&scene.in[k], &b, k % 2 ? DT_F32 : b.dtype, 37, k % 2 ? 3 : 3 * 40, k);
		operand_set(&scene.in[1], 4, -INFINITY);
		operand_set(&scene.in[1], 5, -INFINITY);
		operand_set(&scene.in[3], 5, -INFINITY);
		operand_set(&scene.in[3], 6, -INFINITY);
		scene_compare(&scene, PLAIN, false, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(forward), cmocka_unit_test(gradient), cmocka_unit_test(merging)};
	return cmocka_run_group_tests(tests, scene_open, scene_close);
}
