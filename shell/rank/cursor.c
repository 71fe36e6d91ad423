/* cursor.c -- moves the view's cursor: along a lane, to a name, a wait's cause, or an iteration */
#include "shell/rank/frame.h"
#include "base/arithmetic.h"
#include "base/number.h"
#include "trace/critical.h"
#include "trace/spots.h"
#include "trace/trace.h"

#include <string.h>

/* Finds the cursor's operation by its id, even if new measured times have moved it. */
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

/* Moves the window, at equal width, so that the cursor's operation begins in it. */
static void cursor_follow(const struct cursor *cursor, struct window whole, struct window *window)
{
	int64_t width = window->to - window->from, from = cursor->spot.span.from;
	bool everything = window->from <= whole.from && window->to >= whole.to;
	if (!cursor->stands || everything || (from >= window->from && from < window->to - width / 50))
		return;
	int64_t most = most_of(whole.from, whole.to - width + width / 20);
	window->from = most_of(whole.from, least_of(most, from - width / 4));
	window->to = window->from + width;
}

struct seeking {
	const struct trace *trace;
	const struct request *request;
	const struct critical *path;
	struct window whole, *window;
	struct cursor *cursor;
	struct spot *spot;
	struct text *told; /* the reply's: a failure's reason */
	struct text *part; /* the reply's: the window's iteration or section */
	int step;          /* 1: later, -1: earlier */
	int parts;         /* the world's iterations, or else its sections */
};

/* ---- iterations of a program, or else marked sections ---- */

/* Returns the window of the iteration's device work; if there is none, of its hosts, which may be
 * far ahead. */
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

static struct window part_window(const struct seeking *s, int i)
{
	const struct world *world = s->trace->world;
	return world->iteration_count ? iteration_window(s->trace, &world->iterations[i])
	                              : trace_window(s->trace, i);
}

/* Returns the part beside the one that the window shows. If it shows none exactly, returns the
 * cursor's part; without a cursor the first (step > 0) or last non-empty part that begins in the
 * window, or -1. */
static int part_next(const struct seeking *s)
{
	const struct world *world = s->trace->world;
	op_id op = s->cursor->stands ? s->spot->span.op : 0;
	int at = -1;
	for (int i = 0; i < s->parts; i++) {
		struct window part = part_window(s, i), *window = s->window;
		if (part.from == window->from && part.to == window->to)
			return i + s->step;
		bool within = part.from < part.to && part.from >= window->from && part.from < window->to;
		if (within && (at < 0 || s->step < 0))
			at = i;
	}
	int own = !op                    ? -1
	        : world->iteration_count ? world_iteration_of(world, op)
	                                 : op_record(world, op)->section;
	return own >= 0 ? own : at;
}

static void seek_part(struct seeking *s)
{
	const struct world *world = s->trace->world;
	struct window part = {0};
	int i = part_next(s);
	if (!world->iteration_count && s->parts < 2) {
		text_add(s->told,
		        "there are no iterations: `run 2` of a strategy makes some, `mark NAME` sections");
		return;
	}
	for (; i >= 0 && i < s->parts; i += s->step) {
		part = part_window(s, i);
		if (part.from < part.to)
			break;
	}
	if (i < 0 || i >= s->parts) {
		text_add(s->told, "there is no %s one", s->step > 0 ? "later" : "earlier");
		return;
	}
	*s->window = part;
	if (world->iteration_count)
		text_add(s->part, "iteration %d of %d", i + 1, s->parts);
	else if (world->sections[i].name)
		text_add(s->part, "section %s", names_text(world->names, world->sections[i].name));
	else
		text_add(s->part, "before the first mark");
	if (s->cursor->stands && (s->spot->span.from < part.from || s->spot->span.from >= part.to))
		spot_near(s->trace, s->spot->rank, s->spot->stream, part.from, s->spot);
}

/* Shows the last part; with `pace`, the part of the present. */
static void seek_latest(struct seeking *s)
{
	int64_t now = s->request->passes ? s->request->now : TIME_UNKNOWN;
	*s->window = trace_window_seen(s->trace, (int)s->trace->world->section_count - 1);
	trace_last_iteration(s->trace, s->window);
	for (int i = 0; i < s->parts && now < s->window->from; i++) {
		struct window part = part_window(s, i);
		if (part.from < part.to && part.to > now) {
			*s->window = part;
			break;
		}
	}
	s->window->to = most_of(s->window->to, s->window->from + 1);
}

/* ---- everything else ---- */

/* The window stays if it shows a part of the clicked span. */
static void seek_here(struct seeking *s)
{
	const struct request *request = s->request;
	s->cursor->stands = spot_near(s->trace, request->rank, request->stream, request->time, s->spot);
	if (!s->cursor->stands)
		text_add(s->told, "this lane is empty");
	if (s->spot->span.to <= s->window->from || s->spot->span.from >= s->window->to)
		cursor_follow(s->cursor, s->whole, s->window);
}

static void seek_along(struct seeking *s)
{
	if (!spot_beside(s->trace, s->step, s->spot))
		text_add(s->told, "nothing is %s on this lane", s->step > 0 ? "later" : "earlier");
}

