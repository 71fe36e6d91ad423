/* act.c -- runs a typed line, and the commands that change the terminal */
#include "shell/terminal/inside.h"
#include "shell/terminal/line.h"
#include "shell/terminal/viewer.h"
#include "shell/session/quote.h"
#include "trace/trace.h"
#include "shell/wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- commands that change the terminal ---- */

/* Returns the path of the file that `set hello=off` creates. */
static const char *no_hello(const struct session *session, char path[1200])
{
	snprintf(path, 1200, "%s/no-hello", session->journal.folder);
	return path;
}

bool wants_hello(const struct session *session)
{
	char path[1200];
	return access(no_hello(session, path), F_OK) != 0;
}

static bool hello_switch(struct session *session, const char *line)
{
	char path[1200];
	bool off = strcmp(line, "set hello=off") == 0;
	if (!off && strcmp(line, "set hello=on") != 0)
		return false;
	int file = off ? open(no_hello(session, path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (!off)
		unlink(no_hello(session, path));
	else if (file < 0)
		say_bad(session, "cannot write %s: %s", path, strerror(errno));
	else
		close(file);
	return true;
}

/* Returns true if the terminal can be painted; else prints why not. */
static bool paints(const struct session *session, const char *who, const char *instead)
{
	if (!session->talk.terminal)
		say_bad(session, "%s: this terminal cannot show it (TERM)%s", who, instead);
	return session->talk.terminal;
}

/* times: a replay's "FROM TO", or "". */
static void view(struct session *session, const char *times)
{
	long long from, to;
	struct window window = {0};
	bool replay = sscanf(times, "%lld %lld", &from, &to) == 2;
	if (!paints(session, replay ? "replay" : "view", "; `timeline` draws here"))
		return;
	if (replay)
		window = (struct window){from, to, -1};
	char title[128];
	snprintf(title, sizeof title, "ranksh   %s", session->machine);
	split_end(&session->split);
	enum status status =
	        view_run(&session->talk, title, session->talk.colour, session->wide, replay ? &window : NULL);
	if (status == ST_FILE)
		say_bad(session, "%s", fail_text());
	else if (status != ST_OK)
		job_lose(session, status);
	arrange_split(session);
}

void arrange_split(struct session *session)
{
	bool was = session->split.lanes > 0;
	split_arrange(&session->split);
	if (was || session->split.lanes)
		tell_size(session);
}

void tell_size(struct session *session)
{
	struct request request = {.kind = REQUEST_RESIZE,
	        .width = width_of_output(),
	        .lanes = session->split.lanes,
	        .stamp = -1};
	if (session->talk.alive) /* ignore a failed send: the output's end shows the death */
		talk_send(&session->talk, &request);
}

static void split(struct session *session, bool on)
{
	if (on && !paints(session, "split", ""))
		return;
	if (!on)
		split_erase(&session->split);
	session->split.wanted = on;
	session->split.colour = session->talk.colour;
	session->talk.split = &session->split;
	arrange_split(session);
	if (on && !session->split.lanes)
		say_bad(session, "split: it is shown if the terminal has 40 columns and 12 rows");
}

/* Passes the file's name in the environment, so that the shell does not parse it. */
static void edit(struct session *session, const char *file)
{
	const char *editor = getenv("VISUAL");
	char command[1024];
	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor || !*editor)
		editor = "vi";
	setenv("RANKSH_FILE", file, 1);
	snprintf(command, sizeof command, "%s \"$RANKSH_FILE\"", editor);
	split_end(&session->split);
	int status = system(command);
	arrange_split(session);
	signal_taken(SIGINT);
	if (status != 0)
		say_note(session, "   the editor %s failed; VISUAL or EDITOR names another\n", editor);
	else
		say_note(session, "   source %s runs it\n", quoted_word("%s", file).text);
}

/* wish: as in docs/internals/wire.md */
static void grant_wish(struct session *session, const char *wish)
{
	if (session->script && strcmp(wish, "restart") != 0) {
		say_bad(session, "this line needs a terminal; `timeline` draws without one");
		session->last.status = ST_ARGUMENT;
		return;
	}
	if (strcmp(wish, "restart") == 0)
		job_restart(session);
	else if (strncmp(wish, "view", 4) == 0)
		view(session, wish + 4);
	else if (strncmp(wish, "split ", 6) == 0)
		split(session, strcmp(wish, "split on") == 0);
	else if (strncmp(wish, "edit ", 5) == 0)
		edit(session, wish + 5);
}

/* ---- a line that ranks run ---- */

/* Writes the log's change to the journal. If there is none, writes the line for followers, unless
 * it concerns only this terminal. */
static enum status keep_line(struct session *session, const struct reply *reply)
{
	struct journal_file *journal = &session->journal;
	const char *typed = text_string(&session->pending);
	bool refused = reply->status != ST_OK && reply->status != ST_EXPECT;
	if (reply->log.count || (size_t)reply->log.kept != journal->log.count)
		return journal_file_change(journal, &reply->log, typed);
	if (reply->wish.count || reply->status == ST_QUIT)
		return ST_OK;
	return journal_file_look(journal, typed, reply->stamp, refused ? text_string(&reply->text) : "");
}

/* The lines of an open block stay pending. */
static void run_line(struct session *session, const char *line)
{
	text_add(&session->pending, "%s", line);
	struct request request = {.kind = REQUEST_RUN,
	        .text = session->pending,
	        .stamp = -1,
	        .look = session->mode == FOLLOW_ON || session->mode == FOLLOW_OVER};
	struct reply reply = {0};
	/* their output is paged; other output scrolls */
	static const char pages[] = "help machine lessons strategy model man";
	bool reads = text_place(pages, line, strcspn(line, " ")) >= 0 && !strchr(line, ';');
	session->talk.busy_with = text_string(&session->pending);
	signal_taken(SIGINT);
	struct pager pager = {.used = 1}; /* for the typed line */
	session->talk.pager = session->talk.terminal && reads ? &pager : NULL;
	enum status status = talk_ask(&session->talk, &request, REPLY_DONE, &reply, -1);
	session->talk.pager = NULL;
	if (status != ST_OK) {
		job_lose(session, status);
		return;
	}
	keep_state(session, &reply);
	reply_release(&session->last);
	session->last = reply;
	if (reply.status == ST_INCOMPLETE) {
		text_add(&session->pending, "\n");
		return;
	}
	if (reply.status != ST_OK && reply.status != ST_QUIT && reply.text.count)
		say_bad(session, "%s", text_string(&reply.text));
	if (keep_line(session, &reply) != ST_OK)
		say_bad(session, "%s", fail_text());
	if (session->course->learning_line(
	            session->learning, text_string(&session->pending), text_string(&reply.learned)) != ST_OK)
		say_bad(session, "%s", fail_text());
	session->leaving = reply.status == ST_QUIT;
	text_clear(&session->pending);
	if (reply.wish.count)
		grant_wish(session, text_string(&reply.wish));
}

/* ---- lines while there are no ranks ---- */

static void run_alone(struct session *session, const char *line)
{
	if (strcmp(line, "restart") == 0)
		job_restart(session);
	else if (strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0)
		session->leaving = true;
	else if (strcmp(line, "journal") == 0)
		for (size_t i = 0; i < session->journal.log.count; i++)
			say_note(session, "%s\n", text_string(&session->journal.log.line[i].line));
	else if (*line)
		say_bad(session, "there are no ranks: restart, journal or quit");
}

void act_on(struct session *session, const char *line)
{
	line_remember(line);
	if (follower_acts(session, line))
		return;
	if (!session->talk.alive)
		run_alone(session, line);
	else if (hello_switch(session, line))
		return;
	else if (*line || session->pending.count)
		run_line(session, line);
	else if (session->enter.count)
		run_line(session, text_string(&session->enter));
}
