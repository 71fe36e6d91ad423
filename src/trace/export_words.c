/* export_words.c -- shared by the formats: colours, names, and escaped texts */
#include "trace/export.h"
#include "trace/lanes.h"

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
	        .ranks = options->ranks};
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
