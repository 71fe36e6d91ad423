/* line.c -- runs one line as if typed at the prompt
 *
 *     journal_begin, training_line     a line's effects count from here
 *     the stop and the stamp           of a replayed line: where Ctrl-C ended it, and its clock
 *     the statements                   wishes are granted in between: undo, reset, a lesson
 *     shell_settle                     final work is carried out; prints, races, failures are said
 *     log_line                         the journal keeps the line if it had an effect
 *     timeline_strip                   with `timeline on` */
#include "shell/line/line.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/open.h"
#include "shell/session/course.h"
#include "shell/session/credit.h"
#include "shell/values/prints.h"
#include "shell/session/timeline.h"
#include "shell/session/note.h"
#include "shell/training/training.h"
#include "shell/language/parse/rows.h"

#include <stdio.h>
#include <string.h>

/* Reaches the answers for which hosts are blocked, until none can get one, so that a read-only
 * command after it changes nothing. Waits for no device. */
static enum status answer_owed(struct shell *shell)
{
	enum { TRIES_MOST = 64 }; /* each try may cost a copy of the engine */
	bool (*waits)(struct budget *) = shell->budget.waits;
	enum status status = ST_OK;
	int tries = 0;

	shell->budget.waits = NULL; /* a host that waits for a device stays blocked */

	for (bool answered = true; answered && status == ST_OK;) {
		answered = false;
		for (int rank = 0; rank < shell->world->n && tries < TRIES_MOST; rank++) {
			struct host_now now = backend_host(shell->backend, rank);
			if (now.state != HOST_BLOCKED)
				continue;
			tries++;
			status = shell_reach(shell, &now.on, 1);
			if (status != ST_OK && status != ST_WAITS && status != ST_STUCK)
				break;
			answered |= status == ST_OK;
			status = ST_OK;
		}
	}
	shell->budget.waits = waits;
	return status;
}

/* A failure in the started work replaces the line's, except for Ctrl-C. */
enum status shell_settle(struct shell *shell, enum status status)
{
	char words[1024];
	snprintf(words, sizeof words, "%s", fail_text());
	/* a script ends by `quit` or a refused line */
	bool ends = status != ST_OK && !shell->interactive;
	/* after Ctrl-C queued work waits for the next line, as it does when the line is
	 * replayed */
	enum status advanced = status == ST_INTERRUPTED ? ST_OK
	        : ends ? shell->backend->finish(shell->backend, &shell->budget)
	               : shell_advance(shell);
	if (advanced == ST_OK && status != ST_INTERRUPTED && shell->interactive)
		advanced = answer_owed(shell);
	if (advanced != ST_OK && (status == ST_OK || advanced != ST_INTERRUPTED)) {
		status = advanced;
		snprintf(words, sizeof words, "%s", fail_text());
	}
	prints_flush(shell);
	warn_new(shell);
	enum status failed = shell->backend->failure(shell->backend);
	if (failed != ST_RANGE || !shell_quiet(shell)) /* replays have reported it */
		shell_keep(shell, failed);
	return fail(status, "%s", words);
}

/* Shows prints that still wait for their data, because the world they are in is replaced next. At
 * the prompt only those that need no further line. */
static enum status show_prints(struct shell *shell)
{
	if (!shell->values.print_count || shell_quiet(shell))
		return ST_OK;
	enum status status = shell->interactive ? shell_advance(shell)
	                                        : shell->backend->finish(shell->backend, &shell->budget);
	prints_flush(shell);
	return status;
}

static enum status grant(struct shell *shell)
{
	const enum wish_kind kind = shell->wishes.statement.kind;
	shell->wishes.statement.kind = WISH_NONE;
	warn_new(shell); /* before this world is replaced */
	if (kind != WISH_EMPTY)
		return shell->wishes.statement.grant(shell);
	enum status status = show_prints(shell);
	if (status != ST_OK)
		return status;
	if (!shell->interactive)
		training_line(shell); /* a script's replay begins with this line */
	status = shell_reset(shell);
	if (shell->course.functions)
		shell->course.functions->emptied(shell);
	return status;
}

enum status line_text(struct shell *shell, const char *text, size_t count, const char *file, int first_line)
{
	return interpreter_run_granting(shell, text, count, file, first_line, grant);
}

enum status line_ours(struct shell *shell, const char *line)
{
	return shell_settle(shell, line_text(shell, line, strlen(line), NULL, 1));
}

/* Changes of other state (the machine, `loader`) are not in the digest; interpreter_did counts
 * their statements. */
