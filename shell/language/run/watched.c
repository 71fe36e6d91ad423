/* watched.c -- which statements are the learner's own, and watched by a task
 * (shell/session/watch.h) */
#include "shell/session/watch.h"
#include "shell/language/run/run.h"

#include <string.h>

bool watch_owns_file(const struct shell *shell, const char *file)
{
	const struct watch *watch = shell->course.watch;
	return watch && watch->own_file && strcmp(file, watch->own_file) == 0;
}

bool statement_watched(const struct shell *shell)
{
	const struct interpreter *in = shell->interpreter;
	const char *file = in->now.tree->file;
	return shell->course.watch && in->now.frame->space == &in->learner && !in->now.file &&
	        !(file && watch_owns_file(shell, file));
}

void watch_report(struct shell *shell, const struct statement *statement, enum status status)
{
	const struct interpreter *in = shell->interpreter;
	const struct tree *tree = in->now.tree;
	const char *at = statement->begin, *end = tree->text + tree->count;
	if (!statement_watched(shell) || !shell->course.watch->after || in->now.runs != 1 || in->now.blocks ||
	        in->now.frame != &in->base_frame)
		return;
	if (statement->next)
		end = statement->next->begin;
	while (end > at && strchr(" \t\n;", end[-1]))
		end--;
	shell->course.watch->after(shell, at, (size_t)(end - at), statement->line, status);
}
