/* journal_note.c -- which lines run again when a question is asked (replay/rerun.c), as the text that is running knows it */
#include "shell/language/run/run.h"

/* Where the statement stands in the text that nothing runs around; *known false: in a block, in another file, or on
 * several lines */
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
