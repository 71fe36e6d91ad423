/* test_gpt.c -- a gpt trained by the program of lines gives, iteration by iteration, the losses of the same
 * model written as a plain C program */
#include "tests/bench/plain_gpt.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/training.h"
#include "check.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

enum { TEXT = 20000, VOCAB = 64, ITERATIONS = 8 };

static enum status play(struct shell *shell, const char *lines)
{
	return shell_settle(shell, interpreter_run(shell, lines, strlen(lines), NULL, 1));
}

static void losses_are_a_plain_programs(void **state)
{
	struct shell shell = {0};
	struct credit credit = {0};
	struct plain plain;
	int *text = plain_text(TEXT, VOCAB);
	double first = 0;
	assert_non_null(text);
	plain_make(&plain, VOCAB);
	assert_int_equal(shell_open(&shell, *state, 1, false, "classroom"), ST_OK);
	credit_start(&credit, *state, &shell.budget);
	shell.credit = &credit;
	assert_int_equal(play(&shell,
	                         "model gpt layers=4 hidden=64 heads=4 seq=64 batch=8 vocab=64 "
	                         "optimizer=adam lr=1e-3 tied=off seed=1\n"
	                         "data synthetic count=20000\nstrategy serial"),
	        ST_OK);
	for (int it = 0; it < ITERATIONS; it++) {
		double loss = 0, wanted = (double)plain_iteration(&plain, text);
		assert_int_equal(play(&shell, "run 1"), ST_OK);
		assert_int_equal(program_loss(&shell, &loss), ST_OK);
		if (!(fabs(loss - wanted) < 2e-5))
			fail_msg("iteration %d: loss %.7f, of the plain program %.7f", it, loss, wanted);
		first = it ? first : loss;
		if (it == ITERATIONS - 1)
			assert_true(fabs(loss - first) >
			        1e-3); /* else the weights, and their gradients, had no say */
		text += TOKENS;
	}
	shell_close(&shell);
	plain_free(&plain);
	free(text - ITERATIONS * TOKENS);
}

static int open_plane(void **state)
{
	int argc = 0;
	char **argv = NULL;
	struct plane *plane;
	if (plane_start(&plane, false, &argc, &argv) != ST_OK)
		return -1;
	*state = plane;
	return 0;
}

static int close_plane(void **state)
{
	plane_stop(*state);
	return 0;
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_a_plain_programs)};
	return cmocka_run_group_tests(tests, open_plane, close_plane);
}
