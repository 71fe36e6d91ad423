/* serve.c -- rank 0 and the front end: requests in, replies out */
#include "shell/rank/serve.h"
#include "base/memory.h"
#include "base/number.h"
#include "shell/agreement/pace.h"
#include "shell/language/run/interpreter.h"
#include "shell/lessons/lesson.h"
#include "shell/line/replay.h"
#include "shell/rank/frame.h"
#include "shell/rank/reader.h"
#include "shell/session/journal.h"
#include "shell/session/out.h"
#include "shell/session/shell.h"
#include "shell/training/training.h"
#include "shell/wire/capture.h"
#include "shell/wire/io.h"
#include "shell/wire/wire.h"
#include "backend/backend.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDLE_MS = 50, PACE_MS = 20 };

struct serve {
	struct conductor *conductor;
	struct line_reader *reader;
	struct pace pace;
	long number; /* of the request at work */
	bool leaving;
	bool untouched; /* nothing was typed yet: Enter opens the tour */
	bool gone;      /* a reply could not be written */
};

static void send(struct serve *serve, const struct reply *reply)
{
	struct text line = {0};
	reply_write(reply, &line);
	if (line.broken || write_all(capture_out(serve->conductor->capture), line.bytes, line.count) != ST_OK)
		serve->gone = true;
	text_release(&line);
}

static void send_text(struct serve *serve, enum reply_kind kind, int rank, const char *bytes, size_t count)
{
	struct reply reply = {.kind = kind, .rank = rank};
	text_put(&reply.text, bytes, count);
	send(serve, &reply);
	reply_release(&reply);
}

static void say(void *self, const char *bytes, size_t count)
{
	send_text(self, REPLY_OUTPUT, 0, bytes, count);
}

static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	send_text(self, REPLY_FOREIGN, rank, bytes, count);
}

static bool interrupted(void *self)
{
	struct serve *serve = self;
	return serve->gone || reader_interrupted(serve->reader, serve->number);
}

/* ---- the prompt ---- */

/* The ranks that the prompt names, "@0-1,3 "; without a name all. */
static void prompt_ranks(const struct shell *shell, struct ranks *set)
{
	struct text prompt = {0};
	interpreter_prompt(shell, &prompt);
	const char *at = text_string(&prompt);
	ranks_all(set, shell->world->n);
	if (*at == '@') {
		struct ranks named = {0};
		while (*at == '@' || *at == ',') {
			char *end;
			long from = strtol(at + 1, &end, 10),
			     to = *end == '-' ? strtol(end + 1, &end, 10) : from;
			for (long rank = from; rank <= to && rank < shell->world->n; rank++)
				ranks_add(&named, (int)rank);
			at = end;
		}
		if (!ranks_empty(&named))
			*set = named;
	}
	text_release(&prompt);
}

/* The virtual clock of the prompt's ranks, and how many ranks wait for lines. */
static void read_clocks(struct serve *serve, struct reply *reply)
{
	struct shell *shell = &serve->conductor->shell;
	struct ranks set;
	prompt_ranks(shell, &set);
	for (int rank = 0; rank < shell->world->n; rank++) {
		struct host_now now;
		op_id on;
		shell->backend->host(shell->backend, rank, &now);
		if (ranks_has(&set, rank) && now.clock > reply->clock)
			reply->clock = now.clock;
		reply->waits += shell->backend->waiting(shell->backend, rank, &on);
	}
}

static void write_prompt(struct serve *serve, struct reply *reply)
{
	struct shell *shell = &serve->conductor->shell;
	read_clocks(serve, reply);
	if (reply->waits)
		text_add(&reply->prompt, "(%d wait%s) ", reply->waits, reply->waits == 1 ? "" : "s");
	interpreter_prompt(shell, &reply->prompt);
	text_add(&reply->prompt, "%.2f ms > ", (double)reply->clock / 1e6);
	if (tour_running(shell))
		text_add(&reply->enter, "next");
	else if (program_running(shell))
		text_add(&reply->enter, "step");
	else if (serve->untouched)
		text_add(&reply->enter, "tour");
}

/* ---- requests ---- */

static void hello(struct serve *serve, const struct request *request)
{
	struct shell *shell = &serve->conductor->shell;
	struct reply reply = {
	        .kind = REPLY_HELLO, .version = WIRE_VERSION, .n = shell->world->n, .dry = shell->dry};
	struct order setup = {
	        .kind = ORDER_SETUP, .width = request->width, .colour = request->colour, .interactive = 1};
	enum status status = conductor_order(serve->conductor, &setup);
	if (status == ST_OK)
		text_add(&reply.text, "%s", shell->machine.name);
	else
		text_add(&reply.text, "%s", fail_text());
	write_prompt(serve, &reply);
	send(serve, &reply);
	reply_release(&reply);
}

static void write_wish(const struct wish *wish, struct text *out)
{
	switch (wish->kind) {
	case WISH_NONE:
		break;
	case WISH_RESTART:
		text_add(out, "restart");
		break;
	case WISH_VIEW:
		text_add(out, "view");
		break;
	case WISH_EDIT:
		text_add(out, "edit %s", wish->file);
		break;
	}
}

