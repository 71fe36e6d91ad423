/* test_session.c -- a session in one process: the journal, undo, reset, stops that replays
 * repeat */
#include "base/memory.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/again.h"
#include "shell/session/shell.h"
#include "shell/session/steering.h"
#include "shell/training/training.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct session {
	struct shell shell;
	struct credit credit;
	struct transport *transport;
	bool armed;
	int looks_left;
};

/* Ctrl-C at the n-th look of rank 0; it holds until it is seen to */
static enum credit_code look(void *self)
{
	struct session *session = self;
	return session->armed && session->looks_left-- <= 0 ? CREDIT_STOP : CREDIT_GO;
}

static void open_session(struct session *session)
{
	*session = (struct session){0};
	assert_int_equal(transport_start(&session->transport, false, NULL, NULL), ST_OK);
	session->credit.look = look;
	session->credit.self = session;
	credit_start(&session->credit, session->transport, &session->shell.budget);
	session->shell.credit = &session->credit;
	assert_int_equal(shell_open(&session->shell, session->transport, 4, true, "classroom"), ST_OK);
}

static void close_session(struct session *session)
{
	shell_close(&session->shell);
	transport_stop(session->transport);
}

static enum status type(struct session *session, const char *line)
{
	return shell_line(&session->shell, line, strlen(line), 0, -1);
}

static uint64_t books(const struct session *session)
{
	return session->shell.world->digest ^ interpreter_digest(session->shell.interpreter);
}

static int64_t clock_of(const struct session *session, int rank)
{
	struct host_now now;
	session->shell.backend->host(session->shell.backend, rank, &now);
	return now.clock;
}

/* The lines as `journal save` writes them */
static void lines(const struct session *session, const char *wanted)
{
	struct text script = {0};
	journal_script(&session->shell.journal, &script);
	assert_string_equal(text_string(&script), wanted);
	text_release(&script);
}

static void undo_is_the_world_before(void **state)
{
	(void)state;
	struct session session;
	uint64_t digests[6];
	int64_t clocks[6];
	static const char *const lines[] = {"tensor x[64,64] w[64,64] = randn", "y = matmul x w",
	        "set launch=50us", "@1 sync", "stream io; y = add x w on io"};
	open_session(&session);
	for (int i = 0; i < 5; i++) {
		digests[i] = books(&session);
		clocks[i] = clock_of(&session, 1);
		assert_int_equal(type(&session, lines[i]), ST_OK);
	}
	assert_int_equal(journal_lines(&session.shell.journal), 5);
	for (int i = 4; i >= 0; i--) {
		assert_int_equal(type(&session, "undo"), ST_OK);
		assert_int_equal(books(&session), digests[i]);
		assert_int_equal(clock_of(&session, 1), clocks[i]);
		assert_int_equal(journal_lines(&session.shell.journal), i);
	}
	assert_int_equal(type(&session, "undo"), ST_RANGE);
	close_session(&session);
}

static void undo_takes_several(void **state)
{
	(void)state;
	struct session session;
	open_session(&session);
	assert_int_equal(type(&session, "tensor x[8] = ones"), ST_OK);
	uint64_t before = books(&session);
	assert_int_equal(type(&session, "y = add x x"), ST_OK);
	assert_int_equal(type(&session, "timeline"), ST_OK); /* looking is no line */
	assert_int_equal(type(&session, "z = add y x"), ST_OK);
	assert_int_equal(type(&session, "undo 9"), ST_RANGE);
	assert_int_equal(type(&session, "undo 2"), ST_OK);
	assert_int_equal(books(&session), before);
	lines(&session, "tensor x[8] = ones\n");
	close_session(&session);
}

static void refused_lines_are_not_kept(void **state)
{
	(void)state;
	struct session session;
	open_session(&session);
	uint64_t before = books(&session);
	assert_int_not_equal(type(&session, "bogus"), ST_OK);
	assert_int_not_equal(type(&session, "y = matmul a b"), ST_OK);
	assert_int_equal(type(&session, "repeat 2 {"), ST_INCOMPLETE);
	assert_int_equal(books(&session), before);
	lines(&session, "");
	close_session(&session);
}

