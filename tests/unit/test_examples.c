/* test_examples.c -- the examples of all commands, kernels and collectives, and the lines that
 * the glossary suggests, run in an empty world of 4 ranks; every row and entry is complete */
#include "alone.h"
#include "base/embedded.h"
#include "base/text.h"
#include "shell/session/credit.h"
#include "shell/language/parse/glossary.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/course/lessons/lesson.h"
#include "shell/line/line.h"
#include "shell/training/open.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static enum status run_example(const char *lines)
{
	struct shell shell = {0};
	struct credit credit = {0};
	enum status status = shell_open(&shell, transport, 4, true, "classroom");
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	if (status == ST_OK)
		status = line_text(&shell, lines, strlen(lines), NULL, 1);
	status = shell_settle(&shell, status);
	lesson_free(&shell);
	shell_close(&shell);
	return status;
}

static void examples(void **state)
{
	int run = 0;
	(void)state;
	for (int i = 0; commands_at(i); i++) {
		const struct command *command = commands_at(i);
		if (!command->example)
			continue;
		enum status status = run_example(command->example);
		/* of lessons and hunts, which compare numbers: their scripts run them */
		if (status == ST_ARGUMENT && strstr(fail_text(), "--dry has none"))
			continue;
		if (status != ST_OK && status != ST_QUIT)
			print_error("%s:\n%s\n%s: %s\n", command->name, command->example, status_name(status),
			        fail_text());
		assert_true(status == ST_OK || status == ST_QUIT);
		run++;
	}
	assert_true(run > 60);
}

/* `help NAME` of every row and topic */
static void helps(void **state)
{
	char line[100];
	(void)state;
	for (int i = 0; commands_at(i); i++) {
		snprintf(line, sizeof line, "help %s", commands_at(i)->name);
		assert_int_equal(run_example(line), ST_OK);
	}
	assert_int_equal(run_example("help; help kernels; help collectives; help grammar; help all; help "
	                             "tensor; help look; help let"),
	        ST_OK);
	assert_int_equal(run_example("help nothing_at_all"), ST_NAME);
}

/* Full stops and question marks at the end of a word */
static int sentences(struct slice_of_text text)
{
	int count = 0;
	for (uint32_t i = 0; i < text.length; i++)
		if (strchr(".?:", text.at[i]) && (i + 1 == text.length || strchr(" \n", text.at[i + 1])))
			count++;
	return count;
}

/* Words and causes have two sentences and lines to try, which run; the causes are those of trace.h */
static void glossary(void **state)
{
	static const char *const causes[] = {
#define X(symbol, letter, name) name,
		CAUSES(X)
#undef X
	};
	int found = 0, words = 0;
	struct glossary_entry entry;
	(void)state;
	for (const char *at = NULL; glossary_next(&at, &entry);) {
		char name[WORD_SHOWN];
		struct text lines = {0};
		word_text(entry_name(&entry), name);
		for (size_t i = 0; entry.kind == ENTRY_CAUSE && i < sizeof causes / sizeof *causes; i++)
			found += strcmp(causes[i], name) == 0;
		words += entry.kind == ENTRY_WORD;
		if (entry.kind != ENTRY_FIGURE && (sentences(entry.text) < 2 || !entry.lines.length))
			fail_msg("docs/help/glossary.txt, %s: two sentences and a line to try", name);
		for (uint32_t i = 0; i < entry.lines.length; i++)
			if (entry.lines.at[i] == '>' && (i == 0 || entry.lines.at[i - 1] == '\n'))
				text_add(&lines, " ");
			else
				text_put(&lines, entry.lines.at + i, 1);
		enum status status = run_example(text_string(&lines));
		if (status != ST_OK)
			fail_msg("docs/help/glossary.txt, %s:\n%s\n%s", name, text_string(&lines),
			        fail_text());
		text_release(&lines);
	}
	assert_int_equal(found, sizeof causes / sizeof *causes);
	assert_true(words > 80);
	assert_true(glossary_has("Micro Batch") && glossary_has("nvlink") && !glossary_has(""));
}

/* What heads a column, or stands beside a figure, is a word of the glossary or a command. */
static void printed_words(void **state)
{
	static const char *const words[] = {"work", "other work", "slowed", "sent", "formula", "off", "sends",
	        "by", "kernel", "dtype", "peak", "bound by", "lost by sharing", "params", "grads",
	        "activations", "their grads", "buffers", "optimizer", "exposed", "idle", "overlapped",
	        "iteration", "slack", "critical path", "path", "root", "blame", "achieved", "rate",
	        "allocated", "reserved", "legend", "projected", "folded", "e.g.", "x16", "saving", "hook",
	        "chunk", "bubble", "MFU", "rank", "lane"};
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!glossary_has(words[i]))
			fail_msg("`help %s` has no entry in docs/help/glossary.txt", words[i]);
}

/* Metrics have no row of help: `help grammar` lists them */
static void metrics_are_listed(void **state)
{
	static const char *const metrics[] = {
#define X(symbol, compute, name, least, kinds, nature) NATURE_##nature >= NATURE_RANK ? " " name : "",
		FUNCTIONS(X)
#undef X
	};
	const struct embedded *file = embedded_files;
	struct text grammar = {0};
	(void)state;
	while (strcmp(file->path, "docs/help/grammar.txt") != 0)
		file++;
	text_put(&grammar, file->bytes, file->count);
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (!strstr(text_string(&grammar), metrics[i]))
			fail_msg("docs/help/grammar.txt does not name the metric%s", metrics[i]);
	text_release(&grammar);
}

static void rows(void **state)
{
	(void)state;
	for (int i = 0; commands_at(i); i++) {
		const struct command *command = commands_at(i);
		assert_non_null(command->help);
		assert_non_null(command->topic);
		assert_int_equal(!!command->run + !!command->each + !!command->answers, 1);
		/* a sentence without its full stop */
		assert_true(command->help[strlen(command->help) - 1] != '.');
		struct slice_of_text name = {command->name, (uint32_t)strlen(command->name)};
		assert_ptr_equal(
		        command->beside_kernel ? command_beside_kernel(name) : command_find(command->name),
		        command);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(helps),
	        cmocka_unit_test(glossary), cmocka_unit_test(printed_words),
	        cmocka_unit_test(metrics_are_listed), cmocka_unit_test(rows)};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
