/* export.c -- the timeline as Chrome trace events, for Perfetto and chrome://tracing
 *
 *      {"ph":"X","pid":2,"tid":3,"cat":"kernel","name":"matmul y","args":{"op":17},
 *       kind     rank    stream
 *       "ts":12.000,"dur":640.500}
 *       us          us
 *
 * A rank is a process. A stream is a thread (1 is the host: some readers take thread 0 for the
 * process), with a second one for its waits. Work and stalls are complete events ("X") without
 * overlap. A program's iterations are a process of their own. Arrows ("s" to "f") lead from the
 * end of a wait's cause to the delayed work, and from a sender to its receiver. One-sided
 * operations also appear on the target rank, in threads "window", one for each concurrent access.
 * Times are microseconds with three digits. Format: "Trace Event Format", Google, 2016. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/export.h"
#include "trace/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct reach {
	int target;
	op_id id;
	int64_t start, end;
};
struct json_writer {
	const struct trace *trace;
	struct reach *reach; /* by target and start */
	size_t reaches;
	struct text *out;
	bool begun;
	unsigned arrows;
};

static int thread_of(int stream)
{
	return 2 * stream + 1;
}

static int waits_of(int stream)
{
	return 2 * stream + 2;
}

/* Begins an event: the common fields and those of the format. The caller closes its brace. */
__attribute__((format(printf, 5, 6))) static void event_begin(
        struct json_writer *w, const char *phase, int rank, int thread, const char *format, ...)
{
	va_list arguments;
	text_add(w->out, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,", w->begun ? ",\n" : "", phase, rank,
	        thread);
	w->begun = true;
	va_start(arguments, format);
	text_vadd(w->out, format, arguments);
	va_end(arguments);
}

static void put_name(
        struct json_writer *w, const char *what, int rank, int thread, const char *name, int index)
{
	event_begin(w, "M", rank, thread, "\"name\":\"%s_name\",\"args\":{\"name\":", what);
	export_string(w->out, name);
	text_add(w->out, "}}");
	event_begin(w, "M", rank, thread, "\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%d}}", what,
	        index);
}

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
		export_string(w->out, names_text(world->names, record->phase));
	}
	if (record->section) {
		text_add(w->out, ",\"section\":");
		export_string(w->out, names_text(world->names, world->sections[record->section].name));
	}
	if (span->projected)
		text_add(w->out, ",\"projected\":true");
	text_add(w->out, "}");
}

/* A delay of `op`; args.for is the operation it waits for, with its rank. */
static void put_stall(struct json_writer *w, int rank, int stream, const struct span *span)
{
	event_begin(w, "X", rank, span->kind == SPAN_HOST ? thread_of(stream) : waits_of(stream),
	        "\"cat\":\"stall\",\"name\":\"%s\",\"args\":{",
	        span->kind == SPAN_HOST ? "issue" : trace_causes[span->cause]);
	if (span->op) {
		text_add(w->out, "\"before\":");
		export_label(w->out, w->trace->world, span->op);
	}
	if (span->blame) {
		text_add(w->out, "%s\"for\":", span->op ? "," : "");
		export_label(w->out, w->trace->world, span->blame);
		text_add(w->out, ",\"rank\":%d", w->trace->world->ops[span->blame].rank);
	}
	if (span->projected)
		text_add(w->out, "%s\"projected\":true", span->op || span->blame ? "," : "");
	text_add(w->out, "}");
}

static enum status put_span(struct json_writer *w, int rank, int stream, const struct span *span)
{
	if (span->kind != SPAN_WORK && span->cause == CAUSE_DONE)
		return ST_OK;
	if (span->kind == SPAN_WORK) {
		event_begin(w, "X", rank, thread_of(stream),
		        "\"cat\":\"%s\",\"name\":", op_kind_name(op_record(w->trace->world, span->op)->kind));
		export_label(w->out, w->trace->world, span->op);
		put_arguments(w, span);
	} else {
		put_stall(w, rank, stream, span);
	}
	text_add(w->out, ",\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d}", US(span->from),
	        US(span->to - span->from));
	return trace_step(w->trace, 1);
}

