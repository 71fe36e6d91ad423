/* lesson.c -- plays lessons and the tour: opens them, runs a task's starter lines, checks, hints, shows the
 * solution.
 *
 * A task begins in an empty world on the machine that its figures are for, with its starter lines run
 * without a word. The check is lines of the language, run where the learner's world stands: an `expect`
 * that is false names what is missing, by the comment behind it. Checks only look, so a learner may check
 * as often as he likes.
 *
 * The tour is a lesson of number 0 whose steps run and show their lines by themselves. Lines that a
 * command of this file runs are kept in the journal beside that command (journal.ran), since a world made
 * again needs them. */
#include "shell/lessons/lesson.h"
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/lessons/lesson_file.h"
#include "shell/session/device.h"
#include "shell/session/lasting.h"
#include "shell/training/open.h"

#include <string.h>

struct lesson {
	struct lesson_file file;
	int number; /* of the lesson, from 1; 0: the tour */
	int task;   /* from 0; -1: before the first */
};

/* The n-th embedded lesson (from 1), or the tour for 0. Lessons are numbered by their file names' order. */
static const struct embedded *find_file(int number)
{
	const char *name = "tour";
	for (int i = 0; number > 0 && (name = embedded_name("lessons/", i, ".rsh")); i++)
		number -= strcmp(name, "tour") != 0;
	return name ? embedded_find("lessons/", name, ".rsh") : NULL;
}

static void drop(struct lesson *lesson)
{
	if (lesson)
		lesson_file_release(&lesson->file);
	mem_free(lesson);
}

void lesson_free(struct shell *shell)
{
	drop(shell->lesson);
	shell->lesson = NULL;
}

/* ST_NAME: there is no such lesson. *made is the caller's, to be freed by drop. */
static enum status load(int number, struct lesson **made)
{
	const struct embedded *file = find_file(number);
	if (!file)
		return fail(ST_NAME, "no lesson %d; `lessons` lists them", number);
	struct lesson *lesson = mem_alloc(sizeof *lesson);
	lesson->number = number;
	lesson->task = -1;
	enum status status = lesson_file_read(&lesson->file, file->bytes, file->count, file->path);
	if (status == ST_OK)
		*made = lesson;
	else
		drop(lesson);
	return status;
}

/* Of the open lesson */
static const struct lesson_task *task_of(const struct shell *shell)
{
	return &shell->lesson->file.task[shell->lesson->task];
}

/* The task at hand; NULL, with the failure told: no lesson is open (ST_ARGUMENT). */
static const struct lesson_task *current(const struct shell *shell)
{
	if (shell->lesson && shell->lesson->number)
		return task_of(shell);
	fail(ST_ARGUMENT, "no lesson is open: `lesson 1` opens the first, `lessons` lists them");
	return NULL;
}

/* Runs lines without showing what they say. The journal keeps them beside the command: a world made again
 * needs them. */
static enum status run_quietly(struct shell *shell, const struct text *lines, const char *what)
{
	out_mute(shell->out, 1);
	enum status status = interpreter_run_granting(shell, text_string(lines), lines->count, what, 1, NULL);
	out_mute(shell->out, -1);
	if (status == ST_OK)
		text_put(&shell->journal.ran, text_string(lines), lines->count);
	return status;
}

/* An empty one, on the machine that the lessons' figures are for, as its file describes it: nobody is slow. */
static enum status begin_world(struct shell *shell)
{
	struct machine machine = shell->machine;
	enum status status = device_machine(shell->device, "classroom", &machine);
	if (status != ST_OK)
		return status;
	lasting_machine(shell, &machine);
	status = shell_reset(shell);
	text_add(&shell->journal.ran, "machine classroom\n");
	return status;
}

/* Such a world, with the task's starter lines */
static enum status begin_task(struct shell *shell)
{
	enum status status = begin_world(shell);
	if (status != ST_OK)
		return status;
	return run_quietly(shell, &task_of(shell)->part[PART_START], "the lesson");
}

