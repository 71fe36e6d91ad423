/* batch.c -- runs without a prompt: plain text and an exit status */
#include "mpi/transport.h"
#include "shell/rank/conductor.h"
#include "shell/rank/launcher.h"
#include "base/file.h"
#include "base/memory.h"
#include "shell/session/options.h"
#include "shell/session/out.h"
#include "shell/wire/io.h"
#include "shell/wire/plain.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reports a full disk or a closed reader once; the run continues and its exit status is 4. */
static void say(void *self, enum severity severity, const char *bytes, size_t count)
{
	(void)severity;
	struct conductor *conductor = self;
	struct text shown = {0};
	plain_put(bytes, count, false, &shown);
	if (!conductor->output_failed &&
	        write_all(capture_out(conductor->capture), text_string(&shown), shown.count) != ST_OK) {
		conductor->output_failed = true;
		say_failure(conductor, ST_FILE);
	}
	text_release(&shown);
}

static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	struct conductor *conductor = self;
	struct text marked = {0};
	mark_lines(rank, bytes, count, &marked);
	write_all(capture_err(conductor->capture), text_string(&marked), marked.count);
	text_release(&marked);
}

/* Without a keyboard only --limit interrupts. */
void say_failure(struct conductor *conductor, enum status status)
{
	struct text line = {0};
	if (status == ST_INTERRUPTED && conductor_over_limit(conductor))
		text_add(&line, "ranksh: stopped: more than %.3g s (--limit)\n",
		        (double)conductor->options->limit_ns / 1e9);
	else
		text_add(&line, "%s\n", fail_text());
	write_all(capture_err(conductor->capture), text_string(&line), line.count);
	text_release(&line);
}

/* Invalid numbers override every other verdict. */
static int exit_code(const struct conductor *conductor, enum status status)
{
	if (conductor->data_failed)
		return 4;
	if (status == ST_OK || status == ST_QUIT)
		return conductor->output_failed ? 4 : conductor->shell.expect.failed ? 1 : 0;
	return status_exit(status);
}

static enum status end(struct conductor *conductor, enum status status)
{
	return status == ST_OK ? conductor_order(conductor, &(struct order){.kind = ORDER_END}) : status;
}

enum status run_text(struct conductor *conductor, const char *file, const char *bytes, size_t count)
{
	struct order order = {
	        .kind = ORDER_TEXT, .file = file, .text = bytes, .count = count, .first_line = 1};
	return end(conductor, conductor_order(conductor, &order));
}

/* Runs complete lines and removes them from `waiting`. An open block stays until more input comes;
 * at the end of the input (last) it is an error.
 *
 *     waiting   sync \n repeat 9 { \n spin 1us \n        taken: "sync \n"; the rest waits */
static enum status run_waiting(struct conductor *conductor, struct text *waiting, bool last, int *line)
{
	const char *newline = memrchr(waiting->bytes, '\n', waiting->count);
	size_t count = last ? waiting->count : newline ? (size_t)(newline - waiting->bytes) + 1 : 0;
	if (count == 0)
		return ST_OK;
	struct order order = {.kind = ORDER_LINES,
	        .file = "input",
	        .text = waiting->bytes,
	        .count = count,
	        .first_line = *line};
	enum status status = conductor_order(conductor, &order);
	if (status == ST_INCOMPLETE && !last)
		status = ST_OK;
	for (size_t i = 0; i < conductor->taken; i++)
		*line += waiting->bytes[i] == '\n';
	memmove(waiting->bytes, waiting->bytes + conductor->taken, waiting->count - conductor->taken);
	waiting->count -= conductor->taken;
	return status;
}

/* mpirun (Open MPI 4.1) crashes if a rank leaves while more input arrives (iof_hnp). */
static void drain_input(void)
{
	enum { QUIET_MS = 100 };
	const int64_t until = wall_ns() + INT64_C(1000000000);
	struct pollfd input = {.fd = 0, .events = POLLIN};
	char piece[65536];
	ssize_t got = 1;
	while (got > 0 && wall_ns() < until && poll(&input, 1, QUIET_MS) > 0)
		got = read(0, piece, sizeof piece);
}

/* A user at a terminal would wait for the prompt in silence. */
static void note_no_prompt(struct conductor *conductor)
{
	const char *launcher;
	int ms = launcher_patience_ms(&launcher);
	struct pollfd input = {.fd = 0, .events = POLLIN};
	if (ms >= 0 && poll(&input, 1, ms) == 0)
		dprintf(capture_err(conductor->capture),
		        "note: there is no prompt under %s, and lines run as they come; `ranksh -n %d` opens "
		        "a "
		        "prompt\n",
		        launcher, transport_size(conductor->transport));
}

/* Returns true if the front end's mark ends the input, and removes it. */
static bool input_ended(struct text *waiting)
{
	size_t length = strlen(INPUT_END);
	bool ended = waiting->count >= length &&
	        memcmp(waiting->bytes + waiting->count - length, INPUT_END, length) == 0;
	if (ended)
		waiting->count -= length;
	return ended;
}

/* Runs each piece at once, because the writer may read an answer before it sends its next line. */
static enum status run_input(struct conductor *conductor)
{
	struct text waiting = {0};
	enum status status = ST_OK;
	char piece[65536];
	int line = 1;
	bool last = false, front_end = conductor->options->report;
	long long all = 0, reported = 0;
	note_no_prompt(conductor);
	while (!last && status == ST_OK) {
		ssize_t got = read(0, piece, sizeof piece);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			status = fail(ST_FILE, "cannot read the standard input: %s", strerror(errno));
			break;
		}
		text_put(&waiting, piece, (size_t)got);
		all += got;
		if (front_end && all - reported >= INPUT_PART)
			dprintf(capture_out(conductor->capture), INPUT_READ "%lld\n", reported = all);
		last = got == 0 || (front_end && input_ended(&waiting));
		status = run_waiting(conductor, &waiting, last, &line);
	}
	text_release(&waiting);
	if (!last)
		drain_input();
	return end(conductor, status);
}

static enum status run_file(struct conductor *conductor, const char *path,
        enum status (*run)(struct conductor *, const char *, const char *, size_t))
{
	char *bytes = NULL;
	size_t count = 0;
	enum status status = file_read(path, SIZE_MAX, &bytes, &count);
	if (status != ST_OK)
		return status;
	status = run(conductor, path, bytes, count);
	mem_free(bytes);
	return status;
}

static enum status run_help(struct conductor *conductor)
{
	const struct options *options = conductor->options;
	struct text line = {0};
	text_add(&line, "help");
	for (int i = 0; i < options->asked_words; i++)
		text_add(&line, " %s", options->asked[i]);
	enum status status = run_text(conductor, NULL, text_string(&line), line.count);
	text_release(&line);
	return status;
}

int batch_run(struct conductor *conductor)
{
	const struct options *options = conductor->options;
	enum status status;
	conductor->to = (struct listener){conductor, say, foreign, NULL};
	if (options->asked)
		status = run_help(conductor);
	else if (options_course(options))
		status = conductor_order(conductor, &(struct order){.kind = ORDER_COURSE});
	else if (options->test)
		status = run_file(conductor, options->file, test_text);
	else if (options->file)
		status = run_file(conductor, options->file, run_text);
	else if (options->lines)
		status = run_text(conductor, strchr(options->lines, '\n') ? "-c" : NULL, options->lines,
		        strlen(options->lines));
	else
		status = run_input(conductor);
	if (status != ST_OK && status != ST_QUIT && status != ST_EXPECT)
		say_failure(conductor, status);
	return exit_code(conductor, status);
}
