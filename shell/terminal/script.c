/* script.c -- a session whose lines come from a pipe, a file or -c, in place of the keyboard
 *
 *     lines ---> script_run ---> act.c ---> ...                     as if typed
 *     words <--- script_hear <--- say.c                             JSON (--json), or plain text:
 *                                                                   answers on 1, the rest on 2
 * Unlike a script that ranks run (rank/batch.c), the session goes on after a refused line, and a
 * signal SIGINT stops only the line that runs. */
#include "shell/terminal/script.h"
#include "shell/terminal/inside.h"
#include "shell/terminal/objects.h"
#include "base/memory.h"
#include "shell/wire/io.h"
#include "shell/wire/plain.h"
#include "shell/wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH_LEAST = 40, WIDTH_MOST = 300, WIDTH = 80, INTERRUPTED_EXIT = 130, PIECE = 1 << 16 };

struct script {
	struct session *session;
	bool json;
	int file; /* of the lines; -1: all are in `waiting` */
	bool ended;
	struct text waiting, line;
	const char *name; /* for messages */
	struct objects objects;
	bool failed; /* the line: an `expect` was false, or a check wrong */
	int seconds; /* of the line's progress, reported last */
	int code;    /* exit status, by the first line that failed; 0: none */
};

bool script_wanted(const struct options *options)
{
	return options->json || (options->class_folder && options_batch(options));
}

/* ---- words ---- */

static void put_text(const struct script *script, const struct saying *saying)
{
	struct text words = {0};
	bool answer = saying->by == SAID_OUTPUT;
	if (saying->by == SAID_PROGRESS)
		return;
	if (saying->by == SAID_ERROR && script->objects.line)
		text_add(&words, "%s:%d: ", script->name, script->objects.line);
	else if (saying->by == SAID_ERROR)
		text_add(&words, "ranksh: ");
	if (saying->by == SAID_RANK)
		mark_lines(saying->rank, saying->bytes, saying->count, &words);
	else
		plain_put(saying->bytes, saying->count, false, &words);
	if (words.count && words.bytes[words.count - 1] != '\n')
		text_add(&words, "\n");
	fwrite(text_string(&words), 1, words.count, answer ? stdout : stderr);
	if (fflush(stdout) != 0)
		signal_end();
	text_release(&words);
}

static void script_hear(void *self, const struct saying *saying)
{
	struct script *script = self;
	bool known = saying->by == SAID_PROGRESS && saying->seconds == script->seconds;
	script->seconds = saying->seconds;
	if (known)
		return;
	script->failed |=
	        saying->by == SAID_OUTPUT && saying->severity && strcmp(saying->severity, "error") == 0;
	if (script->json)
		objects_say(&script->objects, saying);
	else
		put_text(script, saying);
}

/* ---- start and end ---- */

/* The last line may lack its newline. */
static void end_line(struct script *script)
{
	const struct text *waiting = &script->waiting;
	if (script->ended && waiting->count && waiting->bytes[waiting->count - 1] != '\n')
		text_add(&script->waiting, "\n");
}

enum status script_open(struct session *session, struct script **opened)
{
	const struct options *options = &session->options;
	struct script *script = *opened = mem_alloc(sizeof *script);
	*script = (struct script){.session = session, .json = options->json, .name = "input"};
	session->talk.hearer = script_hear;
	session->talk.hearing = script;
	if (options->lines) {
		text_add(&script->waiting, "%s", options->lines);
		script->name = "-c";
		script->file = -1;
	} else if (options->file) {
		script->name = options->file;
		script->file = open(options->file, O_RDONLY | O_CLOEXEC);
		if (script->file < 0)
			return fail(ST_FILE, "cannot read %s: %s", options->file, strerror(errno));
	}
	script->ended = script->file < 0;
	end_line(script);
	return ST_OK;
}

bool script_json(const struct script *script)
{
	return script && script->json;
}

int script_width(void)
{
	const char *columns = getenv("COLUMNS");
	int width = columns ? atoi(columns) : 0;
	return width >= WIDTH_LEAST && width <= WIDTH_MOST ? width : WIDTH;
}

