/* conductor.c -- sends and carries out orders; meanwhile shows ranks' own prints and grants
 * credit */
#include "shell/rank/conductor.h"
#include "base/memory.h"
#include "shell/language/parse/tree.h"
#include "shell/line/line.h"
#include "shell/session/device.h"
#include "shell/session/expired.h"
#include "shell/session/course.h"
#include "shell/training/open.h"
#include "shell/training/transcript.h"
#include "shell/wire/block.h"
#include "waits/waits.h"

#include <string.h>

static const int64_t FLUSH_NS = 50000000; /* a long run's output is shown at least this often */

/* ---- text printed by a rank itself ---- */

void conductor_poll(void *self)
{
	struct conductor *conductor = self;
	struct text own = {0};
	char *bytes;
	size_t count;
	int rank;
	if (conductor->capture)
		capture_take(conductor->capture, &own);
	if (own.count)
		transport_forward(conductor->transport, own.bytes, own.count);
	text_release(&own);
	while (transport_rank(conductor->transport) == 0 &&
	        transport_take_forwarded(conductor->transport, &rank, &bytes, &count)) {
		conductor->to.foreign(conductor->to.self, rank, bytes, count);
		mem_free(bytes);
	}
}

/* ---- credit ---- */

/* Rank 0 decides every 5 to 20 ms of a long run whether to stop, flush or go on. */
static enum credit_code look(void *self)
{
	struct conductor *conductor = self;
	conductor_poll(conductor);
	bool again = conductor->shell.replay.depth > 0, waits = conductor->credit.waiting;
	if (conductor_over_limit(conductor) ||
	        (conductor->to.interrupted && conductor->to.interrupted(conductor->to.self, again, waits)))
		return CREDIT_STOP;
	if (!out_empty(conductor->shell.out) && wall_ns() - conductor->flushed_ns > FLUSH_NS)
		return CREDIT_FLUSH;
	return CREDIT_GO;
}

/* Shows the output so far, at the same step on all processes. If their replicated states differ,
 * the order's end reports it again. */
static void flush(void *self)
{
	struct conductor *conductor = self;
	bool told = conductor->differ_told;
	agree_all(conductor, ST_OK);
	conductor->differ_told = told;
}

static void tell_wait(void *self, int64_t waited_ns)
{
	struct conductor *conductor = self;
	struct shell *shell = &conductor->shell;
	op_id id = waits_now(shell->world, shell->backend);
	if (!id)
		return;
	const struct record *record = op_record(shell->world, id);
	struct text words = {0};
	text_add(&words, "   waiting for ");
	op_label(shell->world, id, &words);
	if (record->line > 0)
		text_add(&words, " (line %d)", record->line);
	text_add(&words, " on rank %d: %.1f s; Ctrl-C %s\n", shell->world->ops[id].rank,
	        (double)waited_ns / 1e9, shell->interactive ? "gives the prompt back" : "ends it");
	if (shell->interactive)
		conductor->to.say(conductor->to.self, SEVERITY_NOTE, text_string(&words), words.count);
	else
		write_all(capture_err(conductor->capture), text_string(&words), words.count);
	text_release(&words);
}

bool conductor_over_limit(const struct conductor *conductor)
{
	return conductor->limit_at_ns && wall_ns() > conductor->limit_at_ns;
}

/* ---- orders ---- */

/* Fails with ST_STUCK if a rank still waits at the end, or with ST_ARGUMENT if it waits because
 * the script has left its program within an iteration. */
static enum status end_script(struct shell *shell)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct text chain = {0};
	enum status status = shell_finish(shell);
	if (status == ST_OK)
		status = shell->backend->finish(shell->backend, &shell->budget);
	status = status == ST_OK ? shell_settle(shell, ST_OK) : status;
	bool stuck = status == ST_OK && trace_stuck(&trace, out_width(shell->out), true, &chain);
	if (stuck)
		status = step_unfinished(shell->training);
	if (stuck && status == ST_OK) {
		out_put(shell->out, text_string(&chain), chain.count);
		status = fail(ST_STUCK, "ranks are stuck at the end");
	}
	text_release(&chain);
	return status;
}

/* A journal line runs without output and files (silent) or only without files (shown). */
static enum status run_line(struct conductor *conductor, const struct order *order)
{
	struct shell *shell = &conductor->shell;
	shell->wishes.front_end = (struct wish){0};
	shell->course.functions->line(shell);
	shell_replaying(shell, order->silent);
	shell_following(shell, order->shown);
	if (order->silent || order->shown)
		steering_again(&shell->steering, order->values ? order->values : "");
	enum status status = shell_line(shell, order->text, order->count, order->stop, order->stamp);
	shell_following(shell, -order->shown);
	shell_replaying(shell, -order->silent);
	return status;
}

static size_t whole_lines(const char *text, size_t count, size_t least)
{
	const char *newline = least < count ? memchr(text + least, '\n', count - least) : NULL;
	return newline ? (size_t)(newline - text) + 1 : count;
}

/* Looks for a whole block in twice as much text each time, so a long one is parsed about twice. */
static enum status find_block(const char *text, size_t count, const char *file, int line, size_t *taken)
{
	for (size_t least = 1024;; least *= 2) {
		size_t size = whole_lines(text, count, least);
		enum status status = tree_first(text, size, file, line, taken);
		if (status != ST_INCOMPLETE || size == count)
			return status;
	}
}

