/* replay.c -- the journal's lines run again: undo */
#include "shell/line/replay.h"
#include "base/memory.h"
#include "machine/machine.h"
#include "mpi/plane.h"
#include "shell/language/run/command.h"
#include "shell/line/line.h"
#include "shell/session/journal.h"
#include "shell/session/out.h"
#include "shell/training/open.h"
#include "shell/training/training.h"

#include <string.h>

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

/* Without the lines typed: the steps alone */
static enum status play_again(struct shell *shell, const struct plan *plan, long played)
{
	enum status status = plan_copy(plan, &shell->training->now);
	if (status == ST_OK)
		status = shell_reset(shell);
	out_mute(shell->out, 1);
	if (status == ST_OK && played > 0)
		status = program_steps(shell, played, false);
	out_mute(shell->out, -1);
	return status;
}

enum status program_back(struct shell *shell, long played)
{
	struct training *t = training_of(shell);
	if (!t->now.program.count)
		return fail(ST_ARGUMENT,
		        "there is no program: `strategy ddp` writes one, `program F.rsh` loads one");
	if (played < 0)
		return fail(ST_RANGE, "step back: only %ld step%s played", t->played,
		        t->played == 1 ? " was" : "s were");
	struct plan plan = {0};
	enum status status = plan_copy(&t->now, &plan);
	if (status != ST_OK)
		return status;
	t->limit = played;
	status = journal_restore(shell);
	t->limit = -1;
	if (status == ST_OK &&
	        (t->played != played ||
	                !t->now.program.count)) /* the program came with the line that runs now */
		status = play_again(shell, &plan, played);
	plan_release(&plan);
	shell->undid = true;
	return status;
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
