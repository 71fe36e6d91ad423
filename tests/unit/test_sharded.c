/* test_sharded.c -- ddp's buckets; zero, fsdp, tp: every element of every parameter is somewhere; what each
 * step sends; degrees that do not fit; no memory */
#include "base/memory.h"
#include "strategies/layers.h"
#include "strategies/strategies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static struct strategy_call call_of(const char *name, int ranks, struct model model)
{
	struct strategy_call call = {
	        .strategy = strategy_find(name), .ranks = ranks, .model = model, .data = {.count = 100000}};
	assert_non_null(call.strategy);
	for (int i = 0; i < STRATEGY_OPTIONS_MAX && call.strategy->option[i].name; i++) {
		call.option[i].number = atof(call.strategy->option[i].value);
		snprintf(call.option[i].word, sizeof call.option[i].word, "%s",
		        call.strategy->option[i].value);
	}
	return call;
}

static void with(struct strategy_call *call, const char *name, const char *value)
{
	for (int i = 0; i < STRATEGY_OPTIONS_MAX && call->strategy->option[i].name; i++)
		if (strcmp(call->strategy->option[i].name, name) == 0) {
			call->option[i].number = atof(value);
			snprintf(call->option[i].word, sizeof call->option[i].word, "%s", value);
			return;
		}
	fail_msg("%s has no option %s", call->strategy->name, name);
}

static const struct model mlp = {.kind = MODEL_MLP,
        .layers = 5,
        .hidden = 24,
        .seq = 1,
        .batch = 48,
        .in = 7,
        .out = 5,
        .lr = 0.1,
        .loss_scale = 1};
static const struct model gpt = {.kind = MODEL_GPT,
        .layers = 3,
        .hidden = 24,
        .heads = 24,
        .seq = 8,
        .batch = 48,
        .vocab = 13,
        .dtype = DT_BF16,
        .tied = true,
        .optimizer = OPTIMIZER_ADAM,
        .lr = 0.1,
        .loss_scale = 1};

/* How often `word` stands in the text between the title of a step that holds `from` and the next */
static int count_in(const char *text, const char *from, const char *word)
{
	const char *at = strstr(text, from), *end = at ? strstr(at, "\n## ") : NULL;
	int count = 0;
	assert_non_null(at);
	for (at = strstr(at, word); at && (!end || at < end); at = strstr(at + 1, word))
		count++;
	return count;
}

/* ---- where the parameters are ---- */

static void mark(unsigned char *seen, const struct parameter *p, const struct portion *part)
{
	if (part->count)
		assert_true(part->from >= 0 && part->from + part->count <= parameter_count(p));
	else
		assert_true(part->row + part->rows <= p->rows && part->col + part->cols <= p->cols);
	for (int64_t i = 0; i < part->count; i++)
		seen[part->from + i]++;
	for (int64_t r = 0; r < part->rows && !part->count; r++)
		for (int64_t c = 0; c < part->cols; c++)
			seen[(part->row + r) * p->cols + part->col + c]++;
}

/* times: by how many ranks an element is held; 0: at least one */
static void covered(const struct strategy_call *call, int times)
{
	struct parts parts = {0};
	struct parameter *list;
	int count;
	assert_int_equal(strategy_parts(call, &parts), ST_OK);
	assert_int_equal(model_parameters(&call->model, &list, &count), ST_OK);
	for (int p = 0; p < count; p++) {
		unsigned char *seen = calloc((size_t)parameter_count(&list[p]), 1);
		assert_non_null(seen);
		for (size_t i = 0; i < parts.count; i++)
			if (parts.part[i].parameter == p)
				mark(seen, &list[p], &parts.part[i]);
		for (int64_t i = 0; i < parameter_count(&list[p]); i++)
			assert_true(times ? seen[i] == times : seen[i] > 0);
		free(seen);
	}
	mem_free(list);
	mem_free(parts.part);
}

static void every_element_is_somewhere(void **state)
{
	static const char *const wraps[] = {"layer", "block", "model"};
	(void)state;
	for (int n = 1; n <= 9; n++)
		for (int k = 0; k < 2; k++) {
			struct strategy_call zero = call_of("zero", n, k ? gpt : mlp);
			covered(&zero, k ? 1 : n); /* of bf16 the masters, which stage 1 cuts */
			with(&zero, "stage", "3");
			covered(&zero, 1);
			for (int w = 0; w < 3; w++) {
				struct strategy_call fsdp = call_of("fsdp", n, k ? gpt : mlp);
				with(&fsdp, "wrap", wraps[w]);
				covered(&fsdp, 1);
			}
			struct strategy_call tp = call_of("tp", n, k ? gpt : mlp);
			if (24 % n == 0)
				covered(&tp, 0);
		}
}

/* ---- what a step sends ---- */

static void tensor_parallel_sends_four_times_a_block(void **state)
{
	struct text text = {0};
	struct strategy_call call = call_of("tp", 4, gpt);
	(void)state;
	assert_int_equal(strategy_generate(&call, &text), ST_OK);
	assert_int_equal(count_in(text_string(&text), "## forward of layer 2", "\nallreduce "), 2);
	assert_int_equal(count_in(text_string(&text), "## backward of layer 2", "\nallreduce "), 2);
	text_release(&text);
	with(&call, "sequence", "on");
	assert_int_equal(strategy_generate(&call, &text), ST_OK);
	for (int i = 0; i < 2; i++) {
		const char *step = i ? "## backward of layer 2" : "## forward of layer 2";
		assert_int_equal(count_in(text_string(&text), step, "= reducescatter "), 2);
		assert_int_equal(count_in(text_string(&text), step, "= allgather "), 2);
		assert_int_equal(count_in(text_string(&text), step, "allreduce "), 0);
	}
	text_release(&text);
}

