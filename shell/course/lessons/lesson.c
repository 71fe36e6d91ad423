/* lesson.c -- opens, restarts, shows and closes lessons
 *
 * A task begins in an empty world on the lessons' machine; its starter runs silently. The journal
 * keeps such lines with their command (journal.ran), for replay. */
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/course/lessons/open_lesson.h"
#include "shell/session/device.h"
#include "shell/values/share.h"
#include "shell/training/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct embedded *lesson_embedded(int number)
{
	const char *name;
	char head[16];
	if (number == 0)
		return embedded_find("lessons/", "tour", ".rsh");
	snprintf(head, sizeof head, "%02d-", number);
	for (int i = 0; (name = embedded_name("lessons/", i, ".rsh")); i++)
		if (strncmp(name, head, strlen(head)) == 0)
			return embedded_find("lessons/", name, ".rsh");
	return NULL;
}

bool lesson_is_numbered(const char *word, int *number, int *task)
{
	char *end;
	long lesson = strtol(word, &end, 10), of = 0;
	if (end == word || lesson < 1 || lesson > 1000)
		return false;
	if (*end == '.') {
		const char *behind = end + 1;
		of = strtol(behind, &end, 10);
		if (end == behind || of < 1 || of > 1000)
			return false;
	}
	if (*end)
		return false;
	*number = (int)lesson;
	*task = (int)of;
	return true;
}

void lesson_drop(struct lesson *lesson)
{
	if (!lesson)
		return;
	lesson_file_release(&lesson->file);
	task_rules_release(&lesson->rules);
	typed_release(&lesson->typed);
	lasting_release(&lesson->saved.lasting);
	plan_release(&lesson->saved.plan);
	mem_free(lesson);
}

void lesson_free(struct shell *shell)
{
	shell->course.watch = NULL;
	lesson_drop(shell->course.lesson);
	shell->course.lesson = NULL;
}

enum status lesson_load(struct shell *shell, int number, const char *path, struct lesson **made)
{
	const struct embedded *file = number < 0 ? NULL : lesson_embedded(number);
	char *bytes = NULL;
	size_t count = 0;
	if (number >= 0 && !file)
		return fail(ST_NAME, "no lesson %d; `lessons` lists them", number);
	struct lesson *lesson = mem_alloc(sizeof *lesson);
	lesson->number = number;
	lesson->task = -1;
	snprintf(lesson->path, sizeof lesson->path, "%s", path ? path : "");
	if (number > 0)
		snprintf(lesson->title, sizeof lesson->title, "lesson %d", number);
	else
		snprintf(lesson->title, sizeof lesson->title, "%s", lesson->path);
	char place[1600];
	own_lesson_path(path ? path : "", place, sizeof place);
	enum status status = file ? ST_OK : shell_file(shell, place, &bytes, &count);
	if (status == ST_FILE && !strpbrk(path, "./"))
		status = fail(ST_NAME,
		        "lesson %s: no such lesson; `lesson 4`, `lesson 4.2`, a file as F.rsh, or off", path);
	if (status == ST_OK)
		status = lesson_file_read(&lesson->file, file ? file->bytes : bytes,
		        file ? file->count : count, file ? file->path : path, number == 0);
	mem_free(bytes);
	if (status == ST_OK)
		*made = lesson;
	else
		lesson_drop(lesson);
	return status;
}

const struct lesson_task *lesson_task_of(const struct shell *shell)
{
	return &shell->course.lesson->file.task[shell->course.lesson->task];
}

const struct lesson_task *lesson_current(const struct shell *shell)
{
	if (shell->course.lesson && shell->course.lesson->number && shell->course.lesson->task >= 0)
		return lesson_task_of(shell);
	fail(ST_ARGUMENT, "no lesson is open: `lesson 1` opens the first, `lessons` lists them");
	return NULL;
}

static enum status lesson_run(struct shell *shell, const struct text *lines)
{
	out_mute(shell->out, 1);
	shell->files.reads_only = true;
	enum status status =
	        interpreter_run_granting(shell, text_string(lines), lines->count, TASK_FILE, 1, NULL);
	shell->files.reads_only = false;
	out_mute(shell->out, -1);
	if (status == ST_OK)
		text_put(&shell->journal.ran, text_string(lines), lines->count);
	return status;
}

enum status lesson_begin_world(struct shell *shell)
{
	struct machine machine = shell->lasting.machine;
	enum status status = device_machine(shell->device, "classroom", &machine);
	if (status != ST_OK)
		return status;
	lasting_machine(shell, &machine);
	plan_copy(&(struct plan){0}, &shell->training->now);
	training_line(shell); /* replay in this world begins without a plan, too */
	status = shell_reset(shell);
	/* no newline: the starter's lines keep their numbers */
	text_add(&shell->journal.ran, "machine classroom;  ");
	return status;
}

static enum status begin_task(struct shell *shell)
{
	shell->course.watch = NULL;
	enum status status = lesson_begin_world(shell);
	if (status == ST_OK)
		status = lesson_run(shell, &lesson_task_of(shell)->part[PART_START]);
	task_watch(shell);
	return status;
}

enum status lesson_begin_again(struct shell *shell)
{
	if (!lesson_current(shell))
		return ST_ARGUMENT;
	enum status status = begin_task(shell);
	if (status == ST_OK)
		out_say(shell->out, "   the task starts again; `task` shows it\n");
	return status;
}

