/* session.c -- the prompt: reads a line while it listens to the ranks
 *
 * One poll(2) waits for keys, the job's output and its errors. Signals only end the poll and set
 * flags. A whole line goes to act.c, which waits for rank 0's reply (talk.c), so that only one
 * place listens at a time.
 *
 *     keys ----> line.c (readline) --- a line ---> act.c ---> talk.c ---> rank 0
 *     job's descriptors 1, 2 --- text from ranks, its death ---> shown above the input line */
#include "shell/terminal/inside.h"
#include "shell/terminal/launch.h"
#include "shell/terminal/script.h"
#include "shell/session/quote.h"
#include "shell/terminal/line.h"
#include "shell/wire/plain.h"
#include "shell/wire/wire.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { COMPLETE_MS = 5000, WIDTH_MOST = 300 };

/* ---- the terminal ---- */

int width_of_output(void)
{
	int width = terminal_columns();
	return width < 1 ? 80 : width > WIDTH_MOST ? WIDTH_MOST : width;
}

/* LC_NUMERIC stays C, because printed lines are parsed again. */
void choose_looks(struct session *session)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	bool keys = !session->plain && !session->script;
	session->talk.terminal = keys && term && *term && strcmp(term, "dumb") != 0;
	session->talk.colour =
	        (session->talk.terminal && !(no_colour && *no_colour)) || script_json(session->script);
	setlocale(LC_ALL, "");
	session->wide = !plain_wanted();
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
	setlocale(LC_NUMERIC, "C");
}

/* ---- the loop ---- */

static void complete(void *self, const char *line, int cursor, struct text *names)
{
	struct session *session = self;
	struct request request = {.kind = REQUEST_COMPLETE, .stamp = -1};
	struct reply reply = {0};
	if (!session->talk.alive)
		return;
	text_put(&request.text, text_string(&session->pending), session->pending.count);
	text_add(&request.text, "%s", line);
	request.cursor = session->pending.count + cursor;
	if (talk_ask(&session->talk, &request, REPLY_COMPLETE, &reply, COMPLETE_MS) == ST_OK)
		text_put(names, text_string(&reply.text), reply.text.count);
	line_show();
	request_release(&request);
	reply_release(&reply);
}

static bool clear(void *self)
{
	struct session *session = self;
	if (!session->split.lanes)
		return false;
	printf("\033[2J");
	arrange_split(session);
	return true;
}

static const char *prompt_of(struct session *session)
{
	static const char *const modes[] = {[FOLLOW_NONE] = "",
	        [FOLLOW_ON] = "follow ",
	        [FOLLOW_FORK] = "fork ",
	        [FOLLOW_OVER] = "ended "};
	if (!session->talk.alive)
		return "no ranks > ";
	if (session->pending.count)
		return "... > ";
	text_clear(&session->shown_prompt);
	text_add(&session->shown_prompt, "%s%s", modes[session->mode], text_string(&session->prompt));
	return text_string(&session->shown_prompt);
}

/* Returns the typed line, which the caller frees. NULL: the input ended or a signal asks to end
 * (*ended is true), or the job died. */
