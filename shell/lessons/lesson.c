/* lesson.c -- plays lessons and the tour: opens them, runs a task's starter lines, hints, shows the solution
 *
 * A task begins in an empty world on the machine that its figures are for, with its starter lines run
 * without a word.
 *
 * The tour is a lesson of number 0 whose steps run and show their lines by themselves. Lines that a
 * command of a lesson runs are kept in the journal beside that command (journal.ran), since a world made
 * again needs them. */
#include "shell/lessons/inside.h"
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/device.h"
#include "shell/session/lasting.h"
#include "shell/session/learned.h"
#include "shell/training/open.h"

#include <string.h>

const struct embedded *lesson_embedded(int number)
{
	const char *name = "tour";
	for (int i = 0; number > 0 && (name = embedded_name("lessons/", i, ".rsh")); i++)
		number -= strcmp(name, "tour") != 0;
	return name ? embedded_find("lessons/", name, ".rsh") : NULL;
}

void lesson_drop(struct lesson *lesson)
{
	if (lesson)
		lesson_file_release(&lesson->file);
	mem_free(lesson);
}

void lesson_free(struct shell *shell)
{
	lesson_drop(shell->lesson);
	shell->lesson = NULL;
}

enum status lesson_load(int number, struct lesson **made)
{
	const struct embedded *file = lesson_embedded(number);
	if (!file)
		return fail(ST_NAME, "no lesson %d; `lessons` lists them", number);
	struct lesson *lesson = mem_alloc(sizeof *lesson);
	lesson->number = number;
	lesson->task = -1;
	enum status status = lesson_file_read(&lesson->file, file->bytes, file->count, file->path);
	if (status == ST_OK)
		*made = lesson;
	else
		lesson_drop(lesson);
	return status;
}

const struct lesson_task *lesson_task_of(const struct shell *shell)
{
	return &shell->lesson->file.task[shell->lesson->task];
}

const struct lesson_task *lesson_current(const struct shell *shell)
{
	if (shell->lesson && shell->lesson->number)
		return lesson_task_of(shell);
	fail(ST_ARGUMENT, "no lesson is open: `lesson 1` opens the first, `lessons` lists them");
	return NULL;
}

enum status lesson_run(struct shell *shell, const struct text *lines, const char *what)
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

enum status lesson_begin_task(struct shell *shell)
{
	enum status status = begin_world(shell);
	if (status != ST_OK)
		return status;
	return lesson_run(shell, &lesson_task_of(shell)->part[PART_START], "the lesson");
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
	const struct lesson_task *task = lesson_task_of(shell);
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
	enum status status = lesson_load(number, &lesson);
	if (status != ST_OK)
		return status;
	status = lesson_file_fits(&lesson->file, number, shell->world->n);
	if (status == ST_OK)
		status = learned_lesson(shell, number);
	if (status != ST_OK) {
		lesson_drop(lesson);
		return status;
	}
	lesson_free(shell);
	shell->lesson = lesson;
	return lesson_next(shell, NULL);
}

enum status lesson_hint(struct call *call)
{
	const struct lesson_task *task = lesson_current(call->shell);
	enum status status = task ? learned_shows(call->shell, true) : ST_ARGUMENT;
	if (status != ST_OK)
		return status;
	say_text(call->shell, &task->part[PART_HINT], COLOUR_PLAIN);
	lesson_note(call->shell, "hint", "");
	return ST_OK;
}

/* Shows it; with `run` it is run from the task's start, so that whatever the learner left does not disturb
 * it. */
enum status lesson_solution(struct shell *shell, bool run)
{
	const struct lesson_task *task = lesson_current(shell);
	enum status status = task ? learned_shows(shell, false) : ST_ARGUMENT;
	if (status != ST_OK)
		return status;
	say_text(shell, &task->part[PART_SOLUTION], COLOUR_KERNEL);
	lesson_note(shell, "solution", run ? "run" : "");
	if (!run) {
		out_say(shell->out, "   type it, or let it run from the task's start: solution run\n");
		return ST_OK;
	}
	status = lesson_begin_task(shell);
	return status == ST_OK ? lesson_run(shell, &task->part[PART_SOLUTION], "the solution") : status;
}

/* ---- the tour: the same file of steps; its lines are shown and run */

enum status tour_open(struct shell *shell, lesson_play *run)
{
	struct lesson *lesson = NULL;
	enum status status = lesson_load(0, &lesson);
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
	const struct lesson_task *step = lesson_task_of(shell);
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
	lesson_note_left(shell);
	lesson->task++;
	if (lesson->number == 0)
		return play_step(shell, run);
	enum status status = lesson_begin_task(shell);
	lesson_note(shell, "open", text_string(&lesson_task_of(shell)->part[PART_TITLE]));
	if (status == ST_OK)
		say_task(shell);
	return status;
}
