/* test_sweep.c -- whole sessions in which each allocation fails in turn: the examples of all
 * commands, line by line as at the prompt, without data on four ranks and with data on one.
 *
 * Either the process ends with status 4 and a message, or, if it allocates less often, the
 * session is as one without a failure; and nothing stays allocated. */
#include "check.h"
#include "shell/session/credit.h"
#include "shell/language/run/command.h"
#include "shell/language/parse/tree.h"
#include "shell/language/run/interpreter.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/course/course.h"
#include "shell/course/lessons/lesson.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES_MOST = 40 };
struct session {
	struct shell shell;
	struct credit credit;
	struct transport *transport;
};
static void open_session(struct session *session, int ranks)
{
	*session = (struct session){0};
	assert_int_equal(transport_start(&session->transport, false, NULL, NULL), ST_OK);
	credit_start(&session->credit, session->transport, &session->shell.budget);
	session->shell.credit = &session->credit;
	session->shell.course.functions = &course_functions;
	assert_int_equal(
	        shell_open(&session->shell, session->transport, ranks, ranks > 1, "classroom"), ST_OK);
}

static void close_session(struct session *session)
{
	lesson_free(&session->shell);
	shell_close(&session->shell);
	transport_stop(session->transport);
}

static uint64_t books(const struct session *session)
{
	return session->shell.world->digest ^ interpreter_digest(session->shell.interpreter);
}

static enum status type(struct session *session, const char *line, size_t count)
{
	enum status status = shell_line(&session->shell, line, count, 0, -1);
	out_render(session->shell.out, NULL);
	return status;
}

static int split(const char *lines, size_t *from)
{
	size_t count = strlen(lines), size;
	int found = 0;
	for (from[0] = 0; from[found] < count; found++) {
		assert_true(found < LINES_MOST);
		assert_int_equal(tree_first(lines + from[found], count - from[found], NULL, 1, &size), ST_OK);
		from[found + 1] = from[found] + size;
	}
	return found;
}

/* What a sweep plays: its lines, and the books at its end when nothing fails */
struct play {
	int ranks;
	const char *lines;
	uint64_t books;
	bool accepted;
};

/* false: a line was refused, the books are others at the end, or something is left allocated. */
static bool play(void *self)
{
	struct play *played = self;
	struct session session;
	size_t from[LINES_MOST + 1];
	long live = mem_live();
	int count = split(played->lines, from);

	played->accepted = true;
	open_session(&session, played->ranks);
	for (int i = 0; i < count && played->accepted; i++) {
		enum status status = type(&session, played->lines + from[i], from[i + 1] - from[i]);
		played->accepted = status == ST_OK || status == ST_QUIT;
	}
	uint64_t end = books(&session);
	bool same = played->books == 0 || played->books == end;
	played->books = end;
	close_session(&session);
	return played->accepted && same && mem_live() == live;
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
	struct play whole = {.ranks = ranks, .lines = lines};
	bool clean = play(&whole);
	if (!whole.accepted)
		return 0; /* an example for several ranks, or for data */
	assert_true(clean);
	/* a program of many steps allocates by the thousand: not every one of them fails */
	for (long n = 0; !ends_without_memory(n, play, &whole); n += 1 + n / 6)
		;
	return 1;
}

static void sweep_all(int ranks, int least)
{
	int swept = 0;
	for (int i = 0; commands_at(i); i++)
		swept += commands_at(i)->example ? sweep(ranks, commands_at(i)) : 0;
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
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(dry), cmocka_unit_test(with_data)};
	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
