/* bench_causes.c -- the causes of a million spans: all of them, as `stalls` tells them; one of them; `why` of some; and
 * what they take of memory with the books that they are read off */
#include "base/memory.h"
#include "shell/commands/table.h"
#include "shell/line/line.h"
#include "shell/session/credit.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"
#include "trace/sharing.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
	SPANS = 1000000,
	ROUND = 5 /* work of a rank in one round of the loop; with its stalls twice as many spans */
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double peak_bytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static size_t count_spans(const struct trace *trace)
{
	struct window whole = trace_window(trace, -1);
	struct lanes lanes = {0};
	struct spans spans = {0};
	size_t count = 0;
	for (int rank = 0; rank < trace->world->n && lanes_load(&lanes, trace, rank) == ST_OK; rank++)
		for (int stream = 0; stream < lanes.streams; stream++) {
			lanes_spans(&lanes, stream, whole, &spans);
			count += spans.count;
		}
	spans_release(&spans);
	lanes_release(&lanes);
	return count;
}

/* A span in the midst of the last rank's second stream; whom a collective shared with, which asks all ranks */
static enum status ask_one(const struct trace *trace)
{
	struct window whole = trace_window(trace, -1);
	struct sharers sharing = {.trace = trace};
	struct span span;
	op_id id = (op_id)trace->world->op_count;
	double from = now_ms();
	enum status status = trace_span_at(trace, trace->world->n - 1, 2, (whole.from + whole.to) / 2, &span);
	double spent = now_ms() - from;
	while (id > 1 && op_record(trace->world, id)->kind != OP_COLLECTIVE)
		id--;
	from = now_ms();
	sharing_with(&sharing, id);
	printf("      one span in %.1f ms, with whom a collective shared in %.1f ms (at most 100)\n", spent,
	        now_ms() - from);
	sharing_release(&sharing);
	return status;
}

/* `why` as it is typed, but for its replay, which an answer within a block leaves out; the longest of all questions */
static enum status ask_why(struct shell *shell, int ranks)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct window whole = trace_window(&trace, -1);
	int last = ranks - 1, rounds = SPANS / ranks / (2 * ROUND);
	enum { QUESTIONS = 9, LINE = 80 };
	char asked[QUESTIONS][LINE];
	double longest = 0;
	int slowest = 0;
	snprintf(asked[0], LINE, "z@0");
	snprintf(asked[1], LINE, "allreduce#%d@%d", rounds / 2, last);
	snprintf(asked[2], LINE, "allreduce#1@0");
	snprintf(asked[3], LINE, "allreduce#%d", rounds);
	snprintf(asked[4], LINE, "matmul#%d@%d", rounds / 2, last / 2);
	snprintf(asked[5], LINE, "sync@%d", last);
	snprintf(asked[6], LINE, "@%d", last);
	snprintf(asked[7], LINE, "comm @0");
	snprintf(asked[8], LINE, "%lldus @%d", (long long)((whole.from + whole.to) / 2000), last);
	enum status status = ST_OK;
	for (int i = 0; i < QUESTIONS && status == ST_OK; i++) {
		struct text line = {0};
		text_add(&line, "if 1 { why %s }", asked[i]);
		double from = now_ms();
		status = shell_line(shell, text_string(&line), line.count, 0, -1);
		double spent = now_ms() - from;
		text_release(&line);
		if (spent > longest) {
			longest = spent;
			slowest = i;
		}
	}
	if (status == ST_OK)
		printf("      `why` of an operation, a stream, a rank, a time: longest %.1f ms, of %s (at "
		       "most 100)\n",
		        longest, asked[slowest]);
	return status;
}

static enum status causes(const struct shell *shell, int ranks, double before)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct text out = {0};
	double from = now_ms();
	size_t count = count_spans(&trace);
	double spans = now_ms() - from;
	from = now_ms();
	enum status status = trace_stalls(&trace, -1, 80, &out);
	printf("causes: %zu spans of %zu operations of %d ranks in %.0f ms, `stalls` in %.0f ms (at most "
	       "2,000)",
	        count, shell->world->op_count, ranks, spans, now_ms() - from);
	if (before > 0)
		printf("; %.0f bytes a span with the books (at most 200)",
		        (peak_bytes() - before) / (double)count);
	printf("\n");
	text_release(&out);
	return status == ST_OK ? ask_one(&trace) : status;
}

/* before: the peak of memory until then; 0: another world has been there */
static enum status bench(struct transport *transport, int ranks, double before)
{
	struct shell shell = {0};
	struct credit credit = {0};
	char lines[500];
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	enum status status = shell_open(&shell, transport, ranks, true, "classroom");
	snprintf(lines, sizeof lines,
	        "tensor x[64,64] w[64,64] g[64,64]\ntensor h[64,64] pinned\nstream comm io\n"
	        "repeat %d { y = add x w; spin (rank + 1)*3us on comm; copy h -> x on io; allreduce g on "
	        "comm; y = mul y w; "
	        "wait comm on default; z = matmul y w on io }\nsync",
	        SPANS / ranks / (2 * ROUND));
	if (status == ST_OK)
		status = shell_line(&shell, lines, strlen(lines), 0, -1);
	if (status == ST_OK)
		status = causes(&shell, ranks, before);
	if (status == ST_OK)
		status = ask_why(&shell, ranks);
	if (status != ST_OK)
		printf("failed: %s\n", fail_text());
	shell_close(&shell);
	return status;
}

int main(int argc, char **argv)
{
	commands_start(command_table);
	struct transport *transport = NULL;
	enum status status = transport_start(&transport, false, &argc, &argv);
	if (status == ST_OK)
		status = bench(transport, 4, peak_bytes());
	if (status == ST_OK)
		status = bench(transport, 1024, 0);
	transport_stop(transport);
	return status != ST_OK;
}