static uint64_t digest(const struct shell *shell)
{
	return shell->world->digest ^ interpreter_digest(shell->interpreter);
}

/* Returns true if the line becomes an entry. A refused line, a request to the front end or `quit`
 * becomes one if a part took effect or it read a computed number. Replays keep all lines. */
static bool to_keep(
        const struct shell *shell, enum command_class class, enum status status, bool refused, bool effect)
{
	const struct journal *journal = &shell->journal;
	if (status == ST_INCOMPLETE || journal->rewritten || class == COMMAND_LOOK)
		return false;
	if (shell->replay.depth)
		return true;
	if (status == ST_QUIT) /* the entry has no `quit`, which would end a replayed session */
		return effect && journal->does_to == SIZE_MAX;
	return effect || shell->line.reached || (!refused && shell->wishes.front_end.kind == WISH_NONE);
}

/* Adds the entry as it will run again (journal_did), with a session command's own lines. */
static void log_line(struct shell *shell, const char *line, size_t count, enum status status, bool changed,
        bool effect, struct journal_entry entry)
{
	struct journal *journal = &shell->journal;
	struct text kept = {0};
	journal_kept(journal, line, count, &kept);
	entry.line = (char *)text_string(&kept);
	char words[1024]; /* the line's failure: interpreter_class may overwrite its words */
	snprintf(words, sizeof words, "%s", fail_text());
	enum command_class class = interpreter_class(entry.line, kept.count);
	fail(status, "%s", words);
	entry.refused =
	        status != ST_OK && status != ST_INTERRUPTED && status != ST_EXPECT && status != ST_QUIT;
	if (to_keep(shell, class, status, entry.refused, effect)) {
		entry.session = class != COMMAND_STEER;
		entry.counts = !entry.session || (changed && !journal->emptied);
		entry.emptied = journal->emptied;
		entry.opened = journal->opened;
		entry.ran = (char *)(entry.session ? text_string(&journal->ran) : "");
		entry.outside = (char *)text_string(&shell->line.outside);
		entry.values = (char *)text_string(&shell->steering.read);
		journal_add(journal, entry);
	}
	text_release(&kept);
}

enum status line_script(struct shell *shell, const char *text, size_t count, const char *file, int first_line)
{
	journal_begin(&shell->journal);
	steering_line(&shell->steering);
	enum status status = line_text(shell, text, count, file, first_line);
	if (status != ST_INCOMPLETE)
		journal_script_ran(&shell->journal, text, count, file, first_line, &shell->steering.read,
		        status != ST_OK && status != ST_EXPECT);
	steering_over(&shell->steering);
	return status;
}

enum status shell_line(struct shell *shell, const char *text, size_t count, int64_t stop, int64_t stamp)
{
	int64_t start = shell->credit ? credit_position(shell->credit) : 0;
	uint64_t before = digest(shell), did = interpreter_did(shell->interpreter);
	bool explain = shell->lasting.explain, strip = shell->lasting.strip;

	text_clear(&shell->line.outside);
	steering_line(&shell->steering);
	shell->line.reached = false;
	shell->line.foreseen = 0;
	journal_begin(&shell->journal);
	training_line(shell);
	if (stop > 0)
		credit_end_at(shell->credit, stop);
	if (stamp >= 0)
		shell->backend->clock_at_least(shell->backend, stamp);
	enum status status = line_text(shell, text, count, NULL, journal_lines(&shell->journal) + 1);
	if (status != ST_INCOMPLETE)
		status = shell_settle(shell, status);
	if (shell->credit)
		credit_end_at(shell->credit, 0);
	struct journal_entry entry = {.stamp = stamp,
	        .stop = status == ST_INTERRUPTED && shell->credit ? credit_stop(shell->credit, start) : 0};
	entry.played = shell->training->played;
	bool changed =
	        digest(shell) != before || shell->lasting.explain != explain || shell->lasting.strip != strip;
	bool effect = changed || interpreter_did(shell->interpreter) > did;
	log_line(shell, text, count, status, changed, effect, entry);
	bool refused = status != ST_OK && status != ST_INTERRUPTED && status != ST_EXPECT &&
	        status != ST_QUIT && status != ST_INCOMPLETE;
	if (effect && refused && shell->interactive)
		out_say(shell->out, "   %s%s%s\n",
		        STYLED(shell->out, COLOUR_NOTE, "the statements before it have run, and stay:"));
	steering_over(&shell->steering);
	if (shell->lasting.strip && status == ST_OK)
		timeline_strip(shell);
	return status;
}