enum status lesson_list(struct call *call)
{
	struct shell *shell = call->shell;
	out_say(shell->out, "   %s%s%s       three minutes: it types for you\n",
	        STYLED(shell->out, COLOUR_HEAD, "tour"));
	for (int number = 1; find_file(number); number++) {
		struct lesson *lesson = NULL;
		enum status status = load(number, &lesson);
		if (status != ST_OK)
			return status;
		out_say(shell->out, "   %slesson %d%s   %s (%d tasks, %s min)\n",
		        STYLED(shell->out, COLOUR_HEAD, number), text_string(&lesson->file.title),
		        lesson->file.tasks, text_string(&lesson->file.minutes));
		drop(lesson);
	}
	return ST_OK;
}

/* ---- how a task looks ---- */

/* Each line indented by three; blank lines stay. */
static void say_text(struct shell *shell, const struct text *text, int colour)
{
	const char *at = text_string(text), *end = at + text->count, *line;
	size_t length;
	while ((line = text_line(&at, end, &length)))
		out_say(shell->out, "   %s%.*s%s\n", STYLED(shell->out, colour, (int)length, line));
}

/* What a task asks: title, story, the lines that have run, its question, the commands that go on */
static void say_task(struct shell *shell)
{
	const struct lesson *lesson = shell->lesson;
	const struct lesson_task *task = task_of(shell);
	out_say(shell->out, "%slesson %d, task %d/%d   %s%s\n",
	        STYLED(shell->out, COLOUR_HEAD, lesson->number, lesson->task + 1, lesson->file.tasks,
	                text_string(&task->part[PART_TITLE])));
	say_text(shell, &task->part[PART_STORY], COLOUR_PLAIN);
	if (task->part[PART_START].count) {
		out_say(shell->out, "   %s%s%s\n", STYLED(shell->out, COLOUR_NOTE, "these lines have run:"));
		say_text(shell, &task->part[PART_START], COLOUR_KERNEL);
	}
	if (task->part[PART_QUESTION].count)
		out_say(shell->out, "   First guess: %s\n      answer with: predict ANSWER\n",
		        text_string(&task->part[PART_QUESTION]));
	out_say(shell->out, "   %s%s%s\n", STYLED(shell->out, COLOUR_NOTE, "check   hint   solution   next"));
}

/* ---- a lesson at hand ---- */

/* The lesson open before is left only when the new one is there and fits the number of ranks. */
enum status lesson_open(struct shell *shell, int number)
{
	struct lesson *lesson = NULL;
	enum status status = load(number, &lesson);
	if (status != ST_OK)
		return status;
	status = lesson_file_fits(&lesson->file, number, shell->world->n);
	if (status != ST_OK) {
		drop(lesson);
		return status;
	}
	lesson_free(shell);
	shell->lesson = lesson;
	return lesson_next(shell, NULL);
}

enum status lesson_hint(struct call *call)
{
	const struct lesson_task *task = current(call->shell);
	if (task)
		say_text(call->shell, &task->part[PART_HINT], COLOUR_PLAIN);
	return task ? ST_OK : ST_ARGUMENT;
}

/* Shows it; with `run` it is run from the task's start, so that whatever the learner left does not disturb
 * it. */
enum status lesson_solution(struct shell *shell, bool run)
{
	const struct lesson_task *task = current(shell);
	if (!task)
		return ST_ARGUMENT;
	say_text(shell, &task->part[PART_SOLUTION], COLOUR_KERNEL);
	if (!run) {
		out_say(shell->out, "   type it, or let it run from the task's start: solution run\n");
		return ST_OK;
	}
	enum status status = begin_task(shell);
	return status == ST_OK ? run_quietly(shell, &task->part[PART_SOLUTION], "the solution") : status;
}

/* Runs the check's lines one by one, up to the first that does not hold; *passed when each held. A failure of
 * the session itself (Ctrl-C, a rank that is gone) is no answer and goes on to the caller. The books stay as they were: `expect` only
 * looks. A line that cannot be answered (a tensor that the learner has not made) does not hold either. */
static enum status run_check(struct shell *shell, bool *passed)
{
	const struct text *check = &task_of(shell)->part[PART_CHECK];
	const char *at = text_string(check), *end = at + check->count, *line;
	int failed_before = shell->expects_failed;
	size_t length;

