/* cursor.c -- the cursor of the view: along a lane, to a name, to whom a wait is blamed on, to an iteration */
#include "shell/rank/cursor.h"
#include "base/arithmetic.h"
#include "base/number.h"
#include "trace/critical.h"
#include "trace/trace.h"

#include <string.h>

/* The same wait or operation as before; where times were measured meanwhile, the operation of then. */
void cursor_place(const struct trace *trace, const struct request *request, struct cursor *cursor)
{
	const struct world *world = trace->world;
	struct spot *spot = &cursor->spot;
	cursor->stands = false;
	*spot = (struct spot){
	        .rank = request->rank, .stream = request->stream, .span = {.from = request->time}};
	if (!request->selected || request->selected > world->op_count || request->rank >= world->n ||
	        request->stream > STREAMS_MAX)
		return;
	cursor->stands = trace_span_at(trace, request->rank, request->stream, most_of(request->time, 0),
	                         &spot->span) == ST_OK &&
	        spot->span.op == request->selected && spot->span.to > spot->span.from;
	if (!cursor->stands)
		cursor->stands = spot_of(trace, request->selected, spot);
}

void cursor_follow(const struct cursor *cursor, struct window whole, struct window *window)
{
	int64_t width = window->to - window->from, from = cursor->spot.span.from;
	bool everything = window->from <= whole.from && window->to >= whole.to;
	if (!cursor->stands || everything || (from >= window->from && from < window->to - width / 50))
		return;
	int64_t most = most_of(whole.from, whole.to - width + width / 20);
	window->from = most_of(whole.from, least_of(most, from - width / 4));
	window->to = window->from + width;
}

/* ---- iterations: those of a program, or what was marked where there are none ---- */

struct time_parts {
	const struct trace *trace;
	int count;
	bool iterations;
};

static struct time_parts parts_of_time(const struct trace *trace)
{
	const struct world *world = trace->world;
	bool iterations = world->iteration_count > 0;
	return (struct time_parts){
	        trace, iterations ? (int)world->iteration_count : (int)world->section_count, iterations};
}

/* From the beginning of its first work on a device to the last end that is known: hosts may be far ahead. Of one without such
 * work what the hosts did */
static struct window iteration_window(const struct trace *trace, const struct iteration *iteration)
{
	const struct world *world = trace->world;
	struct window device = {TIME_UNKNOWN, 0, -1}, host = device;
	op_id end = iteration->end ? iteration->end : (op_id)world->op_count + 1;
	for (op_id id = iteration->first; id < end; id++) {
		struct times t = backend_times(trace->backend, id);
		struct window *window =
		        op_kind_is_host((enum op_kind)op_record(world, id)->kind) ? &host : &device;
		window->from = least_of(window->from, t.start);
		if (t.end != TIME_UNKNOWN)
			window->to = most_of(window->to, t.end);
	}
	return device.from < device.to ? device : host;
}

static struct window part_window(const struct time_parts *parts, int i)
{
	return parts->iterations ? iteration_window(parts->trace, &parts->trace->world->iterations[i])
	                         : trace_window(parts->trace, i);
}

static void part_text(const struct time_parts *parts, int i, struct text *out)
{
	const struct world *world = parts->trace->world;
	if (parts->iterations)
		text_add(out, "iteration %d of %d", i + 1, parts->count);
	else if (world->sections[i].name)
		text_add(out, "section %s", names_text(world->names, world->sections[i].name));
	else
		text_add(out, "before the first mark");
}

/* The one that the window shows; else -1, and *at is the one in which the cursor stands; without a cursor the first (step > 0)
 * or the last that begins in the window. Those without any operation are empty: they are passed over. */
static int part_shown(
        const struct time_parts *parts, const struct cursor *cursor, struct window window, int step, int *at)
{
	const struct world *world = parts->trace->world;
	*at = -1;
	for (int i = 0; i < parts->count; i++) {
		struct window part = part_window(parts, i);
		if (part.from == window.from && part.to == window.to)
			return i;
		bool within = part.from < part.to && part.from >= window.from && part.from < window.to;
		if (within && (*at < 0 || step < 0))
			*at = i;
	}
	int of = !cursor->stands    ? -1
	        : parts->iterations ? world_iteration_of(world, cursor->spot.span.op)
	                            : op_record(world, cursor->spot.span.op)->section;
	*at = of >= 0 ? of : *at;
	return -1;
}

