/* test_program.c -- programs: their text parsed; the gradients of serial's models against
 * finite differences */
#include "shell/training/training.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "base/memory.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"
#include "shell/line/line.h"
#include "shell/values/read.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static enum status load(struct shell *shell, const char *bytes)
{
	return program_load(shell, "p", bytes, strlen(bytes));
}

static void open_one(struct shell *shell, struct transport **transport, struct credit *credit)
{
	int argc = 0;
	char **argv = NULL;
	*shell = (struct shell){0};
	*credit = (struct credit){0};
	assert_int_equal(transport_start(transport, false, &argc, &argv), ST_OK);
	assert_int_equal(shell_open(shell, *transport, 4, true, "classroom"), ST_OK);
	credit_start(credit, *transport, &shell->budget);
	shell->credit = credit;
}

static void title_is(const struct program *p, size_t i, const char *title)
{
	assert_true(i < p->steps);
	assert_string_equal(p->step[i].title, title);
}

/* The steps that a walk finds: of the setup, of an iteration; in defs and loops, with variables in them */
static void steps(void **state)
{
	struct shell shell;
	struct transport *transport;
	struct credit credit;
	(void)state;
	open_one(&shell, &transport, &credit);
	assert_int_equal(load(&shell,
	                         "## a\n# why\nstream s\ndef two m { ## two $m\nspin 1ms }\n"
	                         "for it in 0:1 {\nphase F\n## b $it\n@0 {\n## only one\nspin 1ms\n}\n"
	                         "for m in 0:2 { two m }\n}\n"),
	        ST_OK);
	const struct program *p = shell.training->now.program;
	assert_int_equal(p->steps, 4);
	assert_int_equal(p->setup, 1);
	assert_true(p->loops);
	title_is(p, 0, "a");
	title_is(p, 1, "b 0");
	title_is(p, 2, "two 0");
	title_is(p, 3, "two 1");
	assert_int_equal(load(&shell, "spin 1ms\n## only\nspin 2ms"), ST_OK);
	p = shell.training->now.program;
	assert_int_equal(p->steps, 1);
	assert_false(p->loops);
	assert_int_equal(program_steps(&shell, 1, false), ST_OK);
	assert_int_equal(program_steps(&shell, 1, false), ST_RANGE);
	shell_close(&shell);
	transport_stop(transport);
	assert_int_equal(mem_live(), 0);
}

/* What is wrong is found when the file is read: the program before stays where it is */
static void refused(void **state)
{
	static const struct {
		const char *text, *words;
	} wrong[] = {{"for it in 0:1 {\nspin 1ms\n}\nspin 2ms\n", "p:4: no line may follow the iteration"},
	        {"for it in 0:1 {\nspin 1ms\n", "'}' is still missing"},
	        {"together {\n## a\nspin 1ms\n}\n", "p:2: a step (`##`) cannot begin inside"},
	        {"def f { ## a\nspin 1ms }\ntogether { f }\n", "p:1: a step cannot begin inside"},
	        {"## a\nspin 1ms\nspn 2ms\n", "p:3: no command 'spn'"},
	        {"def f { f }\nfor it in 0:1 { f }\n", "defs call each other deeper than 100"},
	        {"tensor x[4]\nfor it in 0:1 {\n@0 send x to=1\n}\n",
	                "p:3: the iteration ends, and rank 0 still waits"},
	        {"for it in 0:1 {\nstep\n}\n", "a program cannot run itself"},
	        {"for it in 0:1 {\nspin 1ms\nreset\n}\n", "`reset` empties the world or makes it again"}};
	struct shell shell;
	struct transport *transport;
	struct credit credit;
	(void)state;
	open_one(&shell, &transport, &credit);
	assert_int_equal(load(&shell, "## a\nspin 1ms\n## b\nspin 1ms\n"), ST_OK);
	assert_int_equal(program_steps(&shell, 1, false), ST_OK);
	uint64_t before = shell.world->digest;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_not_equal(load(&shell, wrong[i].text), ST_OK);
		if (!strstr(fail_text(), wrong[i].words))
			print_error("%s\n: %s\n", wrong[i].text, fail_text());
		assert_non_null(strstr(fail_text(), wrong[i].words));
		assert_int_equal(shell.world->digest, before);
	}
	assert_int_equal(shell.training->at, 1);
	assert_int_equal(program_steps(&shell, 1, false), ST_OK);
	shell_close(&shell);
	transport_stop(transport);
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
	struct data_read read = {.kind = READ_ELEMENT, .stream = STREAM_DEFAULT, .views = 1};
	struct ranks set = {0};
	double value = 0;
	ranks_add(&set, 0);
	assert_int_equal(interpreter_view(shell, 0, name, read.view), ST_OK);
	assert_int_equal(shell_read(shell, &set, &read, NULL, &value), ST_OK);
	return (float)value;
}

