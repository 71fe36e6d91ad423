/* model.c -- model: what a strategy trains */
#include "base/dtype.h"
#include "shell/language/run/command.h"
#include "shell/session/out.h"
#include "shell/training/training.h"
#include "strategies/strategies.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- model ---- */

static int first_rank(const struct call *call)
{
	return ranks_first(call_ranks(call));
}

static bool yes(const char *word)
{
	return strcmp(word, "on") == 0;
}

/* Sizes up to these can be multiplied with one another, counted in bytes, and stay numbers; a program has a
 * dozen lines for each layer */
enum { SIZE_MOST = 1000000000, LAYERS_MOST = 4096, SEED_MOST = 1000000 };
static const double NUMBERS_MOST = 1e15; /* of a whole model, and of a batch's activations in one layer */

/* A whole number from `least` to `most`, when it was given */
static enum status whole(struct call *call, const char *name, int64_t least, int64_t most, int64_t *value)
{
	struct number number;
	if (!call_has(call, name))
		return ST_OK;
	enum status status = call_option(call, name, first_rank(call), &number);
	if (status == ST_OK &&
	        !(number.value >= (double)least && number.value <= (double)most &&
	                number.value == floor(number.value)))
		status = fail(ST_RANGE, "%s=%.10g: a whole number from %lld to %lld is wanted", name,
		        number.value, (long long)least, (long long)most);
	if (status == ST_OK)
		*value = (int64_t)number.value;
	return status;
}

static enum status whole_int(struct call *call, const char *name, int least, int most, int *value)
{
	int64_t wide = *value;
	enum status status = whole(call, name, least, most, &wide);
	*value = (int)wide;
	return status;
}

static enum status positive(struct call *call, const char *name, double *value)
{
	struct number number;
	if (!call_has(call, name))
		return ST_OK;
	enum status status = call_option(call, name, first_rank(call), &number);
	if (status == ST_OK && !(number.value > 0 && number.value < INFINITY))
		status = fail(ST_RANGE, "%s=%g: a number above 0 is wanted", name, number.value);
	if (status == ST_OK)
		*value = number.value;
	return status;
}

static enum status words(struct call *call, struct model *model)
{
	const char *word;
	enum status status = ST_OK;
	if (call_has(call, "dtype") &&
	        (status = call_option_word(call, "dtype", first_rank(call), &word)) == ST_OK)
		dtype_find(word, &model->dtype);
	if (status == ST_OK && call_has(call, "optimizer") &&
	        (status = call_option_word(call, "optimizer", first_rank(call), &word)) == ST_OK)
		model->optimizer = strcmp(word, "adam") == 0 ? OPTIMIZER_ADAM : OPTIMIZER_SGD;
	if (status == ST_OK && call_has(call, "tied") &&
	        (status = call_option_word(call, "tied", first_rank(call), &word)) == ST_OK)
		model->tied = yes(word);
	return status;
}

static enum status share(struct call *call, const char *name, double *value)
{
	struct number number;
	if (!call_has(call, name))
		return ST_OK;
	enum status status = call_option(call, name, first_rank(call), &number);
	if (status == ST_OK && !(number.value >= 0 && number.value < 1))
		status = fail(ST_RANGE, "%s=%g: a share from 0 on and below 1 is wanted", name, number.value);
	if (status == ST_OK)
		*value = number.value;
	return status;
}

/* The nearest that divide, for a message */
static enum status heads_fit(const struct model *model)
{
	if (model->kind != MODEL_GPT || model->hidden % model->heads == 0)
		return ST_OK;
	if (model->heads > model->hidden)
		return fail(ST_RANGE, "heads=%d does not divide hidden=%lld; the nearest that does is %lld",
		        model->heads, (long long)model->hidden, (long long)model->hidden);
	int below = model->heads, above = model->heads;
	while (model->hidden % below)
		below--;
	while (model->hidden % above)
		above++;
	return fail(ST_RANGE, "heads=%d does not divide hidden=%lld; the nearest that do are %d and %d",
	        model->heads, (long long)model->hidden, below, above);
}

/* What only a gpt has */
static enum status kind_fits(const struct call *call, const struct model *model)
{
	static const char *const gpt[] = {"heads", "seq", "vocab", "tied"};
	for (size_t i = 0; i < sizeof gpt / sizeof *gpt && model->kind == MODEL_MLP; i++)
		if (call_has(call, gpt[i]))
			return fail(ST_ARGUMENT, "an mlp has no %s: `model gpt %s=...`, or leave it out",
			        gpt[i], gpt[i]);
	return ST_OK;
}

/* Each size is in its range; all together may still be more than any machine has */
static enum status size_fits(const struct model *model)
{
	double h = (double)model->hidden, wide = model->kind == MODEL_GPT ? 4 * h : h;
	double parameters = model->layers * (model->kind == MODEL_GPT ? 12 * h * h : h * h) +
	        2 * (double)model->vocab * h + (double)model->seq * h;
	double tokens = (double)model->batch * (double)model->seq,
	       widest = model->vocab > wide ? (double)model->vocab : wide;
	if (parameters > NUMBERS_MOST)
		return fail(ST_RANGE,
		        "hidden=%lld, layers=%d: a model of %.2g parameters; at most %g are counted",
		        (long long)model->hidden, model->layers, parameters, NUMBERS_MOST);
	if (tokens * widest > NUMBERS_MOST)
		return fail(ST_RANGE,
		        "batch=%lld, seq=%lld: a layer gives %.2g numbers; at most %g are counted",
		        (long long)model->batch, (long long)model->seq, tokens * widest, NUMBERS_MOST);
	return ST_OK;
}