static void seek_part(const struct trace *trace, int step, struct cursor *cursor, struct window *window,
        struct reply *reply)
{
	struct time_parts parts = parts_of_time(trace);
	int at, shown = part_shown(&parts, cursor, *window, step, &at), next = shown < 0 ? at : shown + step;
	struct window part = {0};
	if (!parts.iterations && parts.count < 2) {
		text_add(&reply->told,
		        "there are no iterations: `run 2` of a strategy makes some, `mark NAME` sections");
		return;
	}
	for (; next >= 0 && next < parts.count; next += step) {
		part = part_window(&parts, next);
		if (part.from < part.to)
			break;
	}
	if (next < 0 || next >= parts.count) {
		text_add(&reply->told, "there is no %s one", step > 0 ? "later" : "earlier");
		return;
	}
	*window = part;
	part_text(&parts, next, &reply->part);
	if (cursor->stands && (cursor->spot.span.from < part.from || cursor->spot.span.from >= part.to))
		spot_near(trace, cursor->spot.rank, cursor->spot.stream, part.from, &cursor->spot);
}

/* ---- everything else ---- */

static void say_label(const struct trace *trace, const struct cursor *cursor, struct text *out)
{
	op_label(trace->world, cursor->spot.span.op, out);
}

static void seek_along(const struct trace *trace, int step, struct cursor *cursor, struct text *told)
{
	if (!spot_beside(trace, step, &cursor->spot))
		text_add(told, "nothing is %s on this lane", step > 0 ? "later" : "earlier");
}

/* Waits that a cell shows */
static void seek_stall(const struct trace *trace, int step, struct window window, int cells,
        struct cursor *cursor, struct text *told)
{
	int64_t least = most_of((window.to - window.from) / most_of(cells, 1), 1);
	if (spot_stall(trace, step, least, &cursor->spot))
		return;
	text_add(told, "no %s wait of ", step > 0 ? "later" : "earlier");
	time_text(least, told);
	text_add(told, " or more on this lane; + shows shorter ones");
}

static void seek_blamed(const struct trace *trace, struct cursor *cursor, struct text *told)
{
	if (spot_blamed(trace, &cursor->spot))
		return;
	text_add(told, "nobody is to blame: ");
	say_label(trace, cursor, told);
	text_add(told,
	        cursor->spot.span.kind == SPAN_STALL ? " waits for a line not given yet, or for itself"
	                                             : " waited for nobody");
}

static void seek_name(const struct trace *trace, const struct request *request, int step,
        struct cursor *cursor, struct text *told)
{
	const char *text = text_string(&request->find);
	struct spot before = cursor->spot;
	bool stood = cursor->stands;
	if (!stood)
		cursor->spot.span.from = step > 0 ? -1 : TIME_UNKNOWN;
	bool found = *text && spot_named(trace, step, text, &cursor->spot);
	cursor->stands = cursor->stands || found;
	if (!found)
		text_add(told, "no operation has `%s` in its name", text);
	else if (stood && cursor->spot.rank != before.rank)
		text_add(told, "on rank %d", cursor->spot.rank);
	else if (stood && (cursor->spot.span.from - before.span.from) * step < 0)
		text_add(told, step > 0 ? "from the beginning on" : "from the end on");
}

static void seek_end(const struct trace *trace, int64_t time, struct cursor *cursor, struct text *told)
{
	if (!spot_near(trace, cursor->spot.rank, cursor->spot.stream, time, &cursor->spot))
		text_add(told, "this lane is empty");
}

static void seek_critical(const struct trace *trace, const struct critical *path, int step,
        struct cursor *cursor, struct text *told)
{
	const struct critical_piece *piece = spot_on_path(trace, path, step, cursor->stands, &cursor->spot);
	if (!piece) {
		text_add(told, step > 0 ? "here the critical path ends" : "here the critical path begins");
		return;
	}
	cursor->stands = true;
	text_add(told, "critical path: %s, ", critical_kind_name(piece->kind));
	time_text(piece->to - piece->from, told);
	text_add(told, " of ");
	time_text(path->window.to - path->window.from, told);
}

