/* watched.c -- reports statements to a task (session/course.h), and records the lines before a
 * question, which run again (replay/rerun.c) */
#include "shell/session/course.h"
#include "shell/language/run/run.h"

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

/* Returns the statement's offset in the outermost text. Sets *known to false if it is in a block
 * or another file, or has several lines. */
static size_t statement_place(const struct interpreter *in, const struct statement *statement, bool *known)
{
	const char *text = in->now.tree->text, *at = statement->source.at;
	*known = in->now.blocks == 0 && in->now.runs == 1 && at >= text && at < text + in->now.tree->count;
	return *known ? (size_t)(at - text) : 0;
}

void journal_note_text(struct shell *shell, const struct statement *statement)
{
	const struct interpreter *in = shell->interpreter;
	struct journal *journal = &shell->journal;
	bool known;
	struct journal_text *here = &journal->here;
	*here = (struct journal_text){.from = journal->from, .values = journal->values};
	here->to = statement_place(in, statement, &known);
	if (!known)
		return;
	here->text = in->now.tree->text;
	here->line = statement->line;
	here->file = in->now.tree->file;
	for (size_t i = here->from; i < here->to; i++)
		here->line -= here->text[i] == '\n';
}

void journal_note_empty(struct shell *shell, const struct statement *statement)
{
	bool known;
	size_t place = statement_place(shell->interpreter, statement, &known);
	known = known && !shell->interactive;
	shell->journal.from = known ? place : 0;
	shell->journal.values = known ? shell->steering.read.count : 0;
}
