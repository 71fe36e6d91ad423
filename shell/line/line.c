/* line.c -- one line as if typed at the prompt: what comes before it and after it
 *
 *     journal_begin, training_line     what the line does is counted from here
 *     the stop and the stamp           of a line that runs again: where Ctrl-C fell, and the clock of then
 *     the statements                   between two of them a wish is granted: undo, reset, a lesson
 *     shell_settle                     what is final is carried out; answers owed; prints, races, failures are said
 *     log_line                         the journal keeps it if it has changed anything, or is the program's
 *     timeline_strip                   with `timeline on` */
#include "shell/line/line.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/open.h"
#include "shell/session/course.h"
#include "shell/session/credit.h"
#include "shell/values/prints.h"
#include "shell/session/timeline.h"
#include "shell/session/warn.h"
#include "shell/training/training.h"
#include "shell/language/parse/rows.h"

#include <stdio.h>
#include <string.h>

/* At the prompt a blocked host is owed an answer: what it waits for may hang on the line just typed for
 * another rank, or on what another answer has brought about. So it goes on until nobody gets one more: to be
 * asked again, as after a look or a refused line, must not move anything. No device is waited for here. */
static enum status answer_owed(struct shell *shell)
{
	enum { TRIES_MOST = 64 }; /* each try may cost a copy of the engine */
	bool (*waits)(struct budget *) = shell->budget.waits;
	enum status status = ST_OK;
	int tries = 0;

	shell->budget.waits = NULL; /* whose device is still at it stays blocked */

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

/* Where the work that the line has set off fails, that is told in the place of the line's own failure, but for Ctrl-C.
 * The words are kept aside meanwhile: a backend that is asked may fail, and word that. */
enum status shell_settle(struct shell *shell, enum status status)
{
	char words[1024];
	snprintf(words, sizeof words, "%s", fail_text());
	/* a stop is a place in the program: what is queued stays where it is until the next line, on a replay
	 * too */
	bool ends = status != ST_OK && !shell->interactive; /* a script, by `quit` or a refused line */
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
	if (failed != ST_RANGE || !shell_quiet(shell)) /* a line that runs again reads the same number */
		shell_keep(shell, failed);
	return fail(status, "%s", words);
}

/* ---- wishes: what a statement asks for is done when it is over ---- */

/* A wish has its own function, but for `reset` and the like */
static enum status grant(struct shell *shell)
{
	const enum wish_kind kind = shell->wishes.statement.kind;
	shell->wishes.statement.kind = WISH_NONE;
	warn_new(shell); /* of this world: another one may take its place */
	if (kind != WISH_EMPTY)
		return shell->wishes.statement.grant(shell);
	if (!shell->interactive)
		training_line(shell); /* a script's lines run again from this one on */
	enum status status = shell_reset(shell);
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

/* ---- a line ---- */

/* Returns the digest of the books and of the language's variables and defs. Other lasting state (the machine, `loader`, `explain` ...)
 * is in no digest: each completed statement that does more than look may have changed it, and counts (interpreter_did). */
static uint64_t digest(const struct shell *shell)
{
	return shell->world->digest ^ interpreter_digest(shell->interpreter);
}

/* Does the line become an entry? Refused ones too, and those that ask something of the front end or end the session, when a
 * part of them has taken effect, be it that a number which they read was computed for them: they are refused at the same place
 * again; and on a replay all, so that the front end's list and this one are the same. */
static bool to_keep(
        const struct shell *shell, enum command_class class, enum status status, bool refused, bool effect)
{
	const struct journal *journal = &shell->journal;
	if (status == ST_INCOMPLETE || journal->rewritten || class == COMMAND_LOOK)
		return false;
	if (shell->replay.depth)
		return true;
	if (status == ST_QUIT) /* it is taken out of the entry, or else it would end the session again */
		return effect && journal->does_to == SIZE_MAX;
	return effect || shell->line.reached || (!refused && shell->wishes.front_end.kind == WISH_NONE);
}

/* The entry as it will run again: with what a program's command did in the place of what was typed (journal_did). Of
 * a session's command (`lesson 1`) the lines that it ran are kept beside it. */
static void log_line(struct shell *shell, const char *line, size_t count, enum status status, bool changed,
        bool effect, struct journal_entry entry)
{
	struct journal *journal = &shell->journal;
	struct text kept = {0};
	journal_kept(journal, line, count, &kept);
	entry.line = (char *)text_string(&kept);
	char words
	        [1024]; /* of the line's failure: to read it again words others, as a value is tried as an expression first */
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

/* A line that is refused in its middle: nobody is to think that nothing has happened. */
static void tell_half(struct shell *shell, enum status status)
{
	bool refused = status != ST_OK && status != ST_INTERRUPTED && status != ST_EXPECT &&
	        status != ST_QUIT && status != ST_INCOMPLETE;
	if (refused && shell->interactive)
		out_say(shell->out, "   %s%s%s\n",
		        STYLED(shell->out, COLOUR_NOTE,
		                "what came before it in the line has run, and stays:"));
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
	if (effect)
		tell_half(shell, status);
	steering_over(&shell->steering);
	if (shell->lasting.strip && status == ST_OK)
		timeline_strip(shell);
	return status;
}
