/* test_sweep.c -- a session runs out of memory once, at its n-th allocation, for every n: the sessions are
 * the examples of all commands, line by line as at the prompt, without data on four ranks and with data on
 * one.
 *
 * What must hold: no crash; a line that is refused leaves the books as they were, and typed again it is
 * accepted; the session ends with the same books as one in which nothing failed; nothing is left allocated.
 * Lines that begin with an empty world may leave that behind. */
#include "base/memory.h"
#include "shell/session/credit.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { ALLOCATIONS_MOST = 20000, LINES_MOST = 40 };
struct session {
	struct shell shell;
	struct credit credit;
	struct plane *plane;
};
struct outcome {
	uint64_t books, facts;
	bool all_accepted, failed, refused, emptied;
};

static void open_session(struct session *session, int ranks)
{
	*session = (struct session){0};
	assert_int_equal(plane_start(&session->plane, false, NULL, NULL), ST_OK);
	credit_start(&session->credit, session->plane, &session->shell.budget);
	session->shell.credit = &session->credit;
	assert_int_equal(shell_open(&session->shell, session->plane, ranks, ranks > 1, "classroom"), ST_OK);
}

static void close_session(struct session *session)
{
	shell_close(&session->shell);
	plane_stop(session->plane);
}

static uint64_t books(const struct session *session)
{
	return session->shell.world->digest ^ interpreter_digest(session->shell.interpreter);
}

/* What the digest says but for the numbers that names have got: a line that was refused may have made
 * some. */
static uint64_t facts(struct session *session)
{
	const struct world *w = session->shell.world;
	uint64_t sum = w->op_count * 3 + w->record_count * 5 + w->tensor_count * 11 + w->section_count * 19 +
	        w->group_count * 23 + w->stream_count * 29;
	for (int rank = 0; rank < w->n; rank++) {
		struct host_now now;
		session->shell.backend->host(session->shell.backend, rank, &now);
		sum = sum * 31 + (uint64_t)now.clock;
	}
	return sum;
}

static enum status type(struct session *session, const char *line, size_t count)
{
	enum status status = shell_line(&session->shell, line, count);
	out_render(session->shell.out, NULL);
	return status;
}

static bool empties(const char *line, size_t count)
{
	static const char *const words[] = {"reset", "undo", "lesson", "lessons", "tour", "next", "solution"};
	size_t length = strcspn(line, " \n") < count ? strcspn(line, " \n") : count;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && memcmp(line, words[i], length) == 0)
			return true;
	return false;
}

/* A line that was refused for lack of memory is typed again. */
static bool type_until_accepted(
        struct session *session, const char *line, size_t count, long n, struct outcome *outcome)
{
	uint64_t before = books(session);
	enum status status = type(session, line, count);
	if (status == ST_MEMORY) {
		outcome->refused = true;
		outcome->emptied |= empties(line, count);
		if (books(session) != before && !outcome->emptied)
			fail_msg("n=%ld: '%.*s' was refused, but the books have changed (%s)", n, (int)count,
			        line, fail_text());
		status = type(session, line, count);
	}
	if (n >= 0 && status != ST_OK && status != ST_QUIT)
		fail_msg("n=%ld: '%.*s': %s: %s", n, (int)count, line, status_name(status), fail_text());
	return status == ST_OK || status == ST_QUIT;
}

static int split(const char *lines, size_t *from)
{
	size_t count = strlen(lines), size;
	int found = 0;
	for (from[0] = 0; from[found] < count; found++) {
		assert_true(found < LINES_MOST);
		assert_int_equal(
		        interpreter_first(lines + from[found], count - from[found], NULL, 1, &size), ST_OK);
		from[found + 1] = from[found] + size;
	}
	return found;
}

/* The lines of a session, of which the n-th allocation fails; n < 0: none does. */
static struct outcome run_session(int ranks, const char *lines, long n)
{
	struct session session;
	struct outcome outcome = {.all_accepted = true};
	size_t from[LINES_MOST + 1];
	int count = split(lines, from);

	open_session(&session, ranks);
	mem_fail_at(n);
	for (int i = 0; i < count && outcome.all_accepted; i++)
		outcome.all_accepted =
		        type_until_accepted(&session, lines + from[i], from[i + 1] - from[i], n, &outcome);
	outcome.failed = n >= 0 && !mem_fail_waits();
	mem_fail_at(-1);
	outcome.books = books(&session);
	outcome.facts = facts(&session);
	close_session(&session);
	return outcome;
}

/* Commands that play whole programs get a small one. */
static void lines_of(const struct command *command, char *lines, size_t room)
{
	static const char *const trains[] = {"strategy", "program", "step", "run", "verify"};
	const char *first = "";
	for (size_t i = 0; i < sizeof trains / sizeof *trains; i++)
		if (strcmp(command->name, trains[i]) == 0)
			first = "model mlp layers=1 hidden=8 batch=8\n";
	assert_true((size_t)snprintf(lines, room, "%s%s", first, command->example) < room);
}

static int sweep(int ranks, const struct command *command)
{
	char lines[2000];
	lines_of(command, lines, sizeof lines);
	long live = mem_live();
	struct outcome whole = run_session(ranks, lines, -1), outcome = {.failed = true};

	assert_int_equal(mem_live(), live);
	if (!whole.all_accepted)
		return 0; /* an example for several ranks, or for data */
	/* a program of many steps allocates by the thousand: from the hundredth on not every one of them
	 * fails */
	for (long n = 0; outcome.failed; n += 1 + n / 100) {
		outcome = run_session(ranks, lines, n);
		if ((outcome.refused ? outcome.facts != whole.facts : outcome.books != whole.books) &&
		        !outcome.emptied)
			fail_msg("%s, n=%ld: the books are others in the end", command->name, n);
		if (mem_live() != live)
			fail_msg(
			        "%s, n=%ld: %ld blocks are left behind", command->name, n, mem_live() - live);
		assert_true(n < ALLOCATIONS_MOST);
	}
	return 1;
}

static void sweep_all(int ranks, int least)
{
	int swept = 0;
	for (int i = 0; command_at(i); i++)
		swept += command_at(i)->example ? sweep(ranks, command_at(i)) : 0;
	assert_true(swept >= least);
}

static void dry(void **state)
{
	(void)state;
	sweep_all(4, 60);
}

static void with_data(void **state)
{
	(void)state;
	sweep_all(1, 40);
}

/* `save` and `export` write where they are run. */
static int enter_folder(void **state)
{
	static char folder[] = "/tmp/ranksh-sweep-XXXXXX";
	*state = folder;
	return !mkdtemp(folder) || chdir(folder) != 0;
}

static int leave_folder(void **state)
{
	char command[64] = "rm -rf ";
	return chdir("/") != 0 || system(strcat(command, *state)) != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(dry), cmocka_unit_test(with_data)};
	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
