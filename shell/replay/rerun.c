/* rerun.c -- reruns the lines since the world was empty in another world
 *
 *     first   the machine, training plan and slow ranks with which the world began
 *     then    the changes, now if they begin with section 0, else when their section begins
 *     then    the lines of the journal or the script, each with its recorded values
 *     last    the lines before the question in its own text */
#include "shell/replay/inside.h"
#include "shell/line/line.h"
#include "shell/training/open.h"
#include "shell/training/training.h"
#include "shell/session/expired.h"

#include <string.h>

/* Fails if a line is newly refused, because the rest would be another program. line: NULL in a
 * script */
static enum status same_outcome(const char *line, enum status status, bool refused)
{
	if (status == ST_OK || status == ST_EXPECT)
		return ST_OK;
	if (status == ST_INTERRUPTED || status == ST_MPI || status == ST_BUG)
		return status;
	if (refused)
		return ST_OK;
	return line ? fail_in(status, "`%.*s`, run again", (int)strcspn(line, "\n"), line)
	            : fail_in(status, "run again");
}

bool rerun_same(const struct shell *of)
{
	bool stopped = false;
	for (size_t i = of->journal.floor; i < of->journal.count; i++)
		stopped |= of->journal.entries[i].stop != 0;
	return !of->backend->measures && of->lasting.pace <= 0 && !stopped;
}

/* A stamp is used only with data. A program that Ctrl-C stopped replays the steps that it
 * completed. */
static enum status run_typed(struct shell *shell, const struct journal_entry *entry)
{
	enum status status = ST_OK;
	size_t length = strlen(entry->line);
	if (entry->stop && !entry->played)
		return fail(ST_ARGUMENT,
		        "`%.60s` was ended by Ctrl-C: how far it came depends on the moment, so it cannot "
		        "run again otherwise (`undo` takes it back)",
		        entry->line);
	steering_again(&shell->steering, entry->values);
	if (entry->stop)
		shell->training->limit = entry->played;
	if (!entry->session) {
		status = shell_line(
		        shell, entry->line, length, 0, shell->replay.changes->data ? entry->stamp : -1);
	} else {
		if (*entry->ran)
			status = line_ours(shell, entry->ran);
		journal_add(&shell->journal, *entry); /* later lines keep their numbers */
	}
	steering_over(&shell->steering);
	shell->training->limit = -1;
	return same_outcome(entry->line, status, entry->refused);
}

static enum status run_script(struct shell *shell, const struct journal *of)
{
	size_t from = 0, values = 0;
	enum status status = ST_OK;
	for (size_t i = 0; i < of->pieces && status == ST_OK; i++) {
		const struct script_piece *piece = &of->piece[i];
		struct text read = {0};
		text_put(&read, text_string(&of->script_values) + values, piece->values_end - values);
		steering_again(&shell->steering, text_string(&read));
		const char *text = text_string(&of->script) + from;
		status = shell_settle(
		        shell, line_script(shell, text, piece->end - from, piece->file, piece->line));
		status = same_outcome(NULL, status, piece->refused);
		text_release(&read);
		from = piece->end;
		values = piece->values_end;
	}
	return status;
}

/* Runs the lines before the question in its text; as in the session, their work is not settled. */
static enum status run_here(struct shell *shell, const struct shell *of)
{
	const struct journal_text *here = &of->journal.here;
	size_t count = here->to - here->from;
	steering_again(&shell->steering, text_string(&of->steering.read) + here->values);
	steering_line(&shell->steering);
	enum status status = line_text(shell, here->text + here->from, count, here->file, here->line);
	steering_over(&shell->steering);
	return same_outcome(NULL, status, false);
}

static enum status run_lines(struct shell *shell, const struct shell *of)
{
	const struct journal *journal = &of->journal;
	enum status status = ST_OK;
	for (size_t i = journal->floor; i < journal->count && status == ST_OK; i++)
		status = run_typed(shell, &journal->entries[i]);
	if (status == ST_OK)
		status = run_script(shell, journal);
	return status == ST_OK ? run_here(shell, of) : status;
}

static enum status begin(struct shell *shell, struct shell *of)
{
	enum status status = ST_OK;
	shell->replay.recalls = !of->dry;
	shell->steering.looks = of->dry;
	shell->interactive = of->interactive;
	shell->arguments = of->arguments;
	shell->argument = of->argument;
	scratch_as(shell, &of->at_reset, &of->training->at_reset);
	if (shell->replay.changes->section == 0)
		status = changes_begin(shell);
	return status == ST_OK ? shell_reset_again(shell) : status;
}

enum status rerun_open(struct rerun *rerun, struct shell *of, const struct changes *changes)
{
	struct shell *shell = &rerun->shell;
	*rerun = (struct rerun){0};
	if (changes)
		rerun->changes = *changes;
	if (*rerun->changes.without)
		rerun->changes.lines = names_create();
	enum status status = scratch_open(shell, of, of->transport, of->world->n, !rerun->changes.data);
	shell->replay.changes = &rerun->changes;
	if (status == ST_OK)
		status = begin(shell, of);
	if (status == ST_OK)
		status = run_lines(shell, of);
	return status == ST_OK ? shell_look(shell) : status;
}

void rerun_close(struct rerun *rerun, struct shell *of)
{
	names_free(rerun->changes.lines);
	if (rerun->shell.world)
		scratch_close(&rerun->shell, of);
}

/* ---- peek after `at`: reruns the lines, with data, to that time ---- */

static enum status rerun_peek(struct shell *shell, struct shell *of, const char *line)
{
	struct out *own = shell->out;
	shell->out = of->out;
	shell->replay.depth--;
	enum status status = line_text(shell, line, strlen(line), NULL, 1);
	shell->replay.depth++;
	shell->out = own;
	return status;
}

enum status answer_peek(struct shell *shell, const struct question *question)
{
	struct rerun rerun;
	int64_t until = question->changes.until;
	bool forecast = false;
	enum status status = rerun_open(&rerun, shell, &question->changes);
	if (status == ST_OK) {
		struct trace trace = {.world = rerun.shell.world, .backend = rerun.shell.backend};
		forecast = trace_forecasts(&trace, until) != TIME_UNKNOWN;
		status = shell_play_until(&rerun.shell, until);
	}
	if (status == ST_OK) {
		out_say(shell->out, "   at %s%s:\n", time_words(until).text, forecast ? ", a forecast" : "");
		status = rerun_peek(&rerun.shell, shell, question->asked);
	}
	rerun_close(&rerun, shell);
	return status;
}
