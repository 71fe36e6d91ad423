/* serve.c -- rank 0 reads the front end's requests and replies
 *
 *     reader.c --- request ---> serve_one ---> an order to all processes (rank/conductor.c), or
 *                                              this process alone, for a read-only request
 *              <-- output and ranks' prints, as they come ---
 *              <-- one reply of the request's kind -----
 *
 * Read-only requests need no other process: world and simulated times are the same everywhere. */
#include "shell/rank/conductor.h"
#include "shell/language/run/interpreter.h"
#include "shell/rank/frame.h"
#include "shell/rank/reader.h"
#include "shell/session/device.h"
#include "shell/session/course.h"
#include "shell/training/training.h"
#include "shell/wire/io.h"
#include "shell/wire/wire.h"

#include <string.h>
#include <time.h>

enum { IDLE_MS = 50, PACE_MS = 20, LANES_MS = 100 };

/* ---- `pace 1s`: a wall second for each virtual ms ----
 *
 *     wall      w0 ----------------- now               rate: wall seconds a virtual millisecond
 *     virtual   v0 ------ v0 + (now - w0) / rate       the stamp for a line typed now
 *
 * After a line, the reply waits until the wall clock reaches the hosts' latest clock. */

struct pace {
	double rate; /* since the start below; 0: off */
	int64_t wall, virtual;
};

/* Restarts both clocks after a line changed the rate, or a reset moved virtual time back. */
static void pace_follow(struct pace *pace, const struct shell *shell)
{
	int64_t latest = shell->lasting.pace > 0 ? shell_clock(shell) : 0;
	if (pace->rate == shell->lasting.pace && (pace->rate == 0 || latest >= pace->virtual))
		return;
	*pace = (struct pace){.rate = shell->lasting.pace, .wall = wall_ns(), .virtual = latest};
}

/* Returns the stamp for a line typed now; -1: pace is off. */
static int64_t pace_stamp(struct pace *pace, const struct shell *shell)
{
	pace_follow(pace, shell);
	if (pace->rate <= 0)
		return -1;
	return pace->virtual + (int64_t)((double)(wall_ns() - pace->wall) / (pace->rate * 1e9) * 1e6);
}

/* Returns wall ns until the hosts' latest clock; 0: reached, or pace is off. */
static int64_t pace_left(struct pace *pace, const struct shell *shell)
{
	pace_follow(pace, shell);
	if (pace->rate <= 0)
		return 0;
	double ahead = (double)(shell_clock(shell) - pace->virtual) / 1e6 * pace->rate * 1e9;
	int64_t left = pace->wall + (int64_t)ahead - wall_ns();
	return left > 0 ? left : 0;
}

/* ---- replies ---- */

struct serve {
	struct conductor *conductor;
	struct line_reader reader;
	struct pace pace;
	bool leaving;
	bool untouched; /* no line typed yet: Enter opens the tour */
	bool gone;
	struct frame_kept kept;
	/* live lanes: columns and rows; the last sending; the time until which more will appear */
	int width, lanes;
	int64_t lanes_ns, lanes_to;
};

/* If the reader is gone, a running request is interrupted and the loop ends. */
static void send(struct serve *serve, struct reply *reply)
{
	struct text line = {0};
	reply_write(reply, &line);
	if (write_all(capture_out(serve->conductor->capture), line.bytes, line.count) != ST_OK)
		serve->gone = true;
	text_release(&line);
	reply_release(reply);
}

static void say(void *self, enum severity severity, const char *bytes, size_t count)
{
	struct reply reply = {.kind = REPLY_OUTPUT};
	text_put(&reply.text, bytes, count);
	text_add(&reply.severity, "%s", severity ? severity_name(severity) : "");
	send(self, &reply);
}

static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	struct reply reply = {.kind = REPLY_FOREIGN, .rank = rank};
	text_put(&reply.text, bytes, count);
	send(self, &reply);
}

/* In a replay Ctrl-C ends only waits for devices, because a line ends at its recorded stop. */
static bool interrupted(void *self, bool again, bool waits)
{
	const char *words = waits ? "   earlier lines run again, and no longer wait for GPUs\n"
	                          : "   Ctrl-C is ignored while earlier lines run again\n";
	struct serve *serve = self;
	if (serve->conductor->shell.replay.shown && !waits)
		words = "   Ctrl-C is ignored here: a followed line ends as it did in its session\n";
	bool typed = reader_interrupted(&serve->reader);
	if (serve->gone || reader_left(&serve->reader))
		return true;
	if (typed && again) {
		serve->reader.interrupted = 0;
		say(serve, SEVERITY_NOTE, words, strlen(words));
	}
	return typed && (waits || !again);
}

/* ---- the prompt ---- */

