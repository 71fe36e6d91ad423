/* test_kinds.c -- what a tensor is to the model, by its name */
#include "strategies/flat.h"
#include "strategies/kinds.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct model gpt = {
        .kind = MODEL_GPT, .layers = 2, .hidden = 16, .heads = 2, .seq = 4, .batch = 4, .vocab = 8};

static void test_names(void **state)
{
	static const struct {
		const char *name;
		char phase;
		enum tensor_kind kind;
	} rows[] = {
	        {"table", 0, KIND_PARAMETERS},
	        {"wq2", 'F', KIND_PARAMETERS},
	        {"flat1", 'B', KIND_PARAMETERS},
	        {"shard12", 0, KIND_PARAMETERS},
	        {"dtable", 'B', KIND_GRADIENTS},
	        {"dwq2", 'B', KIND_GRADIENTS},
	        {"dflat1", 0, KIND_GRADIENTS},
	        {"dshard1", 0, KIND_GRADIENTS},
	        {"bucket3", 0, KIND_GRADIENTS},
	        {"wq2_m", 0, KIND_OPTIMIZER},
	        {"pos_v", 0, KIND_OPTIMIZER},
	        {"wq2_f32", 0, KIND_OPTIMIZER},
	        {"shard1_f32", 0, KIND_OPTIMIZER},
	        {"x0", 0, KIND_ACTIVATIONS},
	        {"x0_13", 'C', KIND_ACTIVATIONS},
	        {"ids", 0, KIND_ACTIVATIONS},
	        {"ids_4", 0, KIND_ACTIVATIONS},
	        {"x1_3", 'F', KIND_ACTIVATIONS},
	        {"x1", 'R', KIND_ACTIVATIONS},
	        {"dx2", 'B', KIND_ACTIVATION_GRADIENTS},
	        {"dx2", 'W', KIND_ACTIVATION_GRADIENTS},
	        {"", 0, KIND_BUFFERS},
	        {"d", 0, KIND_BUFFERS},
	        {"_m", 0, KIND_BUFFERS},
	        {"wq", 0, KIND_BUFFERS},
	        {"wq3", 0, KIND_BUFFERS},
	        {"w1", 0, KIND_BUFFERS},
	        {"x0_f32", 0, KIND_BUFFERS},
	        {"x01", 0, KIND_BUFFERS},
	        {"flat_", 0, KIND_BUFFERS},
	        {"flats", 0, KIND_BUFFERS},
	        {"flata", 0, KIND_BUFFERS},
	        {"flat1am", 0, KIND_BUFFERS},
	        {"bucket", 'O', KIND_BUFFERS},
	        {"wq2_x", 'C', KIND_BUFFERS},
	        {"t_0", 0, KIND_BUFFERS},
	        {"in_0", 0, KIND_BUFFERS},
	        {"din_1", 0, KIND_BUFFERS},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum tensor_kind kind = tensor_kind_of(&gpt, rows[i].name, rows[i].phase);
		if (kind != rows[i].kind)
			fail_msg("'%s' is of kind %s", rows[i].name, tensor_kind_name(kind));
	}
}

/* What the models have, and what is told by a name alone, agree */
static void test_parameters(void **state)
{
	struct model models[] = {gpt, gpt, {.kind = MODEL_MLP, .layers = 12, .hidden = 4, .in = 4, .out = 4}};
	(void)state;
	models[1].tied = true;
	for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
		struct parameter *list;
		int count;
		assert_int_equal(model_parameters(&models[m], &list, &count), ST_OK);
		for (int i = 0; i < count; i++)
			assert_true(model_has_parameter(&models[m], list[i].name, strlen(list[i].name)));
		mem_free(list);
	}
	assert_true(model_has_parameter(&gpt, "head", 4) && !model_has_parameter(&models[1], "head", 4));
	assert_true(!model_has_parameter(&models[2], "w13", 3) && !model_has_parameter(&models[2], "w0", 2) &&
	        !model_has_parameter(&models[2], "pos", 3));
}

/* Every group of zero and fsdp counts as parameters: what `mem` says of a model is the model, root
 * included */
static void test_flat_groups(void **state)
{
	struct model models[] = {
	        gpt, {.kind = MODEL_MLP, .layers = 5, .hidden = 4, .in = 4, .out = 4, .batch = 4}};
	(void)state;
	for (int m = 0; m < 2; m++)
		for (int wrap = WRAP_LAYER; wrap <= WRAP_MODEL; wrap++) {
			struct flats flats;
			char name[64];
			assert_int_equal(flats_make(&models[m], (enum wrap)wrap, 2, &flats), ST_OK);
			for (int g = 0; g < flats.flats; g++) {
				snprintf(name, sizeof name, "dshard%s_m", flats.flat[g].tag);
				assert_int_equal(tensor_kind_of(&models[m], name + 1, 0), KIND_OPTIMIZER);
				name[strlen(name) - 2] = 0;
				assert_int_equal(tensor_kind_of(&models[m], name, 0), KIND_GRADIENTS);
				assert_int_equal(tensor_kind_of(&models[m], name + 1, 0), KIND_PARAMETERS);
			}
			flats_release(&flats);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_parameters),
	        cmocka_unit_test(test_flat_groups)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
