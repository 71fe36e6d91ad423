/* at.c -- all ranks at one instant: running work with its progress, and waits
 *
 *      ranks  lane     at 3.20 ms
 *      0,1,3  host     in `sync` for 3.12 ms
 *             default  allreduce y waits for allreduce y of rank 2, for 1.20 ms
 *      2      host     in `sync` for 3.12 ms
 *             default  matmul y: 3.18 ms of 4.00 ms, 80% */
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/arithmetic.h"

static void put_progress(const struct trace *trace, const struct span *span, int64_t time, struct text *out)
{
	struct times t = backend_times(trace->backend, span->op);
	op_label(trace->world, span->op, out);
	text_add(out, ": %s", time_words(time - t.start).text);
	if (t.end == TIME_UNKNOWN)
		text_add(out, " so far");
	else
		text_add(out, " of %s, %.0f%%", time_words(t.end - t.start).text,
		        100 * (double)(time - t.start) / (double)(t.end - t.start));
}

/* Appends the reason of a wait. On the host's lane, span->op is the operation that blocks it. */
static void put_wait(
        const struct trace *trace, const struct span *span, int rank, bool host, struct text *out)
{
	if (host) {
		text_add(out, span->cause == CAUSE_MEMORY ? "gets memory" : "in `");
		if (span->cause != CAUSE_MEMORY) {
			op_label(trace->world, span->op, out);
			text_add(out, "`");
		}
		return;
	}
	op_label(trace->world, span->op, out);
	if (span->cause == CAUSE_LAUNCH || span->cause == CAUSE_HOST) {
		text_add(out,
		        span->cause == CAUSE_LAUNCH ? " is not issued yet" : ": its host has not reached it");
		return;
	}
	text_add(out, " waits");
	if (span->cause == CAUSE_SYNC || span->cause == CAUSE_MEMORY)
		text_add(out, ": its host is in ");
	else
		text_add(out,
		        span->cause == CAUSE_ENGINE && !span->blame ? " for a shared resource" : " for ");
	if (span->blame && trace->world->ops[span->blame].rank != rank) {
		trace_put_op(trace->world, span->blame, "of", out);
	} else if (span->blame) {
		op_label(trace->world, span->blame, out);
	} else if (span->cause != CAUSE_ENGINE) {
		int missing = trace_missing_rank(trace->world, span->op);
		text_add(out, missing >= 0 ? "a missing line on rank %d" : "an event", missing);
	}
}

static void put_lane(
        const struct trace *trace, const struct lanes *lanes, int stream, int64_t time, struct table *rows)
{
	struct span span = lanes_span_at(lanes, stream, time);
	bool host = stream == STREAM_HOST;
	bool idle = span.cause == CAUSE_DONE && span.kind != SPAN_WORK;
	if (idle && !host)
		return;
	table_cell(rows, "%s", trace_lane_name(trace, lanes->rank, stream));
	if (idle) {
		text_add(&rows->cells, "idle");
	} else if (span.kind == SPAN_WORK) {
		put_progress(trace, &span, time, &rows->cells);
	} else if (span.kind == SPAN_HOST) {
		text_add(&rows->cells, "issues ");
		op_label(trace->world, span.op, &rows->cells);
	} else {
		put_wait(trace, &span, lanes->rank, host, &rows->cells);
	}
	if (!idle && span.kind == SPAN_STALL && time > span.from)
		text_add(&rows->cells, ", for %s", time_words(time - span.from).text);
	table_end(rows);
	table_row(rows);
}

int64_t trace_forecasts(const struct trace *trace, int64_t time)
{
	int64_t from = TIME_UNKNOWN;
	bool moves = false;
	for (int rank = 0; rank < trace->world->n; rank++) {
		struct host_now now = backend_host(trace->backend, rank);
		from = now.state == HOST_IDLE ? least_of(from, now.clock) : from;
	}
	for (op_id id = 1; id <= trace->world->op_count && from < time && !moves; id++) {
		struct times t = backend_times(trace->backend, id);
		moves = t.projected && t.start < time;
	}
	return moves ? from : TIME_UNKNOWN;
}

enum status trace_at(const struct trace *trace, int64_t time, int width, struct text *out)
{
	enum { BLOCKS_MOST = 40 };
	struct blocks blocks = {0};
	struct table rows = {0}, table = {.align = "lll"};
	struct lanes lanes = {0};
	enum status status = ST_OK;
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (!trace_tells(trace, rank))
			continue;
		status = lanes_load(&lanes, trace, rank);
		for (int stream = 0; stream < lanes.streams && status == ST_OK; stream++)
			put_lane(trace, &lanes, stream, time, &rows);
		blocks_add(&blocks, rank, &rows.cells);
		text_clear(&rows.cells);
	}
	table_cells(&table, "ranks", "lane");
	table_cell(&table, "at %s", time_words(time).text);
	table_row(&table);
	table_blocks(&table, &blocks, BLOCKS_MOST);
	if (status == ST_OK)
		table_print(&table, width, out);
	lanes_release(&lanes);
	table_release(&rows);
	table_release(&table);
	return status;
}