static void prefetch_gathers_ahead(void **state)
{
	struct text text = {0};
	struct strategy_call call = call_of("fsdp", 4, gpt);
	(void)state;
	with(&call, "prefetch", "2");
	assert_int_equal(strategy_generate(&call, &text), ST_OK);
	assert_int_equal(count_in(text_string(&text), "## forward of the embedding", "= allgather "),
	        3); /* the root, 1, 2 */
	assert_int_equal(count_in(text_string(&text), "## forward of layer 1", "flat3 = allgather "), 1);
	assert_int_equal(count_in(text_string(&text), "## forward of layer 1", "free flat1 "), 1);
	assert_int_equal(count_in(text_string(&text), "## forward of layer 3", "= allgather "), 0);
	assert_int_equal(
	        count_in(text_string(&text), "## backward of the head", "= allgather "), 2); /* 3, 2 */
	assert_int_equal(
	        count_in(text_string(&text), "## backward of the embedding", "dshard_root = reducescatter "),
	        1);
	text_release(&text);
	with(&call, "reshard", "off");
	assert_int_equal(strategy_generate(&call, &text), ST_OK);
	assert_int_equal(count_in(text_string(&text), "## backward of the head", "= allgather "), 0);
	text_release(&text);
}

/* ---- ddp's buckets ---- */

/* Matrices of 512 kB: full at `bucket` bytes, the first at 1 MB, as PyTorch's */
static void the_first_bucket_is_small(void **state)
{
	static const struct {
		const char *bucket;
		int first, second, count;
	} rows[] = {{"1", 1, 1, 8}, {"524288", 1, 1, 8}, {"1048576", 2, 2, 4}, {"1572864", 2, 3, 3},
	        {"26214400", 2, 6, 2}};
	struct model model = mlp;
	(void)state;
	model.layers = 8;
	model.hidden = model.in = model.out = 512;
	model.dtype = DT_BF16;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct text text = {0};
		char line[64];
		struct strategy_call call = call_of("ddp", 2, model);
		with(&call, "bucket", rows[i].bucket);
		assert_int_equal(strategy_generate(&call, &text), ST_OK);
		snprintf(line, sizeof line, "\ntensor bucket1[%d] bf16\n", rows[i].first * 512 * 512);
		assert_non_null(strstr(text_string(&text), line));
		snprintf(line, sizeof line, "\ntensor bucket2[%d] bf16\n", rows[i].second * 512 * 512);
		assert_non_null(strstr(text_string(&text), line));
		snprintf(line, sizeof line, "## %d buckets for the gradients", rows[i].count);
		assert_non_null(strstr(text_string(&text), line));
		text_release(&text);
	}
}

/* ---- what does not fit ---- */

static void refused(struct strategy_call call, const char *words)
{
	struct text text = {0};
	assert_int_not_equal(strategy_generate(&call, &text), ST_OK);
	assert_words(words);
	text_release(&text);
}

static void degrees_that_do_not_fit(void **state)
{
	struct strategy_call call = call_of("tp", 5, gpt);
	(void)state;
	refused(call, "heads=24 does not divide by ranks=5; the nearest that do are 20 and 25");
	refused(call_of("tp", 5, mlp), "hidden=24");
	call = call_of("tp", 4, mlp);
	with(&call, "sequence", "on");
	refused(call, "sequence=on");
	call = call_of("tp", 3, gpt);
	with(&call, "sequence", "on");
	call.model.batch = 1;
	refused(call, "batch*seq=8 does not divide by ranks=3; the nearest that do are 6 and 9");
	call = call_of("zero", 3, mlp);
	with(&call, "stage", "4");
	refused(call, "stage=4");
	call = call_of("fsdp", 3, mlp);
	with(&call, "accumulate", "17");
	refused(call, "batch=48 on 3 ranks");
}

/* ---- out of memory ---- */

static bool generate(void *self)
{
	const struct strategy_call *call = self;
	struct text text = {0};
	struct parts parts = {0};
	long before = mem_live();
	enum status status = strategy_generate(call, &text);
	if (status == ST_OK)
		status = strategy_parts(call, &parts);
	text_release(&text);
	mem_free(parts.part);
	return status == ST_OK && mem_live() == before;
}

static void no_allocation_is_lost(void **state)
{
	static const char *const names[] = {"zero", "fsdp", "tp"};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(names); i++) {
		struct strategy_call call = call_of(names[i], 4, gpt);
		sweep_memory(generate, &call);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_element_is_somewhere),
	        cmocka_unit_test(tensor_parallel_sends_four_times_a_block),
	        cmocka_unit_test(prefetch_gathers_ahead),
	        cmocka_unit_test(the_first_bucket_is_small),
	        cmocka_unit_test(degrees_that_do_not_fit),
	        cmocka_unit_test(no_allocation_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
