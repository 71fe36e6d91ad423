/* job.c -- a session's ranks: start, death, replacement */
#include "base/memory.h"
#include "shell/rank/process.h"
#include "shell/session/again.h"
#include "shell/terminal/inside.h"
#include "shell/terminal/launch.h"
#include "shell/terminal/script.h"
#include "shell/wire/wire.h"

#include <stdio.h>
#include <string.h>

/* ---- the job ----
 *
 *     job_open: talk_start, greet -----> lines ... -----> job_lose: mourn, and offer `restart`
 *         ^                                                   |
 *         `-- job_restart <--- `restart`, or no memory <------'    then job_replay: the journal */

/* Reports the job's death. Returns its exit status. */
static int mourn(struct session *session)
{
	int code = talk_bury(&session->talk);
	say_note(session, "\n");
	say_bad(session, "%s", code >= 4 ? fail_text() : "the ranks have ended");
	session->code = 4;
	text_clear(&session->pending);
	text_clear(&session->enter);
	return code;
}

static void offer_restart(const struct session *session)
{
	size_t lines = session->journal.log.count;
	if (session->plain)
		return;
	if (session->script) {
		say_note(session,
		        "all ranks have ended; `restart` starts new ones and runs %zu line%s again\n", lines,
		        lines == 1 ? "" : "s");
		return;
	}
	if (session->mode == FOLLOW_ON || session->mode == FOLLOW_OVER) {
		say_note(session,
		        "   All ranks have ended. restart: new ranks follow %s again; quit leaves\n",
		        session->follow.name);
		return;
	}
	say_note(session, "   All ranks have ended. Your %zu line%s %s kept:\n", lines, lines == 1 ? "" : "s",
	        lines == 1 ? "is" : "are");
	say_note(session, "   restart   new ranks, the same lines again\n");
	say_note(session, "   quit      leaves; `ranksh --resume` opens it again\n");
}

/* If a line found no memory, new ranks run the lines before it; the log lacks that line. */
void job_lose(struct session *session, enum status status)
{
	session->last.status = status == ST_QUIT ? ST_INTERRUPTED : ST_MPI;
	if (status == ST_QUIT) {
		job_end(&session->talk.job);
		session->talk.alive = false;
		job_release(&session->talk.job);
		say_note(session,
		        "the ranks have ended; restart starts new ones and runs the lines before this one\n");
		text_clear(&session->pending);
	} else if (!signal_asked_to_end() && session->talk.alive) {
		if (mourn(session) == EXIT_NO_MEMORY)
			job_restart(session);
		else
			offer_restart(session);
	}
}

void keep_state(struct session *session, const struct reply *reply)
{
	text_clear(&session->prompt);
	text_clear(&session->enter);
	text_clear(&session->task);
	text_put(&session->prompt, text_string(&reply->prompt), reply->prompt.count);
	text_put(&session->enter, text_string(&reply->enter), reply->enter.count);
	text_put(&session->task, text_string(&reply->task), reply->task.count);
	session->clock = reply->clock;
	session->waits = reply->waits;
}

static enum status greet(struct session *session)
{
	struct request hello = {.kind = REQUEST_HELLO,
	        .width = session->script ? script_width() : width_of_output(),
	        .colour = session->talk.colour,
	        .numbers = script_json(session->script)};
	text_add(&hello.solved, "%s", session->course->learning_solved(session->learning));
	struct reply reply = {0};
	enum status status = talk_ask(&session->talk, &hello, REPLY_HELLO, &reply, -1);
	if (status == ST_OK) {
		session->n = reply.n;
		snprintf(session->machine, sizeof session->machine, "%s", text_string(&reply.text));
		text_clear(&session->device);
		text_add(&session->device, "%s", text_string(&reply.device));
		text_clear(&session->missing);
		text_add(&session->missing, "%s", text_string(&reply.missing));
		keep_state(session, &reply);
	}
	request_release(&hello);
	reply_release(&reply);
	return status;
}

enum status job_open(struct session *session)
{
	enum status status = talk_start(&session->talk, &session->options);
	if (status != ST_OK) {
		say_bad(session, "%s", fail_text());
		return status;
	}
	status = greet(session);
	if (status != ST_OK) {
		int code = talk_bury(&session->talk);
		if (status == ST_QUIT) /* regardless of mpirun's status */
			say_bad(session, "stopped before the ranks had started");
		else if (code >= 4)
			say_bad(session, "%s", fail_text());
		session->code = code ? code : 4;
	}
	return status;
}

/* ---- restart, resume ---- */

static struct told_line told(const struct logged_line *line)
{
	return (struct told_line){.line = text_string(&line->line),
	        .outside = text_string(&line->outside),
	        .refused = line->refused};
}

