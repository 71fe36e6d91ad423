/* test_examples.c -- the example of every command, kernel and collective runs in an empty world of 4 ranks;
 * every row is whole */
#include "alone.h"
#include "base/embedded.h"
#include "base/text.h"
#include "shell/session/credit.h"
#include "shell/language/parse/function.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/lessons/lesson.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

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
	while (strcmp(file->path, "docs/grammar.txt") != 0)
		file++;
	text_put(&grammar, file->bytes, file->count);
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (!strstr(text_string(&grammar), metrics[i]))
			fail_msg("docs/grammar.txt does not name the metric%s", metrics[i]);
	text_release(&grammar);
}

static void rows(void **state)
{
	(void)state;
	for (int i = 0; commands_at(i); i++) {
		const struct command *command = commands_at(i);
		assert_non_null(command->usage);
		assert_non_null(command->help);
		assert_non_null(command->topic);
		assert_int_equal(!!command->run + !!command->each + !!command->answers + !!command->wish, 1);
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
	        cmocka_unit_test(metrics_are_listed), cmocka_unit_test(rows)};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