/* Writes "(2 waits) 4.20 ms > ", with `use` in between. */
static void write_prompt(struct serve *serve, struct reply *reply)
{
	struct shell *shell = &serve->conductor->shell;
	const struct ranks *set = interpreter_ranks(shell);
	for (int rank = 0; rank < shell->world->n; rank++) {
		struct host_now now = backend_host(shell->backend, rank);
		op_id on;
		if (ranks_has(set, rank) && now.clock > reply->clock)
			reply->clock = now.clock;
		reply->waits += shell->backend->waiting(shell->backend, rank, &on);
	}
	if (reply->waits)
		text_add(&reply->prompt, "(%d wait%s) ", reply->waits, reply->waits == 1 ? "" : "s");
	interpreter_prompt(shell, &reply->prompt);
	text_add(&reply->prompt, "%.2f ms > ", (double)reply->clock / 1e6);
	shell->course.functions->task(shell, &reply->task);
	if (shell->course.functions->goes_on(shell))
		text_add(&reply->enter, "next");
	else if (program_running(shell))
		text_add(&reply->enter, "step");
	else if (serve->untouched)
		text_add(&reply->enter, "tour");
}

/* ---- requests ---- */

/* Sends the terminal's width and colours to all processes, so that they write the same output. */
static void hello(struct serve *serve, const struct request *request)
{
	struct shell *shell = &serve->conductor->shell;
	struct reply reply = {
	        .kind = REPLY_HELLO, .version = WIRE_VERSION, .n = shell->world->n, .dry = shell->dry};
	struct order setup = {.kind = ORDER_SETUP,
	        .width = request->width,
	        .colour = request->colour,
	        .numbers = request->numbers,
	        .text = text_string(&request->solved),
	        .count = request->solved.count};
	conductor_order(serve->conductor, &setup);
	text_add(&reply.text, "%s", shell->lasting.machine.name);
	text_add(&reply.device, "%s", device_words(shell->device));
	text_add(&reply.missing, "%s", shell->device->missing);
	write_prompt(serve, &reply);
	send(serve, &reply);
}

static void tell_log(struct journal *journal, struct log_change *log)
{
	log->kept = (int)journal->told;
	for (; journal->told < journal->count; journal->told++) {
		const struct journal_entry *entry = &journal->entries[journal->told];
		struct logged_line *line = log_add(log);
		text_add(&line->line, "%s", entry->line);
		text_add(&line->outside, "%s", entry->outside);
		text_add(&line->values, "%s", entry->values);
		line->stop = entry->stop;
		line->stamp = entry->stamp;
		line->refused = entry->refused;
	}
}

/* Sends the live lanes, at once or while `pace` advances; on GPUs as known after the last line. */
static void send_lanes(struct serve *serve, bool at_once)
{
	int64_t stamp = serve->lanes ? pace_stamp(&serve->pace, &serve->conductor->shell) : -1;
	if (!serve->lanes || (!at_once && (stamp < 0 || serve->lanes_to <= 0)) ||
	        (!at_once && wall_ns() - serve->lanes_ns < LANES_MS * INT64_C(1000000)))
		return;
	struct request request = {.kind = REQUEST_VIEW,
	        .width = serve->width,
	        .height = serve->lanes + 1, /* no details */
	        .from = 1,
	        .now = stamp,
	        .passes = stamp >= 0};
	struct reply reply = {.kind = REPLY_VIEW};
	text_add(&request.seek, "latest");
	if (view_frame(&serve->conductor->shell, &serve->kept, &request, &reply) == ST_OK) {
		serve->lanes_to = stamp >= 0 && stamp < reply.whole_to ? reply.whole_to : 0;
		serve->lanes_ns = wall_ns();
		reply.unasked = true;
		send(serve, &reply);
	} else {
		reply_release(&reply);
	}
	request_release(&request);
}

/* Waits until `pace`'s wall clock has reached the hosts. Ctrl-C ends only this wait. */
static void await_wall(struct serve *serve)
{
	int64_t left;
	for (bool first = true; (left = pace_left(&serve->pace, &serve->conductor->shell)) > 0 &&
	        !interrupted(serve, false, false);
	        first = false) {
		send_lanes(serve, first);
		struct timespec nap = {0, (long)(left < PACE_MS * 1000000 ? left : PACE_MS * 1000000)};
		nanosleep(&nap, NULL);
		conductor_poll(serve->conductor);
	}
}

