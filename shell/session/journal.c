/* journal.c -- the lines that made this world, and undo */
#include "shell/session/journal.h"
#include "shell/session/shell.h"
#include "base/memory.h"
#include "mpi/plane.h"

#include <string.h>

void journal_release(struct journal *journal)
{
	mem_free(journal->entries);
	*journal = (struct journal){0};
}

static enum status append(struct journal *journal, struct entry entry)
{
	enum status status = MEM_GROW(&journal->entries, journal->count, &journal->room);
	if (status == ST_OK)
		journal->entries[journal->count++] = entry;
	return status;
}

enum status journal_settle(struct shell *shell)
{
	struct journal *journal = &shell->journal;
	size_t typed = shell->typed.count;
	size_t known = journal->count ? journal->entries[journal->count - 1].to : 0;
	if (typed < known)
		journal->count = known = 0;
	if (typed == known)
		return ST_OK;
	return append(journal, (struct entry){.from = known, .to = typed, .scenery = true, .stamp = -1});
}

enum status journal_add(struct shell *shell, const char *line, size_t count, int64_t stop, int64_t stamp)
{
	enum status status = journal_settle(shell);
	if (status != ST_OK)
		return status;
	size_t from = shell->typed.count;
	text_put(&shell->typed, line, count);
	if (count == 0 || line[count - 1] != '\n')
		text_put(&shell->typed, "\n", 1);
	status = shell->typed.broken
	        ? ST_MEMORY
	        : append(&shell->journal,
	                  (struct entry){
	                          .from = from, .to = shell->typed.count, .stop = stop, .stamp = stamp});
	if (status != ST_OK) { /* the lines before are whole */
		shell->typed.broken = false;
		shell->typed.count = from;
	}
	return status;
}

int journal_lines(const struct journal *journal)
{
	int lines = 0;
	for (size_t i = 0; i < journal->count; i++)
		lines += !journal->entries[i].scenery;
	return lines;
}