/* The operation has a third of the window. */
static void seek_zoom(const struct cursor *cursor, struct window whole, struct window *window)
{
	const struct span *span = &cursor->spot.span;
	int64_t length = most_of(least_of(span->to, whole.to) - span->from, 1);
	window->from = most_of(span->from - length, whole.from);
	window->to = least_of(span->from + 2 * length, whole.to);
}

/* The last iteration, or section; where time passes by itself, the one that is at work then */
static void seek_latest(const struct trace *trace, const struct request *request, struct window *window)
{
	struct time_parts parts = parts_of_time(trace);
	*window = trace_window_seen(trace, (int)trace->world->section_count - 1);
	trace_last_iteration(trace, window);
	for (int i = 0; request->passes && request->now < window->from && i < parts.count; i++) {
		struct window part = part_window(&parts, i);
		if (part.from < part.to && part.to > request->now) {
			*window = part;
			break;
		}
	}
	window->to = most_of(window->to, window->from + 1);
}

/* Those from NEXT on want a cursor that stands. */
enum seek {
	SEEK_HERE,
	SEEK_FIND,
	SEEK_PART,
	SEEK_LATEST,
	SEEK_CRITICAL,
	SEEK_BACK,
	SEEK_NEXT,
	SEEK_STALL,
	SEEK_BLAMED,
	SEEK_FIRST,
	SEEK_LAST,
	SEEK_ZOOM
};
static const struct {
	const char *word;
	enum seek seek;
	int step;
} seeks[] = {{"here", SEEK_HERE, 0}, {"find", SEEK_FIND, 1}, {"find back", SEEK_FIND, -1},
        {"back", SEEK_BACK, 0}, {"part", SEEK_PART, 1}, {"part back", SEEK_PART, -1},
        {"latest", SEEK_LATEST, 0}, {"critical", SEEK_CRITICAL, 1}, {"critical back", SEEK_CRITICAL, -1},
        {"next", SEEK_NEXT, 1}, {"next back", SEEK_NEXT, -1}, {"stall", SEEK_STALL, 1},
        {"stall back", SEEK_STALL, -1}, {"blamed", SEEK_BLAMED, 0}, {"first", SEEK_FIRST, 0},
        {"last", SEEK_LAST, 0}, {"zoom", SEEK_ZOOM, 0}};

void cursor_seek(const struct trace *trace, const struct request *request, struct window whole,
        const struct critical *path, struct cursor *cursor, struct window *window, struct reply *reply)
{
	size_t i = 0, count = sizeof seeks / sizeof *seeks;
	while (i < count && strcmp(seeks[i].word, text_string(&request->seek)) != 0)
		i++;
	if (i == count)
		return;
	int step = seeks[i].step;
	if (seeks[i].seek >= SEEK_NEXT && !cursor->stands) {
		text_add(&reply->told, "pick an operation first: tab, or a click");
		return;
	}
	switch (seeks[i].seek) {
	case SEEK_HERE:
		cursor->stands =
		        spot_near(trace, request->rank, request->stream, request->time, &cursor->spot);
		if (!cursor->stands)
			text_add(&reply->told, "this lane is empty");
		if (cursor->spot.span.to > window->from && cursor->spot.span.from < window->to)
			return;
		break;
	case SEEK_BACK:
		break;
	case SEEK_FIND:
		seek_name(trace, request, step, cursor, &reply->told);
		break;
	case SEEK_PART:
		seek_part(trace, step, cursor, window, reply);
		return;
	case SEEK_CRITICAL:
		if (path)
			seek_critical(trace, path, step, cursor, &reply->told);
		break;
	case SEEK_LATEST:
		seek_latest(trace, request, window);
		return;
	case SEEK_NEXT:
		seek_along(trace, step, cursor, &reply->told);
		break;
	case SEEK_STALL:
		seek_stall(trace, step, *window, request->width, cursor, &reply->told);
		break;
	case SEEK_BLAMED:
		seek_blamed(trace, cursor, &reply->told);
		break;
	case SEEK_FIRST:
		seek_end(trace, 0, cursor, &reply->told);
		break;
	case SEEK_LAST:
		seek_end(trace, whole.to, cursor, &reply->told);
		break;
	case SEEK_ZOOM:
		seek_zoom(cursor, whole, window);
		break;
	}
	cursor_follow(cursor, whole, window);
}
