/* explain.c -- explain (alone: on): the PyTorch line and the CUDA or NCCL call after each line */
#include "shell/language/run/command.h"

#include <string.h>

static enum status explain_run(struct call *call)
{
	struct shell *shell = call->shell;
	const char *word = "on";
	enum status status = call_common(call, 0, &word);
	if (status == ST_OK)
		journal_switch(&shell->journal, "explain", &shell->lasting.explain, strcmp(word, "on") == 0);
	return status;
}

const struct command command_explain = {
        .name = "explain",
        .topic = "learn",
        .usage = "explain on|off",
        .help = "shows for each line the equivalent CUDA or NCCL call and the PyTorch line",
        .example = "explain on\nspin 1ms\nexplain off",
        .class = COMMAND_SESSION,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "on off", "on|off"}},
        .run = explain_run,
};
