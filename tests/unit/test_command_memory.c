/* test_command_memory.c -- each allocation of a line fails once: the process ends with a
 * message */
#include "alone.h"
#include "shell/session/credit.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

#include <string.h>

static enum status run(struct shell *shell, const char *lines)
{
	return shell_settle(shell, interpreter_run(shell, lines, strlen(lines), NULL, 1));
}

struct session {
	struct shell shell;
	struct credit credit;
	const char *line;
};

static bool run_line(void *self)
{
	struct session *session = self;
	return run(&session->shell, session->line) == ST_OK;
}

/* ranks 1: with data; more: dry. The line by itself is swept, behind lines that found their memory. */
static void sweep(int ranks, const char *setup, const char *line)
{
	struct session session = {.line = line};
	long live = mem_live();
	assert_int_equal(shell_open(&session.shell, transport, ranks, ranks > 1, "classroom"), ST_OK);
	credit_start(&session.credit, transport, &session.shell.budget);
	session.shell.credit = &session.credit;
	assert_int_equal(run(&session.shell, setup), ST_OK);
	for (long n = 0; !ends_without_memory(n, run_line, &session); n += 1 + n / 8)
		;
	shell_close(&session.shell);
	assert_int_equal(mem_live(), live);
}

static const char setup[] = "tensor x[4,4] w[4,4] = 1\ntensor h[4,4] host = 2\ntensor p[4,4] pinned = "
                            "3\ntensor n[world] i32 = 4//world\nstream io\nevent e\ny = matmul x w\nz = x[0]";
static const char *const lines[] = {"q = matmul x w", "y = matmul x w", "y = relu z", "y += x",
        "v i = topk x k=1", "_ i = topk x k=1", "sgd x w lr=1", "copy p -> x on io", "copy h -> x",
        "print y x[0] 1+2", "sync", "sync e", "host 1ms", "query io", "record e on io", "wait io e",
        "event f", "stream a", "allreduce x", "b = allgather x", "barrier", "allreduce x unroll",
        "b = alltoall x send=n recv=n", "to c = binsort n bins=9", "b = reducescatter x unroll",
        "sendrecv x -> w to=(rank+1)%world from=(rank-1)%world", "together { allreduce x; allreduce w }",
        "group g 0-0", "mesh dp=world", "c = reshape x [16]", "c = shard x", "free x", "free x w on io",
        "capture G { y = matmul x w }; launch G", "phase F1; spin 1ms", "mark m", "say \"a $(1+1)\"",
        "peek x", "tensors", "streams", "events", "groups", "help", "help copy", "help kernels", "timeline",
        "stalls", "stats", "traffic", "mem", "mem trim", "races", "stuck", "machine", "machine dgx-h100",
        "set launch=5us", "slow 2x", "crash", "abort", "pace 1s", "use io", "explain on; y = matmul x w"};

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
	const struct CMUnitTest tests[] = {cmocka_unit_test(with_data), cmocka_unit_test(dry)};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
