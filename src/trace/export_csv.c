/* export_csv.c -- spans as a table, a line each, with cause and blame; and the parts that all
 * formats share: spans, colours, names, escaped texts */
#include "trace/export.h"
#include "trace/lanes.h"

#include <inttypes.h>
#include <string.h>

const char *export_paint(enum colour colour)
{
	static const char *const paints[COLOUR_COUNT] = {[COLOUR_KERNEL] = "#4f8fd9",
	        [COLOUR_COPY] = "#c9973f",
	        [COLOUR_COMM] = "#b65bb6",
	        [COLOUR_FORWARD] = "#4f8fd9",
	        [COLOUR_BACKWARD] = "#5fa05f",
	        [COLOUR_WEIGHT] = "#8dbb5a",
	        [COLOUR_OPTIMIZER] = "#e0955a",
	        [COLOUR_HOSTWORK] = "#9a9a9a",
	        [COLOUR_STALL] = "#f4d3d0"};
	return paints[colour] ? paints[colour] : "#9a9a9a";
}

enum colour export_colour(const struct trace *trace, const struct span *span)
{
	if (span->kind == SPAN_STALL)
		return COLOUR_STALL;
	return span->kind == SPAN_HOST ? COLOUR_PLAIN : trace_colour(op_record(trace->world, span->op));
}

void export_name(const struct trace *trace, const struct span *span, struct text *out)
{
	if (span->kind == SPAN_WORK)
		op_label(trace->world, span->op, out);
	else
		text_add(out, "%s", span->kind == SPAN_HOST ? "issue" : trace_causes[span->cause]);
}

struct timeline_options export_timeline(const struct export_options *options, int width, int rows)
{
	return (struct timeline_options){.window = options->window,
	        .width = width,
	        .rows = rows,
	        .merge = true,
	        .now = options->now,
	        .ranks = options->ranks,
	        .lane = options->lane,
	        .lanes = options->lanes};
}

void export_label(struct text *out, const struct world *world, op_id id)
{
	struct text label = {0};
	op_label(world, id, &label);
	export_string(out, text_string(&label));
	text_release(&label);
}

void export_string(struct text *out, const char *words)
{
	text_put(out, "\"", 1);
	for (const unsigned char *p = (const unsigned char *)words; *p; p++)
		if (*p == '"' || *p == '\\')
			text_add(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f || *p == '<')
			text_add(out, "\\u%04x", *p);
		else
			text_put(out, (const char *)p, 1);
	text_put(out, "\"", 1);
}

void export_xml(struct text *out, const char *words)
{
	for (; *words; words++) {
		unsigned char c = (unsigned char)*words;
		const char *name = c == '<' ? "&lt;"
		        : c == '&'          ? "&amp;"
		        : c == '>'          ? "&gt;"
		        : c == '"'          ? "&quot;"
		                            : NULL;
		if (name)
			text_add(out, "%s", name);
		else
			text_put(out, c < 0x20 || c == 0x7f ? " " : words, 1);
	}
}

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
	} else { /* for a rank that has not reached the match */
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
