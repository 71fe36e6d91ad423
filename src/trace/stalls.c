/* stalls.c -- each lane's time by cause, and the operations to blame for most of it
 *
 *      ranks  lane            work     launch        peer
 *      0,1,3  host                  0.04   1%
 *             default   3.50   64%  0.02   0%  2.00   36% */
#include "base/arithmetic.h"
#include "trace/blame.h"
#include "trace/lanes.h"
#include "trace/sharing.h"
#include "trace/table.h"
#include "base/memory.h"

#include <string.h>

/* Columns. WORK: the time that work takes alone; SLOWED: its loss by sharing; OTHER: work of other
 * sections in the window; STALLED + cause */
enum { WORK, SLOWED, OTHER, STALLED, KINDS = STALLED + CAUSE_COUNT };
enum { ROWS_MOST = 40, BLAMED_MOST = 6 };
enum shape { MS_AND_PERCENT, MS, PERCENT }; /* of a cell: the first that fits the width */

/* A lane; or host threads stream .. last as one, with the sums of their times, shown as the
 * mean */
struct lane_sums {
	int rank, stream, last;
	int64_t ns[KINDS];
};
struct report {
	const struct trace *trace;
	struct window window;
	struct iterations iterations;
	int64_t unit;
	struct lane_sums *lane;
	size_t count;
	bool used[KINDS];
	struct blames blames;
};

/* Waits of host threads are not blamed, because the delay of device streams that they cause is
 * counted there. */
static void add_span(struct report *report, const struct lanes *lanes, int lane, const struct span *span,
        int64_t ns[KINDS])
{
	bool thread = world_stream(report->trace->world, lanes->rank, lane)->host;
	int64_t slowed = 0;
	int kind = STALLED + span->cause;
	if (span->kind == SPAN_WORK) {
		bool in = trace_in(report->trace, span->op, report->window.section);
		kind = in ? WORK : OTHER;
		struct times t = backend_times(report->trace->backend, span->op);
		int64_t all = t.end - t.start, shown = span->to - span->from;
		slowed = in && lane != STREAM_HOST ? trace_lost(report->trace, span->op, &t) : 0;
		if (slowed && shown < all) /* cut by the window */
			slowed = (int64_t)((double)slowed * ((double)shown / (double)all));
	}
	ns[kind] += span->to - span->from - slowed;
	ns[SLOWED] += slowed;
	if (!thread)
		blames_add(&report->blames, lanes, lane, span, slowed);
}

/* Adds the times of a lane, or of host threads up to `last` as one. Only the host's lane has a row
 * without activity. */
static void add_lanes(
        struct report *report, const struct lanes *lanes, int stream, int last, struct spans *spans)
{
	struct lane_sums sums = {.rank = lanes->rank, .stream = stream, .last = last};
	bool active = stream == STREAM_HOST;

	for (int lane = stream; lane <= last; lane++) {
		lanes_spans(lanes, lane, report->window, spans);
		for (size_t i = 0; i < spans->count; i++) {
			const struct span *span = &spans->span[i];
			active = active || span->kind == SPAN_WORK || span->cause != CAUSE_DONE;
			add_span(report, lanes, lane, span, sums.ns);
		}
	}
	if (!active)
		return;
	*MEM_ADD(&report->lane, &report->count) = sums;
	/* measured: everything loses a little; kinds that would be shown as 0.00 have no column */
	int64_t seen = report->trace->backend->measures ? report->unit / 200 : 0;
	for (int kind = 0; kind < KINDS; kind++)
		report->used[kind] = report->used[kind] || sums.ns[kind] > seen;
}

static enum status report_gather(struct report *report)
{
	struct lanes lanes = {0};
	struct spans spans = {0};
	enum status status = ST_OK;

	for (int rank = 0; rank < report->trace->world->n && status == ST_OK; rank++) {
		if (!trace_tells(report->trace, rank))
			continue;
		status = lanes_load(&lanes, report->trace, rank);
		for (int stream = 0, last; stream < lanes.streams && status == ST_OK; stream = last + 1) {
			last = trace_last_thread(report->trace, rank, stream);
			add_lanes(report, &lanes, stream, last, &spans);
		}
	}
	lanes_release(&lanes);
	spans_release(&spans);
	return status;
}

static void put_share(struct table *table, const struct report *report, int64_t ns, enum shape shape)
{
	double ms = ns / (double)report->unit,
	       percent = 100 * (double)ns / (report->window.to - report->window.from);

	if (!ns)
		table_cell(table, "%s", "");
	else if (shape == MS_AND_PERCENT)
		table_cell(table, "%.2f %3.0f%%", ms, percent);
	else if (shape == MS)
		table_cell(table, "%.2f", ms);
	else
		table_cell(table, "%.0f%%", percent);
}

