/* line.c -- one line as if typed at the prompt: what comes before it and after it */
#include "shell/line/line.h"
#include "mpi/plane.h"
#include "shell/language/run/interpreter.h"
#include "shell/line/replay.h"
#include "shell/session/credit.h"
#include "shell/session/journal.h"
#include "shell/session/prints.h"
#include "shell/session/timeline.h"
#include "shell/session/warn.h"
#include "shell/training/training.h"
#include "backend/backend.h"

#include <stdio.h>
#include <string.h>

/* At the prompt a blocked host is owed an answer: what it waits for may hang on the line just typed for
 * another rank. */
static enum status answer_owed(struct shell *shell)
{
	enum { TRIES_MOST = 64 }; /* each try may cost a copy of the engine */
	int tries = 0;

	for (int rank = 0; rank < shell->world->n && tries < TRIES_MOST; rank++) {
		struct host_now now;
		shell->backend->host(shell->backend, rank, &now);
		if (now.state != HOST_BLOCKED)
			continue;
		tries++;
		enum status status = shell->backend->reach(shell->backend, &now.on, 1, &shell->budget);
		if (status != ST_OK && status != ST_WAITS && status != ST_STUCK)
			return status;
	}
	return ST_OK;
}

enum status shell_settle(struct shell *shell, enum status status)
{
	char words[1024];
	snprintf(words, sizeof words, "%s", fail_text());
	/* a stop is a place in the program: what is queued stays where it is until the next line, on a replay
	 * too */
	enum status advanced =
	        status == ST_INTERRUPTED ? ST_OK : shell->backend->advance(shell->backend, &shell->budget);
	if (advanced == ST_OK && status != ST_INTERRUPTED && shell->interactive)
		advanced = answer_owed(shell);
	if (advanced != ST_OK && (status == ST_OK || advanced != ST_INTERRUPTED)) {
		status = advanced;
		snprintf(words, sizeof words, "%s", fail_text());
	}
	prints_flush(shell);
	warn_new(shell);
	shell_keep(shell, shell->backend->failure(shell->backend));
	return fail(status, "%s", words);
}

void shell_enter(struct shell *shell)
{
	shell->depth++;
}

void shell_leave(struct shell *shell)
{
	if (--shell->depth > 0)
		return;
	journal_settle(shell);
	session_forget(shell);
}

static uint64_t digest(const struct shell *shell)
{
	return shell->world->digest ^ interpreter_digest(shell->interpreter);
}

void shell_keep_as(struct shell *shell, const char *line, size_t from, size_t to, const char *did)
{
	if (line) {
		text_put(&shell->keep_as, line + shell->kept_to, from - shell->kept_to);
	} else {
		text_clear(&shell->keep_as);
		to = SIZE_MAX;
	}
	text_add(&shell->keep_as, "%s", did);
	shell->kept_to = to;
}

/* Refused lines are kept too when a part of them has taken effect: they are refused at the same place
 * again. */
static bool to_keep(
        const struct shell *shell, const char *text, size_t count, enum status status, uint64_t before)
{
	if (status == ST_INCOMPLETE || status == ST_QUIT || status == ST_MEMORY || shell->undid ||
	        journal_only_looks(text, count, true))
		return false;
	bool refused = status != ST_OK && status != ST_INTERRUPTED && status != ST_EXPECT;
	bool several = status != ST_SYNTAX &&
	        (memchr(text, ';', count) || memchr(text, '{', count)); /* ST_SYNTAX: hardly ever begun */
	return !refused || digest(shell) != before || several;
}

enum status shell_take_back(struct shell *shell)
{
	char words[1024];
	snprintf(words, sizeof words, "%s", fail_text());
	shell->half_done = false;
	enum status status = journal_restore(shell);
	if (status != ST_OK)
		return fail(status, "this computer is out of memory: only a part of the world is left");
	return fail(ST_OK, "%s", words);
}

enum status shell_line_again(struct shell *shell, const char *text, size_t count, int64_t stop, int64_t stamp)
{
	int64_t start = credit_position(shell->credit, &shell->budget);
	uint64_t before = digest(shell);

	shell->undid = shell->kept = false;
	text_release(&shell->keep_as);
	shell->kept_to = 0;
	shell_enter(shell);
	training_line(shell);
	if (stop > 0)
		credit_end_at(shell->credit, &shell->budget, stop);
	if (stamp >= 0)
		shell->backend->clock_at_least(shell->backend, stamp);
	enum status status = interpreter_run(shell, text, count, NULL, journal_lines(&shell->journal) + 1);
	if (status != ST_INCOMPLETE)
		status = shell_settle(shell, status);
	credit_end_at(shell->credit, &shell->budget, 0);
	bool stopped = status == ST_INTERRUPTED;
	if (shell->kept_to && shell->kept_to < count)
		text_put(&shell->keep_as, text + shell->kept_to, count - shell->kept_to);
	const char *kept = shell->kept_to ? text_string(&shell->keep_as) : text;
	size_t length = shell->kept_to ? shell->keep_as.count : count;
	shell->kept = to_keep(shell, kept, length, status, before);
	if (shell->kept &&
	        (shell->keep_as.broken ||
	                journal_add(shell, kept, length, stopped ? credit_stop(shell->credit, start) : 0,
	                        stamp) != ST_OK))
		status = ST_MEMORY;
	if (shell->strip && status == ST_OK)
		timeline_strip(shell);
	shell_leave(shell);
	bool touched = digest(shell) != before || !journal_only_looks(text, count, true);
	shell->half_done = status == ST_MEMORY && touched && shell->depth == 0 && !shell->replaying;
	if (shell->half_done &&
	        plane_size(shell->plane) == 1) /* of several, the conductor asks the others first */
		shell_keep(shell, shell_take_back(shell));
	return status;
}

enum status shell_line(struct shell *shell, const char *text, size_t count)
{
	return shell_line_again(shell, text, count, 0, -1);
}