static enum status read_model(struct call *call, struct model *model)
{
	static const struct {
		const char *name;
		size_t place;
	} sizes[] = {{"hidden", offsetof(struct model, hidden)}, {"seq", offsetof(struct model, seq)},
	        {"batch", offsetof(struct model, batch)}, {"vocab", offsetof(struct model, vocab)}};
	enum status status = kind_fits(call, model);
	if (status == ST_OK)
		status = whole_int(call, "layers", 1, LAYERS_MOST, &model->layers);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == ST_OK; i++)
		status =
		        whole(call, sizes[i].name, 1, SIZE_MOST, (int64_t *)((char *)model + sizes[i].place));
	if (status == ST_OK)
		status = whole_int(call, "heads", 1, SIZE_MOST, &model->heads);
	if (status == ST_OK)
		status = whole_int(call, "seed", 0, SEED_MOST, &model->seed);
	if (status == ST_OK)
		status = words(call, model);
	if (status == ST_OK && model->dtype == DT_F16)
		model->loss_scale = 1024;
	if (status == ST_OK) {
		model->lr = model->optimizer == OPTIMIZER_ADAM ? 1e-3 : 0.1;
		status = positive(call, "lr", &model->lr);
	}
	if (status == ST_OK)
		status = share(call, "dropout", &model->dropout);
	if (status == ST_OK)
		status = positive(call, "loss_scale", &model->loss_scale);
	if (status == ST_OK)
		status = heads_fit(model);
	return status == ST_OK ? size_fits(model) : status;
}

static int64_t parameters_of(const struct model *model)
{
	int64_t h = model->hidden;
	if (model->kind == MODEL_MLP)
		return model->layers == 1 ? model->in * model->out
		                          : model->in * h + h * model->out + h * h * (model->layers - 2);
	return (model->vocab * (model->tied ? 1 : 2) + model->seq) * h + 12 * h * h * model->layers;
}

static enum status model_run(struct shell *shell, struct call *call)
{
	static const struct model mlp = {.kind = MODEL_MLP,
	        .layers = 8,
	        .hidden = 256,
	        .heads = 1,
	        .seq = 1,
	        .batch = 1024,
	        .vocab = 64,
	        .dtype = DT_F32,
	        .loss_scale = 1,
	        .seed = 1};
	static const struct model gpt = {.kind = MODEL_GPT,
	        .layers = 4,
	        .hidden = 64,
	        .heads = 4,
	        .seq = 64,
	        .batch = 8,
	        .vocab = 64,
	        .dtype = DT_F32,
	        .tied = false,
	        .optimizer = OPTIMIZER_ADAM,
	        .loss_scale = 1,
	        .seed = 1};
	struct training *t = training_of(shell);
	const char *word;
	struct text size = {0};
	enum status status = t ? call_word(call, 0, 0, first_rank(call), &word) : ST_MEMORY;
	if (status != ST_OK)
		return status;
	struct model model = strcmp(word, "gpt") == 0 ? gpt : mlp;
	status = read_model(call, &model);
	if (status != ST_OK)
		return status;
	t->now.model = model;
	t->now.model_given = true;
	t->now.stage.given = false;
	plan_complete(&t->now);
	number_text((struct number){(double)parameters_of(&t->now.model), UNIT_PLAIN}, &size);
	out_say(shell->out, "   %s of %d layers, %s parameters, %s; `strategy ddp` trains it\n",
	        model.kind == MODEL_GPT ? "a gpt" : "an mlp", model.layers, text_string(&size),
	        dtype_name(model.dtype));
	text_release(&size);
	return ST_OK;
}

const struct command command_model = {
        .name = "model",
        .topic = "learn",
        .usage = "model mlp|gpt [layers= hidden= batch= heads= seq= vocab= dtype= optimizer= lr= tied= "
                 "dropout= loss_scale= seed=]",
        .help = "what a strategy trains: mlp is matmuls with relu between, gpt a transformer; batch counts "
                "rows (sequences) of all ranks together",
        .example = "model gpt layers=2 hidden=64 heads=4 seq=32 batch=8",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, 0, "mlp gpt", "mlp|gpt"}},
        .option = {{"layers", ARG_EXPRESSION, UNIT_PLAIN, NULL, "blocks"},
                {"hidden", ARG_EXPRESSION, UNIT_PLAIN, NULL, "width"},
                {"heads", ARG_EXPRESSION, UNIT_PLAIN, NULL, "of the attention"},
                {"seq", ARG_EXPRESSION, UNIT_PLAIN, NULL, "tokens of a sequence"},
                {"batch", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "rows or sequences of a step, of all ranks together"},
                {"vocab", ARG_EXPRESSION, UNIT_PLAIN, NULL, "tokens there are; a text says it"},
                {"dtype", ARG_WORD, UNIT_PLAIN, "f32 f16 bf16", "f16 and bf16: with f32 master weights"},
                {"optimizer", ARG_WORD, UNIT_PLAIN, "sgd adam", "mlp: sgd; gpt: adam"},
                {"tied", ARG_WORD, UNIT_PLAIN, "on off", "the head is the embedding, transposed"},
                {"lr", ARG_EXPRESSION, UNIT_PLAIN, NULL, "learning rate (sgd 0.1, adam 1e-3)"},
                {"dropout", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "the part of what layers give that becomes 0 (0: none)"},
                {"loss_scale", ARG_EXPRESSION, UNIT_PLAIN, NULL, "f16: 1024"},
                {"seed", ARG_EXPRESSION, UNIT_PLAIN, NULL, "of the parameters' beginning"}},
        .run = model_run,
};
