/* export.h -- the timeline as files: for slides, browsers, spreadsheets and other tools. Appended to a text; ST_INTERRUPTED ends a
 * long one. To add a format: one file with one function, and its row in shell/commands/export.c.
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_TRACE_EXPORT_H
#define RANKSH_TRACE_EXPORT_H

#include "base/ranks.h"
#include "trace/trace.h"

/* Of Chrome's trace events: microseconds with three digits, as "%" PRId64 ".%03d" */
#define US(ns) (ns) / 1000, (int)((ns) % 1000)

struct lanes;
struct export_options {
	struct window window;
	const struct ranks *ranks; /* NULL: all */
	int width;                 /* columns, of what is text */
	int64_t now;               /* the latest host's clock: what ends behind it is not done */
};
/* The first bytes of each format, by which an earlier file is recognized; a .txt begins with a ruler */
#define EXPORT_JSON_BEGINS "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made by\":\"ranksh\""
#define EXPORT_CSV_BEGINS                                                                                 \
	"rank,lane,from_ns,to_ns,kind,cause,name,phase,section,op,blame_rank,blame_op,blame,bytes,flops," \
	"line,done\r\n"
#define EXPORT_SVG_BEGINS "<!-- written by ranksh: export -->\n"
#define EXPORT_HTML_BEGINS \
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ranksh timeline</title>\n"
#define EXPORT_KINETO_BEGINS "{\n\"made by\":\"ranksh\",\n"

/* Chrome's trace events, of everything */
enum status trace_export_json(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* A line for each span of each lane (RFC 4180); done 0: it is not over yet, and stands there as it will be if no more is queued */
enum status trace_export_csv(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* The picture as vectors, ranks that are alike drawn once */
enum status trace_export_svg(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* A page that shows it, in one file: page.html with the spans in it */
enum status trace_export_html(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* Returns true if the text begins as one of trace_export_txt: the ruler with its unit, and below it the lane of a host. */
bool export_is_txt(const char *text);
/* `timeline` as it prints it, so many columns wide */
enum status trace_export_txt(
        const struct trace *trace, const struct export_options *options, struct text *out);

/* One rank's part as PyTorch's profiler writes it (Kineto), whole: its readers want a file a rank. What is not over yet is left
 * out, as there; trace_unfinished counts what that is: work of those ranks. */
size_t trace_unfinished(const struct trace *trace, const struct export_options *options);
enum status trace_export_kineto(
        const struct trace *trace, const struct export_options *options, int rank, struct text *out);

/* The spans of one lane in the window, what is not done as its own and projected */
void export_spans(
        const struct lanes *lanes, int stream, const struct export_options *options, struct spans *spans);
/* For Chrome's trace events: device memory by kind and the rate of each link, behind an event that is there already */
void export_counters(const struct trace *trace, int rank, struct window window, struct text *out);
/* "#5b8def" of a colour, on white */
const char *export_paint(enum colour colour);
/* Of a span: its operation's colour, the stall's, or the host's */
enum colour export_colour(const struct trace *trace, const struct span *span);
/* "peer", "issue", "matmul y": what the span is called */
void export_name(const struct trace *trace, const struct span *span, struct text *out);
/* The rows that a picture of the export has: those of ranks that are alike drawn once */
struct timeline_options export_timeline(const struct export_options *options, int width, int rows);
/* "matmul y" as a JSON string */
void export_label(struct text *out, const struct world *world, op_id id);
/* As a JSON string, which may stand in a page too: `<` is written as an escape */
void export_string(struct text *out, const char *words);
/* As the text of an element, or an attribute, of XML */
void export_xml(struct text *out, const char *words);

#endif
