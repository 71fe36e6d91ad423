/* follower.c -- a session that follows another one by its journal
 *
 *     the source (follow.c) --- a line ---> told.log       the presenter's log
 *                                 |
 *                                 `-- shown: prompt, line, its output ---> journal.log    our log
 *
 * If the logs differ (by an untyped {"keep"} or an edit of the file), new ranks run `told.log`
 * silently, as after `rejoin`. After `fork`, journal.log is the user's own, in a file. */
#include "base/memory.h"
#include "shell/language/parse/rows.h"
#include "shell/language/run/interpreter.h"
#include "shell/terminal/inside.h"
#include "shell/terminal/line.h"
#include "shell/wire/plain.h"
#include "shell/wire/wire.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the lines so far ---- */

static enum status take(
        struct session *session, bool *any, enum journal_says *says, struct journal_look *look)
{
	struct follow *follow = &session->follow;
	const char *line;
	size_t count;
	enum status status = follow_take(follow, &line, &count);
	*any = status == ST_OK && line;
	if (!*any)
		return status;
	*says = journal_file_line(&follow->told, line, count, look);
	if (*says == JOURNAL_BAD)
		return fail(ST_FILE, "line %zu of %s cannot be read: it is not JSON", follow->lines,
		        follow->name);
	if (*says == JOURNAL_HEAD)
		return fail(ST_FILE, "line %zu of %s begins another session", follow->lines, follow->name);
	return ST_OK;
}

/* Ends the following. The end of a pipe is no error, because a script expects it. */
static void end(struct session *session, enum status status)
{
	session->mode = FOLLOW_OVER;
	session->code = session->plain && status != ST_QUIT ? 2 : session->code;
	line_hide();
	if (!session->plain)
		say_bad(session, "%s; the world stays as it is: `fork` makes it yours%s", fail_text(),
		        session->follow.pipe ? "" : ", `rejoin` reads the file again");
	else if (status != ST_QUIT)
		fprintf(stderr, "ranksh: %s\n", fail_text());
}

static void catch_up(struct session *session)
{
	bool any = true;
	enum journal_says says;
	struct journal_look look = {0};
	enum status status = ST_OK;
	while (status == ST_OK && any)
		status = take(session, &any, &says, &look);
	if (status != ST_OK)
		end(session, status);
	journal_look_release(&look);
}

static void copy_log(struct session *session)
{
	const struct log_change *from = &session->follow.told.log;
	struct log_change *to = &session->journal.log;
	log_shorten(to, 0);
	for (size_t i = 0; i < from->count; i++)
		log_copy(to, &from->line[i]);
}

static void say_following(const struct session *session, size_t lines)
{
	const struct journal_file *told = &session->follow.told;
	if (*told->device && !session->device.count)
		printf("   this session is on GPUs (%s); here it is simulated, and its times are others\n",
		        told->device);
	if (session->mode == FOLLOW_ON && !session->plain)
		printf("   you follow %s: %zu line%s so far\n"
		       "   fork   gives you your own world from here, rejoin comes back\n",
		        session->follow.name, lines, lines == 1 ? "" : "s");
	fflush(stdout);
}

enum status follower_open(struct session *session)
{
	struct options *options = &session->options;
	struct follow *follow = &session->follow;
	size_t lines = 0;
	if (journal_file_folder(&session->journal) != ST_OK && !session->plain)
		say_bad(session, "%s", fail_text());
	enum status status = follow_head(follow, options);
	if (status != ST_OK) {
		if (session->plain)
			fprintf(stderr, "ranksh: %s\n", fail_text());
		else
			say_bad(session, "%s", fail_text());
		session->code = 2;
		return status;
	}
	journal_file_options(&follow->told, options);
	if (!session->plain)
		catch_up(session);
	status = job_open(session);
	if (status == ST_OK && !session->plain) {
		copy_log(session);
		job_replay(session, &lines);
	}
	if (status == ST_OK)
		say_following(session, lines);
	return status;
}

/* ---- a line from the presenter ---- */

static void show_typed(const struct session *session, const char *typed)
{
	const char *prompt = text_string(&session->prompt);
	struct text shown = {0};
	plain_put(typed, strlen(typed), false, &shown);
	line_hide();
	FOR_LINES (line, text_string(&shown), shown.count) {
		printf(session->talk.colour ? "\033[38;5;244m%s\033[0m" : "%s", prompt);
		printf("%.*s\n", (int)line.length, line.at);
		prompt = "... > ";
	}
	fflush(stdout);
	text_release(&shown);
}

static void make_anew(struct session *session)
{
	line_hide();
	copy_log(session);
	job_restart(session);
}

static void run_shown(struct session *session, const struct logged_line *line)
{
	const char *typed = text_string(&line->line);
	struct reply reply = {0};
	struct text words = {0};
	session->talk.busy_with = typed;
	enum status status = job_run_again(session, line, true, &reply);
	if (status == ST_OK) {
		if (reply.status != ST_OK && reply.text.count)
			say_bad(session, "%s", text_string(&reply.text));
		if ((size_t)reply.log.kept == session->journal.log.count)
			job_warn_changed(session, line, &reply, &words);
		journal_file_change(&session->journal, &reply.log, typed);
		reply_release(&reply);
	} else {
		job_lose(session, status);
	}
	text_release(&words);
}

