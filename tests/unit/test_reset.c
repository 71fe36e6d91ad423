/* test_reset.c -- the end of a world and the start of the next one, on a device that counts its
 * objects and may refuse */
#include "base/memory.h"
#include "shell/commands/table.h"
#include "shell/course/course.h"
#include "shell/course/lessons/lesson.h"
#include "shell/line/line.h"
#include "shell/session/credit.h"
#include "shell/session/device.h"
#include "shell/session/shell.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* One rank with data, in one process */
static struct session {
	struct shell shell;
	struct credit credit;
	struct transport *transport;
} session;

static struct {
	int starts, fails_at; /* calls of start; the one that fails */
	int running;          /* backends that were started and not stopped */
	int held;             /* segments of memory */
	void (*stop)(struct backend *backend);
} made;

static void *get_bytes(void *self, enum space space, int64_t bytes)
{
	(void)self;
	(void)space;
	made.held++;
	return mem_alloc((size_t)bytes);
}

static void give_bytes(void *self, enum space space, void *base, int64_t bytes)
{
	(void)self;
	(void)space;
	(void)bytes;
	made.held--;
	mem_free(base);
}

static void stop_counted(struct backend *backend)
{
	made.running--;
	made.stop(backend);
}

/* The simulator, which must find nothing left of the world before */
static enum status start_counted(const struct device *device, struct world *world,
        struct transport *transport, struct backend_hooks hooks, struct backend **backend)
{
	(void)device;
	assert_int_equal(made.running, 0);
	assert_int_equal(made.held, 0);
	if (++made.starts == made.fails_at)
		return (fail)(ST_DEVICE_MEMORY, "no room on the GPU");
	*backend = sim_start(world, transport, hooks);
	world_segment_calls(world, (struct segment_calls){NULL, get_bytes, give_bytes});
	made.stop = (*backend)->stop;
	(*backend)->stop = stop_counted;
	made.running++;
	return ST_OK;
}
static const struct device counted = {.name = "counted", .start = start_counted};

static void open_session(int fails_at)
{
	made.starts = 0;
	made.fails_at = fails_at;
	session = (struct session){.shell.device = &counted};
	assert_int_equal(transport_start(&session.transport, false, NULL, NULL), ST_OK);
	credit_start(&session.credit, session.transport, &session.shell.budget);
	session.shell.credit = &session.credit;
	session.shell.course.functions = &course_functions;
	assert_int_equal(shell_open(&session.shell, session.transport, 1, false, "classroom"), ST_OK);
}

static void close_session(void)
{
	lesson_free(&session.shell);
	shell_close(&session.shell);
	transport_stop(session.transport);
}

static enum status type(const char *line)
{
	return shell_line(&session.shell, line, strlen(line), 0, -1);
}

static void a_world_goes_before_the_next_comes(void **state)
{
	(void)state;
	open_session(0);
	assert_int_equal(type("tensor x[1M] = iota; stream s; y = relu x on s"), ST_OK);
	assert_int_equal(made.held, 2);
	assert_int_equal(type("reset"), ST_OK);
	assert_int_equal(made.starts, 2);
	assert_int_equal(type("tensor x[4] = iota; expect x[3] == 3"), ST_OK);
	assert_int_equal(type("tensor y[4]"), ST_OK);
	assert_int_equal(type("undo"), ST_OK);
	assert_int_equal(type("lesson 1"), ST_OK);
	assert_int_equal(type("lesson off"), ST_OK);
	assert_int_equal(type("model mlp; strategy serial; run 1; reset"), ST_OK);
	assert_int_equal(made.starts, 6);
	close_session();
	assert_true(!made.running && !made.held);
}

/* The session goes on, empty, on the simulator, which is asked no more whether it can. */
static void a_world_that_cannot_be_made(void **state)
{
	(void)state;
	open_session(2);
	assert_int_equal(type("tensor x[4] = ones"), ST_OK);
	assert_int_equal(type("reset"), ST_DEVICE_MEMORY);
	assert_string_equal(fail_text(),
	        "the device could not be started again, so the simulator continues (`restart` tries the "
	        "device again): no room on the GPU");
	assert_int_equal(type("tensor x[4] = iota; y = relu x; expect y[3] == 3"), ST_OK);
	assert_int_equal(type("reset; tensor x[8]"), ST_OK);
	assert_int_equal(made.starts, 2);
	assert_true(!made.running && !made.held);
	close_session();

	open_session(2); /* in the middle of an undo: the lines run again all the same */
	assert_int_equal(type("tensor x[4] = iota"), ST_OK);
	assert_int_equal(type("y = relu x"), ST_OK);
	assert_int_equal(type("undo"), ST_DEVICE_MEMORY);
	assert_non_null(strstr(fail_text(), "no room on the GPU"));
	assert_int_equal(type("expect x[3] == 3"), ST_OK);
	assert_int_equal(session.shell.expect.failed, 0);
	close_session();
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_world_goes_before_the_next_comes),
	        cmocka_unit_test(a_world_that_cannot_be_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