/* Runs a block's lines together, even if the pipe delivers them in pieces. */
static enum status run_lines(struct conductor *conductor, const struct order *order)
{
	struct shell *shell = &conductor->shell;
	enum status status = ST_OK;
	size_t from = 0;
	for (int line = order->first_line; from < order->count && status == ST_OK;) {
		const char *text = order->text + from;
		size_t left = order->count - from, size = whole_lines(text, left, 0);
		status = line_script(shell, text, size, order->file, line);
		if (status == ST_INCOMPLETE && size < left) {
			status = find_block(text, left, order->file, line, &size);
			if (status == ST_OK)
				status = line_script(shell, text, size, order->file, line);
		}
		if (status == ST_INCOMPLETE)
			break;
		for (size_t i = 0; i < size; i++)
			line += text[i] == '\n';
		from += size;
	}
	conductor->taken = from;
	return shell_settle(shell, status);
}

/* Runs the order on this process and returns its own status, which agree_all weighs. */
static enum status carry_out(struct conductor *conductor, const struct order *order)
{
	struct shell *shell = &conductor->shell;
	enum status status;
	conductor->credit.asked_ns = wall_ns();
	conductor->credit.gave_up &= order->kind == ORDER_LINE && (order->silent || order->shown);
	switch ((enum order_kind)order->kind) {
	case ORDER_LINE:
		return run_line(conductor, order);
	case ORDER_TEXT:
		status = line_script(shell, order->text, order->count, order->file, order->first_line);
		return status == ST_INCOMPLETE ? status : shell_settle(shell, status);
	case ORDER_LINES:
		return run_lines(conductor, order);
	case ORDER_END:
		return end_script(shell);
	case ORDER_ROUND:
		return shell_glance(shell);
	case ORDER_SETUP:
		shell->interactive = true;
		out_setup(shell->out, order->colour, order->width);
		shell->numbers.wanted |= order->numbers;
		if (order->count)
			shell->course.functions->solved(shell, order->text, order->count);
		/* so that rank 0 may read an empty world by itself */
		return shell_settle(shell, ST_OK);
	case ORDER_COURSE:
		return shell->course.functions->run(shell, conductor->options);
	case ORDER_LEAVE:
		break;
	}
	return ST_OK;
}

/* Reads an order, whose texts point into `bytes`. */
static bool unpack_order(const char *bytes, size_t count, struct order *order)
{
	const char *end = bytes + count;
	size_t name, values;
	if (!block_take_struct(&bytes, end, order, sizeof *order) ||
	        !block_take(&bytes, end, &order->file, &name) ||
	        !block_take(&bytes, end, &order->values, &values) ||
	        !block_take(&bytes, end, &order->text, &order->count))
		return false;
	if (name == 0)
		order->file = NULL;
	if (values == 0)
		order->values = NULL;
	return true;
}

enum status conductor_order(struct conductor *conductor, const struct order *order)
{
	/* the struct; the file's name and the values, with a NUL, or no byte for NULL; the text */
	struct text *bytes = &conductor->bytes;
	text_clear(bytes);
	block_put(bytes, order, sizeof *order);
	block_put_string(bytes, order->file);
	block_put_string(bytes, order->values);
	block_put(bytes, order->text ? order->text : "", order->count);
	enum status status = transport_send_all(conductor->transport, bytes->bytes, bytes->count);
	if (status != ST_OK)
		return agree_end(conductor, status);
	return order->kind == ORDER_LEAVE ? ST_OK : agree_all(conductor, carry_out(conductor, order));
}

/* An unreadable order ends the job, because the others would wait. */
void conductor_follow(struct conductor *conductor)
{
	for (bool on = true; on;) {
		struct order order;
		void *bytes = NULL;
		size_t count;
		enum status status =
		        transport_receive(conductor->transport, &bytes, &count, conductor_poll, conductor);
		if (status == ST_OK && !unpack_order(bytes, count, &order))
			status = fail(ST_BUG, "a bug of ranksh: an order of %zu bytes cannot be read", count);
		if (status != ST_OK)
			agree_end(conductor, status);
		on = status == ST_OK && order.kind != ORDER_LEAVE;
		if (on)
			agree_all(conductor, carry_out(conductor, &order));
		mem_free(bytes);
	}
}

/* ---- opening and closing ---- */

/* The conductor must not move: credit and session point to it. */
enum status conductor_open(struct conductor *conductor, struct transport *t, struct capture *capture,
        const struct options *options)
{
	struct shell *shell = &conductor->shell;
	int n = options->dry ? options->n ? options->n : RANKS_DEFAULT : transport_size(t);
	conductor->transport = t;
	conductor->capture = capture;
	conductor->options = options;
	conductor->credit.look = look;
	conductor->credit.flush = flush;
	conductor->credit.tell_wait = tell_wait;
	conductor->credit.self = conductor;
	conductor->flushed_ns = wall_ns();
	conductor->limit_at_ns = options->limit_ns ? wall_ns() + options->limit_ns : 0;
	credit_start(&conductor->credit, t, &shell->budget);
	shell->credit = &conductor->credit;
	shell->arguments = options->arguments;
	shell->argument = options->argument;
	shell->course.functions->open(shell, options);
	conductor->results = mem_alloc((size_t)transport_size(t) * sizeof *conductor->results);
	return shell_open(shell, t, n, options->dry,
	        options->machine ? options->machine : device_own_machine(shell->device));
}

void conductor_close(struct conductor *conductor)
{
	conductor->shell.course.functions->close(&conductor->shell);
	shell_close(&conductor->shell);
	text_release(&conductor->bytes);
	mem_free(conductor->results);
}