static size_t rank_end(const struct report *report, size_t first)
{
	size_t end = first;
	while (end < report->count && report->lane[end].rank == report->lane[first].rank)
		end++;
	return end;
}

static bool lanes_alike(const struct report *report, size_t a, size_t b)
{
	int64_t off = (report->window.to - report->window.from) / 100;
	size_t count = rank_end(report, a) - a;
	bool same = rank_end(report, b) - b == count;
	for (size_t i = 0; i < count && same; i++) {
		const struct lane_sums *x = &report->lane[a + i], *y = &report->lane[b + i];
		same = x->stream == y->stream && x->last == y->last;
		for (int k = 0; k < KINDS && same; k++)
			same = most_of(x->ns[k], y->ns[k]) - least_of(x->ns[k], y->ns[k]) <= off;
	}
	return same;
}

/* Measured times of two ranks are hardly ever equal, so a rank like an earlier one gets its
 * figures. */
static void join_lanes_alike(struct report *report)
{
	for (size_t at = 0; at < report->count; at = rank_end(report, at))
		for (size_t before = 0; before < at; before = rank_end(report, before))
			if (lanes_alike(report, before, at)) {
				for (size_t i = at; i < rank_end(report, at); i++)
					memcpy(report->lane[i].ns, report->lane[before + i - at].ns,
					        sizeof report->lane[i].ns);
				break;
			}
}

static void put_blocks(struct report *report, enum shape shape, struct blocks *blocks)
{
	struct table rows = {0};
	double work = 0;

	for (size_t i = 0; i < report->count; i++) {
		const struct lane_sums *lane = &report->lane[i];
		work += (double)(lane->ns[WORK] + lane->ns[SLOWED]);
		trace_lanes_name(report->trace, lane->rank, lane->stream, lane->last, &rows.cells);
		table_end(&rows);
		for (int k = 0; k < KINDS; k++)
			if (report->used[k])
				put_share(
				        &rows, report, lane->ns[k] / (lane->last + 1 - lane->stream), shape);
		table_row(&rows);
		if (i + 1 == report->count || report->lane[i + 1].rank != lane->rank) {
			blocks_add(blocks, lane->rank, &rows.cells)->weight = work;
			work = 0;
			text_clear(&rows.cells);
		}
	}
	table_release(&rows);
}

static void report_table(struct report *report, enum shape shape, struct table *table)
{
	const char *const names[STALLED] = {"work", "slowed", shape == PERCENT ? "other" : "other work"};
	struct blocks blocks = {0};
	put_blocks(report, shape, &blocks);

	text_clear(&table->cells);
	table_cells(table, "ranks", "lane");
	for (int k = 0; k < KINDS; k++)
		if (report->used[k])
			table_cells(table, k < STALLED ? names[k] : trace_causes[k - STALLED]);
	table_row(table);
	table_blocks(table, &blocks, ROWS_MOST);
}

static void print_report(struct report *report, int width, struct text *out)
{
	struct table table = {.align = "llr"};

	text_add(out, "time by cause, in %s of %s", report->unit == 1000000 ? "ms" : "us",
	        time_words(report->window.to - report->window.from).text);
	iterations_text(&report->iterations, out);
	trace_put_hangs(report->trace, out);
	for (enum shape shape = MS_AND_PERCENT; shape <= PERCENT; shape++) {
		report_table(report, shape, &table);
		if (table_width(&table) <= width)
			break;
	}
	if (table_width(&table) > width && report->used[STALLED + CAUSE_DONE]) {
		report->used[STALLED + CAUSE_DONE] = false;
		report_table(report, PERCENT, &table);
	}
	table_print(&table, width, out);
	blames_print(&report->blames, report->trace, BLAMED_MOST, width, out);
	trace_put_uncertainty(report->trace, report->unit / 100, out);
}

enum status trace_stalls(const struct trace *whole, int section, int width, struct text *out)
{
	struct iterations iterations;
	const struct trace steady = trace_steady(whole, section, &iterations), *trace = &steady;
	struct sharers sharing = {.trace = trace};
	struct report report = {.trace = trace,
	        .window = trace_time(trace, section),
	        .iterations = iterations,
	        .blames = {.sharing = &sharing}};
	int64_t length = report.window.to - report.window.from;

	if (trace_says_nothing(trace, section, out))
		return ST_OK;
	report.unit = length >= 1000000 ? 1000000 : 1000;
	enum status status = report_gather(&report);
	if (status == ST_OK && trace->backend->measures)
		join_lanes_alike(&report);
	if (status == ST_OK)
		print_report(&report, width, out);
	mem_free(report.lane);
	blames_release(&report.blames);
	sharing_release(&sharing);
	return status;
}
