/* talk.c -- requests out, replies in, and events in between
 *
 * Rank 0 answers requests in order, one at a time. Before the reply can come:
 *
 *     ask "run ..." ---> output, foreign text ..., done     shown; the reply is `done`
 *                        more than a second                 "repeat ...  3 s  (Ctrl-C stops it)"
 *                        Ctrl-C                             an interrupt request, out of turn
 *                        Ctrl-C again, soon                 "end them?": ST_QUIT
 *                        the output ends                    the job died: ST_MPI */
#include "shell/terminal/talk.h"
#include "base/text.h"
#include "shell/wire/plain.h"
#include "shell/wire/io.h"
#include "shell/terminal/hosts.h"
#include "shell/terminal/screen.h"
#include "shell/terminal/line.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TICK_MS = 100 };
static const int64_t SECOND_NS = 1000000000, MS_NS = 1000000;

static volatile sig_atomic_t came[NSIG];

static void note(int number)
{
	came[number] = 1;
}

/* Signals end a poll. Ctrl-Z and Ctrl-\ are ignored, because the ranks would not stop. */
void signals_start(void)
{
	struct sigaction action = {.sa_handler = note};
	static const int numbers[] = {SIGINT, SIGWINCH, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	crash_start();
}

bool signal_came(int number)
{
	return came[number];
}

bool signal_taken(int number)
{
	bool was = came[number];
	came[number] = 0;
	return was;
}

bool signal_asked_to_end(void)
{
	return came[SIGTERM] || came[SIGHUP];
}

void signal_end(void)
{
	came[SIGTERM] = 1;
}

/* ---- the job ---- */

enum status talk_start(struct talk *talk, const struct options *options)
{
	enum status status = job_start(&talk->job, options, true);
	talk->alive = status == ST_OK;
	text_clear(&talk->incoming);
	talk->late = 0;
	return status;
}

static void clear_progress(struct talk *talk)
{
	if (talk->progress_shown && !talk->hearer) {
		fputs("\r\033[K", stdout);
		fflush(stdout); /* stderr may follow */
	}
	talk->progress_shown = false;
}

/* Reads output; shows text that is no reply above the input line. Fails with ST_MPI at its end. */
static enum status hear(struct talk *talk, int wait_ms)
{
	struct text words = {0};
	job_hear(&talk->job, wait_ms, &talk->incoming, &words);
	if (words.count) {
		line_hide();
		clear_progress(talk);
		talk_say(talk, &(struct saying){.by = SAID_JOB, .bytes = words.bytes, .count = words.count});
	}
	text_release(&words);
	return talk->job.out >= 0 ? ST_OK : ST_MPI;
}

/* Closes the job's input first, so that a job whose ranks do not answer ends by itself. */
int talk_bury(struct talk *talk)
{
	int64_t until = wall_ns() + END_WAIT_MS * MS_NS;
	clear_progress(talk);
	if (talk->job.in >= 0)
		close(talk->job.in);
	talk->job.in = -1;
	while (talk->job.err >= 0 && wall_ns() < until) /* mpirun's report comes before its end */
		hear(talk, TICK_MS);
	int code = job_outcome(&talk->job, job_collect(&talk->job));
	job_release(&talk->job);
	talk->alive = false;
	return code;
}

enum status talk_send(struct talk *talk, const struct request *request)
{
	struct text line = {0};
	request_write(request, &line);
	enum status status = write_all(talk->job.in, line.bytes, line.count) == ST_OK ? ST_OK : ST_MPI;
	text_release(&line);
	return status;
}

void talk_stop(struct talk *talk)
{
	if (talk->alive) {
		talk_send(talk, &(struct request){.kind = REQUEST_LEAVE});
		talk_bury(talk);
	}
	text_release(&talk->incoming);
}

/* ---- replies ---- */

int terminal_columns(void)
{
	struct winsize size;
	return ioctl(1, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void print_plain(const char *bytes, size_t count)
{
	struct text safe = {0};
	plain_put(bytes, count, false, &safe);
	fwrite(text_string(&safe), 1, safe.count, stdout);
	text_release(&safe);
}

static void show_progress(struct talk *talk, enum reply_kind kind)
{
	int64_t seconds = (wall_ns() - talk->asked_ns) / SECOND_NS;
	struct text words = {0};
	if (kind == REPLY_HELLO)
		reach_starting(talk->job.hosts, &talk->job.waits, seconds, &words);
	else if (talk->busy_with)
		text_put(&words, talk->busy_with, strcspn(talk->busy_with, "\n"));
	if ((talk->terminal || talk->hearer) && words.count && seconds > 0) {
		talk_say(talk,
		        &(struct saying){.by = SAID_PROGRESS,
		                .bytes = words.bytes,
		                .count = words.count,
		                .seconds = (int)seconds});
		talk->progress_shown = true;
	}
	text_release(&words);
}

static void show(struct talk *talk, const struct reply *reply)
{
	if (reply->kind == REPLY_VIEW && reply->unasked && talk->split)
		split_paint(talk->split, reply);
	if (reply->kind != REPLY_OUTPUT && reply->kind != REPLY_FOREIGN)
		return;
	clear_progress(talk);
	talk_say(talk,
	        &(struct saying){.by = reply->kind == REPLY_OUTPUT ? SAID_OUTPUT : SAID_RANK,
	                .bytes = text_string(&reply->text),
	                .count = reply->text.count,
	                .severity = text_string(&reply->severity),
	                .rank = reply->rank});
}

static bool take_reply(struct talk *talk, struct reply *reply)
{
	struct text line = {0};
	bool taken = false;
	while (!taken && take_line(&talk->incoming, &line)) {
		reply_read(text_string(&line), line.count, reply);
		taken = reply->kind != REPLY_COMPLETE || !talk->late;
		talk->late -= !taken;
		if (!taken)
			reply_release(reply);
	}
	text_release(&line);
	return taken;
}

/* Live lanes leave the input line visible. */
static void show_all(struct talk *talk)
{
	struct reply reply = {0};
	while (take_reply(talk, &reply)) {
		if (!reply.unasked)
			line_hide();
		show(talk, &reply);
		reply_release(&reply);
	}
}

enum status talk_listen(struct talk *talk)
{
	enum status status = hear(talk, 0);
	show_all(talk);
	line_show();
	return status;
}

/* ---- Ctrl-C while rank 0 is at work ---- */

/* Returns false if the ranks stop before the user's answer. A program cannot be asked: they have
 * another second. */
static bool wants_to_kill(struct talk *talk)
{
	char answer[16] = "";
	struct pollfd keys = {.fd = talk->hearer ? -1 : 0, .events = POLLIN};
	int64_t until = wall_ns() + SECOND_NS;
	clear_progress(talk);
	if (!talk->hearer)
		printf("the ranks have not stopped yet; end them (their lines are in the journal)? [y/N] ");
	fflush(stdout);
	for (;;) {
		int ready = poll(&keys, 1, TICK_MS);
		if (talk->hearer && wall_ns() > until)
			return true;
		if (ready > 0)
			return read(0, answer, sizeof answer - 1) > 0 && (*answer == 'y' || *answer == 'Y');
		if (hear(talk, 0) != ST_OK ||
		        (talk->incoming.count && memchr(talk->incoming.bytes, '\n', talk->incoming.count)) ||
		        signal_asked_to_end()) {
			if (!talk->hearer)
				puts("");
			return false;
		}
	}
}

/* ---- asking ---- */

/* Reads on after the output's end, because the reply may be in the input. */
static enum status ask(struct talk *talk, const struct request *request, enum reply_kind kind,
        struct reply *reply, int wait_ms)
{
	enum status status = talk_send(talk, request);
	bool over = false;
	talk->asked_ns = wall_ns();
	talk->again = request->silent || request->shown;
	/* a replay keeps the time, because a second Ctrl-C may come during its next line */
	if (!talk->again)
		talk->interrupted_ns = 0;
	while (status == ST_OK || status == ST_MPI) {
		while (take_reply(talk, reply)) {
			if (reply->kind == kind && !reply->unasked) {
				clear_progress(talk);
				/* show the rest now: nothing else would wake the prompt */
				show_all(talk);
				return ST_OK;
			}
			show(talk, reply);
			reply_release(reply);
		}
		if (over || status == ST_MPI || signal_asked_to_end())
			return ST_MPI;
		if (wait_ms >= 0 && (came[SIGINT] || wall_ns() - talk->asked_ns > wait_ms * MS_NS)) {
			talk->late += kind == REPLY_COMPLETE;
			return ST_LIMIT;
		}
		over = hear(talk, wait_ms >= 0 && wait_ms < TICK_MS ? wait_ms : TICK_MS) != ST_OK;
		show_progress(talk, kind);
		if (kind == REPLY_DONE && signal_taken(SIGINT)) {
			bool again = talk->interrupted_ns && wall_ns() - talk->interrupted_ns < 2 * SECOND_NS;
			if (again && wants_to_kill(talk))
				status = ST_QUIT;
			else
				talk_send(talk, &(struct request){.kind = REQUEST_INTERRUPT});
			talk->interrupted_ns = wall_ns();
		}
		if (kind == REPLY_HELLO && signal_taken(SIGINT)) {
			kill(-talk->job.pid, SIGTERM); /* no rank can stop by itself yet */
			status = ST_QUIT;
		}
	}
	clear_progress(talk);
	return status;
}

enum status talk_ask(struct talk *talk, const struct request *request, enum reply_kind kind,
        struct reply *reply, int wait_ms)
{
	enum status status = ask(talk, request, kind, reply, wait_ms);
	talk->busy_with = NULL; /* owned by the caller */
	return status;
}
