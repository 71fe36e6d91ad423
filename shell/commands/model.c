/* model.c -- model: what a strategy trains */
#include "shell/language/run/command.h"
#include "shell/training/choose.h"

#include <string.h>

/* A model replaces the times set by `stage`. */
static enum status model_run(struct call *call)
{
	struct choice choice = {0};
	enum status status = call_common(call, 0, &choice.name);
	if (status == ST_OK && call_count(call, 1))
		return choice_tell(call->shell, true, choice.name,
		        strcmp(call_argument_text(call, 1, 0), "source") == 0);
	if (status == ST_OK && strcmp(choice.name, "help") == 0) {
		choice_list(call->shell, true);
		return ST_OK;
	}
	for (int i = 0; i < call->statement->options && status == ST_OK; i++)
		status = choice_key(call, i, &choice);
	if (status == ST_OK)
		status = choose_model(call->shell, &choice);
	if (status == ST_OK)
		call->shell->training->now.stage.given = false;
	return status;
}

const struct command command_model = {
        .name = "model",
        .topic = "learn",
        .usage = "model NAME|F.rsh [help|source] [KEY=VALUE ...]",
        .help = "sets the model that a strategy trains: mlp (matmuls with relu between them), gpt (a "
                "transformer), or your own file F.rsh. `model gpt help` shows the keys of gpt",
        .example = "model gpt layers=2 hidden=64 heads=4 seq=32 batch=8",
        .for_all = "training",
        .class = COMMAND_STEER,
        .argument = {{ARG_FILE, 0, NULL, "NAME|F.rsh"},
                {ARG_WORD, ARG_OPTIONAL, "help source", "help|source"},
                {ARG_KEYS, ARG_OPTIONAL | ARG_MANY, NULL, "KEY=VALUE"}},
        .run = model_run,
        .follows = model_follows,
};
