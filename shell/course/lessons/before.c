/* before.c -- saves the session's state when a lesson opens; `lesson off` restores it
 *
 *     set launch=5us   strategy ddp   lesson 11   next   lesson 12   lesson off   run 1
 *                                     ^ saved                        ^ restored, ddp too */
#include "shell/course/lessons/inside.h"
#include "shell/training/open.h"

void before_release(struct before *before)
{
	lasting_release(&before->lasting);
	plan_release(&before->plan);
}

void lesson_take(struct shell *shell, struct lesson *lesson)
{
	if (shell->course.lesson) {
		lesson->before = shell->course.lesson->before;
		shell->course.lesson->before = (struct before){0};
	} else {
		lasting_keep(shell, &lesson->before.lasting);
		plan_copy(&shell->training->now, &lesson->before.plan);
		lesson->before.entry = shell->journal.count;
	}
	lesson_free(shell);
	shell->course.lesson = lesson;
}

enum status lesson_give_back(struct shell *shell)
{
	const struct before *before = shell->course.lesson ? &shell->course.lesson->before : NULL;
	if (before) {
		lasting_take(shell, &before->lasting);
		plan_copy(&before->plan, &shell->training->now);
		shell->journal.opened = before->entry + 1;
	}
	if (shell->journal.closes_again)
		shell->journal.opened = shell->journal.closes_again;
	lesson_free(shell);
	training_line(shell); /* lines replayed from here on begin with this plan */
	return shell_reset(shell);
}