static char *read_line(struct session *session, bool *ended)
{
	char *line = NULL;
	enum line_event event = LINE_NONE;
	line_begin(prompt_of(session), session->talk.colour);
	while (event == LINE_NONE && !signal_asked_to_end()) {
		if (follower_hear(session)) {
			line_prompt(prompt_of(session), session->talk.colour);
			line_show();
		}
		struct pollfd ends[] = {{.fd = 0, .events = POLLIN},
		        {.fd = session->talk.alive ? session->talk.job.out : -1, .events = POLLIN},
		        {.fd = session->talk.alive ? session->talk.job.err : -1, .events = POLLIN}};
		/* do not block if a Ctrl-C ended a completion: it is handled below */
		int ready = poll(ends, 3, signal_came(SIGINT) ? 0 : follower_wait_ms(session));
		if (signal_taken(SIGINT)) {
			text_clear(&session->pending);
			line_cancel();
			line_leave();
			line_begin(prompt_of(session), session->talk.colour);
		}
		if (signal_taken(SIGWINCH)) {
			line_resize();
			if (session->split.wanted) {
				split_arrange(&session->split);
				line_again();
			}
			tell_size(session);
		}
		if (ready <= 0)
			continue;
		if ((ends[1].revents || ends[2].revents) && talk_listen(&session->talk) != ST_OK) {
			line_leave();
			job_lose(session, ST_MPI);
			return NULL;
		}
		if (ends[0].revents & POLLIN)
			event = line_key(&line);
		else if (ends[0].revents)
			event = LINE_END;
	}
	*ended = event != LINE_READY;
	line_leave();
	return line;
}

static void add_option(struct text *line, const char *option, const char *value)
{
	text_add(line, " %s ", option);
	quote_system(value, line);
}

static void farewell(const struct session *session, bool ended)
{
	struct text line = {0};
	if (ended)
		puts("");
	text_add(&line, "ranksh --resume");
	if (session->options.journal)
		add_option(&line, "--journal", session->options.journal);
	if (session->options.hosts)
		add_option(&line, "--hosts", session->options.hosts);
	if (session->options.hostfile)
		add_option(&line, "--hostfile", session->options.hostfile);
	if (session->options.prefix)
		add_option(&line, "--prefix", session->options.prefix);
	const char *learner = session->course->learning_name(session->learning);
	if (learner) {
		add_option(&line, "--class", session->options.class_folder);
		add_option(&line, "--as", learner);
	}
	if (session->journal.log.count && session->journal.file >= 0)
		say_note(session, "   `%s` opens this again: %zu line%s\n", text_string(&line),
		        session->journal.log.count, session->journal.log.count == 1 ? "" : "s");
	text_release(&line);
}

static void prompt_loop(struct session *session)
{
	bool ended = false;
	while (!session->leaving && !signal_asked_to_end()) {
		char *line = read_line(session, &ended);
		if (line)
			act_on(session, line);
		else if (ended)
			session->leaving = true;
		free(line);
	}
	if (!signal_asked_to_end())
		farewell(session, ended);
}

static void say_device(const struct session *session)
{
	if (session->device.count)
		say_note(session, "%s\n", text_string(&session->device));
}

static void welcome(const struct session *session)
{
	struct text screen = {0};
	if (session->script) {
		script_started(session->script);
		return;
	}
	if (!wants_hello(session)) {
		say_device(session);
		return;
	}
	welcome_write(&screen, session);
	say_note(session, "%s", text_string(&screen));
	text_release(&screen);
}

/* The journal's options hold unless the command line has others. */
static enum status open_journal(struct session *session)
{
	struct options *options = &session->options;
	enum status status = journal_file_folder(&session->journal);
	if (status != ST_OK || !options->resume)
		return status;
	status = journal_file_resume(&session->journal, options->journal);
	if (status == ST_OK)
		journal_file_options(&session->journal, options);
	return status;
}

/* Stores no progress without a journal folder, or while following. */
static void open_learning(struct session *session)
{
	struct text told = {0};
	const char *state = session->options.follow ? NULL : session->journal.folder;
	session->learning = session->course->learning_open(&session->options, state, &told);
	say_note(session, "%s", text_string(&told));
	text_release(&told);
}

/* Only --resume and --journal require a journal; a script writes none without them. A resumed
 * session has no welcome screen. */
