/* progress.c -- the list of lessons with the solved tasks, and a task's events */
#include "shell/course/lessons/open_lesson.h"
#include "shell/course/class/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_NAME = 32 };

static void name_task(char name[TASK_NAME], int lesson, int task)
{
	snprintf(name, TASK_NAME, "%d.%d", lesson, task + 1);
}

int lesson_tasks(int number)
{
	struct lesson *lesson = NULL;
	int tasks = number > 0 && lesson_load(NULL, number, NULL, &lesson) == ST_OK ? lesson->file.tasks : 0;
	lesson_drop(lesson);
	return tasks;
}

/* Finds the next unsolved task, from the lesson solved last on, then from the first. Returns false
 * if none. */
static bool find_next(const struct shell *shell, char next[TASK_NAME])
{
	const struct learned *learned = shell->course.learned;
	const char *last = learned ? text_string(&learned->solved) : "";
	size_t length = learned ? learned->solved.count : 0;
	while (length && last[length - 1] == ' ')
		length--;
	while (length && last[length - 1] != ' ')
		length--;
	int from = (int)strtol(last + length, NULL, 10);
	for (int round = 0; round < 2; round++)
		for (int number = round || from < 1 ? 1 : from; lesson_embedded(number); number++) {
			int tasks =
			        !learned || rules_opens(&learned->rules, number) ? lesson_tasks(number) : 0;
			for (int task = 0; task < tasks; task++) {
				name_task(next, number, task);
				if (!learned_solved(shell, next))
					return true;
			}
		}
	return false;
}

static enum status list_one(struct shell *shell, int number, int width)
{
	struct lesson *lesson = NULL;
	struct text marks = {0};
	enum status status = lesson_load(shell, number, NULL, &lesson);
	if (status != ST_OK) {
		out_say(shell->out, "   lesson %-2d   %s\n", number, fail_text());
		return ST_OK;
	}
	bool opens = !shell->course.learned || rules_opens(&shell->course.learned->rules, number);
	char name[TASK_NAME];
	for (int task = 0; task < lesson->file.tasks; task++) {
		name_task(name, number, task);
		bool solved = learned_solved(shell, name);
		text_add(&marks, "%s", !shell->interactive ? solved ? "x" : "." : solved ? "✓" : "·");
	}
	text_repeat(&marks, " ", width - lesson->file.tasks);
	out_say(shell->out, "   %slesson %-2d%s  %s%s%s   %s%s  %s\n",
	        STYLED(shell->out, COLOUR_HEAD, number), STYLED(shell->out, COLOUR_GOOD, text_string(&marks)),
	        opens ? text_string(&lesson->file.minutes) : "closed", opens ? " min" : "",
	        text_string(&lesson->file.title));
	text_release(&marks);
	lesson_drop(lesson);
	return ST_OK;
}

enum status lesson_list(struct call *call)
{
	struct shell *shell = call->shell;
	char next[TASK_NAME];
	int width = 0;
	enum status status = learned_class(shell);
	for (int number = 1, tasks; lesson_embedded(number); number++)
		width = (tasks = lesson_tasks(number)) > width ? tasks : width;
	if (status == ST_OK)
		out_say(shell->out, "   %s%s%s       %*s    3 min  it types for you\n",
		        STYLED(shell->out, COLOUR_HEAD, "tour"), width, "");
	for (int number = 1; status == ST_OK && lesson_embedded(number); number++)
		status = list_one(shell, number, width);
	if (status == ST_OK)
		status = own_lessons_tell(shell);
	struct text open = {0};
	lesson_put_open(shell, &open);
	if (status == ST_OK && open.count)
		out_say(shell->out, "   %s is open; `task` shows it\n", text_string(&open));
	text_release(&open);
	if (status == ST_OK && find_next(shell, next))
		out_say(shell->out, "   next: lesson %s\n", next);
	else if (status == ST_OK)
		out_say(shell->out, "   all tasks are solved\n");
	return status;
}

/* Returns false if no task of a numbered lesson is open. */
static bool name_open_task(const struct shell *shell, char name[TASK_NAME])
{
	const struct lesson *lesson = shell->course.lesson;
	if (!lesson || lesson->number < 1 || lesson->task < 0)
		return false;
	name_task(name, lesson->number, lesson->task);
	return true;
}

static void note_done(struct shell *shell, const char *task)
{
	const struct lesson *lesson = shell->course.lesson;
	char name[TASK_NAME];
	for (int i = 0; i < lesson->file.tasks; i++) {
		name_task(name, lesson->number, i);
		if (!learned_solved(shell, name))
			return;
	}
	learned_note(shell, "done", task, text_string(&lesson->file.title));
}

bool lesson_unseen(const struct shell *shell)
{
	const struct lesson *lesson = shell->course.lesson;
	return lesson && lesson->number != 0 && lesson->task >= 0 && lesson->file.task[lesson->task].unseen;
}

void lesson_put_open(const struct shell *shell, struct text *out)
{
	const struct lesson *lesson = shell->course.lesson;
	if (!lesson || lesson->number == 0 || lesson->task < 0)
		return;
	if (lesson->number > 0)
		text_add(out, "task %d.%d", lesson->number, lesson->task + 1);
	else
		text_add(out, "task %d of %s", lesson->task + 1, lesson->path);
}

void lesson_note(struct shell *shell, const char *what, const char *words)
{
	char task[TASK_NAME];
	if (!name_open_task(shell, task))
		return;
	learned_note(shell, what, task, words);
	if (strcmp(what, "check") == 0 && words && strcmp(words, "right") == 0)
		note_done(shell, task);
}

void lesson_note_left(struct shell *shell)
{
	char task[TASK_NAME];
	if (name_open_task(shell, task) && !learned_solved(shell, task))
		lesson_note(shell, "skip", "");
}