	*passed = true;
	while (*passed && (line = text_line(&at, end, &length))) {
		enum status status = interpreter_run(shell, line, length, NULL, 1);
		if (status == ST_INTERRUPTED || status == ST_MEMORY || status == ST_MPI || status == ST_BUG)
			return status;
		if (status != ST_OK || shell->expects_failed > failed_before) {
			*passed = false;
			/* the comment behind the `expect` tells the learner why */
			const char *hash = memmem(line, length, "  # ", 4);
			if (hash)
				out_say(shell->out, "   %s%.*s%s\n",
				        STYLED(shell->out, COLOUR_BAD, (int)(length - (hash - line) - 4),
				                hash + 4));
			if (status != ST_OK && status != ST_EXPECT)
				out_say(shell->out, "   (%s)\n", fail_text());
		}
	}
	shell->expects_failed = failed_before;
	return ST_OK;
}

enum status lesson_check(struct call *call)
{
	struct shell *shell = call->shell;
	bool passed = false;
	enum status status = current(shell) ? run_check(shell, &passed) : ST_ARGUMENT;
	if (status != ST_OK)
		return status;
	if (!passed) {
		out_say(shell->out,
		        "   %s%s%s   `undo` takes a line back; timeline shows where it stands; hint "
		        "helps\n",
		        STYLED(shell->out, COLOUR_BAD, "not yet"));
		return ST_OK;
	}
	bool last = shell->lesson->task + 1 == shell->lesson->file.tasks;
	out_say(shell->out, "   %s%s%s   %s\n", STYLED(shell->out, COLOUR_GOOD, "right"),
	        last ? "that was the last task; `lessons` lists the others" : "`next` goes on");
	return ST_OK;
}

/* The answer and the right figure are both expressions, compared in the world as it is: nothing is
 * revealed but whether it is within a tenth. */
enum status lesson_predict(struct shell *shell, const char *answer)
{
	const struct lesson_task *task = current(shell);
	struct text line = {0};
	if (!task)
		return ST_ARGUMENT;
	if (!task->part[PART_ANSWER].count)
		return fail(ST_ARGUMENT, "this task asks for no prediction");
	int failed_before = shell->expects_failed;
	/* within a tenth of the right figure, by the same expressions that everybody uses */
	text_add(&line, "expect abs((%s) - (%s)) <= 10%% * abs(%s)", answer,
	        text_string(&task->part[PART_ANSWER]), text_string(&task->part[PART_ANSWER]));
	out_mute(shell->out, 1);
	enum status status = interpreter_run(shell, text_string(&line), line.count, NULL, 1);
	out_mute(shell->out, -1);
	bool right = status == ST_OK && shell->expects_failed == failed_before;
	shell->expects_failed = failed_before;
	text_release(&line);
	if (status != ST_OK && status != ST_EXPECT)
		return fail_in(status, "predict %s", answer);
	bool bare = !answer[strspn(answer, "0123456789.")];
	out_say(shell->out, "   %s%s%s\n",
	        STYLED(shell->out, right ? COLOUR_GOOD : COLOUR_BAD,
	                right ? "right, within a tenth"
	                        : bare
	                        ? "not within a tenth; a time has its unit, as 60us or 2ms: guess again"
	                        : "not within a tenth: run it, look at the timeline, and guess again"));
	return ST_OK;
}

/* ---- the tour: the same file of steps; its lines are shown and run */

enum status tour_open(struct shell *shell, lesson_play *run)
{
	struct lesson *lesson = NULL;
	enum status status = load(0, &lesson);
	if (status != ST_OK)
		return status;
	lesson_free(shell);
	shell->lesson = lesson;
	status = begin_world(shell);
	return status == ST_OK ? lesson_next(shell, run) : status;
}

bool tour_running(const struct shell *shell)
{
	const struct lesson *lesson = shell->lesson;
	return lesson && lesson->number == 0 && lesson->task + 1 < lesson->file.tasks;
}

/* A step of the tour: each line as if typed, behind a prompt, with what it says. */
static enum status play_step(struct shell *shell, lesson_play *run)
{
	const struct lesson *tour = shell->lesson;
	const struct lesson_task *step = task_of(shell);
	const char *at = text_string(&step->part[PART_START]), *end = at + step->part[PART_START].count,
	           *line;
	enum status status = ST_OK;
	size_t length;