/* `pace`: the line is over when the wall clock has reached the hosts' clocks. Ctrl-C ends the watching, never
 * the world. */
static void await_wall(struct serve *serve)
{
	int64_t left;
	while ((left = pace_left(&serve->pace, &serve->conductor->shell)) > 0 && !interrupted(serve)) {
		struct timespec nap = {0, (long)(left < PACE_MS * 1000000 ? left : PACE_MS * 1000000)};
		nanosleep(&nap, NULL);
		conductor_poll(serve->conductor);
	}
}

static void run(struct serve *serve, const struct request *request)
{
	struct shell *shell = &serve->conductor->shell;
	struct reply reply = {.kind = REPLY_DONE,
	        .stamp = request->silent ? request->stamp : pace_stamp(&serve->pace, shell)};
	struct order order = {.kind = ORDER_LINE,
	        .text = text_string(&request->text),
	        .count = request->text.count,
	        .silent = request->silent,
	        .stop = request->stop,
	        .stamp = reply.stamp};
	reply.status = conductor_order(serve->conductor, &order);
	if (reply.status != ST_OK && reply.status != ST_QUIT)
		text_add(&reply.text, "%s", fail_text());
	serve->untouched = serve->untouched && request->text.count == 0;
	serve->leaving = reply.status == ST_QUIT;
	if (!request->silent)
		await_wall(serve);
	bool accepted = reply.status == ST_OK || reply.status == ST_INTERRUPTED || reply.status == ST_EXPECT;
	bool in_part = reply.status != ST_INCOMPLETE &&
	        (shell->kept || shell->undid); /* refused half-way: so it is the next time */
	reply.keep = (accepted || in_part) && shell->wish.kind == WISH_NONE &&
	        !journal_only_looks(order.text, order.count, false);
	reply.adds = shell->kept;
	reply.undo = reply.keep && shell->undid;
	reply.lines = journal_lines(&shell->journal);
	reply.stop = serve->conductor->stopped;
	text_put(&reply.outside, text_string(&shell->outside), shell->outside.count);
	write_wish(&shell->wish, &reply.wish);
	write_prompt(serve, &reply);
	send(serve, &reply);
	reply_release(&reply);
}

static void complete(struct serve *serve, const struct request *request)
{
	struct reply reply = {.kind = REPLY_COMPLETE};
	interpreter_complete(
	        &serve->conductor->shell, text_string(&request->text), request->cursor, &reply.text);
	send(serve, &reply);
	reply_release(&reply);
}

static void view(struct serve *serve, const struct request *request)
{
	struct reply reply = {.kind = REPLY_VIEW};
	if (view_frame(&serve->conductor->shell, request, &reply) != ST_OK) {
		reply_release(&reply);
		reply.kind = REPLY_VIEW;
		text_add(&reply.text, "%s", fail_text());
	}
	send(serve, &reply);
	reply_release(&reply);
}

static void serve_one(struct serve *serve, const struct request *request)
{
	struct order resize = {.kind = ORDER_SETUP, .width = request->width, .interactive = 1};
	switch (request->kind) {
	case REQUEST_RUN:
		run(serve, request);
		break;
	case REQUEST_HELLO:
		hello(serve, request);
		break;
	case REQUEST_COMPLETE:
		complete(serve, request);
		break;
	case REQUEST_VIEW:
		view(serve, request);
		break;
	case REQUEST_RESIZE:
		resize.colour = out_colour(serve->conductor->shell.out);
		conductor_order(serve->conductor, &resize);
		break;
	case REQUEST_INTERRUPT:
		break; /* the reader has taken it */
	case REQUEST_LEAVE:
		serve->leaving = true;
		break;
	}
}

/* A line that cannot be read gets the reply of a refused one, so that request and reply stay in step. */
static void answer(struct serve *serve, const char *line, size_t count)
{
	struct request request = {0};
	if (request_read(line, count, &request) == ST_OK) {
		serve_one(serve, &request);
	} else {
		struct reply reply = {.kind = REPLY_DONE, .status = ST_SYNTAX, .stamp = -1};
		text_add(&reply.text, "%s", fail_text());
		write_prompt(serve, &reply);
		send(serve, &reply);
		reply_release(&reply);
	}
	request_release(&request);
}

int serve_run(struct conductor *conductor)
{
	struct serve serve = {.conductor = conductor, .untouched = true};
	wire_start();
	if (reader_start(&serve.reader, 0) != ST_OK)
		return 4;
	conductor->say = say;
	conductor->foreign = foreign;
	conductor->interrupted = interrupted;
	conductor->self = &serve;
	while (!serve.leaving && !serve.gone && !reader_ended(serve.reader)) {
		char *line;
		size_t count;
		if (reader_take(serve.reader, IDLE_MS, &line, &count, &serve.number)) {
			answer(&serve, line, count);
			mem_free(line);
		}
		conductor_poll(conductor);
	}
	reader_stop(serve.reader);
	conductor->interrupted = NULL;
	return 0;
}
