/* frame.c -- a view frame: the picture, and extent, rows, lanes and density for moving in it */
#include "shell/rank/frame.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/spots.h"

#include <string.h>

struct frame_making {
	struct trace trace;
	struct window whole;
	struct timeline_options options;
	const struct frame_picture *drawn;
	struct cursor cursor;
	struct frame_kept *kept;
	struct reply *reply;
};

static void forget_picture(struct frame_picture *drawn)
{
	picture_release(&drawn->picture);
	timeline_places_release(&drawn->places);
	*drawn = (struct frame_picture){0};
}

void frame_forget(struct frame_kept *kept)
{
	kept_forget(&kept->lanes);
	mem_free(kept->level);
	critical_release(&kept->path);
	forget_picture(&kept->of_whole);
	forget_picture(&kept->of_part);
	*kept = (struct frame_kept){0};
}

static void survey(struct frame_making *m, int parts)
{
	struct frame_kept *kept = m->kept;
	if (kept->whole.to == 0) {
		kept->whole = trace_window_seen(&m->trace, -1);
		kept->whole.to = most_of(kept->whole.to, kept->whole.from + 1);
	}
	m->whole = kept->whole;
	if (kept->parts == parts)
		return;
	kept->level = mem_resize(kept->level, (size_t)parts);
	kept->parts = parts;
	trace_density(&m->trace, kept->whole, parts, kept->level);
}

/* Finds the critical path. If no operation has an end, the picture has no path. */
static enum status find_path(struct frame_making *m, const struct request *request)
{
	struct critical *path = &m->kept->path;
	enum status status = ST_OK;
	if (request->path && path->window.to == 0)
		status = critical_find(&m->trace, -1, false, path);
	if (status == ST_OK && request->path && path->count)
		m->options.path = path;
	else if (request->path)
		text_add(&m->reply->told, "no critical path: nothing has an end yet");
	return status;
}

/* Reuses a picture, because the cursor moves more often than the window. */
static enum status draw(struct frame_making *m)
{
	struct timeline_options *options = &m->options;
	bool all = options->window.from == m->whole.from && options->window.to == m->whole.to;
	struct frame_picture *drawn = all ? &m->kept->of_whole : &m->kept->of_part;
	const struct frame_asked asked = {.from = options->window.from,
	        .to = options->window.to,
	        .as_of = options->passes ? options->now : options->as_of,
	        .width = options->width,
	        .first_row = options->first_row,
	        .rows = options->rows,
	        .path = options->path != NULL};
	m->drawn = drawn;
	if (drawn->asked.to && memcmp(&drawn->asked, &asked, sizeof asked) == 0)
		return ST_OK;
	forget_picture(drawn);
	options->places = &drawn->places;
	enum status status = timeline_picture(&m->trace, options, &drawn->picture);
	if (status == ST_OK)
		drawn->asked = asked;
	return status;
}

/* Clamps the first row, because equal ranks share rows. After a move (follow) shows the cursor's
 * row. */
static enum status draw_rows(struct frame_making *m, bool follow)
{
	struct timeline_options *options = &m->options;
	enum status status = draw(m);
	int first = (int)most_of(least_of(options->first_row, m->drawn->picture.lanes - 1), 0);
	int row = m->cursor.stands
	        ? timeline_row_of(&m->drawn->places, m->cursor.spot.rank, m->cursor.spot.stream)
	        : -1;
	if (follow && row >= 0)
		first = (int)most_of(least_of(first, row), row - options->rows + 1);
	if (status == ST_OK && first != options->first_row) {
		options->first_row = first;
		status = draw(m);
	}
	return status;
}

/* Moves to the first or last visible row, where the front end has scrolled. */
static void seek_row(struct frame_making *m, const struct request *request, bool bottom)
{
	if (draw_rows(m, false) != ST_OK || m->drawn->places.shown_count == 0)
		return;
	const struct timeline_places *places = &m->drawn->places;
	const struct lane_place *lane = &places->shown[bottom ? places->shown_count - 1 : 0];
	m->cursor.stands = spot_near(&m->trace, lane->rank, lane->stream, request->time, &m->cursor.spot);
	if (!m->cursor.stands)
		text_add(&m->reply->told, "this lane is empty");
}