/* ---- the session's state: saved when a lesson opens, restored by `lesson off`
 *
 *     set launch=5us   strategy ddp   lesson 11   next   lesson 12   lesson off   run 1
 *                                     ^ saved                        ^ restored, ddp too */

void lesson_install(struct shell *shell, struct lesson *lesson)
{
	if (shell->course.lesson) {
		lesson->saved = shell->course.lesson->saved;
		shell->course.lesson->saved = (struct saved_session){0};
	} else {
		lasting_keep(shell, &lesson->saved.lasting);
		plan_copy(&shell->training->now, &lesson->saved.plan);
		lesson->saved.entry = shell->journal.count;
	}
	lesson_free(shell);
	shell->course.lesson = lesson;
}

/* Closes the lesson and restores the session's state in an empty world. If none is open
 * (closes_again in journal.h), the session has that state already. */
static enum status lesson_restore_session(struct shell *shell)
{
	const struct saved_session *saved = shell->course.lesson ? &shell->course.lesson->saved : NULL;
	if (saved) {
		lasting_take(shell, &saved->lasting);
		plan_copy(&saved->plan, &shell->training->now);
		shell->journal.opened = saved->entry + 1;
	}
	if (shell->journal.closes_again)
		shell->journal.opened = shell->journal.closes_again;
	lesson_free(shell);
	training_line(shell); /* lines replayed from here on begin with this plan */
	return shell_reset(shell);
}

static enum status lesson_fits(const struct shell *shell, const struct lesson *lesson, int task)
{
	enum status status = lesson_file_fits(&lesson->file, lesson->title, shell->world->n);
	if (status == ST_OK && task > lesson->file.tasks)
		return fail(ST_RANGE, "%s has tasks 1 to %d, no %d", lesson->title, lesson->file.tasks, task);
	if (status == ST_OK && shell->dry && !shell->replay.recalls)
		return fail(ST_ARGUMENT, "%s needs data, and --dry has none: start ranksh without it",
		        lesson->title);
	return status;
}

static enum status open_task(struct shell *shell, int task)
{
	struct lesson *lesson = shell->course.lesson;
	lesson->task = task;
	lesson->guess[0] = '\0';
	lesson->skips = false;
	enum status status = begin_task(shell);
	lesson_note(shell, "open", text_string(&lesson_task_of(shell)->part[PART_TITLE]));
	return status == ST_OK ? task_tell(shell) : status;
}

enum status lesson_open(struct shell *shell, int number, int task, const char *path)
{
	struct lesson *lesson = NULL;
	enum status status = lesson_load(shell, number ? number : -1, path, &lesson);
	if (status != ST_OK)
		return status;
	status = lesson_fits(shell, lesson, task);
	if (status == ST_OK && number)
		status = learned_lesson(shell, number);
	if (status != ST_OK) {
		lesson_drop(lesson);
		return status;
	}
	lesson_note_left(shell);
	lesson_install(shell, lesson);
	return open_task(shell, task ? task - 1 : 0);
}

enum status lesson_leave(struct shell *shell)
{
	lesson_note_left(shell);
	enum status status = lesson_restore_session(shell);
	if (status == ST_OK)
		out_say(shell->out,
		        "   the lesson is closed: an empty world, with the machine and the settings from "
		        "before\n");
	return status;
}

enum status lesson_next(struct shell *shell)
{
	struct lesson *lesson = shell->course.lesson;
	if (!lesson)
		return fail(ST_ARGUMENT, "no lesson or tour is open: `tour` or `lesson 1`");
	if (lesson->number == 0)
		return tour_next(shell);
	if (lesson->task + 1 < lesson->file.tasks) {
		lesson_note_left(shell);
		return open_task(shell, lesson->task + 1);
	}
	if (lesson->number > 0 && lesson_embedded(lesson->number + 1))
		return lesson_open(shell, lesson->number + 1, 0, NULL);
	return fail(ST_ARGUMENT, "this was the last task; `lessons` lists the lessons");
}

enum status lesson_task_shown(struct shell *shell, bool start)
{
	const struct lesson_task *task = lesson_current(shell);
	if (!task)
		return ST_ARGUMENT;
	if (!start)
		return task_tell(shell);
	if (task->unseen)
		tell_unseen(shell);
	else
		tell_lines(shell, &task->part[PART_START], COLOUR_KERNEL);
	return ST_OK;
}

enum status lesson_solution(struct shell *shell, bool run)
{
	const struct lesson_task *task = lesson_current(shell);
	enum status status = task ? learned_shows(shell, false) : ST_ARGUMENT;
	if (status != ST_OK)
		return status;
	tell_lines(shell, &task->part[PART_SOLUTION], COLOUR_KERNEL);
	lesson_note(shell, "solution", run ? "run" : "");
	if (!run) {
		out_say(shell->out, "   type it, or let it run from the task's start: solution run\n");
		return ST_OK;
	}
	status = begin_task(shell);
	if (status == ST_OK)
		status = lesson_run(shell, &task->part[PART_SOLUTION]);
	struct lesson *lesson = shell->course.lesson;
	typed_text(&lesson->typed, text_string(&task->part[PART_SOLUTION]));
	/* replay runs them with the starter, not as typed lines */
	lesson->floor = lesson->typed.count;
	lesson->skips = true;
	return status;
}
