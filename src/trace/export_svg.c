/* export_svg.c -- the timeline as vectors for slides, and as text
 *
 *      | ranks | lane    | 0 ......... 1 ......... 2 ms         |
 *      | 0-3   | host    | |l|######### sync #########|         |  ROW pixels for each lane of
 *      |       | compute |    [ matmul y ]                      |  each set of ranks
 *      | legend: colours of waits and work                      |
 *
 * A run of spans narrower than a pixel is one box; its opacity shows how busy it is, and its title
 * has the count. */
#include "base/arithmetic.h"
#include "trace/export.h"
#include "trace/lanes.h"
#include "trace/plot.h"
#include "trace/sets.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 1280, LEFT = 170, RIGHT = 20, TOP = 34, ROW = 24, BAR = 18, LETTER = 7, ROWS_MOST = 40 };

struct svg {
	const struct trace *trace;
	struct window window;
	struct text *out;
	struct text words;
	bool undone;
};

static double x_of(const struct svg *svg, int64_t ns)
{
	return LEFT +
	        (double)(ns - svg->window.from) / (double)(svg->window.to - svg->window.from) *
	        (WIDTH - LEFT - RIGHT);
}

static void put_title(struct svg *svg, const struct span *span)
{
	text_clear(&svg->words);
	export_name(svg->trace, span, &svg->words);
	if (span->kind == SPAN_STALL && span->blame) {
		text_add(&svg->words, ": ");
		trace_put_op(svg->trace->world, span->blame, "of", &svg->words);
	}
	text_add(&svg->words, ", %s", time_words(span->to - span->from).text);
	text_add(svg->out, "<title>");
	export_xml(svg->out, text_string(&svg->words));
	text_add(svg->out, "</title>");
}

/* The longest of "matmul y", "matmul" that fits into the box */
static void put_label(struct svg *svg, const struct span *span, double x, double width, double y)
{
	const struct record *record = op_record(svg->trace->world, span->op);
	text_clear(&svg->words);
	export_name(svg->trace, span, &svg->words);
	if (span->kind == SPAN_WORK && (double)text_columns(text_string(&svg->words)) * LETTER > width - 4) {
		text_clear(&svg->words);
		text_add(&svg->words, "%s", names_text(svg->trace->world->names, record->title));
	}
	if ((double)text_columns(text_string(&svg->words)) * LETTER > width - 4)
		return;
	text_add(svg->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">", x + width / 2,
	        y + 13, span->kind == SPAN_WORK && !span->projected ? "white" : "#555");
	export_xml(svg->out, text_string(&svg->words));
	text_add(svg->out, "</text>");
}

static const char undone[] = " fill-opacity=\"0.35\" stroke=\"#999\" stroke-dasharray=\"3\"";

static void put_box(struct svg *svg, const struct span *span, double y)
{
	double x = x_of(svg, span->from), width = x_of(svg, span->to) - x;
	const char *paint = export_paint(export_colour(svg->trace, span));
	text_add(svg->out, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"%s>", x, y,
	        width, BAR, paint, span->projected ? undone : "");
	svg->undone |= span->projected;
	put_title(svg, span);
	text_add(svg->out, "</rect>");
	put_label(svg, span, x, width, y);
	text_add(svg->out, "</g>\n");
}

static void put_run(struct svg *svg, const struct spans *spans, size_t first, size_t end, double y)
{
	const struct span *shown = NULL;
	int64_t work = 0, from = spans->span[first].from, to = spans->span[end - 1].to;
	int count = 0;
	for (size_t i = first; i < end; i++) {
		const struct span *span = &spans->span[i];
		if (span->kind == SPAN_STALL)
			continue;
		work += span->to - span->from;
		count++;
		shown = shown && shown->to - shown->from >= span->to - span->from ? shown : span;
	}
	if (!shown)
		return;
	double x = x_of(svg, from), width = x_of(svg, to) - x;
	text_add(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"", x, y,
	        width < 0.6 ? 0.6 : width, BAR, export_paint(export_colour(svg->trace, shown)));
	svg->undone |= shown->projected;
	if (shown->projected)
		text_add(svg->out, "%s><title>", undone);
	else
		text_add(svg->out, " fill-opacity=\"%.2f\"><title>",
		        0.35 + 0.65 * (double)work / (double)most_of(to - from, 1));
	text_clear(&svg->words);
	export_name(svg->trace, shown, &svg->words);
	export_xml(svg->out, text_string(&svg->words));
	text_add(svg->out, " x%d</title></rect>\n", count);
}

static void put_lane(struct svg *svg, const struct spans *spans, double y)
{
	double pixel = (double)(svg->window.to - svg->window.from) / (WIDTH - LEFT - RIGHT);
	for (size_t i = 0, end; i < spans->count; i = end) {
		const struct span *span = &spans->span[i];
		end = i + 1;
		if (span->kind != SPAN_WORK && span->cause == CAUSE_DONE)
			continue;
		if ((double)(span->to - span->from) >= pixel) {
			put_box(svg, span, y);
			continue;
		}
		while (end < spans->count && (double)(spans->span[end].to - spans->span[end].from) < pixel &&
		        spans->span[end].projected == span->projected)
			end++;
		put_run(svg, spans, i, end, y);
	}
}

