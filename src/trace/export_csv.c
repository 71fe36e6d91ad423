/* export_csv.c -- spans as a table, a line each, with cause and blame; and export_spans for all
 * formats */
#include "trace/export.h"
#include "trace/lanes.h"
#include "trace/picture.h"

#include <inttypes.h>
#include <string.h>

static void put_quoted(struct text *out, const char *words)
{
	if (!strpbrk(words, ",\"\r\n")) {
		text_add(out, "%s", words);
		return;
	}
	text_put(out, "\"", 1);
	for (; *words; words++)
		text_put(out, *words == '"' ? "\"\"" : words, *words == '"' ? 2 : 1);
	text_put(out, "\"", 1);
}

static void put_name(const struct trace *trace, const struct span *span, struct text *out)
{
	struct text name = {0};
	export_name(trace, span, &name);
	put_quoted(out, text_string(&name));
	text_release(&name);
}

static void put_span(
        const struct trace *trace, int rank, int stream, const struct span *span, struct text *out)
{
	static const char *const kinds[] = {
	        [SPAN_WORK] = "work", [SPAN_STALL] = "stall", [SPAN_HOST] = "issue"};
	const struct world *world = trace->world;
	const struct record *record = op_record(world, span->op);
	text_add(out, "%d,", rank);
	put_quoted(out, trace_lane_name(trace, rank, stream));
	text_add(out, ",%" PRId64 ",%" PRId64 ",%s,%s,", span->from, span->to, kinds[span->kind],
	        span->kind == SPAN_STALL ? trace_causes[span->cause] : "");
	put_name(trace, span, out);
	text_put(out, ",", 1);
	put_quoted(out, span->op && record->phase ? names_text(world->names, record->phase) : "");
	text_put(out, ",", 1);
	put_quoted(out, span->op ? names_text(world->names, world->sections[record->section].name) : "");
	if (span->op)
		text_add(out, ",%u,", span->op);
	else
		text_add(out, ",,");
	if (span->blame) {
		struct span blamed = {.kind = SPAN_WORK, .op = span->blame};
		text_add(out, "%d,%u,", world->ops[span->blame].rank, span->blame);
		put_name(trace, &blamed, out);
	} else { /* perhaps a rank that has not come yet */
		bool peers = span->kind == SPAN_STALL && span->op && cause_is_peers((enum cause)span->cause);
		int missing = peers ? trace_missing_rank(world, span->op) : -1;
		text_add(out, missing >= 0 ? "%d,," : ",,", missing);
	}
	bool work = span->kind == SPAN_WORK;
	text_add(out, ",%" PRId64 ",%.0f,%d,%d\r\n", work ? record->bytes : 0, work ? record->flops : 0,
	        span->op ? record->line : 0, !span->projected);
}

void export_spans(
        const struct lanes *lanes, int stream, const struct export_options *options, struct spans *spans)
{
	lanes_spans(lanes, stream, options->window, spans);
	spans_cut(lanes->trace, spans, backend_over_by(lanes->trace->backend, options->now), false);
}

enum status trace_export_csv(
        const struct trace *trace, const struct export_options *options, struct text *out)
{
	struct lanes lanes = {0};
	struct spans spans = {0};
	enum status status = ST_OK;
	text_add(out, EXPORT_CSV_BEGINS);
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (options->ranks && !ranks_has(options->ranks, rank))
			continue;
		status = lanes_load(&lanes, trace, rank);
		for (int stream = 0; stream < lanes.streams && status == ST_OK; stream++) {
			export_spans(&lanes, stream, options, &spans);
			for (size_t i = 0; i < spans.count && status == ST_OK; i++) {
				const struct span *span = &spans.span[i];
				if (span->kind != SPAN_WORK && span->cause == CAUSE_DONE)
					continue;
				put_span(trace, rank, stream, span, out);
				status = trace_step(trace, 1);
			}
		}
	}
	lanes_release(&lanes);
	spans_release(&spans);
	return status;
}
