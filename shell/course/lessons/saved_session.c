/* saved_session.c -- saves the session's state when a lesson opens; `lesson off` restores it
 *
 *     set launch=5us   strategy ddp   lesson 11   next   lesson 12   lesson off   run 1
 *                                     ^ saved                        ^ restored, ddp too */
#include "shell/course/lessons/open_lesson.h"
#include "shell/training/open.h"

void saved_session_release(struct saved_session *saved)
{
	lasting_release(&saved->lasting);
	plan_release(&saved->plan);
}

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

enum status lesson_restore_session(struct shell *shell)
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