static enum status open_session(struct session *session)
{
	const char *path = session->options.journal;
	bool resume = session->options.resume, keeps = !session->script || path;
	if (session->options.follow) {
		open_learning(session);
		return follower_open(session);
	}
	enum status status = open_journal(session);
	if (status != ST_OK) {
		if (keeps || resume)
			say_bad(session, "%s", fail_text());
		if (resume)
			return status;
	}
	open_learning(session);
	status = job_open(session);
	if (status != ST_OK)
		return status;
	if (resume) {
		size_t lines;
		if (session->script)
			script_started(session->script);
		else
			say_device(session);
		if (*session->journal.device && !session->device.count)
			say_note(session,
			        "   this session was on GPUs (%s); here it is simulated, and its times are "
			        "others\n",
			        session->journal.device);
		if (job_replay(session, &lines)) {
			say_note(session, "   resumed: %zu line%s run again (%s)\n", lines,
			        lines == 1 ? "" : "s", session->journal.path);
			job_say_task(session);
		}
		return ST_OK;
	}
	welcome(session);
	/* `this` has no meaning on another computer */
	const char *machine = session->options.machine, *device = text_string(&session->device);
	if (!machine || strcmp(machine, "this") == 0)
		machine = *device ? "" : "classroom";
	if (keeps)
		status = journal_file_begin(
		        &session->journal, path, session->n, session->options.dry, machine, device);
	if (status != ST_OK) {
		say_bad(session, "%s", fail_text());
		session->code = path ? 2 : 0;
	}
	/* fail only with --journal: --follow may read that file */
	return path ? status : ST_OK;
}

static void run(struct session *session)
{
	char history[1200];
	if (session->script) {
		session->code = script_run(session->script);
		return;
	}
	if (session->plain) {
		session->code = follower_plain(session);
		return;
	}
	snprintf(history, sizeof history, "%s/history", session->journal.folder);
	line_start(history, complete, clear, session);
	prompt_loop(session);
	line_stop(history);
}

/* Call before the keyboard is used: the source may be descriptor 0. */
static enum status open_source(struct session *session)
{
	const char *path = session->options.follow;
	if (path && follow_open(&session->follow, path) != ST_OK) {
		fprintf(stderr, "ranksh: %s\n", fail_text());
		return ST_FILE;
	}
	session->mode = path ? FOLLOW_ON : FOLLOW_NONE;
	session->plain = path && !(isatty(0) && isatty(1));
	return ST_OK;
}

static void release(struct session *session)
{
	text_release(&session->device);
	text_release(&session->missing);
	text_release(&session->prompt);
	text_release(&session->shown_prompt);
	text_release(&session->enter);
	text_release(&session->task);
	text_release(&session->pending);
	reply_release(&session->last);
	journal_file_release(&session->journal);
	follow_release(&session->follow);
}

int session_run(const struct options *options, const struct course *course)
{
	struct session session = {.options = *options,
	        .journal.file = -1,
	        .course = course,
	        .follow = {.file = -1, .told.file = -1}};
	struct termios before;
	if (open_source(&session) != ST_OK)
		return 2;
	if (session.plain) /* default signals end it and its ranks */
		signal(SIGPIPE, SIG_IGN);
	else
		signals_start(); /* before the terminal changes */
	bool terminal = !session.plain && !script_wanted(options) && tcgetattr(0, &before) == 0;
	if (terminal) { /* do not echo ^C into the output */
		struct termios quiet = before;
		quiet.c_lflag &= ~(tcflag_t)ECHOCTL;
		tcsetattr(0, TCSANOW, &quiet);
	}
	wire_start();
	enum status status = script_wanted(options) ? script_open(&session, &session.script) : ST_OK;
	choose_looks(&session);
	if (status != ST_OK)
		say_bad(&session, "%s", fail_text());
	else if (open_session(&session) == ST_OK)
		run(&session);
	else if (!session.code)
		session.code = 4;
	if (status != ST_OK)
		session.code = 2;
	split_end(&session.split);
	talk_stop(&session.talk);
	if (terminal)
		tcsetattr(0, TCSANOW, &before);
	release(&session);
	course->learning_close(session.learning);
	script_close(session.script, session.code);
	return session.code;
}