/* Viewers bind an arrow's ends to the slices around them: its source's last nanosecond, its
 * target's start. If clocks are inexact, it leaves no later than it arrives. */
struct end {
	int rank, thread;
};
static struct end end_of(const struct json_writer *w, op_id id)
{
	return (struct end){w->trace->world->ops[id].rank, thread_of(w->trace->world->ops[id].stream)};
}
static void put_arrow(struct json_writer *w, const char *category, struct end from, int64_t leaves,
        struct end to, int64_t reaches)
{
	w->arrows++;
	leaves = least_of(leaves, reaches);
	event_begin(w, "s", from.rank, from.thread,
	        "\"cat\":\"%s\",\"name\":\"%s\",\"id\":%u,\"ts\":%" PRId64 ".%03d}", category, category,
	        w->arrows, US(leaves));
	event_begin(w, "f", to.rank, to.thread,
	        "\"cat\":\"%s\",\"name\":\"%s\",\"id\":%u,\"bp\":\"e\",\"ts\":%" PRId64 ".%03d}", category,
	        category, w->arrows, US(reaches));
}

/* Viewers drop arrows without a slice at each end. */
static bool lasts(const struct times *t)
{
	return t->end != TIME_UNKNOWN && t->end > t->start;
}

static void wait_arrow(struct json_writer *w, const struct lanes *lanes, uint32_t place)
{
	const struct world *world = w->trace->world;
	op_id wait = moment_at(lanes, place)->id, target = world->ops[wait].target;

	if (!target || target == OP_EVERYTHING)
		return;
	op_id behind = lanes_behind(lanes, target);
	const struct moment *next = lanes_work(lanes, world->ops[wait].stream, place + 1, 1);
	if (!next || !trace_is_work(op_record(world, behind)->kind))
		return;
	struct times from = backend_times(w->trace->backend, behind);
	if (lasts(&from) && lasts(&next->t))
		put_arrow(w, "wait", end_of(w, behind), from.end - 1, end_of(w, next->id), next->t.start);
}

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
			put_arrow(w, "transfer", end_of(w, sender), from.start, end_of(w, id), to.end - 1);
	}
}

