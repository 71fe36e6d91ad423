/* test_program.c -- programs: their text taken apart; the gradients of serial's models against finite
 * differences */
#include "shell/training/training.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "base/memory.h"
#include "strategies/layers.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"
#include "shell/session/read.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static enum status read_text(struct program *program, const char *bytes)
{
	struct text text = {0};
	text_put(&text, bytes, strlen(bytes));
	enum status status = program_read(program, &text, "p");
	text_release(&text);
	return status;
}

static void steps(void **state)
{
	struct program p = {0};
	(void)state;
	assert_int_equal(read_text(&p,
	                         "## a\n# why\n# more\nstream s\n" PROGRAM_LOOP
	                         "\n## b\nphase F\n@0 {\nspin 1ms\n}\n## c\nspin 2ms\n}\n"),
	        ST_OK);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.setup, 1);
	assert_true(p.loops);
	assert_int_equal(p.step[0].why_count, strlen("# why\n# more\n"));
	assert_int_equal(p.step[0].line, 4);
	assert_int_equal(p.step[1].lines_count, strlen("phase F\n@0 {\nspin 1ms\n}\n"));
	assert_int_equal(p.step[2].lines_count, strlen("spin 2ms\n"));
	program_release(&p);
	assert_int_equal(read_text(&p, "spin 1ms\n## only\nspin 2ms"), ST_OK);
	assert_int_equal(p.count, 2);
	assert_false(p.loops);
	program_release(&p);
	assert_int_equal(read_text(&p, PROGRAM_LOOP "\nspin 1ms\n"), ST_SYNTAX);
	assert_int_equal(read_text(&p, PROGRAM_LOOP "\nspin 1ms\n}\nspin 2ms\n"), ST_SYNTAX);
	assert_int_equal(read_text(&p, "# nothing\n"), ST_SYNTAX);
	assert_int_equal(mem_live(), 0);
}

/* ---- gradients ---- */

static void must(struct shell *shell, const char *lines)
{
	enum status status = interpreter_run(shell, lines, strlen(lines), NULL, 1);
	if (status != ST_OK)
		print_error("%s\n", fail_text());
	assert_int_equal(status, ST_OK);
}

static float element(struct shell *shell, const char *name)
{
	struct data_read read = {.kind = READ_ELEMENT, .stream = STREAM_DEFAULT};
	struct ranks set = {0};
	double value = 0;
	ranks_add(&set, 0);
	assert_int_equal(interpreter_view(shell, 0, name, &read.a), ST_OK);
	assert_int_equal(shell_read(shell, &set, &read, NULL, &value), ST_OK);
	return (float)value;
}

/* One iteration but for its optimizer, with `by` added to an element: the loss, and the element's gradient */
static void pass(
        struct plane *plane, const char *model, const char *place, double by, double *loss, double *gradient)
{
	struct shell shell = {0};
	struct credit credit = {0};
	char line[200];
	assert_int_equal(shell_open(&shell, plane, 1, false, "classroom"), ST_OK);
	credit_start(&credit, plane, &shell.budget);
	shell.credit = &credit;
	snprintf(line, sizeof line, "%s\nstrategy serial", model);
	must(&shell, line);
	const struct program *p = &shell.training->now.program;
	assert_int_equal(program_steps(&shell, (long)p->setup, false), ST_OK);
	snprintf(line, sizeof line, "tensor nudge[1,1] = %.6f\n%s += scale nudge 1 on compute", by, place);
	must(&shell, line);
	assert_int_equal(program_steps(&shell, (long)(p->count - p->setup - 1), false), ST_OK);
	*loss = element(&shell, "loss");
	snprintf(line, sizeof line, "d%s", place);
	*gradient = element(&shell, line);
	shell_close(&shell);
}

static void gradients_of(struct plane *plane, const char *model, const char *const *place, int places)
{
	for (int i = 0; i < places; i++) {
		/* embeddings begin at 0.02 and go through a layernorm: a step of 0.01 is not small there */
		double step =
		        strncmp(place[i], "table", 5) == 0 || strncmp(place[i], "pos", 3) == 0 ? 3e-4 : 1e-2;
		double below, above, gradient, other, loss;
		pass(plane, model, place[i], 0, &loss, &gradient);
		pass(plane, model, place[i], -step, &below, &other);
		pass(plane, model, place[i], step, &above, &other);
		double wanted = (above - below) / (2 * step);
		if (fabs(gradient - wanted) > 5e-4 + 0.02 * fabs(wanted))
			print_error(
			        "%s: d%s is %g, and %g by differences\n", model, place[i], gradient, wanted);
		assert_true(fabs(gradient - wanted) <= 5e-4 + 0.02 * fabs(wanted));
	}
}

static void gradients(void **state)
{
	static const char *const mlp[] = {"w1[0:1,0:1]", "w2[3:4,1:2]", "w3[2:3,2:3]"};
	static const char *const gpt[] = {"table[3:4,1:2]", "pos[2:3,0:1]", "wq1[0:1,3:4]", "wk1[1:2,2:3]",
	        "wv2[2:3,5:6]", "wo1[4:5,1:2]", "wu2[0:1,9:10]", "wd1[7:8,3:4]"};
	struct plane *plane;
	int argc = 0;
	char **argv = NULL;
	(void)state;
	assert_int_equal(plane_start(&plane, false, &argc, &argv), ST_OK);
	gradients_of(plane, "model mlp layers=3 hidden=8 batch=8", mlp, 3);
	gradients_of(plane, "model gpt layers=2 hidden=8 heads=2 seq=8 batch=4 vocab=12", gpt, 8);
	gradients_of(plane, "model gpt layers=2 hidden=8 heads=2 seq=8 batch=4 vocab=12 tied=on", gpt, 2);
	gradients_of(plane, "model mlp layers=3 hidden=8 batch=8 dropout=0.3 seed=2", mlp, 3);
	gradients_of(plane, "model gpt layers=2 hidden=8 heads=2 seq=8 batch=4 vocab=12 dropout=0.1", gpt, 8);
	plane_stop(plane);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(gradients)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
