/* model.c -- model: what a strategy trains */
#include "base/dtype.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/session/out.h"
#include "shell/training/choose.h"
#include "shell/training/head.h"

#include <string.h>

/* The same for the strategies that are still in C */
static void tell_c(const struct choice *choice, struct model *model)
{
	static const struct model mlp = {.kind = MODEL_MLP,
	        .layers = 8,
	        .hidden = 256,
	        .heads = 1,
	        .seq = 1,
	        .batch = 1024,
	        .vocab = 64,
	        .loss_scale = 1,
	        .seed = 1};
	static const struct model gpt = {.kind = MODEL_GPT,
	        .layers = 4,
	        .hidden = 64,
	        .heads = 4,
	        .seq = 64,
	        .batch = 8,
	        .vocab = 64,
	        .optimizer = OPTIMIZER_ADAM,
	        .loss_scale = 1,
	        .seed = 1};
	*model = strcmp(choice->name, "gpt") == 0 ? gpt : mlp;
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < choice->givens; i++) {
			const char *name = choice->given[i].name, *word = choice->given[i].word;
			double value = choice->given[i].number.value;
			if (strcmp(name, "layers") == 0)
				model->layers = (int)value;
			if (strcmp(name, "hidden") == 0)
				model->hidden = (int64_t)value;
			if (strcmp(name, "heads") == 0)
				model->heads = (int)value;
			if (strcmp(name, "seq") == 0)
				model->seq = (int64_t)value;
			if (strcmp(name, "batch") == 0)
				model->batch = (int64_t)value;
			if (strcmp(name, "vocab") == 0)
				model->vocab = (int64_t)value;
			if (strcmp(name, "seed") == 0)
				model->seed = (int)value;
			if (strcmp(name, "lr") == 0)
				model->lr = value;
			if (strcmp(name, "dropout") == 0)
				model->dropout = value;
			if (strcmp(name, "loss_scale") == 0)
				model->loss_scale = value;
			if (strcmp(name, "tied") == 0 && word)
				model->tied = strcmp(word, "on") == 0;
			if (strcmp(name, "dtype") == 0 && word)
				dtype_find(word, &model->dtype);
			if (strcmp(name, "optimizer") == 0 && word)
				model->optimizer = strcmp(word, "adam") == 0 ? OPTIMIZER_ADAM : OPTIMIZER_SGD;
		}
		if (pass == 0) {
			model->lr = model->optimizer == OPTIMIZER_ADAM ? 1e-3 : 0.1;
			model->loss_scale = model->dtype == DT_F16 ? 1024 : 1;
		}
	}
}

static enum status model_run(struct shell *shell, struct call *call)
{
	struct training *t = training_of(shell);
	struct choice choice = {0};
	int first = ranks_first(call_ranks(call));
	enum status status = call_word(call, 0, 0, first, &choice.name);
	if (status == ST_OK && call_count(call, 1))
		return choice_tell(
		        shell, true, choice.name, strcmp(call_argument_text(call, 1, 0), "source") == 0);
	for (int i = 0; i < call_keys(call) && status == ST_OK; i++)
		status = choice_key(call, i, &choice);
	if (status == ST_OK)
		status = choose_model(shell, &choice);
	if (status != ST_OK)
		return status;
	tell_c(&choice, &t->now.model);
	t->now.model_given = true;
	t->now.stage.given = false;
	plan_complete(&t->now);
	return ST_OK;
}

static void follows(const char *name, struct text *out)
{
	choice_follows(true, name, out);
}

const struct command command_model = {
        .name = "model",
        .topic = "learn",
        .usage = "model NAME|F.rsh [help|source] [KEY=VALUE ...]",
        .help = "what a strategy trains: mlp is matmuls with relu between, gpt a transformer, F.rsh your "
                "own; `model gpt "
                "help` shows its keys",
        .example = "model gpt layers=2 hidden=64 heads=4 seq=32 batch=8",
        .class = COMMAND_STEER,
        .argument = {{ARG_FILE, 0, NULL, "NAME|F.rsh"},
                {ARG_WORD, ARG_OPTIONAL, "help source", "help|source"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = model_run,
        .follows = follows,
};
