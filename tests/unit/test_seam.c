/* test_seam.c -- what the shell asks of a backend, seen by one that does otherwise than the simulator: the simulator
 * with functions of the test before it */
#include "backend/backend.h"
#include "shell/commands/table.h"
#include "shell/language/run/interpreter.h"
#include "shell/line/line.h"
#include "shell/session/credit.h"
#include "shell/session/shell.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* One rank with data, in one process */
struct session {
	struct shell shell;
	struct credit credit;
	struct transport *transport;
	struct backend sim; /* its functions, as they were */
};
static struct session session;

static void open_session(void)
{
	session = (struct session){0};
	assert_int_equal(transport_start(&session.transport, false, NULL, NULL), ST_OK);
	credit_start(&session.credit, session.transport, &session.shell.budget);
	session.shell.credit = &session.credit;
	assert_int_equal(shell_open(&session.shell, session.transport, 1, false, "classroom"), ST_OK);
	session.sim = *session.shell.backend;
}

static void close_session(void)
{
	shell_close(&session.shell);
	transport_stop(session.transport);
}

static enum status type(const char *line)
{
	return shell_line(&session.shell, line, strlen(line), 0, -1);
}

/* All that was said since this was last asked */
static void assert_said(const char *wanted)
{
	struct text said = {0};
	out_render(session.shell.out, &said);
	assert_string_equal(text_string(&said), wanted);
	text_release(&said);
}

/* ---- data */

static struct text reads; /* of each, the kind of what brought it and its operand's name */

/* Where an operation has brought the elements, they are sevens: memory has others by now. */
static enum status read_brought(struct backend *backend, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	const struct world *world = session.shell.world;
	const struct record *record = op_record(world, by);
	enum status status = session.sim.read(backend, by, space, address, layout, packed);
	if (!by) {
		text_add(&reads, "memory;");
		return status;
	}
	text_add(&reads, "%s of %s;", names_text(world->names, record->title),
	        names_text(world->names, record->operand[0].name));
	float *values = packed;
	for (int64_t i = 0; i < layout_count(layout); i++)
		values[i] = 7;
	return status;
}

static void what_was_brought_is_read(void **state)
{
	(void)state;
	open_session();
	session.shell.backend->read = read_brought;
	assert_int_equal(type("tensor x[2] y[2] = iota; tensor h[2] host = iota"), ST_OK);
	assert_int_equal(type("print x h y[1]; sync"), ST_OK);
	assert_said("[0] x = 7 7\n    h = 0 1\n    y[1] = 7\n");
	assert_string_equal(text_string(&reads), "copy of x;memory;copy of y[1];");
	text_clear(&reads);
	assert_int_equal(type("let a = y[0]; let b = close(x, h)"), ST_OK);
	assert_int_equal(type("expect a == 7; expect x[1] == 1; peek x"), ST_OK);
	assert_string_equal(text_string(&reads), "copy of y[0];copy of x;memory;memory;memory;");
	assert_int_equal(session.shell.expects_failed, 0);
	text_release(&reads);
	close_session();
}

/* ---- */

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_was_brought_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
