/* data.c -- data: what `model` is trained on by the strategies.
 *
 * "text FILE" gives a gpt the characters of a text, one token each, with a vocabulary of the characters
 * that occur; two .npy files give an mlp rows of samples and the row of targets for each; "synthetic"
 * gives random numbers of as many rows or tokens as count= says. The file itself is read by rank 0 once,
 * for its size and shape: what is kept in the training's plan is the path and these facts, and the ranks
 * load their parts when a strategy's lines run.
 *
 * The command queues nothing and moves no clock. A model chosen before the data is chosen again, since its
 * first and last layers take their widths from it. */
#include "shell/language/run/command.h"
#include "shell/session/load.h"
#include "shell/session/out.h"
#include "shell/training/choose.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

/* The words behind `data`, copied: reading files may move names */
static enum status read_words(struct call *call, char word[3][512], int count)
{
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++) {
		const char *text;
		status = call_word(call, 0, i, ranks_first(call_ranks(call)), &text);
		if (status == ST_OK && strlen(text) >= sizeof word[i])
			status = fail(
			        ST_LIMIT, "data: a path of at most %zu bytes, please", sizeof word[i] - 1);
		if (status == ST_OK)
			snprintf(word[i], sizeof word[i], "%s", text);
	}
	return status;
}

/* The vocabulary replaces the one that the model had; the widths of a row of numbers mean nothing to a
 * text. */
static enum status take_text(struct shell *shell, struct plan *plan, const char *path)
{
	struct data_facts facts;
	enum status status = data_text(shell, path, &facts);
	if (status != ST_OK)
		return status;
	plan->data = (struct dataset){.kind = DATA_TEXT, .count = facts.count, .vocab = (int)facts.vocab};
	snprintf(plan->data.path[0], sizeof plan->data.path[0], "%s", path);
	out_say(shell->out, "   %s: %lld characters, %d different ones\n", path, (long long)facts.count,
	        (int)facts.vocab);
	return ST_OK;
}

/* Rows for an mlp: the columns of the samples and of the targets become its first and its last width. */
static enum status take_pair(struct shell *shell, struct plan *plan, const char *samples, const char *targets)
{
	struct data_facts facts;
	enum status status = data_pair(shell, samples, targets, &facts);
	if (status != ST_OK)
		return status;
	plan->data =
	        (struct dataset){.kind = DATA_NPY, .count = facts.count, .in = facts.in, .out = facts.out};
	snprintf(plan->data.path[0], sizeof plan->data.path[0], "%s", samples);
	snprintf(plan->data.path[1], sizeof plan->data.path[1], "%s", targets);
	out_say(shell->out, "   %lld rows of %lld numbers, targets of %lld\n", (long long)facts.count,
	        (long long)facts.in, (long long)facts.out);
	return ST_OK;
}

/* count= is optional: 0 is kept then, and the model says how much it wants. */
static enum status take_synthetic(struct call *call, struct plan *plan)
{
	struct number number = {0};
	enum status status = call_has(call, "count")
	        ? call_option(call, "count", ranks_first(call_ranks(call)), &number)
	        : ST_OK;
	if (status == ST_OK && call_has(call, "count") && !number_is_whole(number.value, 1, 1e9))
		status = fail(ST_RANGE, "count=%g: a whole number of rows or tokens is wanted, at most 1e9",
		        number.value);
	if (status != ST_OK)
		return status;
	plan->data = (struct dataset){
	        .kind = DATA_SYNTHETIC, .count = (int64_t)number.value}; /* 0: as the model wants it */
	return ST_OK;
}

static enum status data_run(struct shell *shell, struct call *call)
{
	char word[3][512] = {""};
	int count = call_count(call, 0);
	struct training *t = training_of(shell);
	enum status status = count > 3 ? ST_OK : read_words(call, word, count);
	if (status != ST_OK)
		return status;
	if (count == 2 && strcmp(word[0], "text") == 0)
		status = take_text(shell, &t->now, word[1]);
	else if (count == 2 && file_is_npy(word[0]) && file_is_npy(word[1]))
		status = take_pair(shell, &t->now, word[0], word[1]);
	else if (count == 1 && strcmp(word[0], "synthetic") == 0)
		status = take_synthetic(call, &t->now);
	else
		return fail(
		        ST_ARGUMENT, "write: data text FILE, data SAMPLES.npy TARGETS.npy or data synthetic");
	t->now.data_given = t->now.data_given || status == ST_OK;
	if (status == ST_OK)
		choose_model_again(
		        shell); /* a model that the data does not fit is refused when it is to be trained */
	return status;
}

const struct command command_data = {
        .name = "data",
        .topic = "learn",
        .usage = "data text FILE | data SAMPLES.npy TARGETS.npy | data synthetic [count=N]",
        .help = "what the model is trained on: the characters of a text (gpt), rows of two .npy files (mlp), "
                "or random numbers",
        .example = "data synthetic count=4096",
        .class = COMMAND_STEER,
        .argument = {{ARG_FILE, ARG_MANY, NULL, "text FILE|SAMPLES.npy TARGETS.npy|synthetic"}},
        .option = {{"count", ARG_EXPRESSION, UNIT_PLAIN, NULL, "synthetic: rows, or tokens"}},
        .run = data_run,
};
