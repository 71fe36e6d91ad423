/* journal_note.c -- which lines run again for a question (replay/rerun.c), by their place in the
 * running text */
#include "shell/language/run/run.h"

/* Returns the statement's place in the outermost text; *known false: it is in a block, in another
 * file, or on several lines. */
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