static void tell_cursor(const struct frame_making *m)
{
	struct links links = {0};
	const struct spot *spot = &m->cursor.spot;
	struct reply *reply = m->reply;
	reply->row = -1;
	if (!m->cursor.stands)
		return;
	reply->selected = spot->span.op;
	reply->rank = spot->rank;
	reply->stream = spot->stream;
	reply->row = timeline_row_of(&m->drawn->places, spot->rank, spot->stream);
	reply->time = spot->span.from;
	reply->until = least_of(spot->span.to, most_of(m->whole.to, spot->span.from + 1));
	links_find(&m->trace, spot, &links);
	for (size_t i = 0; i < links.count; i++) {
		const struct wait_link *link = &links.link[i];
		int row = timeline_row_of(&m->drawn->places, link->lane.rank, link->lane.stream);
		if (row >= 0)
			text_add(&reply->links, "%d %lld %c\n", row,
			        (long long)least_of(link->until, m->whole.to), link->letter);
	}
	links_release(&links);
	details_put(&m->trace, spot, &reply->text);
}

static void tell_places(const struct frame_making *m)
{
	struct reply *reply = m->reply;
	reply->from = m->options.window.from;
	reply->to = m->options.window.to;
	reply->whole_from = m->whole.from;
	reply->whole_to = m->whole.to;
	const struct timeline_places *places = &m->drawn->places;
	const struct picture *picture = &m->drawn->picture;
	size_t cells = (size_t)picture->width * (size_t)picture->height;
	picture_make(&reply->picture, picture->width, picture->height);
	memcpy(reply->picture.cells, picture->cells, cells * sizeof *picture->cells);
	memcpy(reply->picture.ops, picture->ops, cells * sizeof *picture->ops);
	reply->rows = picture->lanes;
	reply->first_row = m->options.first_row;
	reply->first_column = places->first_column;
	reply->cells = places->cells;
	for (size_t i = 0; i < places->shown_count; i++)
		text_add(&reply->lanes, "%d.%d ", places->shown[i].rank, places->shown[i].stream);
	for (int i = 0; i < m->kept->parts; i++)
		text_add(&reply->density, "%d", m->kept->level[i]);
}

enum status view_frame(
        struct shell *shell, struct frame_kept *kept, const struct request *request, struct reply *reply)
{
	struct frame_making m = {
	        .trace = {.world = shell->world, .backend = shell->backend, .kept = &kept->lanes},
	        .kept = kept,
	        .reply = reply};
	if (shell->backend->measures) /* new measured times may have arrived */
		frame_forget(kept);
	survey(&m, request->width);
	m.options = (struct timeline_options){
	        .window = {request->from, request->to, -1},
	        .width = request->width,
	        .first_row = request->first_row,
	        /* without the ruler and a narrow legend */
	        .rows = request->height > 3 ? request->height - 2 : 1,
	        .merge = true,
	        .legend_rows = 4, /* if the lanes leave room */
	        .now = shell_clock(shell),
	        .as_of = request->now >= 0 && !request->passes ? most_of(request->now, 1) : 0,
	        .passes = request->passes,
	};
	/* hosts may be ahead, because the running line waits for the wall clock */
	if (request->passes)
		m.options.now = request->now;
	if (request->to <= request->from)
		m.options.window = m.whole;
	reply->kind = REPLY_VIEW;
	const char *seek = text_string(&request->seek);
	enum status status = find_path(&m, request);
	if (status != ST_OK)
		return status;
	cursor_place(&m.trace, request, &m.cursor);
	if (strcmp(seek, "top") == 0 || strcmp(seek, "bottom") == 0)
		seek_row(&m, request, *seek == 'b');
	else
		cursor_seek(&m.trace, request, m.whole, m.options.path, &m.cursor, &m.options.window, reply);
	status = draw_rows(&m, *seek != '\0');
	if (status == ST_OK) {
		tell_places(&m);
		tell_cursor(&m);
	}
	return status;
}