/* Finds waits at least a cell wide. */
static void seek_stall(struct seeking *s)
{
	int64_t least = most_of((s->window->to - s->window->from) / most_of(s->request->width, 1), 1);
	if (spot_stall(s->trace, s->step, least, s->spot))
		return;
	text_add(s->told, "no %s wait of %s or more on this lane; + shows shorter ones",
	        s->step > 0 ? "later" : "earlier", time_words(least).text);
}

static void seek_blamed(struct seeking *s)
{
	if (spot_blamed(s->trace, s->spot))
		return;
	text_add(s->told, "no operation is to blame: ");
	op_label(s->trace->world, s->spot->span.op, s->told);
	text_add(s->told,
	        s->spot->span.kind == SPAN_STALL ? " waits for a missing line, or for itself"
	                                         : " waited for no other");
}

static void seek_name(struct seeking *s)
{
	const char *text = text_string(&s->request->find);
	struct spot before = *s->spot;
	bool stood = s->cursor->stands;
	if (!stood)
		s->spot->span.from = s->step > 0 ? -1 : TIME_UNKNOWN;
	bool found = *text && spot_named(s->trace, s->step, text, s->spot);
	s->cursor->stands = stood || found;
	if (!found)
		text_add(s->told, "no operation has `%s` in its name", text);
	else if (stood && s->spot->span.op == before.span.op)
		text_add(s->told, "the only one with `%s` in its name on rank %d", text, s->spot->rank);
	else if (stood && s->spot->rank != before.rank)
		text_add(s->told, "on rank %d", s->spot->rank);
	else if (stood && (s->spot->span.from - before.span.from) * s->step < 0)
		text_add(s->told, s->step > 0 ? "from the beginning on" : "from the end on");
}

/* step -1: the lane's first operation, 1: its last */
static void seek_end(struct seeking *s)
{
	if (!spot_near(s->trace, s->spot->rank, s->spot->stream, s->step < 0 ? 0 : s->whole.to, s->spot))
		text_add(s->told, "this lane is empty");
}

static void seek_critical(struct seeking *s)
{
	const struct critical_piece *piece =
	        s->path ? spot_on_path(s->trace, s->path, s->step, s->cursor->stands, s->spot) : NULL;
	if (!piece) {
		text_add(s->told, "%s",
		        !s->path              ? "" /* find_path has said so */
		                : s->step > 0 ? "here the critical path ends"
		                              : "here the critical path begins");
		return;
	}
	s->cursor->stands = true;
	text_add(s->told, "critical path: %s, %s of %s", critical_kind_name(piece->kind),
	        time_words(piece->to - piece->from).text,
	        time_words(s->path->window.to - s->path->window.from).text);
}

static void seek_zoom(struct seeking *s)
{
	const struct span *span = &s->spot->span;
	int64_t length = most_of(least_of(span->to, s->whole.to) - span->from, 1);
	s->window->from = most_of(span->from - length, s->whole.from);
	s->window->to = least_of(span->from + 2 * length, s->whole.to);
}

static const struct {
	const char *word;
	void (*seek)(struct seeking *s); /* NULL: the request has the place */
	int step;
	bool from_cursor;
	bool follows;
} seeks[] = {
        {"here", seek_here, 0, false, false},
        {"part", seek_part, 1, false, false},
        {"part back", seek_part, -1, false, false},
        {"latest", seek_latest, 0, false, false},
        {"back", NULL, 0, false, true},
        {"find", seek_name, 1, false, true},
        {"find back", seek_name, -1, false, true},
        {"critical", seek_critical, 1, false, true},
        {"critical back", seek_critical, -1, false, true},
        {"next", seek_along, 1, true, true},
        {"next back", seek_along, -1, true, true},
        {"stall", seek_stall, 1, true, true},
        {"stall back", seek_stall, -1, true, true},
        {"blamed", seek_blamed, 0, true, true},
        {"first", seek_end, -1, true, true},
        {"last", seek_end, 1, true, true},
        {"zoom", seek_zoom, 0, true, true},
};

void cursor_seek(const struct trace *trace, const struct request *request, struct window whole,
        const struct critical *path, struct cursor *cursor, struct window *window, struct reply *reply)
{
	const struct world *world = trace->world;
	struct seeking s = {.trace = trace,
	        .request = request,
	        .path = path,
	        .whole = whole,
	        .window = window,
	        .cursor = cursor,
	        .spot = &cursor->spot,
	        .told = &reply->told,
	        .part = &reply->part,
	        .parts = (int)(world->iteration_count ? world->iteration_count : world->section_count)};
	size_t i = 0, count = sizeof seeks / sizeof *seeks;
	while (i < count && strcmp(seeks[i].word, text_string(&request->seek)) != 0)
		i++;
	if (i == count)
		return;
	if (seeks[i].from_cursor && !cursor->stands) {
		text_add(&reply->told, "pick an operation first: tab, or a click");
		return;
	}
	s.step = seeks[i].step;
	if (seeks[i].seek)
		seeks[i].seek(&s);
	if (seeks[i].follows)
		cursor_follow(cursor, whole, window);
}