/* What is trained, and the program, are as before the line, whether it emptied the world or not. */
static void undo_takes_the_plan_back(void **state)
{
	(void)state;
	struct session session;
	open_session(&session);
	assert_int_equal(type(&session, "model gpt layers=2 hidden=16 heads=2"), ST_OK);
	assert_int_equal(type(&session, "data synthetic count=5000"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_false(session.shell.training->now.data_given);
	assert_int_equal(type(&session, "strategy ddp"), ST_OK);
	assert_non_null(session.shell.training->now.program);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_null(session.shell.training->now.program);
	assert_int_equal(type(&session, "step"), ST_ARGUMENT);
	assert_true(session.shell.training->now.model_program->file[1].given[0].number.value == 2);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_null(session.shell.training->now.model_program);

	/* in a world that is not empty; the model in the same line */
	assert_int_equal(type(&session, "tensor x[4]"), ST_OK);
	assert_int_equal(type(&session, "model gpt layers=3; strategy ddp"), ST_OK);
	assert_int_equal(type(&session, "step 2"), ST_OK);
	assert_int_equal(session.shell.training->played, 2);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_int_equal(session.shell.training->played, 0);
	assert_non_null(session.shell.training->now.program);
	assert_true(session.shell.training->now.model_program->file[1].given[0].number.value == 3);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_null(session.shell.training->now.program);
	assert_null(session.shell.training->now.model_program);

	/* a program before it is there again, where it was */
	assert_int_equal(type(&session, "strategy serial"), ST_OK);
	assert_int_equal(type(&session, "step 3"), ST_OK);
	assert_int_equal(type(&session, "strategy ddp"), ST_OK);
	assert_string_equal(session.shell.training->now.program->name, "ddp");
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_string_equal(session.shell.training->now.program->name, "serial");
	assert_int_equal(session.shell.training->played, 3);
	assert_int_equal(type(&session, "step 2"), ST_OK);
	close_session(&session);
}

static void undo_takes_a_loaded_program_back(void **state)
{
	(void)state;
	struct session session;
	open_session(&session);
	assert_int_equal(type(&session, "tensor x[4]"), ST_OK);
	assert_int_equal(type(&session, "program tests/script/design/06-ddp.rsh"), ST_OK);
	assert_non_null(session.shell.training->now.program);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_null(session.shell.training->now.program);
	assert_int_equal(type(&session, "step"), ST_ARGUMENT);
	close_session(&session);
}

/* Half a line took effect: it is kept, and is refused at the same place again. */
static void half_refused_lines_are_kept(void **state)
{
	(void)state;
	struct session session;
	open_session(&session);
	assert_int_not_equal(type(&session, "tensor x[8] = ones; y = add x nothing"), ST_OK);
	uint64_t after = books(&session);
	assert_int_equal(type(&session, "y = add x x"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_int_equal(books(&session), after);
	close_session(&session);
}

static void reset_empties(void **state)
{
	(void)state;
	struct session session;
	open_session(&session);
	uint64_t empty = books(&session);
	assert_int_equal(type(&session, "tensor x[8] = ones"), ST_OK);
	assert_int_equal(type(&session, "reset"), ST_OK);
	assert_int_equal(books(&session), empty);
	lines(&session, "tensor x[8] = ones\nreset\n"); /* a `set` there would be this world's too */
	assert_int_equal(type(&session, "tensor x[8] = ones; reset; stream io"), ST_OK);
	assert_int_equal(journal_lines(&session.shell.journal), 1);
	close_session(&session);
}

/* Ctrl-C at any look: the same line, replayed with its stop, ends in the same books. */
static void stops_are_repeated(void **state)
{
	(void)state;
	static const char line[] = "repeat 100000000 { y = add x x; let a = 1 }";
	for (int looks = 0; looks < 9; looks++) {
		struct session session;
		open_session(&session);
		assert_int_equal(type(&session, "tensor x[8] y[8] = ones"), ST_OK);
		session.armed = true;
		session.looks_left = looks;
		int64_t from = credit_position(&session.credit);
		assert_int_equal(type(&session, line), ST_INTERRUPTED);
		int64_t stop = credit_stop(&session.credit, from);
		uint64_t stopped = books(&session);
		session.armed = false;
		assert_int_equal(type(&session, "stream io"), ST_OK);
		assert_int_equal(type(&session, "undo"), ST_OK);
		assert_int_equal(books(&session), stopped);
		close_session(&session);
		open_session(&session);
		assert_int_equal(type(&session, "tensor x[8] y[8] = ones"), ST_OK);
		assert_int_equal(shell_line(&session.shell, line, strlen(line), stop, -1), ST_INTERRUPTED);
		assert_int_equal(books(&session), stopped);
		assert_int_equal(type(&session, "stream io"), ST_OK);
		close_session(&session);
	}
}

static void what_only_looks(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		bool looks;
	} rows[] = {
	        {"timeline", true},
	        {"timeline; stats", true},
	        {"# a comment", true},
	        {"", true},
	        {"@0 peek x", true},
	        {"timeline # why", true},
	        {"y = add x x", false},
	        {"timeline; y = add x x", false},
	        {"if 1 { timeline }", false},
	        {"sync", false},
	        {"set launch=1us", false},
	        {"timeline = 3", false},
	        {"bogus", false},
	        {"say \"a; b\"", false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((interpreter_class(rows[i].line, strlen(rows[i].line)) == COMMAND_LOOK) != rows[i].looks)
			fail_msg("'%s' should %slook only", rows[i].line, rows[i].looks ? "" : "not ");
	assert_int_equal(interpreter_class("help; timeline", 14), COMMAND_LOOK);
	assert_int_equal(interpreter_class("hint; timeline", 14), COMMAND_SESSION);
	assert_int_equal(interpreter_class("timeline on", 11), COMMAND_SESSION);
	assert_int_equal(interpreter_class("timeline; mem", 13), COMMAND_LOOK);
	assert_int_equal(interpreter_class("timeline; mem trim", 18), COMMAND_STEER);
	assert_int_equal(interpreter_class("help; sync", 10), COMMAND_STEER);
}

/* What stands beside the steps in a line stays when they are taken back. */
static void step_back_keeps_the_line(void **state)
{
	static const char strategy[] = "model mlp layers=2 hidden=8 batch=8; strategy ddp; ";
	char line[200];
	struct session session;
	(void)state;
	open_session(&session);
	snprintf(line, sizeof line, "%srun 1", strategy);
	assert_int_equal(type(&session, line), ST_OK);
	assert_int_equal(type(&session, "run 1; tensor b[4]; run 1"), ST_OK);
	assert_int_equal(type(&session, "step back 3"), ST_OK);
	snprintf(line, sizeof line, "%srun 1\nrun 1; tensor b[4]; step 5\n", strategy);
	lines(&session, line);
	assert_int_equal(type(&session, "step back 9"), ST_OK);
	snprintf(line, sizeof line, "%srun 1\nstep 4; tensor b[4]; \n", strategy);
	lines(&session, line);
	assert_int_equal(type(&session, "step 0"), ST_OK);
	snprintf(line, sizeof line, "%s\n; tensor b[4]; \n", strategy);
	lines(&session, line);
	assert_int_equal(type(&session, "repeat 3 { step }"), ST_OK);
	assert_int_equal(type(&session, "step back"), ST_OK);
	snprintf(line, sizeof line, "%s\n; tensor b[4]; \nstep 2\n", strategy);
	lines(&session, line);
	assert_int_equal(type(&session, "tensor c[4]"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_int_equal(session.shell.training->played, 2);
	close_session(&session);
}

/* What the prompt says of queued work knows that the rank is slowed down. */
static void notices_know_the_slow(void **state)
{
	struct session session;
	struct text said = {0};
	(void)state;
	open_session(&session);
	session.shell.interactive = true;
	assert_int_equal(type(&session, "@2 slow 3x"), ST_OK);
	out_render(session.shell.out, NULL);
	assert_int_equal(type(&session, "spin 1ms"), ST_OK);
	out_render(session.shell.out, &said);
	assert_non_null(strstr(text_string(&said), "1.00 ms of work"));
	assert_non_null(strstr(text_string(&said), "3.00 ms of work"));
	text_release(&said);
	close_session(&session);
}

static void (*sim_times)(struct backend *backend, op_id id, struct times *times);
static int forecasts;

static void count_times(struct backend *backend, op_id id, struct times *times)
{
	forecasts++;
	sim_times(backend, id, times);
}

static int count_words(const char *text, const char *words)
{
	int count = 0;
	for (const char *at = text; (at = strstr(at, words)) != NULL; at += strlen(words))
		count++;
	return count;
}

/* A line of many statements would take quadratic time if each notice asked for a forecast of all that the line has
 * queued before it. */
static void notices_of_one_line_ask_no_forecast(void **state)
{
	struct session session;
	struct text line = {0}, said = {0};
	(void)state;
	open_session(&session);
	session.shell.interactive = true;
	sim_times = session.shell.backend->times;
	session.shell.backend->times = count_times;
	text_add(&line, "tensor x[4] = ones");
	for (int i = 0; i < 100; i++)
		text_add(&line, "; x = relu x");
	assert_int_equal(type(&session, text_string(&line)), ST_OK);
	out_render(session.shell.out, &said);
	assert_int_equal(forecasts, 0);
	assert_int_equal(count_words(text_string(&said), ", not begun"), 100);

	/* launches that take no time: a forecast alone tells */
	text_clear(&said);
	assert_int_equal(type(&session, "sync; set launch=0us"), ST_OK);
	out_render(session.shell.out, NULL);
	assert_int_equal(type(&session, "spin 1ms; spin 0ms"), ST_OK);
	out_render(session.shell.out, &said);
	assert_int_equal(count_words(text_string(&said), ", begun"), 1);
	assert_int_equal(count_words(text_string(&said), ", not begun"), 1);
	assert_true(forecasts > 0);
	text_release(&line);
	text_release(&said);
	close_session(&session);
}

/* Inside another line they would run the lines before it in the midst of it. */
static void undo_stands_alone(void **state)
{
	static const char *const rows[] = {"undo; tensor z[4]", "tensor z[4]; undo", "repeat 2 { undo }",
	        "@0 { undo }", "step back; spin 1ms", "if 1 { step 0 }"};
	struct session session;
	(void)state;
	open_session(&session);
	session.shell.interactive = true;
	assert_int_equal(type(&session, "tensor a[4]; strategy serial; step 2; tensor q[4]"), ST_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(type(&session, rows[i]), ST_ARGUMENT);
		assert_non_null(strstr(fail_text(), "alone on a line"));
	}
	assert_int_equal(type(&session, "print q[0]"), ST_OK);
	assert_int_equal(type(&session, "step back"), ST_OK);
	close_session(&session);
}

/* What lines before this world have set is there when its lines run again, and what they themselves set is
 * not. */
static void undo_takes_settings_back(void **state)
{
	struct session session;
	(void)state;
	open_session(&session);
	assert_int_equal(type(&session, "explain on"), ST_OK);
	assert_int_equal(type(&session, "explain on"), ST_OK); /* it is on already: nothing to undo */
	assert_int_equal(type(&session, "tensor x[4]; set launch=50us"), ST_OK);
	double launch = session.shell.lasting.machine.launch;
	assert_int_equal(type(&session, "undo 3"), ST_RANGE);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_true(session.shell.lasting.explain);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_true(!session.shell.lasting.explain);
	assert_int_equal(type(&session, "timeline on; explain on; tensor z[4]"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_true(!session.shell.lasting.explain && !session.shell.lasting.strip);
	assert_int_equal(type(&session, "timeline on"), ST_OK);
	assert_int_equal(type(&session, "reset"), ST_OK);
	assert_int_equal(type(&session, "timeline off"), ST_OK);
	assert_int_equal(type(&session, "tensor z[4]"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_true(!session.shell.lasting.strip); /* as the line before has it */
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_true(session.shell.lasting.strip); /* as before `reset` */
	assert_true(session.shell.lasting.machine.launch < launch);
	assert_int_equal(type(&session, "set launch=50us; tensor x[4]"), ST_OK);
	assert_int_equal(type(&session, "reset"), ST_OK);
	assert_int_equal(type(&session, "tensor y[4]"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	assert_true(session.shell.lasting.machine.launch == launch);
	close_session(&session);
}

/* A line that began an empty world is taken back: the world before is there again, and the journal goes back
 * to it. */
static void undo_brings_the_world_before_back(void **state)
{
	static const char *const lines_that_empty[] = {
	        "tensor q[4]; reset; stream s", "strategy serial", "strategy ddp; step 2"};
	(void)state;
	for (size_t i = 0; i < sizeof lines_that_empty / sizeof *lines_that_empty; i++) {
		struct session session;
		open_session(&session);
		assert_int_equal(type(&session, "set launch=50us; tensor x[8] = ones"), ST_OK);
		assert_int_equal(type(&session, "y = add x x; sync"), ST_OK);
		uint64_t before = books(&session);
		int64_t clock = clock_of(&session, 1);
		assert_int_equal(type(&session, lines_that_empty[i]), ST_OK);
		assert_int_equal(type(&session, "stream io"), ST_OK);
		assert_int_equal(
		        type(&session, "undo"), ST_OK); /* that line runs again, and finds an empty world */
		assert_int_equal(type(&session, "undo"), ST_OK);
		assert_true(books(&session) == before);
		assert_int_equal(clock_of(&session, 1), clock);
		lines(&session, "set launch=50us; tensor x[8] = ones\ny = add x x; sync\n");
		assert_int_equal(session.shell.journal.count, 2);
		assert_int_equal(type(&session, "undo"), ST_OK);
		lines(&session, "set launch=50us; tensor x[8] = ones\n");
		close_session(&session);
	}
}

/* A script's lines are in no journal: `step 0` empties the world and leaves what was set. */
static void step_0_leaves_settings(void **state)
{
	static const char script[] = "set launch=50us\nstrategy serial\nstep 2\nstep 0\nstep";
	struct session session;
	(void)state;
	open_session(&session);
	assert_int_equal(line_text(&session.shell, script, strlen(script), "s.rsh", 1), ST_OK);
	assert_true(session.shell.lasting.machine.launch == 50e3); /* ns */
	assert_int_equal(session.shell.training->played, 1);
	close_session(&session);
}

static void changed_files_are_told_of(void **state)
{
	(void)state;
	struct text out = {0};
	struct told_line then = {"data a b", "a\t1\na\t2\nb\t3", false, NULL},
	                 now = {"data a b", "a\t4\na\t5\nb\t3", false, NULL};
	again_tell(&then, &now, "", "", &out); /* once, and not of what it has not read then */
	assert_string_equal(text_string(&out), "a file that `data a b` reads has changed: a\n");
	again_tell(&(struct told_line){"run 1", "a\t1\n", false, NULL},
	        &(struct told_line){"run 1", "a\t4\nc\t1\n", false, NULL}, "", "", &out);
	assert_string_equal(text_string(&out), "a file that `data a b` reads has changed: a\n");
	text_clear(&out);
	now.refused = true;
	again_tell(&then, &now, "no", " ", &out);
	assert_string_equal(text_string(&out), " `data a b`, run again, is refused: no\n");
	text_clear(&out);
	then.refused = true;
	again_tell(&then, &then, "no", "", &out);
	assert_int_equal(out.count, 0);
	text_release(&out);
}

static const double read_then[][2] = {
        {0.1, 1e-320}, {-0.0, 0}, {1e300, INFINITY}, {NAN, -INFINITY}, {3, 3}, {9007199254740993.0, -1e15}};
enum { READS = sizeof read_then / sizeof *read_then };

/* The line reads `value` in all places now, and goes by what was read then */
static void read_again(struct steering *now, const char *then, double value)
{
	struct ranks two;
	ranks_all(&two, 2);
	steering_again(now, then);
	steering_line(now);
	for (size_t i = 0; i < READS; i++) {
		double read[2] = {value, value};
		assert_true(steering_knows(now, "a\nlong\tname", 11));
		assert_true(steering_read(now, "a\nlong\tname", 11, &two, read, 2));
		for (int k = 0; k < 2; k++)
			assert_true(isnan(read_then[i][k])
			                ? isnan(read[k])
			                : memcmp(&read[k], &read_then[i][k], sizeof *read) == 0);
	}
	double more[2] = {1, 2};
	/* the first time it reads more than then */
	assert_true(steering_read(now, "b", 1, &two, more, 2) == (strstr(then, "b\t") != NULL));
	steering_over(now);
}

/* What a line reads again is held beside what it read then: the same bits come back, and what differs is told, once. */
static void values_come_back_as_they_were(void **state)
{
	(void)state;
	struct steering then = {0}, now = {0}, third = {0}, fourth = {0};
	struct ranks two;
	ranks_all(&two, 2);
	steering_line(&then);
	for (size_t i = 0; i < READS; i++) {
		double value[2] = {read_then[i][0], read_then[i][1]};
		assert_false(steering_read(&then, "a\nlong\tname", 11, &two, value, 2));
	}
	steering_over(&then);
	read_again(&now, text_string(&then.read), 7);
	assert_int_equal(count_words(text_string(&now.told), "\n"), 4); /* three, and how many more */
	assert_non_null(strstr(text_string(&now.told), "... and 3 more values"));
	assert_int_equal(count_words(text_string(&now.read), "\t7\n"), READS);
	assert_non_null(strstr(text_string(&now.read), "\nb\t1 2\n"));
	read_again(&third, text_string(&now.read), 7);
	assert_int_equal(third.told.count, 0);
	assert_string_equal(text_string(&third.read), text_string(&now.read));
	read_again(&fourth, text_string(&now.read), 8);
	assert_int_equal(count_words(text_string(&fourth.told), "and is 8 now"), 3);
	steering_release(&then);
	steering_release(&now);
	steering_release(&third);
	steering_release(&fourth);
}

static void spoilt_values_are_read_anew(void **state)
{
	(void)state;
	static const struct {
		const char *then;
		bool taken;
	} rows[] = {{"", false}, {"a", false}, {"a\t", false}, {"a\t1", true}, {"a\t1 2", true},
	        {"a\t1 2 3", false}, {"a\t1 x", false}, {"a\t1x", false}, {"a\t 1", true},
	        {"a\t1  2\n", true}, {"a\t1\t", true}, {"a\t1\tx\n", true}, {"a\t1x\t7", false},
	        {"\n", false}, {"ab\t1\n", false}, {"a\t0x10 1\n", true}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct steering steering = {0};
		struct ranks two;
		double value[2] = {7, 8};
		ranks_all(&two, 2);
		steering_again(&steering, rows[i].then);
		steering_line(&steering);
		if (steering_read(&steering, "a", 1, &two, value, 2) != rows[i].taken)
			fail_msg("'%s'", rows[i].then);
		assert_true(rows[i].taken || (value[0] == 7 && value[1] == 8));
		assert_true((*rows[i].then == 0) == (steering.told.count == 0));
		steering_release(&steering);
	}
}

static void nothing_leaks(void **state)
{
	(void)state;
	long before = mem_live();
	struct session session;
	open_session(&session);
	assert_int_equal(type(&session, "tensor x[8] = ones; y = add x x; reset; tensor x[8] = ones"), ST_OK);
	assert_int_equal(type(&session, "undo"), ST_OK);
	close_session(&session);
	assert_int_equal(mem_live(), before);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(undo_is_the_world_before),
	        cmocka_unit_test(undo_takes_several),
	        cmocka_unit_test(undo_takes_the_plan_back),
	        cmocka_unit_test(undo_takes_a_loaded_program_back),
	        cmocka_unit_test(refused_lines_are_not_kept),
	        cmocka_unit_test(half_refused_lines_are_kept),
	        cmocka_unit_test(reset_empties),
	        cmocka_unit_test(stops_are_repeated),
	        cmocka_unit_test(what_only_looks),
	        cmocka_unit_test(step_back_keeps_the_line),
	        cmocka_unit_test(notices_know_the_slow),
	        cmocka_unit_test(notices_of_one_line_ask_no_forecast),
	        cmocka_unit_test(undo_stands_alone),
	        cmocka_unit_test(undo_takes_settings_back),
	        cmocka_unit_test(undo_brings_the_world_before_back),
	        cmocka_unit_test(step_0_leaves_settings),
	        cmocka_unit_test(changed_files_are_told_of),
	        cmocka_unit_test(values_come_back_as_they_were),
	        cmocka_unit_test(spoilt_values_are_read_anew),
	        cmocka_unit_test(nothing_leaks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