static int by_target(const void *a, const void *b)
{
	const struct reach *x = a, *y = b;
	if (x->target != y->target)
		return x->target - y->target;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void gather_reaches(struct json_writer *w)
{
	const struct world *world = w->trace->world;
	for (op_id id = 1; id <= world->op_count; id++) {
		if (op_record(world, id)->kind != OP_ONE_SIDED)
			continue;
		struct times t = backend_times(w->trace->backend, id);
		if (lasts(&t))
			*MEM_ADD(&w->reach, &w->reaches) =
			        (struct reach){op_record(world, id)->part[0].peer, id, t.start, t.end};
	}
	if (w->reaches)
		qsort(w->reach, w->reaches, sizeof *w->reach, by_target);
}

static void put_reach(struct json_writer *w, const struct reach *reach, int thread)
{
	const struct op *op = &w->trace->world->ops[reach->id];
	event_begin(w, "X", reach->target, thread, "\"cat\":\"window\",\"name\":");
	export_label(w->out, w->trace->world, reach->id);
	text_add(w->out,
	        ",\"args\":{\"op\":%u,\"rank\":%d},\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d}",
	        reach->id, op->rank, US(reach->start), US(reach->end - reach->start));
	struct end its = {op->rank, thread_of(op->stream)}, target = {reach->target, thread};
	bool gets = op_record(w->trace->world, reach->id)->part[0].direction == ONE_SIDED_GET;
	put_arrow(w, "transfer", gets ? target : its, reach->start, gets ? its : target, reach->end - 1);
}

/* Writes the windows after the streams, on so many threads that the slices of one do not
 * overlap. */
static void put_windows(struct json_writer *w, int rank, int behind)
{
	int64_t *busy = NULL;
	size_t threads = 0;
	for (size_t i = 0; i < w->reaches; i++) {
		const struct reach *reach = &w->reach[i];
		size_t k = 0;
		if (reach->target != rank)
			continue;
		while (k < threads && busy[k] > reach->start)
			k++;
		if (k == threads) {
			*MEM_ADD(&busy, &threads) = 0;
			put_name(w, "thread", rank, behind + (int)k, "window", behind + (int)k);
		}
		busy[k] = reach->end;
		put_reach(w, reach, behind + (int)k);
	}
	mem_free(busy);
}

/* Viewers sort processes and threads by their index. */
static enum status put_rank(struct json_writer *w, const struct lanes *lanes,
        const struct export_options *options, struct spans *spans)
{
	char name[32];
	enum status status = ST_OK;

	snprintf(name, sizeof name, "rank %d", lanes->rank);
	put_name(w, "process", lanes->rank, 1, name, lanes->rank);
	for (int stream = 0; stream < lanes->streams && status == ST_OK; stream++) {
		const char *lane = trace_lane_name(w->trace, lanes->rank, stream);
		snprintf(name, sizeof name, "%.20s waits", lane);
		put_name(w, "thread", lanes->rank, thread_of(stream), lane, thread_of(stream));
		put_name(w, "thread", lanes->rank, waits_of(stream), name, waits_of(stream));
		export_spans(lanes, stream, options, spans);
		for (size_t i = 0; i < spans->count && status == ST_OK; i++)
			status = put_span(w, lanes->rank, stream, &spans->span[i]);
	}
	if (status == ST_OK) {
		for (uint32_t place = lanes->first[STREAM_DEFAULT]; place < lanes->count; place++) {
			op_id id = moment_at(lanes, place)->id;
			enum op_kind kind = op_record(w->trace->world, id)->kind;
			if (kind == OP_WAIT)
				wait_arrow(w, lanes, place);
			else if (kind == OP_P2P)
				transfer_arrow(w, id);
		}
		put_windows(w, lanes->rank, thread_of(lanes->streams));
		export_counters(w->trace, lanes->rank, options->window, w->out);
	}
	return status;
}

static void put_iterations(struct json_writer *w)
{
	const struct world *world = w->trace->world;
	if (world->iteration_count)
		put_name(w, "process", world->n, 1, "iterations", -1);
	for (size_t i = 0; i < world->iteration_count; i++) {
		const struct iteration *it = &world->iterations[i];
		op_id end = it->end ? it->end : (op_id)world->op_count + 1;
		int64_t from = TIME_UNKNOWN, to = 0;
		for (op_id id = it->first; id < end; id++) {
			struct times t = backend_times(w->trace->backend, id);
			from = least_of(from, t.issue);
			to = t.end == TIME_UNKNOWN ? to : most_of(to, t.end);
		}
		if (from >= to)
			continue;
		/* iterations may overlap, because the host runs ahead */
		for (int ends = 0; ends < 2; ends++)
			event_begin(w, ends ? "e" : "b", world->n, 1,
			        "\"cat\":\"iteration\",\"id\":%zu,\"name\":\"iteration %d\",\"ts\":%" PRId64
			        ".%03d}",
			        i, it->number, US(ends ? to : from));
	}
}

enum status trace_export_json(
        const struct trace *trace, const struct export_options *options, struct text *out)
{
	struct json_writer w = {.trace = trace, .out = out};
	struct lanes lanes = {0};
	struct spans spans = {0};
	enum status status = ST_OK;

	text_add(out, EXPORT_JSON_BEGINS ",\"machine\":");
	export_string(out, trace->world->machine->name);
	text_add(out, "},\"traceEvents\":[\n");
	gather_reaches(&w);
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (options->ranks && !ranks_has(options->ranks, rank))
			continue;
		status = lanes_load(&lanes, trace, rank);
		if (status == ST_OK)
			status = put_rank(&w, &lanes, options, &spans);
	}
	if (status == ST_OK)
		put_iterations(&w);
	text_add(out, "\n]}\n");
	mem_free(w.reach);
	lanes_release(&lanes);
	spans_release(&spans);
	return status;
}
