/* test_seam.c -- the shell's requests to a backend, seen by one that differs from the
 * simulator: the simulator with functions of the test in front of it */
#include "shell/rank/conductor.h"
#include "shell/commands/table.h"
#include "shell/course/course.h"
#include "shell/submit/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* One rank with data, in one process */
static struct session {
	struct conductor conductor;
	struct shell *shell;
	struct transport *transport;
	struct backend sim; /* its functions, as they were */
	struct text said;
	int stop_at; /* Ctrl-C in that round of a wait; 0: none */
} session;

static struct {
	int rounds; /* of all waits */
	int left;   /* rounds until the device is over; -1: it never is */
	op_id on;   /* the OP_SYNC that it holds up; 0: none */
	op_id over; /* up to here all has ended */
} device;

static void say(void *self, enum severity severity, const char *bytes, size_t count)
{
	(void)self, (void)severity;
	text_put(&session.said, bytes, count);
}

static bool interrupted(void *self, bool again, bool waits)
{
	(void)self, (void)again, (void)waits;
	if (!session.stop_at || device.rounds != session.stop_at)
		return false;
	session.stop_at = 0;
	return true;
}

static void open_session(void)
{
	static const struct options options = {.n = 1};
	session = (struct session){
	        .shell = &session.conductor.shell, .conductor.shell.course.functions = &course_functions};
	assert_int_equal(transport_start(&session.transport, false, NULL, NULL), ST_OK);
	assert_int_equal(conductor_open(&session.conductor, session.transport, NULL, &options), ST_OK);
	session.conductor.to = (struct listener){.say = say, .interrupted = interrupted};
	session.sim = *session.shell->backend;
	device.rounds = 0;
	device.on = 0;
}

static void close_session(void)
{
	conductor_close(&session.conductor);
	transport_stop(session.transport);
	text_release(&session.said);
}

static enum status order(enum order_kind kind, const char *text)
{
	struct order order = {
	        .kind = kind, .text = text, .count = strlen(text), .stamp = -1, .first_line = 1};
	return conductor_order(&session.conductor, &order);
}

static enum status type(const char *line)
{
	return order(ORDER_LINE, line);
}

/* All that was said since this was last asked */
static void assert_said(const char *wanted)
{
	assert_string_equal(text_string(&session.said), wanted);
	text_clear(&session.said);
}

/* ---- data */

static struct text reads; /* of each, the kind of what brought it and its operand's name */

