/* journal.c -- the lines that made this world, and undo */
#include "shell/session/journal.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
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

/* The entry at which the last `count` typed lines begin; what was not typed stays. */
static size_t first_dropped(const struct journal *journal, int count)
{
	size_t first = journal->count;
	for (size_t i = journal->count; i > 0 && count > 0; i--) {
		if (journal->entries[i - 1].scenery)
			continue;
		first = i - 1;
		count--;
	}
	return first;
}

/* The old entries but the typed ones from `dropped` on; the run writes new ones. */
static enum status run_again(
        struct shell *shell, const struct text *typed, const struct journal *journal, size_t dropped)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < journal->count && status != ST_MEMORY; i++) {
		const struct entry *entry = &journal->entries[i];
		if (i >= dropped && !entry->scenery)
			continue;
		const char *line = typed->bytes + entry->from;
		status = shell_line_again(shell, line, entry->to - entry->from, entry->stop, entry->stamp);
		if (entry->scenery && shell->journal.count)
			shell->journal.entries[shell->journal.count - 1].scenery = true;
	}
	return status == ST_MEMORY ? status
	                           : ST_OK; /* a line refused half-way is refused at the same place again */
}

static void keep_lines(struct shell *shell, const struct text *typed, const struct journal *journal)
{
	text_release(&shell->typed);
	journal_release(&shell->journal);
	shell->typed = *typed;
	shell->journal = *journal;
}

static enum status empty_again(struct shell *shell)
{
	shell->machine = shell->machine_at_reset;
	shell->again = true;
	enum status status = shell_reset(shell);
	shell->again = false;
	return status;
}

/* An empty world, then all lines but the last `count` typed ones. Should memory run out twice, the world is
 * in pieces, and the lines are as before. */
static enum status replay(struct shell *shell, int count)
{
	struct text typed = shell->typed;
	struct journal journal = shell->journal;
	struct machine machine_now = shell->machine;
	shell->typed = (struct text){0};
	shell->journal = (struct journal){0};
	shell->replaying++;
	enum status status = empty_again(shell);
	if (status != ST_OK) { /* the world is as before: so are its lines */
		shell->replaying--;
		keep_lines(shell, &typed, &journal);
		shell->machine = machine_now;
		return status;
	}
	size_t dropped = first_dropped(&journal, count);
	out_mute(shell->out, 1);
	status = run_again(shell, &typed, &journal, dropped);
	if (status == ST_MEMORY &&
	        plane_size(shell->plane) ==
	                1) { /* some of it may be free now; several processes do the same, or end */
		status = empty_again(shell);
		status = status == ST_OK ? run_again(shell, &typed, &journal, dropped) : status;
	}
	out_mute(shell->out, -1);
	shell->replaying--;
	if (status != ST_OK) {
		keep_lines(shell, &typed, &journal);
		return status;
	}
	text_release(&typed);
	journal_release(&journal);
	return status;
}

enum status journal_undo(struct shell *shell, int count)
{
	int lines = journal_lines(&shell->journal);
	if (lines == 0)
		return fail(ST_RANGE, "nothing to undo");
	if (count < 1 || count > lines)
		return fail(ST_RANGE, "undo %d: %d line%s were typed since the world was empty", count, lines,
		        lines == 1 ? "" : "s");
	return replay(shell, count);
}

enum status journal_restore(struct shell *shell)
{
	if (shell->typed.broken)
		return fail(ST_MEMORY, "this computer is out of memory: the journal is not complete");
	return replay(shell, 0);
}

/* The first word of a statement behind its clauses "@1", as far as a look at the text can tell. */
static bool statement_only_looks(const char *at, const char *end, bool session)
{
	char word[64];
	size_t length = 0;
	while (at < end && (strchr(" \t\n", *at) || *at == '@')) {
		bool ranks = *at == '@';
		for (at++; ranks && at < end && !strchr(" \t\n", *at); at++)
			;
	}
	if (at == end || *at == '#')
		return true;
	while (at + length < end && !strchr(" \t\n#", at[length]) && length < sizeof word - 1)
		length++;
	memcpy(word, at, length);
	word[length] = '\0';
	const struct command *command = command_find(word);
	/* NAME = ... is never a look, whatever the name */
	for (at += length; at < end && strchr(" \t", *at); at++)
		;
	if (!command || (at < end && (*at == '=' || *at == '+')))
		return false;
	return command->class == COMMAND_LOOK || (session && command->class == COMMAND_SESSION);
}

bool journal_only_looks(const char *line, size_t count, bool session)
{
	const char *end = line + count, *from = line;
	bool quoted = false;
	for (const char *at = line; at < end; at++) {
		if (*at == '"')
			quoted = !quoted;
		if (quoted || (*at != ';' && *at != '\n' && *at != '{'))
			continue;
		if (*at == '{' || !statement_only_looks(from, at, session))
			return false;
		from = at + 1;
	}
	return statement_only_looks(from, end, session);
}
