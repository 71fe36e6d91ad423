/* task.c -- refuses or keeps the lines typed in a task, for `check`
 *
 *     typed      y = matmul x w      wait io on comm      allreduce y on comm
 *     undo       empties world and list; replayed lines are recorded again */
#include "shell/course/lessons/open_lesson.h"
#include "shell/language/parse/tree.h"
#include "shell/language/run/interpreter.h"

static enum status task_before(struct shell *shell, const struct statement *statement)
{
	const struct lesson *lesson = shell->course.watch->of;
	bool looks = statement->kind == STATEMENT_COMMAND &&
	        (statement->row->class == COMMAND_LOOK || statement->row->class == COMMAND_SESSION);
	enum status status = looks ? ST_OK : guess_wanted(shell);
	return status == ST_OK ? task_rules_check(&lesson->rules, statement) : status;
}

/* Read-only and session commands are not part of a solution; refused lines had no effect. */
static void task_after(struct shell *shell, const char *text, size_t count, int line, enum status status)
{
	struct lesson *lesson = shell->course.lesson;
	if (status != ST_OK && status != ST_EXPECT)
		return;
	enum command_class class = interpreter_class(text, count);
	if (class != COMMAND_LOOK && class != COMMAND_SESSION)
		typed_add(&lesson->typed, text, count, line);
}

void task_watch(struct shell *shell)
{
	struct lesson *lesson = shell->course.lesson;
	task_rules_release(&lesson->rules);
	lesson->rules = (struct task_rules){0};
	task_rules_make(&lesson->rules, lesson_task_of(shell));
	lesson->rules.watch.of = lesson;
	lesson->rules.watch.before = task_before;
	lesson->rules.watch.after = task_after;
	typed_cut(&lesson->typed, 0);
	lesson->floor = lesson->passed = 0;
	lesson->hints = lesson->misses = 0;
	lesson->asking = false;
	shell->course.watch = &lesson->rules.watch;
}

void lesson_emptied(struct shell *shell)
{
	if (shell->course.lesson)
		shell->course.lesson->floor = shell->course.lesson->typed.count;
}

void lesson_again(struct shell *shell)
{
	if (!shell->course.lesson)
		return;
	typed_cut(&shell->course.lesson->typed, shell->course.lesson->floor);
	shell->course.lesson->passed = 0;
}