void script_started(const struct script *script)
{
	if (script->json)
		objects_start(&script->objects, script->session);
}

void script_close(struct script *script, int code)
{
	if (!script)
		return;
	if (script->json)
		objects_end(&script->objects, code);
	if (script->file > 0)
		close(script->file);
	text_release(&script->waiting);
	text_release(&script->line);
	mem_free(script);
}

/* ---- lines ---- */

static void read_more(struct script *script)
{
	char piece[PIECE];
	ssize_t got = read(script->file, piece, sizeof piece);
	if (got > 0)
		text_put(&script->waiting, piece, (size_t)got);
	else if (!(got < 0 && errno == EINTR))
		script->ended = true;
	end_line(script);
}

/* Waits for a line, and shows what ranks write meanwhile. Returns false at the end of the input. */
static bool next_line(struct script *script)
{
	struct session *session = script->session;
	while (!signal_asked_to_end()) {
		if (take_line(&script->waiting, &script->line))
			return true;
		if (script->ended)
			return false;
		bool alive = session->talk.alive;
		struct pollfd ends[] = {{.fd = script->file, .events = POLLIN},
		        {.fd = alive ? session->talk.job.out : -1, .events = POLLIN},
		        {.fd = alive ? session->talk.job.err : -1, .events = POLLIN}};
		int ready = poll(ends, 3, -1);
		if (signal_taken(SIGINT))
			text_clear(&session->pending);
		if (ready > 0 && (ends[1].revents || ends[2].revents) && talk_listen(&session->talk) != ST_OK)
			job_lose(session, ST_MPI);
		if (ready > 0 && ends[0].revents)
			read_more(script);
	}
	return false;
}

/* An interrupted line, too, fails the script. */
static void note_code(struct script *script, enum status status)
{
	int code = status == ST_INTERRUPTED ? INTERRUPTED_EXIT
	        : status == ST_INCOMPLETE   ? 0
	                                    : status_exit(status);
	if (!script->code)
		script->code = code;
}

static enum status line_status(const struct script *script)
{
	const struct session *session = script->session;
	enum status status = session->last.status;
	return status == ST_OK && !session->talk.alive ? ST_MPI
	        : status == ST_OK && script->failed    ? ST_EXPECT
	                                               : status;
}

static void run_one(struct script *script)
{
	struct session *session = script->session;
	script->objects.line++;
	script->failed = false;
	reply_release(&session->last);
	/* an empty line is no Enter, which would open the tour or run a step */
	const char *line = text_string(&script->line);
	if (session->pending.count || line[strspn(line, " \t\r")])
		act_on(session, line);
	enum status status = line_status(script);
	note_code(script, status);
	if (script->json)
		objects_done(&script->objects, session, status);
}

/* As at the end of a script of ranks: finds ranks that wait for ever. */
static void finish(struct script *script)
{
	struct session *session = script->session;
	struct reply reply = {0};
	if (session->pending.count) {
		say_bad(session, "a bracket, brace or quote is still open at the end of the input");
		note_code(script, ST_SYNTAX);
	}
	if (script->code || !session->talk.alive)
		return;
	session->talk.busy_with = "the end of the input: the work that is queued";
	enum status status = talk_ask(
	        &session->talk, &(struct request){.kind = REQUEST_END, .stamp = -1}, REPLY_DONE, &reply, -1);
	if (status != ST_OK) {
		job_lose(session, status);
		note_code(script, session->last.status);
		return;
	}
	if (reply.status != ST_OK)
		say_bad(session, "%s", text_string(&reply.text));
	note_code(script, reply.status);
	reply_release(&reply);
}

int script_run(struct script *script)
{
	struct session *session = script->session;
	while (!session->leaving && next_line(script))
		run_one(script);
	if (ferror(stdout))
		return 4; /* the reader has left, or the disk is full */
	if (signal_asked_to_end())
		return signal_came(SIGHUP) ? 128 + SIGHUP : 128 + SIGTERM;
	if (!session->leaving)
		finish(script);
	return script->code;
}
