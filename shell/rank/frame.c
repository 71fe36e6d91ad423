/* frame.c -- a frame of the view, for the window and the cursor that the front end asks for
 *
 * What the front end needs to move both goes with the picture: the whole extent, how many rows there are, of whom those are
 * that it sees, how busy everything is. */
#include "shell/rank/frame.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/rank/cursor.h"
#include "trace/details.h"
#include "trace/spots.h"

#include <string.h>

struct frame_making {
	struct trace trace;
	struct window whole;
	struct timeline_options options;
	struct timeline_places places; /* asked[0] is the cursor's; then its links' */
	struct links links;
	struct cursor cursor;
	struct frame_kept *kept;
	struct reply *reply;
};

void frame_forget(struct frame_kept *kept)
{
	kept_forget(&kept->lanes);
	mem_free(kept->level);
	*kept = (struct frame_kept){0};
}

/* All that there is, from end to end, and how busy it is */
static void survey(struct frame_making *m, int parts)
{
	struct frame_kept *kept = m->kept;
	if (kept->whole.to == 0) {
		kept->whole = trace_window(&m->trace, -1);
		kept->whole.to = most_of(kept->whole.to, kept->whole.from + 1);
	}
	m->whole = kept->whole;
	if (kept->parts == parts)
		return;
	kept->level = mem_resize(kept->level, (size_t)parts);
	kept->parts = parts;
	trace_density(&m->trace, kept->whole, parts, kept->level);
}

static enum status draw(struct frame_making *m)
{
	picture_release(&m->reply->picture);
	return timeline_picture(&m->trace, &m->options, &m->reply->picture);
}

/* A first row behind the last is moved back: rows become fewer when ranks become alike. The cursor's row is among those
 * shown, when it has just moved. */
static enum status draw_rows(struct frame_making *m, bool follow)
{
	struct timeline_options *options = &m->options;
	enum status status = draw(m);
	int rows = m->reply->picture.lanes, first = options->first_row;
	first = (int)most_of(least_of(first, rows - 1), 0);
	if (follow && m->places.asked_count && m->places.asked[0].row >= 0) {
		int row = m->places.asked[0].row;
		first = (int)most_of(least_of(first, row), row - options->rows + 1);
	}
	if (status == ST_OK && first != options->first_row) {
		options->first_row = first;
		status = draw(m);
	}
	return status;
}

/* To the first or the last row that is seen: the front end has scrolled there. */
static void seek_row(struct frame_making *m, const struct request *request, bool bottom)
{
	const struct timeline_places *places = &m->places;
	if (draw_rows(m, false) != ST_OK || places->shown_count == 0)
		return;
	const struct lane_place *lane = &places->shown[bottom ? places->shown_count - 1 : 0];
	m->cursor.stands = spot_near(&m->trace, lane->rank, lane->stream, request->time, &m->cursor.spot);
	if (!m->cursor.stands)
		text_add(&m->reply->told, "this lane is empty");
}

static void ask_places(struct frame_making *m)
{
	size_t count = 0;
	if (!m->cursor.stands)
		return;
	links_find(&m->trace, &m->cursor.spot, &m->links);
	m->places.asked = mem_alloc((1 + m->links.count) * sizeof *m->places.asked);
	m->places.asked[count++] = (struct lane_place){m->cursor.spot.rank, m->cursor.spot.stream, -1};
	for (size_t i = 0; i < m->links.count; i++)
		m->places.asked[count++] = m->links.link[i].lane;
	m->places.asked_count = count;
	m->options.selected = m->cursor.spot.span.op;
}

static void tell_cursor(const struct frame_making *m)
{
	const struct spot *spot = &m->cursor.spot;
	struct reply *reply = m->reply;
	reply->row = -1;
	if (!m->cursor.stands)
		return;
	reply->selected = spot->span.op;
	reply->rank = spot->rank;
	reply->stream = spot->stream;
	reply->row = m->places.asked[0].row;
	reply->time = spot->span.from;
	reply->until = least_of(spot->span.to, most_of(m->whole.to, spot->span.from + 1));
	for (size_t i = 0; i < m->links.count; i++)
		if (m->places.asked[1 + i].row >= 0)
			text_add(&reply->links, "%d %lld %c\n", m->places.asked[1 + i].row,
			        (long long)least_of(m->links.link[i].until, m->whole.to),
			        m->links.link[i].letter);
	details_put(&m->trace, spot, &reply->text);
}

static void tell_places(const struct frame_making *m)
{
	struct reply *reply = m->reply;
	reply->from = m->options.window.from;
	reply->to = m->options.window.to;
	reply->whole_from = m->whole.from;
	reply->whole_to = m->whole.to;
	reply->rows = reply->picture.lanes;
	reply->first_row = m->options.first_row;
	reply->first_column = m->places.first_column;
	reply->cells = m->places.cells;
	for (size_t i = 0; i < m->places.shown_count; i++)
		text_add(&reply->lanes, "%d.%d ", m->places.shown[i].rank, m->places.shown[i].stream);
	for (int i = 0; i < m->kept->parts; i++)
		text_add(&reply->density, "%d", m->kept->level[i]);
}

/* request->from > to asks for everything. */
enum status view_frame(
        struct shell *shell, struct frame_kept *kept, const struct request *request, struct reply *reply)
{
	struct frame_making m = {
	        .trace = {.world = shell->world, .backend = shell->backend, .kept = &kept->lanes},
	        .kept = kept,
	        .reply = reply};
	if (shell->backend->measures) /* its times come to pass meanwhile */
		frame_forget(kept);
	survey(&m, request->width);
	m.options = (struct timeline_options){
	        .window = {request->from, request->to, -1},
	        .width = request->width,
	        .first_row = request->first_row,
	        /* the ruler, and the legend where it is narrow */
	        .rows = request->height > 3 ? request->height - 2 : 1,
	        .merge = true,
	        .legend_rows = 1,
	        .now = shell_clock(shell),
	        .places = &m.places,
	};
	if (request->to <= request->from)
		m.options.window = m.whole;
	reply->kind = REPLY_VIEW;
	const char *seek = text_string(&request->seek);
	cursor_place(&m.trace, request, &m.cursor);
	if (strcmp(seek, "top") == 0 || strcmp(seek, "bottom") == 0)
		seek_row(&m, request, *seek == 'b');
	else
		cursor_seek(&m.trace, request, m.whole, &m.cursor, &m.options.window, reply);
	ask_places(&m);
	enum status status = draw_rows(&m, *seek != '\0');
	if (status == ST_OK) {
		tell_places(&m);
		tell_cursor(&m);
	}
	links_release(&m.links);
	mem_free(m.places.asked);
	timeline_places_release(&m.places);
	return status;
}
