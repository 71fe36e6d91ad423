/* test_command_memory.c -- the n-th allocation of a line fails, for n = 0, 1, 2 ... until it succeeds: no
 * crash, no leak, and the next line runs */
#include "base/memory.h"
#include "shell/session/credit.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct plane *plane;

static int open_plane(void **state)
{
	int argc = 0;
	char **argv = NULL;
	(void)state;
	return plane_start(&plane, false, &argc, &argv) != ST_OK;
}

static int close_plane(void **state)
{
	(void)state;
	plane_stop(plane);
	return 0;
}

static enum status run(struct shell *shell, const char *lines)
{
	return shell_settle(shell, interpreter_run(shell, lines, strlen(lines), NULL, 1));
}

/* ranks 1: with data; more: dry */
static bool sweep_once(int ranks, const char *setup, const char *line, long n)
{
	struct shell shell = {0};
	struct credit credit = {0};
	assert_int_equal(shell_open(&shell, plane, ranks, ranks > 1, "classroom"), ST_OK);
	credit_start(&credit, plane, &shell.budget);
	shell.credit = &credit;
	assert_int_equal(run(&shell, setup), ST_OK);
	uint64_t before = shell.world->digest;
	size_t ops = shell.world->op_count;
	mem_fail_at(n);
	enum status status = interpreter_run(&shell, line, strlen(line), NULL, 1);
	mem_fail_at(-1);
	/* refused before anything was queued: the books are as before, but for what the allocator was asked
	 * and took back */
	if (status != ST_OK && ranks == 1 && !strstr(line, "=") && shell.world->op_count == ops &&
	        shell.world->digest != before) {
		print_error("%s, n=%ld: ", line, n);
		fail_msg("the books have changed");
	}
	if (status != ST_OK && status != ST_MEMORY)
		print_error("%s, n=%ld: %s\n", line, n, fail_text());
	assert_true(status == ST_OK || status == ST_MEMORY);
	run(&shell, "spin 1ms; sync");
	shell_close(&shell);
	return status == ST_OK;
}

/* Some failures are made up for, so one success does not say that all allocations have been tried; ENOUGH in
 * a row do. */
static void sweep(int ranks, const char *setup, const char *line)
{
	enum { ENOUGH = 40, MOST = 5000 };
	long live = mem_live();
	int in_a_row = 0;
	for (long n = 0; n < MOST && in_a_row < ENOUGH; n++) {
		in_a_row = sweep_once(ranks, setup, line, n) ? in_a_row + 1 : 0;
		if (mem_live() != live)
			print_error("%s, n=%ld leaks %ld blocks\n", line, n, mem_live() - live);
		assert_int_equal(mem_live(), live);
	}
	assert_int_equal(in_a_row, ENOUGH);
}

static const char setup[] = "tensor x[4,4] w[4,4] = 1\ntensor h[4,4] host = 2\ntensor p[4,4] pinned = "
                            "3\nstream io\nevent e\ny = matmul x w\nz = x[0]";
static const char *const lines[] = {"q = matmul x w", "y = matmul x w", "y = relu z", "y += x",
        "v i = topk x k=1", "_ i = topk x k=1", "sgd x w lr=1", "copy p -> x on io", "copy h -> x",
        "print y x[0] 1+2", "sync", "sync e", "host 1ms", "query io", "record e on io", "wait io e",
        "event f", "stream a", "allreduce x", "b = allgather x", "barrier", "allreduce x unroll",
        "b = reducescatter x unroll", "sendrecv x -> w to=(rank+1)%world from=(rank-1)%world",
        "together { allreduce x; allreduce w }", "group g 0-0", "mesh dp=world", "c = reshape x [16]",
        "c = shard x", "free x", "free x w on io", "capture G { y = matmul x w }; launch G",
        "phase F1; spin 1ms", "mark m", "say \"a $(1+1)\"", "peek x", "tensors", "streams", "events",
        "groups", "help", "help copy", "help kernels", "timeline", "stalls", "stats", "traffic", "mem",
        "mem trim", "races", "stuck", "machine", "machine dgx-h100", "set launch=5us", "slow 2x", "crash",
        "abort", "pace 1s", "use io", "explain on; y = matmul x w"};

static void with_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		sweep(1, setup, lines[i]);
}

static void dry(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		sweep(4, setup, lines[i]);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(with_data), cmocka_unit_test(dry)};
	return cmocka_run_group_tests(tests, open_plane, close_plane);
}
