/* test_sticky.c -- whole sessions in which the data of one rank fails once: mpirun -n {1,2,3,4,5,8}
 * test_sticky
 *
 * In the k-th call of the backend the n-th call of MPI fails, for all k and n; the victims take turns. (A
 * process that gets no memory ends, and the job with it: tests/script/memory.sh.) What must hold: nobody
 * hangs or dies; every line is accepted and the books of all stay equal (the conductor compares them); either
 * the failure is told with its rank, or it was overcome and every number is right; later lines work, with
 * right numbers; nothing is left allocated. */
#include "mpi/inside.h"
#include "base/memory.h"
#include "shell/rank/conductor.h"
#include "tests/mpi/check.h"
#include "shell/commands/table.h"
#include "shell/course/course.h"
#include "shell/submit/rows.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAILURES_MOST = 400 };

/* A collective into the place of its input, one of a part, a ring, an input that is overwritten while a
 * kernel reads it, prints, files, values that are read, a group. %d: the last rank; %% is a %. */
static const char *const lines[] = {
        "stream comm; tensor x[40,8] y[40,8] = rank+1; tensor h[40,8] pinned = 7",
        "allreduce x on comm; record done on comm; broadcast y[0:20,:] root=world-1 on comm; sendrecv x -> y "
        "to=(rank+1)%%world from=(rank-1)%%world on comm; sync",
        "slow 100x; y = add x x on comm; copy h -> x; z = relu y on comm; print y[0,0] on comm; a = "
        "allgather z on comm; save z z$rank.npy on comm",
        "expect x[0,0] == 7; expect y[3,3] == world * (world + 1); expect sum(z) == 320 * world * (world + "
        "1); peek a[0,0]; group all 0-%d; allreduce z in all; sync",
};
static const char *const after[] = {
        "reset",
        "tensor x[40,8] = rank; allreduce x; print x[0,0]; expect x[39,7] == world * (world - 1) / 2",
};

/* The functions of the backend that may fail, and when they do. */
static struct {
	enum status (*advance)(struct backend *, struct budget *);
	enum status (*reach)(struct backend *, const op_id *, int, struct budget *);
	struct transport *transport;
	long calls, call, message;
	bool struck; /* the failure has happened */
} arm;

static bool raise_arm(void)
{
	if (arm.calls++ != arm.call)
		return false;
	arm.transport->fail_at = arm.message;
	return true;
}

static void lower_arm(bool raised)
{
	if (!raised)
		return;
	arm.struck = arm.transport->fail_at < 0;
	arm.transport->fail_at = -1;
}

/* Without a budget: no grants travel meanwhile, which are no data. */
static enum status advance(struct backend *backend, struct budget *budget)
{
	bool raised = raise_arm();
	(void)budget;
	enum status status = arm.advance(backend, NULL);
	lower_arm(raised);
	return status;
}

static enum status reach(struct backend *backend, const op_id *ids, int count, struct budget *budget)
{
	bool raised = raise_arm();
	(void)budget;
	enum status status = arm.reach(backend, ids, count, NULL);
	lower_arm(raised);
	return status;
}

static void say(void *self, enum severity severity, const char *bytes, size_t count)
{
	(void)severity;
	text_put(self, bytes, count);
}
static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	text_add(self, "rank %d: %.*s", rank, (int)count, bytes);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *at)
{
	(void)about;
	(void)kind;
	(void)at;
	return remove(path);
}

struct test {
	struct transport *transport;
	struct checks checks;
	struct text said;
	int me, told;
};
/* What became of a session on one process; of all of them, the victim's. */
struct outcome {
	bool struck;
	int failed;
	long calls;
};

static void arm_backend(struct test *t, struct backend *backend, long call, long message)
{
	arm.advance = backend->advance;
	arm.reach = backend->reach;
	arm.transport = t->transport;
	arm.calls = 0;
	arm.call = call;
	arm.message = message;
	arm.struck = false;
	backend->advance = advance;
	backend->reach = reach;
}

static void type(struct test *t, struct conductor *conductor, const char *form)
{
	char line[400];
	snprintf(line, sizeof line, form, transport_size(t->transport) - 1);
	struct order order = {.kind = ORDER_LINE, .text = line, .count = strlen(line), .stamp = -1};
	enum status status = conductor_order(conductor, &order);
	CHECK(&t->checks, status == ST_OK);
}

/* Rank 0: types everything. The `expect`s of the lines in which it fails count for nothing; those after them
 * must hold. */
static int lead(struct test *t, struct conductor *conductor)
{
	conductor->to = (struct listener){&t->said, say, foreign, NULL};
	text_clear(&t->said);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		type(t, conductor, lines[i]);
	int failed = conductor->shell.expect.failed;
	for (size_t i = 0; i < sizeof after / sizeof *after; i++)
		type(t, conductor, after[i]);
	CHECK(&t->checks, conductor->shell.expect.failed == failed);
	CHECK(&t->checks, conductor_order(conductor, &(struct order){.kind = ORDER_LEAVE}) == ST_OK);
	return failed;
}

static bool said(const struct test *t, const char *words_before, int rank, const char *words_after)
{
	char words[128];
	snprintf(words, sizeof words, "%s%d%s", words_before, rank, words_after);
	return strstr(text_string(&t->said), words) != NULL;
}