	out_say(shell->out, "%stour %d/%d   %s%s\n",
	        STYLED(shell->out, COLOUR_HEAD, tour->task + 1, tour->file.tasks,
	                text_string(&step->part[PART_TITLE])));
	while (status == ST_OK && (line = text_line(&at, end, &length))) {
		out_say(shell->out, "%s%s%s %.*s\n", STYLED(shell->out, COLOUR_NOTE, ">"), (int)length, line);
		status = run(shell, line, length);
		if (status == ST_OK)
			text_add(&shell->journal.ran, "%.*s\n", (int)length, line);
	}
	say_text(shell, &step->part[PART_STORY], COLOUR_PLAIN);
	if (status == ST_OK && tour_running(shell))
		out_say(shell->out, "%s%s%s\n", STYLED(shell->out, COLOUR_NOTE, "   Enter goes on"));
	return status;
}

enum status lesson_next(struct shell *shell, lesson_play *run)
{
	struct lesson *lesson = shell->lesson;
	if (!lesson)
		return fail(ST_ARGUMENT, "nothing is open: `tour` or `lesson 1`");
	if (lesson->task + 1 >= lesson->file.tasks)
		return fail(ST_ARGUMENT, "that was the last %s; `lessons` lists the lessons",
		        lesson->number ? "task" : "step of the tour");
	lesson->task++;
	if (lesson->number == 0)
		return play_step(shell, run);
	enum status status = begin_task(shell);
	if (status == ST_OK)
		say_task(shell);
	return status;
}

/* ---- without a person */

/* Starter lines, then `lines`, then the check: does it hold? A line that fails to run counts as a check that
 * fails. */
static enum status attempt(struct shell *shell, const struct text *lines, bool *passed)
{
	enum status status = begin_task(shell);
	if (status == ST_OK && lines)
		status = run_quietly(shell, lines, "the attempt");
	return status == ST_OK ? run_check(shell, passed) : status;
}

/* Each attempt begins in an empty world of its own. A task holds when its starter fails the check, its solution passes, and everything offered as wrong
 * fails. */
static bool hold_task(struct shell *shell)
{
	const struct lesson_task *task = task_of(shell);
	bool starter = true, solution = false;
	out_mute(shell->out, 1); /* what a check says is for learners */
	enum status status = attempt(shell, NULL, &starter);
	if (status == ST_OK)
		status = attempt(shell, &task->part[PART_SOLUTION], &solution);
	bool holds = status == ST_OK && !starter && solution;
	for (int i = 0; i < task->wrongs && holds; i++) {
		bool passed = true;
		if (attempt(shell, &task->part[PART_WRONG + i], &passed) == ST_OK)
			holds = !passed;
	}
	out_mute(shell->out, -1);
	out_say(shell->out, "%s lesson %d task %d   %s%s%s\n", holds ? "ok" : "FAIL", shell->lesson->number,
	        shell->lesson->task + 1, text_string(&task->part[PART_TITLE]),
	        status != ST_OK     ? ": "
	                : starter   ? ": the starter passes"
	                : !solution ? ": the solution fails"
	                : holds     ? ""
	                            : ": a wrong one passes",
	        status != ST_OK ? fail_text() : "");
	return holds;
}

enum status lesson_check_all(struct shell *shell, int *failed)
{
	enum status status = ST_OK;
	*failed = 0;
	for (int number = 1; status == ST_OK && find_file(number); number++) {
		struct lesson *lesson = NULL;
		status = load(number, &lesson);
		if (status != ST_OK)
			break;
		lesson_free(shell);
		shell->lesson = lesson;
		if (lesson_file_fits(&lesson->file, number, shell->world->n) != ST_OK) {
			out_say(shell->out, "skipped %s\n", fail_text());
			continue;
		}
		for (lesson->task = 0; lesson->task < lesson->file.tasks; lesson->task++)
			*failed += !hold_task(shell);
	}
	lesson_free(shell);
	return status;
}