static void put_row_names(struct svg *svg, const struct sets *sets, size_t row, double y)
{
	const struct shown_lane *shown = &sets->shown[row];
	const struct alike *alike = &sets->set[shown->alike];
	if (shown->lane == 0) {
		text_clear(&svg->words);
		ranks_text(&alike->ranks, &svg->words);
		if (text_columns(text_string(&svg->words)) > 9) {
			text_clear(&svg->words);
			text_add(&svg->words, "%d ranks", ranks_count(&alike->ranks));
		}
		text_add(svg->out, "<text x=\"8\" y=\"%.1f\" font-weight=\"bold\">", y + 13);
		export_xml(svg->out, text_string(&svg->words));
		text_add(svg->out, "</text>");
	}
	text_add(svg->out, "<text x=\"78\" y=\"%.1f\">", y + 13);
	export_xml(svg->out, trace_lane_name(svg->trace, alike->first, alike->lane[shown->lane]));
	text_add(svg->out, "</text>\n");
}

static void put_entry(struct svg *svg, const char *how, const char *words, double *x, double y)
{
	text_add(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" %s/>", *x, y, how);
	text_add(svg->out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#333\">%s</text>\n", *x + 16, y + 10, words);
	*x += 34 + LETTER * (double)text_columns(words);
}

static void put_legend(struct svg *svg, double y)
{
	static const struct {
		enum colour colour;
		const char *words;
	} entries[] = {{COLOUR_KERNEL, "kernel, forward"}, {COLOUR_BACKWARD, "backward"},
	        {COLOUR_WEIGHT, "weights"}, {COLOUR_OPTIMIZER, "optimizer"}, {COLOUR_COMM, "communication"},
	        {COLOUR_COPY, "copy"}, {COLOUR_HOSTWORK, "host"},
	        {COLOUR_STALL, "waiting (the box names the cause)"}};
	double x = LEFT;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		char fill[32];
		snprintf(fill, sizeof fill, "fill=\"%s\"", export_paint(entries[i].colour));
		put_entry(svg, fill, entries[i].words, &x, y);
	}
	if (svg->undone)
		put_entry(
		        svg, "fill=\"white\" stroke=\"#999\" stroke-dasharray=\"3\"", "not finished", &x, y);
}

enum status trace_export_svg(
        const struct trace *trace, const struct export_options *options, struct text *out)
{
	struct timeline_options timeline = export_timeline(options, WIDTH - LEFT - RIGHT, ROWS_MOST);
	struct svg svg = {.trace = trace, .window = options->window, .out = out};
	struct sets sets = {0};
	enum status status = sets_find(trace, &timeline, options->window, &sets);
	if (svg.window.to <= svg.window.from)
		svg.window.to = svg.window.from + 1;
	double bottom = TOP + (double)sets.shown_count * ROW;
	text_add(out,
	        EXPORT_SVG_BEGINS "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
	                          "font-family=\"sans-serif\" "
	                          "font-size=\"12\">\n<rect width=\"%d\" height=\"%.0f\" fill=\"white\"/>\n",
	        WIDTH, bottom + 50, WIDTH, bottom + 50);
	double pixel = (double)(svg.window.to - svg.window.from) / (WIDTH - LEFT - RIGHT);
	int64_t step = (int64_t)most_number(nice_step(100 * pixel, 1), 1);
	for (int64_t tick = (svg.window.from + step - 1) / step * step; tick <= svg.window.to; tick += step)
		text_add(out,
		        "<path d=\"M%.1f %dV%.1f\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
		        "text-anchor=\"middle\" "
		        "fill=\"#666\">%s</text>\n",
		        x_of(&svg, tick), TOP - 8, bottom, x_of(&svg, tick), TOP - 14, time_words(tick).text);
	for (size_t row = 0; row < sets.shown_count && status == ST_OK; row++) {
		put_row_names(&svg, &sets, row, TOP + (double)row * ROW);
		put_lane(&svg, &sets.shown[row].spans, TOP + (double)row * ROW);
		status = trace_step(trace, (int64_t)sets.shown[row].spans.count);
	}
	if (sets.rows > (int)sets.shown_count)
		text_add(out,
		        "<text x=\"8\" y=\"%.0f\">... %d more rows: `@0-3 export` draws some ranks, a .html "
		        "more rows</text>\n",
		        bottom + 42, sets.rows - (int)sets.shown_count);
	put_legend(&svg, bottom + 12);
	text_add(out, "</svg>\n");
	text_release(&svg.words);
	sets_release(&sets);
	return status;
}

bool export_is_txt(const char *text)
{
	char unit[3] = "", lane[5] = "";
	int end = 0;
	const char *below = strchr(text, '\n');
	return strncmp(text, "   ", 3) == 0 && sscanf(text, " %2[mus]%n", unit, &end) == 1 &&
	        text[end] == ' ' && below && strncmp(below + 1, "   ", 3) == 0 &&
	        sscanf(below, " %*[0-9,-] %4s", lane) == 1 && strcmp(lane, "host") == 0;
}

enum status trace_export_txt(
        const struct trace *trace, const struct export_options *options, struct text *out)
{
	struct timeline_options timeline = export_timeline(options, options->width, 0);
	struct picture picture = {0};
	enum status status = timeline_picture(trace, &timeline, &picture);
	if (status == ST_OK)
		picture_text(&picture, false, out);
	picture_release(&picture);
	return status;
}