/* Either numbers may be wrong, and that was told of the rank that it happened to; or all numbers are right.
 * The others tell nothing, but for a group that could not be made because of it: their numbers are wrong with
 * it. */
static void judge(struct test *t, int victim, const struct outcome *outcome)
{
	bool told = said(t, "[rank ", victim, "] mpi: ");
	t->told += told;
	CHECK(&t->checks, told ? outcome->struck : outcome->failed == 0);
	CHECK(&t->checks, outcome->struck || !said(t, "[rank ", victim, "]"));
	for (int rank = 0; rank < transport_size(t->transport); rank++)
		if (rank != victim)
			CHECK(&t->checks,
			        !said(t, "[rank ", rank, "]") ||
			                (told &&
			                        said(t, "[rank ", rank,
			                                "] mpi: another rank could not make the group")));
}

static struct outcome session(struct test *t, int victim, long call, long message)
{
	struct options options = {.n = transport_size(t->transport)};
	struct conductor conductor = {.shell.course.functions = &course_functions};
	struct outcome mine = {0}, all[64];
	CHECK(&t->checks, conductor_open(&conductor, t->transport, NULL, &options) == ST_OK);
	arm_backend(t, conductor.shell.backend, t->me == victim ? call : -1, message);
	if (t->me == 0)
		mine.failed = lead(t, &conductor);
	else
		conductor_follow(&conductor);
	conductor_close(&conductor);
	transport_settle(t->transport);
	mine.struck = arm.struck;
	mine.calls = arm.calls;
	CHECK(&t->checks, transport_share(t->transport, &mine, all, sizeof mine) == ST_OK);
	all[victim].failed = all[0].failed;
	if (t->me == 0)
		judge(t, victim, &all[victim]);
	return all[victim];
}

/* All failures in one call of the backend; false: there is no such call. */
static bool sweep(struct test *t, long call)
{
	struct outcome outcome = {.struck = true};
	int victim = (int)(call % transport_size(t->transport));
	long live = mem_live();
	for (long n = 0; outcome.struck && n < FAILURES_MOST; n++) {
		outcome = session(t, victim, call, n);
		CHECK(&t->checks, mem_live() == live);
	}
	CHECK(&t->checks, !outcome.struck);
	return call + 1 < outcome.calls;
}

/* A script of one text; its exit status, which all know. What it prints is nobody's here. */
static int script(struct test *t, int victim, long call, long message)
{
	struct options options = {.n = transport_size(t->transport),
	        .lines = "tensor x[40,8] = rank+1; allreduce x; sync; expect world > 0"};
	struct conductor conductor = {.shell.course.functions = &course_functions};
	int mine = 0, all[64];
	CHECK(&t->checks, conductor_open(&conductor, t->transport, NULL, &options) == ST_OK);
	arm_backend(t, conductor.shell.backend, t->me == victim ? call : -1, message);
	if (t->me == 0) {
		int out = dup(1), nowhere = open("/dev/null", O_WRONLY);
		dup2(nowhere, 1);
		mine = batch_run(&conductor);
		dup2(out, 1);
		close(out);
		close(nowhere);
		CHECK(&t->checks, conductor_order(&conductor, &(struct order){.kind = ORDER_LEAVE}) == ST_OK);
	} else {
		conductor_follow(&conductor);
	}
	conductor_close(&conductor);
	transport_settle(t->transport);
	CHECK(&t->checks, transport_share(t->transport, &mine, all, sizeof mine) == ST_OK);
	return all[0];
}

/* A failure of data that was told ends a script with status 4; one that was overcome leaves 0. */
static void script_ends_with_4(struct test *t)
{
	enum { CALLS = 4, MESSAGES = 30 };
	int failed = 0, last = transport_size(t->transport) - 1;
	CHECK(&t->checks, script(t, last, -1, -1) == 0);
	for (long call = 0; call < CALLS; call++)
		for (long n = 0; n < MESSAGES; n++) {
			int code = script(t, last, call, n);
			CHECK(&t->checks, code == 0 || code == 4);
			failed += code == 4;
		}
	CHECK(&t->checks, failed > 0 || last == 0);
}

int main(int argc, char **argv)
{
	commands_start(command_table);
	struct test t = {0};
	char folder[] = "/tmp/ranksh-sticky-XXXXXX";
	if (transport_start(&t.transport, true, &argc, &argv) != ST_OK || !mkdtemp(folder) ||
	        chdir(folder) != 0)
		return 1;
	t.me = t.checks.rank = transport_rank(t.transport);
	session(&t, 0, -1, -1); /* what is allocated once */
	for (long call = 0; sweep(&t, call); call++)
		;
	script_ends_with_4(&t);
	CHECK(&t.checks,
	        t.me != 0 || t.told > 0 || transport_size(t.transport) == 1); /* not all was overcome */
	if (chdir("/") == 0 && nftw(folder, remove_entry, 8, FTW_DEPTH) != 0)
		CHECK(&t.checks, false);
	text_release(&t.said);
	return checks_end(&t.checks, t.transport, "test_sticky");
}
