/* data.c -- data: the training data of strategies
 *
 *     text FILE                   for gpt: a character is a token, their set the vocabulary
 *     SAMPLES.npy TARGETS.npy     for mlp: rows of samples, and a row of targets for each
 *     synthetic                   random numbers, count= rows or tokens
 *
 * Rank 0 reads the files once, for size and shape; ranks load their parts when a strategy's lines
 * run. An earlier `model` is configured again, because the data give the widths of its first and
 * last layers. */
#include "shell/language/run/command.h"
#include "shell/values/load.h"
#include "shell/training/choose.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

/* word: "text" FILE, or SAMPLES TARGETS */
static enum status data_read_files(
        struct shell *shell, struct plan *plan, bool text, const char *const word[2])
{
	struct dataset data = {.kind = text ? DATA_TEXT : DATA_NPY};
	struct data_facts facts;
	const char *const *path = word + text;
	for (int i = 0; i < 2 - text; i++)
		if (snprintf(data.path[i], sizeof data.path[i], "%s", path[i]) >= (int)sizeof data.path[i])
			return fail(ST_LIMIT, "data: the path is longer than 511 bytes");
	enum status status =
	        text ? data_text(shell, path[0], &facts) : data_pair(shell, path[0], path[1], &facts);
	if (status != ST_OK)
		return status;
	data.count = facts.count;
	data.vocab = (int)facts.vocab;
	data.in = facts.in;
	data.out = facts.out;
	plan->data = data;
	if (text)
		out_say(shell->out, "   %s: %lld characters, %d different ones\n", path[0],
		        (long long)facts.count, data.vocab);
	else
		out_say(shell->out, "   %lld rows of %lld numbers, targets of %lld\n", (long long)facts.count,
		        (long long)facts.in, (long long)facts.out);
	return ST_OK;
}

static enum status data_run(struct call *call)
{
	const char *word[2] = {"", ""};
	int words = call_count(call, 0);
	struct training *t = call->shell->training;
	struct dataset synthetic = {.kind = DATA_SYNTHETIC}; /* count 0: as the model asks for */
	enum status status = ST_OK;
	for (int i = 0; i < words && i < 2 && status == ST_OK; i++)
		status = call_word(call, 0, i, COMMON, &word[i]);
	if (status != ST_OK)
		return status;
	bool text = words == 2 && strcmp(word[0], "text") == 0;
	if (text || (words == 2 && file_is_npy(word[0]) && file_is_npy(word[1]))) {
		status = data_read_files(call->shell, &t->now, text, word);
	} else if (words == 1 && strcmp(word[0], "synthetic") == 0) {
		status = call_option_whole(call, "count", COMMON, 1, 1000000000, &synthetic.count);
		if (status == ST_OK)
			t->now.data = synthetic;
	} else {
		return fail(
		        ST_ARGUMENT, "write: data text FILE, data SAMPLES.npy TARGETS.npy or data synthetic");
	}
	t->now.data_given = t->now.data_given || status == ST_OK;
	if (status == ST_OK)
		choose_model_again(call->shell);
	return status;
}

const struct command command_data = {
        .name = "data",
        .topic = "learn",
        .usage = "data text FILE | data SAMPLES.npy TARGETS.npy | data synthetic [count=N]",
        .help = "sets the training data: a text's characters (gpt), rows from two .npy files (mlp), or "
                "random numbers",
        .example = "data synthetic count=4096",
        .for_all = "training",
        .class = COMMAND_STEER,
        .argument = {{ARG_FILE, ARG_MANY, NULL, "text FILE|SAMPLES.npy TARGETS.npy|synthetic"}},
        .option = {{"count", ARG_EXPRESSION, UNIT_PLAIN, NULL, "synthetic: rows, or tokens"}},
        .run = data_run,
};