bool job_warn_changed(const struct session *session, const struct logged_line *entry,
        const struct reply *reply, struct text *words)
{
	struct told_line then = told(entry);
	size_t before = words->count;
	bool refused = false;
	for (size_t k = 0; k < reply->log.count; k++) {
		struct told_line now = told(&reply->log.line[k]);
		now.differs = text_string(&reply->again);
		again_tell(&then, &now, text_string(&reply->text), "", words);
		refused |= now.refused && !then.refused;
	}
	if (words->count > before)
		say_bad(session, "%s", text_string(words) + before);
	return refused;
}

/* Adds the line with its new values and files to `log`. *from: the first line in which they
 * changed */
static void note_line(const struct logged_line *then, const struct reply *reply, bool refused,
        struct log_change *log, size_t *from)
{
	const struct logged_line *now = reply->log.count && !refused ? &reply->log.line[0] : then;
	struct logged_line line = *then;
	if (*from > log->count &&
	        (strcmp(text_string(&then->values), text_string(&now->values)) != 0 ||
	                strcmp(text_string(&then->outside), text_string(&now->outside)) != 0))
		*from = log->count;
	line.values = now->values;
	line.outside = now->outside;
	log_copy(log, &line);
}

enum status job_run_again(
        struct session *session, const struct logged_line *line, bool shown, struct reply *reply)
{
	struct request request = {.kind = REQUEST_RUN,
	        .text = line->line,
	        .values = line->values,
	        .silent = !shown,
	        .shown = shown,
	        .stop = line->stop,
	        .stamp = line->stamp};
	enum status status = talk_ask(&session->talk, &request, REPLY_DONE, reply, -1);
	if (status == ST_OK)
		keep_state(session, reply);
	return status;
}

/* *refused: the number of newly refused lines */
static enum status replay(struct session *session, size_t *lines_run, size_t *refused)
{
	enum status status = ST_OK;
	char progress[64];
	struct text words = {0};
	struct log_change log = {0};
	size_t from = SIZE_MAX;
	for (size_t i = 0; i < session->journal.log.count && status == ST_OK; i++) {
		struct logged_line *entry = &session->journal.log.line[i];
		struct reply reply = {0};
		snprintf(progress, sizeof progress, "line %zu of %zu again", i + 1,
		        session->journal.log.count);
		session->talk.busy_with = progress;
		status = job_run_again(session, entry, false, &reply);
		if (status == ST_OK) {
			++*lines_run;
			bool now = job_warn_changed(session, entry, &reply, &words);
			*refused += now;
			note_line(entry, &reply, now, &log, &from);
		}
		reply_release(&reply);
	}
	if (status == ST_OK && from < log.count) { /* store them, so that they are reported once */
		struct log_change change = {
		        .kept = (int)from, .line = log.line + from, .count = log.count - from};
		if (journal_file_change(&session->journal, &change, "restart") != ST_OK)
			say_bad(session, "%s", fail_text());
	}
	log_shorten(&log, 0);
	mem_free(log.line);
	text_release(&words);
	return status;
}

/* Another replay would die, too. */
static void lose_replay(struct session *session, enum status status, size_t lines_run)
{
	if (signal_asked_to_end() || !session->talk.alive)
		return;
	if (status == ST_QUIT) {
		job_lose(session, status);
		return;
	}
	mourn(session);
	const char *line = text_string(&session->journal.log.line[lines_run].line);
	say_note(session, "   That was line %zu of %zu, run again: %.*s\n", lines_run + 1,
	        session->journal.log.count, (int)strcspn(line, "\n"), line);
	offer_restart(session);
}

bool job_replay(struct session *session, size_t *lines)
{
	size_t lines_run = 0, refused = 0;
	enum status status = replay(session, &lines_run, &refused);
	if (status != ST_OK)
		lose_replay(session, status, lines_run);
	*lines = lines_run - refused;
	return status == ST_OK;
}

void job_say_task(const struct session *session)
{
	if (session->task.count)
		say_note(session, "   %s is open; `task` shows it\n", text_string(&session->task));
}

void job_restart(struct session *session)
{
	size_t lines;
	bool had_gpus = session->device.count > 0;
	talk_stop(&session->talk);
	if (job_open(session) != ST_OK) {
		if (!signal_asked_to_end())
			offer_restart(session);
		return;
	}
	arrange_split(session);
	if (had_gpus && !session->device.count)
		say_note(session,
		        "   no GPU can be used any more: new ranks are simulated, with other times\n");
	if (!job_replay(session, &lines))
		return;
	say_note(session, "   %d new rank%s; %zu line%s run again\n", session->n, session->n == 1 ? "" : "s",
	        lines, lines == 1 ? "" : "s");
	job_say_task(session);
	session->code = 0;
}