/* now: a typed line, after which `pace` waits. lanes: also sends the live lanes. */
static void send_done(struct serve *serve, struct reply *reply, bool now, bool lanes)
{
	static const char *const words[] = {[WISH_RESTART] = "restart",
	        [WISH_VIEW] = "view",
	        [WISH_SPLIT] = "split ",
	        [WISH_EDIT] = "edit "};
	struct wish *wish = &serve->conductor->shell.wishes.front_end;
	if (reply->status != ST_OK && reply->status != ST_QUIT)
		text_add(&reply->text, "%s", fail_text());
	if (now)
		await_wall(serve);
	if (lanes)
		send_lanes(serve, true);
	serve->conductor->shell.course.functions->events(&serve->conductor->shell, &reply->learned);
	tell_log(&serve->conductor->shell.journal, &reply->log);
	numbers_take(&serve->conductor->shell.numbers, serve->conductor->shell.world->n, &reply->numbers);
	if (words[wish->kind])
		text_add(&reply->wish, "%s%s", words[wish->kind], wish->file);
	*wish = (struct wish){0};
	write_prompt(serve, reply);
	send(serve, reply);
}

static void run(struct serve *serve, const struct request *request)
{
	struct shell *shell = &serve->conductor->shell;
	bool again = request->silent || request->shown;
	struct order order = {.kind = ORDER_LINE,
	        .text = text_string(&request->text),
	        .count = request->text.count,
	        .silent = request->silent,
	        .shown = request->shown,
	        .values = request->values.count ? text_string(&request->values) : NULL,
	        .stop = request->stop,
	        .stamp = again          ? request->stamp
	                : request->look ? -1
	                                : pace_stamp(&serve->pace, shell)};
	enum status status = conductor_order(serve->conductor, &order);
	struct reply reply = {.kind = REPLY_DONE, .status = status, .stamp = order.stamp};
	if (again)
		text_add(&reply.again, "%s", text_string(&shell->steering.told));
	serve->untouched = serve->untouched && request->text.count == 0;
	serve->leaving = status == ST_QUIT;
	send_done(serve, &reply, !again && !request->look, !request->silent);
}

/* As at the end of a script: runs all work, and finds ranks that wait for ever. */
static void end(struct serve *serve)
{
	enum status status = conductor_order(serve->conductor, &(struct order){.kind = ORDER_END});
	if (status == ST_OK && serve->conductor->data_failed)
		status = fail(ST_MPI, "a rank could not compute its data");
	send_done(serve, &(struct reply){.kind = REPLY_DONE, .status = status, .stamp = -1}, false, false);
}

static void view(struct serve *serve, const struct request *request)
{
	struct reply reply = {.kind = REPLY_VIEW};
	if (serve->conductor->shell.backend->measures)
		conductor_order(serve->conductor, &(struct order){.kind = ORDER_ROUND});
	if (view_frame(&serve->conductor->shell, &serve->kept, request, &reply) != ST_OK) {
		reply_release(&reply);
		reply.kind = REPLY_VIEW;
		text_add(&reply.text, "%s", fail_text());
	}
	send(serve, &reply);
}

static void serve_one(struct serve *serve, const struct request *request)
{
	struct order resize = {.kind = ORDER_SETUP, .width = request->width};
	struct reply endings = {.kind = REPLY_COMPLETE};
	if (request->kind != REQUEST_VIEW)
		frame_forget(&serve->kept);
	switch (request->kind) {
	case REQUEST_RUN:
		run(serve, request);
		break;
	case REQUEST_HELLO:
		hello(serve, request);
		break;
	case REQUEST_COMPLETE:
		interpreter_complete(&serve->conductor->shell, text_string(&request->text), request->cursor,
		        &endings.text);
		send(serve, &endings);
		break;
	case REQUEST_VIEW:
		view(serve, request);
		break;
	case REQUEST_RESIZE:
		resize.colour = out_colour(serve->conductor->shell.out);
		conductor_order(serve->conductor, &resize);
		serve->width = request->width;
		serve->lanes = request->lanes;
		send_lanes(serve, true);
		break;
	case REQUEST_INTERRUPT:
		break; /* the reader has removed them all */
	case REQUEST_END:
		end(serve);
		break;
	case REQUEST_LEAVE:
		serve->leaving = true;
		break;
	}
}

/* Replies also to an unreadable line, because each request has a reply. */
static void answer(struct serve *serve, const char *line, size_t count)
{
	struct request request = {0};
	enum status status = request_read(line, count, &request);
	if (status == ST_OK)
		serve_one(serve, &request);
	else
		send_done(serve, &(struct reply){.kind = REPLY_DONE, .status = status, .stamp = -1}, false,
		        false);
	request_release(&request);
}

int serve_run(struct conductor *conductor)
{
	struct serve serve = {.conductor = conductor, .untouched = true};
	struct text line = {0};
	wire_start();
	conductor->to = (struct listener){&serve, say, foreign, interrupted};
	while (!serve.leaving && !serve.gone && !reader_ended(&serve.reader)) {
		if (reader_take(&serve.reader, IDLE_MS, &line))
			answer(&serve, text_string(&line), line.count);
		else
			send_lanes(&serve, false);
		conductor_poll(conductor);
	}
	text_release(&line);
	frame_forget(&serve.kept);
	text_release(&serve.reader.waiting);
	conductor->to.interrupted = NULL;
	return 0;
}