/* After `undo` the source repeats lines that our ranks already have. */
static void show_line(struct session *session)
{
	const struct log_change *told = &session->follow.told.log, *ours = &session->journal.log;
	size_t last = told->count - 1;
	if (ours->count == last) {
		show_typed(session, text_string(&told->line[last].line));
		run_shown(session, &told->line[last]);
	} else if (ours->count < last || ours->line[last].stop != told->line[last].stop ||
	        strcmp(text_string(&ours->line[last].line), text_string(&told->line[last].line)) != 0) {
		make_anew(session);
	}
}

/* A refused line is not run; under `pace` its time passes. */
static void show_look(struct session *session, const struct journal_look *look)
{
	struct logged_line line = {
	        .line = look->refused.count ? (struct text){0} : look->typed, .stamp = look->stamp};
	if (session->journal.log.count != session->follow.told.log.count)
		make_anew(session);
	if (!session->talk.alive)
		return;
	show_typed(session, text_string(&look->typed));
	run_shown(session, &line);
	if (look->refused.count)
		say_bad(session, "%s", text_string(&look->refused));
}

/* Our ranks run the same command, except "restart": they already have all lines. */
static void show_keep(struct session *session, const struct journal_look *look)
{
	struct logged_line line = {.line = look->typed, .stamp = -1};
	if (strcmp(text_string(&look->typed), "restart") == 0)
		return;
	if (look->typed.count) {
		show_typed(session, text_string(&look->typed));
		run_shown(session, &line);
	} else {
		make_anew(session);
	}
}

int follower_wait_ms(const struct session *session)
{
	return session->mode == FOLLOW_ON ? session->follow.nap_ms : -1;
}

bool follower_hear(struct session *session)
{
	bool any = false;
	enum journal_says says = JOURNAL_OTHER;
	struct journal_look look = {0};
	if (session->mode != FOLLOW_ON)
		return false;
	enum status status = take(session, &any, &says, &look);
	if (status != ST_OK)
		end(session, status);
	else if (any && session->talk.alive && says == JOURNAL_LINE)
		show_line(session);
	else if (any && session->talk.alive && says == JOURNAL_KEEP)
		show_keep(session, &look);
	else if (any && session->talk.alive && says == JOURNAL_LOOK)
		show_look(session, &look);
	journal_look_release(&look);
	return any || status != ST_OK;
}

int follower_plain(struct session *session)
{
	while (session->mode == FOLLOW_ON && session->talk.alive) {
		if (follower_hear(session)) {
			if (fflush(stdout) != 0)
				return 4; /* the reader has left */
			continue;
		}
		poll(NULL, 0, session->follow.nap_ms);
		if (talk_listen(&session->talk) != ST_OK)
			job_lose(session, ST_MPI);
	}
	return session->talk.alive ? session->code : 4;
}

/* ---- fork, rejoin ---- */

static void fork_off(struct session *session)
{
	struct journal_file *journal = &session->journal;
	const struct journal_file *told = &session->follow.told;
	struct log_change lines = journal->log;
	journal->log = (struct log_change){0};
	enum status status =
	        journal_file_begin(journal, NULL, told->n, told->dry, told->machine, told->device);
	enum status written = journal_file_change(journal, &lines, "fork");
	if (status != ST_OK || written != ST_OK)
		say_bad(session, "%s", fail_text());
	log_shorten(&lines, 0);
	mem_free(lines.line);
	session->mode = FOLLOW_FORK;
	printf("   this world is yours from here on; rejoin comes back to\n   %s\n", session->follow.name);
	fflush(stdout);
}

static enum status open_again(struct session *session)
{
	struct follow fresh;
	enum status status = follow_open(&fresh, session->follow.path);
	if (status == ST_OK)
		status = follow_head(&fresh, &session->options);
	if (status != ST_OK) {
		follow_release(&fresh);
		return status;
	}
	follow_release(&session->follow);
	session->follow = fresh;
	return ST_OK;
}

static void rejoin(struct session *session)
{
	struct journal_file *journal = &session->journal;
	bool over = session->mode == FOLLOW_OVER;
	if (over && !session->follow.pipe && open_again(session) != ST_OK) {
		say_bad(session, "%s", fail_text());
		return;
	}
	if (journal->file >= 0)
		close(journal->file);
	journal->file = -1;
	session->mode = FOLLOW_ON;
	catch_up(session);
	copy_log(session);
	job_restart(session);
	if (session->talk.alive)
		say_following(session, journal->log.count);
}

bool follower_acts(struct session *session, const char *line)
{
	bool own = session->mode == FOLLOW_FORK, alive = session->talk.alive;
	if (session->mode == FOLLOW_NONE)
		return false;
	if (strcmp(line, "rejoin") == 0 || (strcmp(line, "restart") == 0 && !own))
		rejoin(session);
	else if (strcmp(line, "fork") == 0 && own)
		say_bad(session, "this world is yours already: `rejoin` comes back to the one you followed");
	else if (strcmp(line, "fork") == 0 && alive)
		fork_off(session);
	else if (own || !alive || strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0)
		return false;
	else if (*line && interpreter_class(line, strlen(line)) == COMMAND_LOOK)
		return false;
	else if (*line)
		say_bad(session,
		        "you follow %s: `fork` gives you your own world from here, `rejoin` comes back",
		        session->follow.name);
	return true;
}
