/* bench_parse.c -- how fast the text of a program is parsed: lines a second, of what `strategy pipeline`
 * writes for a gpt
 *
 * Counted: the text's bytes checked as UTF-8, copied, split into words; expressions and names as trees; each
 * line bound to its command's row (arguments, options, clauses); the tree freed. Not counted: names looked
 * for in the books, anything run. */
#include "shell/language/run/interpreter.h"
#include "strategies/strategies.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static enum status write_program(struct text *text)
{
	struct strategy_call call = {.strategy = strategy_find("pipeline"),
	        .ranks = 16,
	        .data = {.count = 100000},
	        .model = {.kind = MODEL_GPT,
	                .layers = 16,
	                .hidden = 64,
	                .heads = 4,
	                .seq = 64,
	                .batch = 256,
	                .vocab = 64,
	                .dtype = DT_F32,
	                .lr = 0.1,
	                .loss_scale = 1,
	                .seed = 1}};

	for (int i = 0; i < STRATEGY_OPTIONS_MAX && call.strategy->option[i].name; i++) {
		const struct strategy_option *row = &call.strategy->option[i];
		if (row->words)
			snprintf(call.option[i].word, sizeof call.option[i].word, "%s",
			        strcmp(row->name, "schedule") == 0 ? "1f1b" : "off");
		else if (row->least == 1)
			call.option[i].number = strcmp(row->name, "micro") == 0 ? 256 : 1;
	}
	return strategy_generate(&call, text);
}

int main(void)
{
	commands_start(command_table);
	enum { ROUNDS = 5 };
	struct text text = {0};
	double best = 1e9;
	long lines = 0;
	enum status status = write_program(&text);

	for (size_t i = 0; i < text.count; i++)
		lines += text.bytes[i] == '\n';
	for (int i = 0; i < ROUNDS && status == ST_OK; i++) {
		double from = now();
		status = interpreter_check(NULL, text.bytes, text.count, "bench", 1);
		double took = now() - from;
		best = took < best ? took : best;
	}
	if (status == ST_OK)
		printf("parse: a pipeline's program of %ld lines in %.1f ms, the best of %d: %.2f million "
		       "lines/s of one core (at least 1)\n",
		        lines, best * 1e3, ROUNDS, (double)lines / best / 1e6);
	else
		printf("failed: %s\n", fail_text());
	text_release(&text);
	return status != ST_OK;
}