/* One iteration but for its optimizer, with `by` added to an element: the loss, and the element's gradient */
static void pass(struct transport *transport, const char *model, const char *place, double by, double *loss,
        double *gradient)
{
	struct shell shell = {0};
	struct credit credit = {0};
	char line[200];
	assert_int_equal(shell_open(&shell, transport, 1, false, "classroom"), ST_OK);
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	snprintf(line, sizeof line, "%s\nstrategy serial", model);
	must(&shell, line);
	const struct program *p = shell.training->now.program;
	assert_int_equal(program_steps(&shell, (long)p->setup, false), ST_OK);
	snprintf(line, sizeof line, "tensor nudge[1,1] = %.6f\n%s += scale nudge 1 on compute", by, place);
	must(&shell, line);
	assert_int_equal(program_steps(&shell, (long)(p->steps - p->setup - 1), false), ST_OK);
	*loss = element(&shell, "loss");
	snprintf(line, sizeof line, "d%s", place);
	*gradient = element(&shell, line);
	shell_close(&shell);
}

static void gradients_of(struct transport *transport, const char *model, const char *const *place, int places)
{
	for (int i = 0; i < places; i++) {
		/* embeddings begin at 0.02 and go through a layernorm: a step of 0.01 is not small there */
		double step =
		        strncmp(place[i], "table", 5) == 0 || strncmp(place[i], "pos", 3) == 0 ? 3e-4 : 1e-2;
		double below, above, gradient, other, loss;
		pass(transport, model, place[i], 0, &loss, &gradient);
		pass(transport, model, place[i], -step, &below, &other);
		pass(transport, model, place[i], step, &above, &other);
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
	struct transport *transport;
	int argc = 0;
	char **argv = NULL;
	(void)state;
	assert_int_equal(transport_start(&transport, false, &argc, &argv), ST_OK);
	gradients_of(transport, "model mlp layers=3 hidden=8 batch=8", mlp, 3);
	gradients_of(transport, "model gpt layers=2 hidden=8 heads=2 seq=8 batch=4 vocab=12", gpt, 8);
	gradients_of(transport, "model gpt layers=2 hidden=8 heads=2 seq=8 batch=4 vocab=12 tied=on", gpt, 2);
	gradients_of(transport, "model mlp layers=3 hidden=8 batch=8 dropout=0.3 seed=2", mlp, 3);
	gradients_of(
	        transport, "model gpt layers=2 hidden=8 heads=2 seq=8 batch=4 vocab=12 dropout=0.1", gpt, 8);
	transport_stop(transport);
	assert_int_equal(mem_live(), 0);
}

/* An iteration's operations in the books: those of its lines, and not those of the setup or typed behind it */
static void iterations(void **state)
{
	struct shell shell;
	struct transport *transport;
	struct credit credit;
	(void)state;
	open_one(&shell, &transport, &credit);
	assert_int_equal(
	        load(&shell,
	                "stream s\nspin 1ms\nfor it in 0:4 {\n## a\nspin 1ms on s\n## b\nspin 2ms on s\n}\n"),
	        ST_OK);
	assert_int_equal(program_iterations(&shell, 2, false), ST_OK);
	assert_int_equal(shell_line(&shell, "@1 spin 1ms", 11, 0, -1), ST_OK);
	assert_int_equal(program_steps(&shell, 1, false), ST_OK);
	const struct world *world = shell.world;
	assert_int_equal(world->iteration_count, 3);
	static const int first[] = {5, 13, 22}, end[] = {13, 21, 0}; /* a spin of each of 4 ranks a line */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(world->iterations[i].number, i);
		assert_int_equal(world->iterations[i].first, first[i]);
		assert_int_equal(world->iterations[i].end, end[i]);
	}
	static const int of[] = {
	        -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, -1, 2, 2, 2, 2};
	for (op_id id = 1; id <= world->op_count; id++)
		assert_int_equal(world_iteration_of(world, id), of[id]);
	assert_int_equal(world->op_count, 25);
	shell_close(&shell);
	transport_stop(transport);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(iterations),
	        cmocka_unit_test(refused), cmocka_unit_test(gradients)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