/* Where an operation has brought the elements, they are sevens: memory has others by now. */
static enum status read_brought(struct backend *backend, op_id by, enum space space, int64_t address,
        const struct layout *layout, void *packed)
{
	const struct world *world = session.shell->world;
	const struct record *record = op_record(world, by);
	enum status status = session.sim.read(backend, by, space, address, layout, packed);
	if (!by) {
		text_add(&reads, "memory;");
		return status;
	}
	text_add(&reads, "%s of %s;", names_text(world->names, record_called(record)),
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
	session.shell->backend->read = read_brought;
	assert_int_equal(type("tensor x[2] y[2] = iota; tensor h[2] host = iota"), ST_OK);
	assert_int_equal(type("print x h y[1]; sync"), ST_OK);
	assert_said("[0] x = 7 7\n    h = 7 7\n    y[1] = 7\n");
	assert_string_equal(text_string(&reads), "copy of x;print of h;copy of y[1];");
	text_clear(&reads);
	assert_int_equal(type("let a = y[0]; let b = close(x, h)"), ST_OK);
	assert_int_equal(type("expect a == 7; expect x[1] == 1; peek x"), ST_OK);
	assert_string_equal(text_string(&reads), "copy of y[0];copy of x;memory;memory;memory;");
	assert_int_equal(session.shell->expect.failed, 0);
	text_release(&reads);
	close_session();
}

/* ---- waiting for a device */

/* The simulator's answer is there at once, the device's later. */
static enum status reach_late(struct backend *backend, const op_id *ids, int count, struct budget *budget)
{
	enum status status = session.sim.reach(backend, ids, count, budget);
	device.on = ids[count - 1];
	for (; status == ST_OK && device.left; device.left -= device.left > 0) {
		if (!budget->waits)
			return (fail)(ST_WAITS, "the device is at it");
		int64_t position = credit_position(&session.conductor.credit);
		assert_true(device.rounds++ < 100);
		if (!budget->waits(budget))
			status = (fail)(ST_INTERRUPTED, "interrupted");
		assert_int_equal(credit_position(&session.conductor.credit), position);
	}
	if (status == ST_OK)
		device.on = 0;
	return status;
}

static void host_late(struct backend *backend, int rank, struct host_now *now)
{
	session.sim.host(backend, rank, now);
	if (device.on)
		*now = (struct host_now){.clock = now->clock, .state = HOST_BLOCKED, .on = device.on};
}

static void times_late(struct backend *backend, op_id id, struct times *times)
{
	session.sim.times(backend, id, times);
	times->projected |= device.on && id > device.over;
}

static int syncs(void)
{
	const struct world *world = session.shell->world;
	int count = 0;
	for (op_id id = 1; id <= world->op_count; id++)
		count += op_record(world, id)->kind == OP_SYNC;
	return count;
}

static void a_wait_is_interrupted(void **state)
{
	(void)state;
	open_session();
	session.shell->interactive = true;
	session.shell->backend->reach = reach_late;
	session.shell->backend->host = host_late;
	session.shell->backend->times = times_late;
	session.conductor.credit.patience_ns = 0;
	device.left = -1;
	session.stop_at = 3;
	assert_int_equal(type("stream s; event e; tensor x[4] = 1; y = relu x on s"), ST_OK);
	device.over = (op_id)session.shell->world->op_count;
	assert_int_equal(type("spin 1ms on s; record e on s; wait e; sync"), ST_INTERRUPTED);
	assert_int_equal(device.rounds, 3);
	assert_int_equal(syncs(), 1);
	/* once, and what it hangs on: neither the sync nor the wait, nor what has ended */
	static const char words[] =
	        "   waiting for spin (line 2) on rank 0: 0.0 s; Ctrl-C gives the prompt back\n";
	const char *said = strstr(text_string(&session.said), "   waiting");
	assert_non_null(said);
	assert_memory_equal(said, words, sizeof words - 1);
	assert_null(strstr(said + 1, "   waiting"));

	/* the line stands, and those behind it wait for no device by themselves */
	assert_int_equal(type("stream io"), ST_OK);
	assert_int_equal(device.rounds, 3);
	assert_int_not_equal(device.on, 0);
	assert_int_equal(journal_lines(&session.shell->journal), 3);
	assert_int_equal(session.shell->journal.entries[1].stop, 0);

	/* run again, on a backend that is in time, it is run to its end */
	uint64_t digest = session.shell->world->digest;
	assert_int_equal(type("undo"), ST_OK);
	assert_int_equal(syncs(), 1);
	assert_int_equal(type("stream io"), ST_OK);
	assert_true(session.shell->world->digest == digest);
	close_session();
}

/* Nobody is told of a wait that ends by itself; a script ends at Ctrl-C as it does in its computing. */
static void scripts_wait(void **state)
{
	(void)state;
	open_session();
	session.shell->backend->reach = reach_late;
	device.left = 3;
	assert_int_equal(order(ORDER_TEXT, "tensor x[4] = 2; let a = x[1]; print a"), ST_OK);
	assert_int_equal(device.rounds, 3);
	assert_said("[0] a = 2\n");
	device.left = -1;
	session.stop_at = 5;
	assert_int_equal(order(ORDER_TEXT, "let b = x[2]; print b"), ST_INTERRUPTED);
	assert_int_equal(device.rounds, 5);
	assert_said("");
	close_session();
}

/* ---- sharing */

static struct {
	bool waits; /* a device may be waited for when it is shared */
	bool known; /* what has happened was shared since the last operation was queued */
	int blind;  /* looks that came before that */
	int finished;
} shared;

static enum status queued_alone(struct backend *backend, op_id id)
{
	shared.known = false;
	return session.sim.queued(backend, id);
}

static enum status project_shared(struct backend *backend, struct budget *budget)
{
	shared.known = true;
	shared.waits = budget->waits != NULL;
	return session.sim.project(backend, budget);
}

static enum status finish_told(struct backend *backend, struct budget *budget)
{
	shared.finished++;
	return session.sim.finish(backend, budget);
}

static void times_known(struct backend *backend, op_id id, struct times *times)
{
	shared.blind += !shared.known;
	session.sim.times(backend, id, times);
}

static bool waiting_known(struct backend *backend, int rank, op_id *on)
{
	shared.blind += !shared.known;
	return session.sim.waiting(backend, rank, on);
}

static void figures_are_of_what_was_shared(void **state)
{
	static const char *const looks[] = {"query default", "events", "expect time > 0us", "timeline",
	        "expect busy(default) > 0", "stats", "stalls", "traffic", "stuck", "expect stuck == 0",
	        "print elapsed(a, b)", "print overlap(default, default)", "mem", "timeline on"};
	(void)state;
	open_session();
	struct backend *backend = session.shell->backend;
	backend->queued = queued_alone;
	backend->project = project_shared;
	backend->times = times_known;
	backend->waiting = waiting_known;
	backend->finish = finish_told;
	assert_int_equal(type("record a; spin 1ms; record b"), ST_OK);
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		shared.known = false;
		shared.blind = 0;
		enum status status = type(looks[i]);
		if (status != ST_OK || shared.blind)
			print_error("%s: %s\n", looks[i], fail_text());
		assert_int_equal(status, ST_OK);
		assert_int_equal(shared.blind, 0);
		assert_true(shared.waits);
	}
	shared.known = false;
	assert_int_equal(
	        order(ORDER_ROUND, ""), ST_OK); /* before a frame of the view, which rank 0 draws alone */
	assert_true(shared.known && !shared.waits);
	assert_true(session.shell->budget.waits != NULL);
	assert_int_equal(shared.finished, 0);
	assert_int_equal(order(ORDER_END, ""), ST_OK);
	assert_int_equal(shared.finished, 1);
	assert_int_equal(order(ORDER_TEXT, "spin 1ms; quit; spin 1ms"), ST_QUIT);
	assert_int_equal(shared.finished, 2);
	close_session();
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_was_brought_is_read),
	        cmocka_unit_test(a_wait_is_interrupted),
	        cmocka_unit_test(scripts_wait),
	        cmocka_unit_test(figures_are_of_what_was_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
