/* bench_frame.c -- a frame of the view over a million spans, which 333,333 operations make with their launches and waits: cells computed, sent as a line and read
 * again, as rank 0 and the front end do. Ranks differ, so that none is drawn with another; the last case has
 * nothing finished, so its first frame runs the projection too. */
#include "base/memory.h"
#include "shell/session/credit.h"
#include "shell/rank/frame.h"
#include "shell/line/line.h"
#include "shell/training/open.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPERATIONS = 333334, FRAMES = 15 };

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static enum status frame(
        struct shell *shell, struct frame_kept *kept, const struct request *request, struct text *line)
{
	struct reply sent = {0}, read = {0};
	enum status status = view_frame(shell, kept, request, &sent);
	text_clear(line);
	if (status == ST_OK) {
		reply_write(&sent, line);
		status = reply_read(text_string(line), line->count - 1, &read);
	}
	reply_release(&sent);
	reply_release(&read);
	return status;
}

/* The time of so many frames, each for the request that `ask` makes of it; sorted */
static enum status timed(struct shell *shell, struct frame_kept *kept, struct request *request,
        void (*ask)(struct request *request, struct window whole, int i), double each[FRAMES])
{
	struct window whole =
	        trace_window(&(struct trace){.world = shell->world, .backend = shell->backend}, -1);
	struct text line = {0};
	enum status status = ST_OK;
	for (int i = 0; i < FRAMES && status == ST_OK; i++) {
		ask(request, whole, i);
		double from = now_ms();
		status = frame(shell, kept, request, &line);
		each[i] = now_ms() - from;
	}
	qsort(each, FRAMES, sizeof *each, by_value);
	text_release(&line);
	return status;
}

/* Another operation of the same window */
static void ask_again(struct request *request, struct window whole, int i)
{
	(void)whole;
	request->selected = (op_id)(1000 + i);
}

/* All but everything, down to 1/16: each is another window than those before. */
static void ask_elsewhere(struct request *request, struct window whole, int i)
{
	int64_t part = (whole.to - whole.from) >> (i % 5 + 1);
	request->from = (whole.from + whole.to) / 2 - part + i + 1;
	request->to = (whole.from + whole.to) / 2 + part - i - 1;
}

static enum status frames(struct shell *shell, const char *what)
{
	struct request request = {
	        .kind = REQUEST_VIEW, .width = 200, .height = 50, .from = 1, .to = 0, .now = -1};
	struct frame_kept kept = {0};
	struct text line = {0};
	double again[FRAMES], elsewhere[FRAMES], first, from = now_ms();
	enum status status = frame(shell, &kept, &request, &line);
	first = now_ms() - from;
	if (status == ST_OK)
		status = timed(shell, &kept, &request, ask_again, again);
	if (status == ST_OK)
		status = timed(shell, &kept, &request, ask_elsewhere, elsewhere);
	if (status == ST_OK)
		printf("frame, %s: another window median %.1f ms, longest %.1f ms (at most 50); the cursor "
		       "moved %.1f ms; first %.1f ms\n",
		        what, elsewhere[FRAMES / 2], elsewhere[FRAMES - 1], again[FRAMES / 2], first);
	frame_forget(&kept);
	text_release(&line);
	return status;
}

static enum status bench(struct transport *transport, int ranks, bool finished)
{
	struct shell shell = {0};
	struct credit credit = {0};
	char lines[300], what[80];
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	enum status status = shell_open(&shell, transport, ranks, true, "classroom");
	snprintf(lines, sizeof lines,
	        "tensor x[64,64] w[64,64]\nstream comm\nrepeat %d { y = add x w; spin (rank + 1)*3us on "
	        "comm; y = mul y w; "
	        "spin 7us on comm }%s",
	        OPERATIONS / ranks / 4, finished ? "\nsync" : "");
	if (status == ST_OK)
		status = shell_line(&shell, lines, strlen(lines), 0, -1);
	snprintf(what, sizeof what, "%zu operations of %d ranks, %s", shell.world ? shell.world->op_count : 0,
	        ranks, finished ? "done" : "queued");
	if (status == ST_OK)
		status = frames(&shell, what);
	if (status != ST_OK)
		printf("failed: %s\n", fail_text());
	shell_close(&shell);
	return status;
}

/* `timeline` of many ranks, of which one is slow: folded, with what the hosts did */
static enum status picture_of_many(struct transport *transport)
{
	enum { RANKS = 1024, TIMES = 9 };
	struct shell shell = {0};
	struct credit credit = {0};
	double each[TIMES];
	static const char lines[] =
	        "tensor x[64,64] w[64,64]\nstream a b c\n@517 slow 2x\nrepeat 100 { y = add x w; "
	        "spin 3us on a; spin 5us on b; spin 7us on c }\nsync";
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	enum status status = shell_open(&shell, transport, RANKS, true, "classroom");
	if (status == ST_OK)
		status = shell_line(&shell, lines, strlen(lines), 0, -1);
	struct trace trace = {.world = shell.world, .backend = shell.backend};
	for (int i = 0; i < TIMES && status == ST_OK; i++) {
		struct timeline_options options = {.window = trace_window(&trace, -1),
		        .width = 80,
		        .rows = 40,
		        .merge = true,
		        .now = shell_clock(&shell)};
		struct picture picture;
		double from = now_ms();
		status = timeline_picture(&trace, &options, &picture);
		each[i] = now_ms() - from;
		picture_release(&picture);
	}
	if (status == ST_OK) {
		qsort(each, TIMES, sizeof *each, by_value);
		printf("picture of %d ranks x 4 streams x 100 operations: median %.1f ms (at most 100)\n",
		        RANKS, each[TIMES / 2]);
	} else {
		printf("failed: %s\n", fail_text());
	}
	shell_close(&shell);
	return status;
}

int main(int argc, char **argv)
{
	mem_keep();
	commands_start(command_table);
	struct transport *transport = NULL;
	enum status status = transport_start(&transport, false, &argc, &argv);
	wire_start();
	if (status == ST_OK)
		status = bench(transport, 4, true);
	if (status == ST_OK)
		status = bench(transport, 64, true);
	if (status == ST_OK)
		status = bench(transport, 4, false);
	if (status == ST_OK)
		status = picture_of_many(transport);
	transport_stop(transport);
	return status != ST_OK;
}
