/* lines.h -- lines typed in a world of 4 ranks without data; each test has its own world */
#ifndef RANKSH_TEST_LINES_H
#define RANKSH_TEST_LINES_H

#include "alone.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

static struct shell shell;

static inline int open_shell(void **state)
{
	(void)state;
	shell = (struct shell){0};
	return shell_open(&shell, transport, 4, true, "classroom") != ST_OK;
}

static int close_shell(void **state)
{
	(void)state;
	shell_close(&shell);
	return 0;
}

static enum status run(const char *text)
{
	return line_text(&shell, text, strlen(text), NULL, 1);
}

/* Lines whose every `expect` must hold */
static inline void holds_at(const char *text, int line)
{
	int before = shell.expect.failed;
	enum status status = run(text);
	if (status != ST_OK)
		fail_msg("line %d: '%s': %s: %s", line, text, status_name(status), fail_text());
	if (shell.expect.failed != before)
		fail_msg("line %d: '%s' is false", line, text);
}
#define HOLDS(text) holds_at(text, __LINE__)

#define IN_A_SHELL(test) cmocka_unit_test_setup_teardown(test, open_shell, close_shell)

#endif
