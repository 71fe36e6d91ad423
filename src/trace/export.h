/* export.h -- the timeline as files for other tools, appended to a text. Ctrl-C ends a long export
 * with ST_INTERRUPTED. To add a format, write one file with one function, and add a row to
 * shell/commands/export.c.
 *
 * An umbrella header. */
#ifndef RANKSH_TRACE_EXPORT_H
#define RANKSH_TRACE_EXPORT_H

#include "base/ranks.h"
#include "trace/trace.h"

/* For Chrome's trace events: microseconds with three digits, as "%" PRId64 ".%03d" */
#define US(ns) (ns) / 1000, (int)((ns) % 1000)

struct lanes;
struct export_options {
	struct window window;
	const struct ranks *ranks; /* NULL: all */
	const name_id *lane;       /* a picture has only these streams; lanes 0: all */
	int lanes;
	int width; /* columns, for text */
	/* the host clock that is furthest ahead: spans that end later are not done */
	int64_t now;
};
/* The first bytes of each format, to recognize an earlier file; a .txt begins with a ruler */
#define EXPORT_JSON_BEGINS "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made by\":\"ranksh\""
#define EXPORT_CSV_BEGINS                                                                                 \
	"rank,lane,from_ns,to_ns,kind,cause,name,phase,section,op,blame_rank,blame_op,blame,bytes,flops," \
	"line,done\r\n"
#define EXPORT_SVG_BEGINS "<!-- written by ranksh: export -->\n"
#define EXPORT_HTML_BEGINS \
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ranksh timeline</title>\n"
#define EXPORT_KINETO_BEGINS "{\n\"made by\":\"ranksh\",\n"

/* Appends Chrome's trace events. */
enum status trace_export_json(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* Appends a line for each span of each lane (RFC 4180); done is 0 if the span is not over yet. */
enum status trace_export_csv(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* Appends the picture as vectors, with equal ranks drawn once. */
enum status trace_export_svg(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* Appends a page in one file: page.html with the spans in it. */
enum status trace_export_html(
        const struct trace *trace, const struct export_options *options, struct text *out);
/* Returns true if the text begins like a file of trace_export_txt. */
bool export_is_txt(const char *text);
/* Appends the output of `timeline`, options->width columns wide. */
enum status trace_export_txt(
        const struct trace *trace, const struct export_options *options, struct text *out);

/* Appends one rank as PyTorch's profiler (Kineto) writes it; its readers want a file for each
 * rank. Unfinished work is left out, as in PyTorch; trace_unfinished counts it on options->ranks
 * (not NULL). */
size_t trace_unfinished(const struct trace *trace, const struct export_options *options);
enum status trace_export_kineto(
        const struct trace *trace, const struct export_options *options, int rank, struct text *out);

/* Stores the spans of one lane in the window; the part that is not done is a span of its own. */
void export_spans(
        const struct lanes *lanes, int stream, const struct export_options *options, struct spans *spans);
/* Appends Chrome's trace events for device memory by kind and the rate of each link, each after a
 * comma */
void export_counters(const struct trace *trace, int rank, struct window window, struct text *out);
/* Returns a colour for a white page: "#4f8fd9". */
const char *export_paint(enum colour colour);
/* Returns the colour of the span's operation, of stalls, or of the host. */
enum colour export_colour(const struct trace *trace, const struct span *span);
/* Appends the name of the span: "peer", "issue", "matmul y". */
void export_name(const struct trace *trace, const struct span *span, struct text *out);
struct timeline_options export_timeline(const struct export_options *options, int width, int rows);
void export_label(struct text *out, const struct world *world, op_id id);
/* Appends a JSON string that may be part of a page too: `<` is escaped. */
void export_string(struct text *out, const char *words);
/* Appends the text of an XML element or attribute. */
void export_xml(struct text *out, const char *words);

/* ---- kineto_names.c: names in PyTorch's profiles */
/* Appends "matmul", "Memcpy HtoD (Pinned -> Device)", or, by the cost model's algorithm and
 * protocol, "ncclDevKernel_AllReduce_Sum_f32_RING_LL". */
void kineto_name(const struct trace *trace, op_id id, struct text *out);
/* Appends the operator that launches it: "aten::matmul", "nccl:all_reduce", "nccl:send 0->1". */
void kineto_operator(const struct world *world, op_id id, struct text *out);
/* Returns the number of elements that one rank's operation, in a group of n, reads or writes
 * (access) in all operands. A collective in place has one count for both. Unequal parts of a reducescatter or
 * allgather count as padded to equal ones. */
int64_t kineto_elements(const struct record *record, int n, enum access access);
/* Returns the type as in at::ScalarType: "Float". */
const char *kineto_type(const struct record *record);

#endif
