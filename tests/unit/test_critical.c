/* test_critical.c -- the critical path of random programs without shared resources: its pieces
 * tile the window. Work on the path that takes longer by d moves the end by d; other work that
 * takes longer by its slack moves nothing. The lines run again with one longer operation. */
#include "base/memory.h"
#include "random_program.h"
#include "shell/commands/table.h"
#include "shell/replay/rerun.h"
#include "shell/session/changes.h"
#include "shell/submit/rows.h"
#include "trace/critical.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PROGRAMS = 150, RANKS = 3, STEPS = 40, TRIED = 3 };

/* A script's line: a `sync` there is no answer, behind which later lines would stand */
static void type(struct shell *shell, const char *line)
{
	if (line_script(shell, line, strlen(line), "t", 1) != ST_OK)
		fail_msg("%s: %s", line, fail_text());
}

/* Spins, waits, host work, and collectives of all, which take turns */
static void type_random(struct shell *shell, uint64_t seed)
{
	static const char *const streams[] = {"default", "io", "comm"};
	struct dice dice = {.seed = seed};
	char line[80];
	type(shell, "stream io comm");
	type(shell, "tensor x[4k] = 1");
	for (int i = 0; i < STEPS; i++) {
		int rank = (int) throw(&dice, RANKS);
		const char *a = streams[throw(&dice, 3)], *b = streams[throw(&dice, 3)];
		switch (throw(&dice, 8)) {
		case 0:
			snprintf(line, sizeof line, "allreduce x on %s", a);
			break;
		case 1:
			snprintf(line, sizeof line, "@%d host %uus", rank, 10 + throw(&dice, 400));
			break;
		case 2:
			snprintf(line, sizeof line, "@%d wait %s on %s", rank, a, strcmp(a, b) ? b : "io");
			if (strcmp(a, b) == 0 && strcmp(a, "io") == 0)
				continue;
			break;
		case 3:
			snprintf(line, sizeof line, "@%d sync %s", rank, a);
			break;
		default:
			snprintf(line, sizeof line, "@%d spin %uus on %s", rank, 5 + throw(&dice, 700), a);
		}
		type(shell, line);
	}
}

static int64_t last_end(struct shell *shell)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct critical critical;
	assert_int_equal(critical_find(&trace, -1, true, &critical), ST_OK);
	int64_t end = critical.window.to;
	critical_release(&critical);
	return end;
}

static int64_t end_with(struct shell *of, op_id id, int64_t ns)
{
	struct op_otherwise longer = {.id = id, .ns = ns};
	struct changes changes = {.slow = 1, .op = &longer, .ops = 1};
	struct rerun rerun;
	if (rerun_open(&rerun, of, &changes) != ST_OK)
		fail_msg("%s", fail_text());
	int64_t end = last_end(&rerun.shell);
	rerun_close(&rerun, of);
	return end;
}

static void tiles(const struct critical *critical)
{
	int64_t at = critical->window.from;
	for (size_t i = 0; i < critical->count; i++) {
		assert_true(critical->piece[i].from == at);
		assert_true(critical->piece[i].to > at);
		at = critical->piece[i].to;
	}
	assert_true(at == critical->window.to);
}

/* The operation's work as a whole is a piece of the path */
static bool whole_piece(const struct critical *critical, op_id id, int64_t ns)
{
	for (size_t i = 0; i < critical->count; i++)
		if (critical->piece[i].op == id && critical->piece[i].kind == CRITICAL_COMPUTE &&
		        critical->piece[i].to - critical->piece[i].from == ns)
			return true;
	return false;
}

static void check(struct shell *shell, uint64_t seed, int *on, int *off)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct critical critical;
	struct dice dice = {.seed = seed + 1000};
	assert_int_equal(critical_find(&trace, -1, true, &critical), ST_OK);
	tiles(&critical);
	for (int tried = 0, looked = 0; tried < TRIED && looked < 200; looked++) {
		op_id id = 1 + throw(&dice, (uint32_t)shell->world->op_count);
		struct times t = backend_times(shell->backend, id);
		int64_t ns = t.end - t.start, d = 1 + throw(&dice, 300000);
		if (op_record(shell->world, id)->kind != OP_KERNEL)
			continue;
		if (whole_piece(&critical, id, ns)) {
			if (end_with(shell, id, ns + d) != critical.window.to + d)
				fail_msg("program %d: operation %u is on the path, and %lld ns move the end "
				         "by %lld",
				        (int)seed, id, (long long)d,
				        (long long)(end_with(shell, id, ns + d) - critical.window.to));
			(*on)++;
			tried++;
		} else if (!(critical.on[id] & CRITICAL_WORK) && critical.slack[id] != TIME_UNKNOWN) {
			if (end_with(shell, id, ns + critical.slack[id]) != critical.window.to)
				fail_msg("program %d: operation %u has %lld ns of slack, which move the end "
				         "by %lld",
				        (int)seed, id, (long long)critical.slack[id],
				        (long long)(end_with(shell, id, ns + critical.slack[id]) -
				                critical.window.to));
			(*off)++;
			tried++;
		}
	}
	critical_release(&critical);
}

static void path_and_slack(void **state)
{
	struct transport *transport = NULL;
	long live = mem_live();
	int on = 0, off = 0;
	(void)state;
	assert_int_equal(transport_start(&transport, false, NULL, NULL), ST_OK);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct shell shell = {0};
		struct credit credit = {0};
		credit_start(&credit, transport, &shell.budget);
		shell.credit = &credit;
		assert_int_equal(shell_open(&shell, transport, RANKS, true, "classroom"), ST_OK);
		type_random(&shell, seed);
		shell.journal.here = (struct journal_text){.text = ""};
		assert_int_equal(shell_look(&shell), ST_OK);
		check(&shell, seed, &on, &off);
		shell_close(&shell);
	}
	assert_true(on > PROGRAMS / 4 && off > PROGRAMS / 4);
	transport_stop(transport);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(path_and_slack)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
