/* export.c -- the timeline as Chrome trace events, for Perfetto and chrome://tracing
 *
 *      {"ph":"X","pid":2,"tid":1,"cat":"kernel","name":"matmul y","args":{"op":17},"ts":12.000,"dur":640.500}
 *        what      rank    stream                                                    us        us
 *
 *
 * One process a rank, one thread a stream (0 is the host). Work and stalls are complete events ("X") that
 * fill each thread without overlap, told apart by their category; arrows ("s" to "f") lead from what a wait
 * waited for to what it held up, and from a sender to its receiver. Times are microseconds with three digits:
 * nothing is lost. Format: "Trace Event Format", Google, 2016. */
#include "trace/lanes.h"

#include <inttypes.h>
#include <stdio.h>

struct json_writer {
	const struct trace *trace;
	struct text *out;
	struct text label;
	bool begun;
	unsigned arrows;
};

/* A JSON string: names are UTF-8 already, so only quotes, backslashes and control characters are escaped. */
static void put_escaped(struct text *out, const char *words)
{
	text_add(out, "\"");
	for (const unsigned char *p = (const unsigned char *)words; *p; p++)
		if (*p == '"' || *p == '\\')
			text_add(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			text_add(out, "\\u%04x", *p);
		else
			text_put(out, (const char *)p, 1);
	text_add(out, "\"");
}

/* Microseconds with three digits, as "%PRId64.%03d" */
#define US(ns) (ns) / 1000, (int)((ns) % 1000)

/* An event: the fields that every one has, and those given; its closing brace is the caller's. */
static void begin(struct json_writer *w, const char *phase, int rank, int stream, const char *format, ...)
        __attribute__((format(printf, 5, 6)));
static void begin(struct json_writer *w, const char *phase, int rank, int stream, const char *format, ...)
{
	va_list arguments;
	text_add(w->out, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,", w->begun ? ",\n" : "", phase, rank,
	        stream);
	w->begun = true;
	va_start(arguments, format);
	text_vadd(w->out, format, arguments);
	va_end(arguments);
}

/* A metadata event: what a process or thread is called, and where it stands among the others */
static void put_name(
        struct json_writer *w, const char *what, int rank, int stream, const char *name, int index)
{
	begin(w, "M", rank, stream, "\"name\":\"%s_name\",\"args\":{\"name\":", what);
	put_escaped(w->out, name);
	text_add(w->out, "}}");
	begin(w, "M", rank, stream, "\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%d}}", what, index);
}

/* The operation as everywhere: "matmul y", "F3" */
static void put_label(struct json_writer *w, op_id id)
{
	text_clear(&w->label);
	op_label(w->trace->world, id, &w->label);
	put_escaped(w->out, text_string(&w->label));
}

/* What a click on a slice shows besides its name */
static void put_arguments(struct json_writer *w, const struct span *span)
{
	const struct world *world = w->trace->world;
	const struct record *record = op_record(world, span->op);

	text_add(w->out, ",\"args\":{\"op\":%u", span->op);
	if (record->bytes > 0)
		text_add(w->out, ",\"bytes\":%" PRId64, record->bytes);
	if (record->flops > 0)
		text_add(w->out, ",\"flops\":%.0f", record->flops);
	if (record->phase) {
		text_add(w->out, ",\"phase\":");
		put_escaped(w->out, names_text(world->names, record->phase));
	}
	if (record->section) {
		text_add(w->out, ",\"section\":");
		put_escaped(w->out, names_text(world->names, world->sections[record->section].name));
	}
	if (span->projected)
		text_add(w->out, ",\"projected\":true");
	text_add(w->out, "}");
}

/* What delays `op`; args.for is what it waits for, with its rank. */
static void put_stall(struct json_writer *w, int rank, int stream, const struct span *span)
{
	begin(w, "X", rank, stream, "\"cat\":\"stall\",\"name\":\"%s\",\"args\":{",
	        span->kind == SPAN_HOST ? "issue" : trace_causes[span->cause]);
	if (span->op) {
		text_add(w->out, "\"before\":");
		put_label(w, span->op);
	}
	if (span->blame) {
		text_add(w->out, "%s\"for\":", span->op ? "," : "");
		put_label(w, span->blame);
		text_add(w->out, ",\"rank\":%d", w->trace->world->ops[span->blame].rank);
	}
	text_add(w->out, "}");
}

/* One complete event; idle time is none. A file of many spans is a long look, so each is charged. */
static enum status put_span(struct json_writer *w, int rank, int stream, const struct span *span)
{
	if (span->kind != SPAN_WORK && span->cause == CAUSE_DONE)
		return ST_OK;
	if (span->kind == SPAN_WORK) {
		begin(w, "X", rank, stream,
		        "\"cat\":\"%s\",\"name\":", op_kind_name(op_record(w->trace->world, span->op)->kind));
		put_label(w, span->op);
		put_arguments(w, span);
	} else {
		put_stall(w, rank, stream, span);
	}
	text_add(w->out, ",\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d}", US(span->from),
	        US(span->to - span->from));
	return trace_step(w->trace, 1);
}

/* An arrow binds to the slice around its end: the last nanosecond of what it leaves, the start of what it
 * reaches. */
static void put_arrow(
        struct json_writer *w, const char *category, op_id from, int64_t leaves, op_id to, int64_t reaches)
{
	const struct op *a = &w->trace->world->ops[from], *b = &w->trace->world->ops[to];

	w->arrows++;
	begin(w, "s", a->rank, a->stream, "\"cat\":\"%s\",\"name\":\"%s\",\"id\":%u,\"ts\":%" PRId64 ".%03d}",
	        category, category, w->arrows, US(leaves));
	begin(w, "f", b->rank, b->stream,
	        "\"cat\":\"%s\",\"name\":\"%s\",\"id\":%u,\"bp\":\"e\",\"ts\":%" PRId64 ".%03d}", category,
	        category, w->arrows, US(reaches));
}

/* Viewers drop an arrow whose end has no slice around it. */
static bool lasts(const struct times *t)
{
	return t->end != TIME_UNKNOWN && t->end > t->start;
}

/* From what a wait waited for to the work behind the wait on its stream. */
static void wait_arrow(struct json_writer *w, const struct lanes *lanes, uint32_t place)
{
	const struct world *world = w->trace->world;
	op_id wait = moment_at(lanes, place)->id, target = world->ops[wait].target;
	uint32_t end = lanes->first[world->ops[wait].stream + 1], next = place + 1;

	if (!target || target == OP_EVERYTHING)
		return;
	op_id behind = lanes_behind(lanes, target);
	while (next < end && !trace_is_work(op_record(world, moment_at(lanes, next)->id)->kind))
		next++;
	if (next == end || !trace_is_work(op_record(world, behind)->kind))
		return;
	struct times from = backend_times(w->trace->backend, behind), to = moment_at(lanes, next)->t;
	if (lasts(&from) && lasts(&to))
		put_arrow(w, "wait", behind, from.end - 1, moment_at(lanes, next)->id, to.start);
}

/* From each sender to its receiver, drawn with the receiver. */
static void transfer_arrow(struct json_writer *w, op_id id)
{
	const struct world *world = w->trace->world;
	struct times to = backend_times(w->trace->backend, id);

	for (int i = 0; i < op_record(world, id)->parts; i++) {
		op_id sender = trace_sender(world, id, i);
		if (!sender)
			continue;
		struct times from = backend_times(w->trace->backend, sender);
		if (lasts(&from) && lasts(&to))
			put_arrow(w, "transfer", sender, from.start, id, to.end - 1);
	}
}

/* The arrows that end on this rank; those that leave it are drawn with the ranks they reach. */
static void put_arrows(struct json_writer *w, const struct lanes *lanes)
{
	for (uint32_t place = lanes->first[STREAM_DEFAULT]; place < lanes->count; place++) {
		op_id id = moment_at(lanes, place)->id;
		enum op_kind kind = op_record(w->trace->world, id)->kind;
		if (kind == OP_WAIT)
			wait_arrow(w, lanes, place);
		else if (kind == OP_P2P)
			transfer_arrow(w, id);
	}
}

/* Names first: viewers sort processes and threads by the index that comes with them */
static enum status put_rank(
        struct json_writer *w, const struct lanes *lanes, struct window window, struct spans *spans)
{
	char name[32];
	enum status status = ST_OK;

	snprintf(name, sizeof name, "rank %d", lanes->rank);
	put_name(w, "process", lanes->rank, 0, name, lanes->rank);
	for (int stream = 0; stream < lanes->streams && status == ST_OK; stream++) {
		put_name(w, "thread", lanes->rank, stream, trace_lane_name(w->trace, lanes->rank, stream),
		        stream);
		lanes_spans(lanes, stream, window, spans);
		for (size_t i = 0; i < spans->count && status == ST_OK; i++)
			status = put_span(w, lanes->rank, stream, &spans->span[i]);
	}
	if (status == ST_OK)
		put_arrows(w, lanes);
	return status;
}

enum status trace_export_json(const struct trace *trace, struct text *out)
{
	struct json_writer w = {.trace = trace, .out = out};
	struct window window = trace_window(trace, -1);
	struct lanes lanes = {0};
	struct spans spans = {0};
	enum status status = ST_OK;

	text_add(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made by\":\"ranksh\",\"machine\":");
	put_escaped(out, trace->world->machine->name);
	text_add(out, "},\"traceEvents\":[\n");
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		status = lanes_load(&lanes, trace, rank);
		if (status == ST_OK)
			status = put_rank(&w, &lanes, window, &spans);
	}
	text_add(out, "\n]}\n");
	text_release(&w.label);
	lanes_release(&lanes);
	spans_release(&spans);
	return status;
}
