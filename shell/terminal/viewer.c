/* viewer.c -- keys move the cursor between operations, and the window over time
 *
 *     whole_from            from |======= window =======| to            whole_to
 *     |------------------------------ everything ------------------------------|
 *
 * The viewer owns the window. Rank 0 moves the cursor, and the window follows. */
#include "shell/terminal/viewer.h"
#include "base/arithmetic.h"
#include "shell/wire/plain.h"

#include <stdio.h>
#include <string.h>

enum { CONTROL_C = 3, CONTROL_D = 4 };

void viewer_start(struct viewer *viewer, const char *title)
{
	*viewer = (struct viewer){.title = title,
	        .whole = true,
	        .mouse = true,
	        .press_x = -1,
	        .seek = "",
	        .width = 1,
	        .height = 1};
}

void viewer_release(struct viewer *viewer)
{
	text_release(&viewer->find);
}

/* The request borrows its texts. */
void viewer_request(const struct viewer *viewer, struct request *request)
{
	struct page_layout at = page_layout(viewer);
	const struct viewer_place *place = *viewer->seek ? &viewer->seek_from : &viewer->at;
	*request = (struct request){.kind = REQUEST_VIEW,
	        .width = (int)most_of(viewer->width / at.across, 1),
	        .height = (int)most_of(at.rows / at.down, 1),
	        .from = viewer->whole ? 1 : viewer->from,
	        .to = viewer->whole ? 0 : viewer->to,
	        .first_row = viewer->first_row,
	        .path = viewer->path,
	        .now = viewer->replay.on ? viewer->replay.now : -1,
	        .selected = place->op,
	        .rank = place->rank,
	        .stream = place->stream,
	        .time = place->time,
	        .seek = {.bytes = (char *)viewer->seek, .count = strlen(viewer->seek)},
	        .find = viewer->find,
	        .stamp = -1};
}

void viewer_take(struct viewer *viewer, const struct reply *frame)
{
	bool moved = *viewer->seek && strcmp(viewer->seek, "here") != 0 && strcmp(viewer->seek, "top") != 0 &&
	        strcmp(viewer->seek, "bottom") != 0;
	viewer->whole = viewer->whole && frame->from == frame->whole_from && frame->to == frame->whole_to;
	viewer->from = frame->from;
	viewer->to = frame->to;
	viewer->first_row = frame->first_row;
	viewer->at = (struct viewer_place){frame->selected, frame->rank, frame->stream, frame->time};
	viewer->goal = moved ? frame->time : viewer->goal;
	viewer->facts = viewer->facts || (*viewer->seek && frame->selected);
	viewer->seek = "";
	if (frame->told.count)
		snprintf(viewer->told, sizeof viewer->told, "%s", text_string(&frame->told));
}

void viewer_seek(struct viewer *viewer, const char *what, struct viewer_place from)
{
	viewer->seek = what;
	viewer->seek_from = from;
}

/* ---- lanes ---- */

bool viewer_lane(const struct reply *frame, int i, struct viewer_place *place)
{
	const char *at = text_string(&frame->lanes);
	int taken = 0;
	if (i < 0)
		return false;
	for (; i >= 0; i--, at += taken)
		if (sscanf(at, "%d.%d %n", &place->rank, &place->stream, &taken) < 2)
			return false;
	return true;
}

static int lanes_seen(const struct reply *frame)
{
	struct viewer_place place;
	int count = 0;
	while (viewer_lane(frame, count, &place))
		count++;
	return count;
}

static void begin(struct viewer *viewer, const struct reply *frame)
{
	struct viewer_place place = {.time = viewer->from}, lane = {0};
	bool any = viewer_lane(frame, 0, &place);
	for (int i = 0; viewer_lane(frame, i, &lane); i++)
		if (lane.stream > 0) {
			place.rank = lane.rank;
			place.stream = lane.stream;
			break;
		}
	viewer->goal = viewer->from;
	if (any)
		viewer_seek(viewer, "here", place);
	else
		viewer_tell(viewer, "nothing has been queued yet");
}

/* Moves the cursor to another lane, near the same time; scrolls at the edge. */
static void change_lane(struct viewer *viewer, const struct reply *frame, int step)
{
	struct viewer_place place = {.op = viewer->at.op, .time = viewer_within(viewer, viewer->goal)};
	int seen = lanes_seen(frame), row = frame->row - frame->first_row, next = row + step;
	if (!viewer->at.op) {
		begin(viewer, frame);
	} else if (frame->row < 0 || row < 0 || row >= seen) {
		viewer_lane(frame, step > 0 ? 0 : seen - 1, &place);
		viewer_seek(viewer, "here", place);
	} else if (viewer_lane(frame, next, &place)) {
		viewer_seek(viewer, "here", place);
	} else if (next < 0 ? viewer->first_row > 0 : viewer->first_row + seen < frame->rows) {
		viewer->first_row += step;
		viewer_seek(viewer, step > 0 ? "bottom" : "top", place);
	} else {
		viewer_tell(viewer, step > 0 ? "this is the last lane" : "this is the first lane");
	}
}

/* Scrolls half a page; even the last row may reach the top. */
static void scroll_page(struct viewer *viewer, const struct reply *frame, int step)
{
	int before = viewer->first_row, rows = (int)most_of(lanes_seen(frame) / 2, 1);
	viewer->first_row = (int)most_of(least_of(before + step * rows, frame->rows - 1), 0);
	if (viewer->first_row == before)
		viewer_tell(viewer, step > 0 ? "this is the last lane" : "this is the first lane");
}

/* ---- the cursor ---- */

enum { TO_NEXT = 1, TO_STALL, TO_PART, TO_BLAMED, TO_FIRST, TO_LAST, TO_ZOOM, TO_FOUND, TO_CRITICAL };
static const char *const seeks[][2] = {[TO_NEXT] = {"next", "next back"},
        [TO_STALL] = {"stall", "stall back"},
        [TO_PART] = {"part", "part back"},
        [TO_BLAMED] = {"blamed", "blamed"},
        [TO_FIRST] = {"first", "first"},
        [TO_LAST] = {"last", "last"},
        [TO_ZOOM] = {"zoom", "zoom"},
        [TO_FOUND] = {"find", "find back"},
        [TO_CRITICAL] = {"critical", "critical back"}};

/* what: one of TO_; negative: backwards */
static void go(struct viewer *viewer, const struct reply *frame, int what)
{
	int to = what < 0 ? -what : what;
	if (to == TO_FOUND && !viewer->find.count) {
		viewer_tell(viewer, "nothing to search yet: / searches");
		return;
	}
	viewer->path |= to == TO_CRITICAL;
	if (!viewer->at.op && to != TO_PART && to != TO_FOUND && to != TO_CRITICAL) {
		begin(viewer, frame);
		return;
	}
	if (viewer->at.op && (to == TO_BLAMED || to == TO_FOUND || to == TO_CRITICAL)) {
		if (viewer->trail_count == VIEWER_TRAIL)
			memmove(viewer->trail, viewer->trail + 1,
			        (size_t)--viewer->trail_count * sizeof *viewer->trail);
		viewer->trail[viewer->trail_count++] = viewer->at;
	}
	viewer_seek(viewer, seeks[to][what < 0], viewer->at);
}

/* In a replay the arrows move `now`. */
static void go_beside(struct viewer *viewer, const struct reply *frame, int step)
{
	if (!viewer_replay_step(viewer, frame, step))
		go(viewer, frame, step * TO_NEXT);
}

static void typed(struct viewer *viewer, const struct reply *frame, int key)
{
	bool given_up = key == SCREEN_ESCAPE || key == CONTROL_C;
	if (key == SCREEN_ENTER || given_up)
		viewer->typing = false;
	if (given_up) {
		text_clear(&viewer->find);
	} else if (key == SCREEN_ENTER) {
		go(viewer, frame, TO_FOUND);
	} else if (key == SCREEN_BACKSPACE && viewer->find.count) {
		while (viewer->find.count &&
		        ((unsigned char)viewer->find.bytes[--viewer->find.count] & 0xc0) == 0x80)
			;
		viewer->find.bytes[viewer->find.count] = '\0';
	} else if (key >= ' ' && key < SCREEN_UP && viewer->find.count < 60) {
		text_put_point(&viewer->find, (uint32_t)key);
	}
}

/* ---- the page ---- */

enum page_change {
	PAGE_LEAVE,
	PAGE_ALL,
	PAGE_BACK,
	PAGE_FACTS,
	PAGE_BIG,
	PAGE_HELP,
	PAGE_SEARCH,
	PAGE_PATH,
	PAGE_MOUSE
};

static void change_page(struct viewer *viewer, const struct reply *frame, int change)
{
	switch ((enum page_change)change) {
	case PAGE_LEAVE:
		viewer->leaving = true;
		break;
	case PAGE_ALL:
		viewer->whole = true;
		viewer->first_row = 0;
		break;
	case PAGE_BACK:
		if (viewer->trail_count)
			viewer_seek(viewer, "back", viewer->trail[--viewer->trail_count]);
		else
			viewer_tell(viewer, "there is nothing to go back to");
		break;
	case PAGE_FACTS:
		if (viewer->at.op)
			viewer->facts = !viewer->facts;
		else
			begin(viewer, frame);
		break;
	case PAGE_BIG:
		viewer->big = !viewer->big && !plain_wanted();
		if (plain_wanted())
			viewer_tell(viewer,
			        "big letters need a UTF-8 locale, such as "
			        "LC_ALL=C.UTF-8");
		else if (viewer->big && page_layout(viewer).down == 1)
			viewer_tell(viewer, "big letters need 40 columns and 12 rows");
		break;
	case PAGE_HELP:
		viewer->help = 1;
		break;
	case PAGE_SEARCH:
		viewer->typing = true;
		text_clear(&viewer->find);
		break;
	case PAGE_PATH:
		viewer->path = !viewer->path;
		break;
	case PAGE_MOUSE:
		viewer->mouse = !viewer->mouse;
		viewer_tell(viewer,
		        viewer->mouse ? "the mouse is the view's: click, wheel, drag"
		                      : "the mouse is the terminal's: text can be selected");
		break;
	}
}

/* ---- the keys ---- */

/* `?` shows this text. It has each key of the table below. */
static const char *const help[] = {"left right tab  the operation before, the next one",
        "up down j k     the lane above, below", "PgUp PgDn       half a page of lanes",
        "n N             the next wait of the lane, the one before",
        "b               the operation to blame for it", "backspace       back from there",
        "c C             the critical path, back from the end, forth",
        "p               draw that alone, or everything", "r               replay the window, or end it",
        "space < >       stop or go; half or twice the speed",
        "/ . ,           look for a name; the next one, one before",
        "g G home end    first, last operation of the lane",
        "+ -             zoom to the cursor     0  everything", "z               zoom to the operation",
        "h l             slide the window", "[ ]             the iteration (section) before, the next",
        "enter           details of the operation, or none", "B               big letters, for a projector",
        "m               mouse on or off: off, text can be selected",
        "mouse           click picks, wheel zooms, drag slides", "q escape        back to the prompt"};

const char *viewer_help(int i)
{
	return i >= 0 && i < (int)(sizeof help / sizeof *help) ? help[i] : NULL;
}

static const struct {
	int key;
	viewer_act *act;
	int step;
} keys[] = {{'q', change_page, PAGE_LEAVE}, {'Q', change_page, PAGE_LEAVE},
        {SCREEN_ESCAPE, change_page, PAGE_LEAVE}, {CONTROL_C, change_page, PAGE_LEAVE},
        {CONTROL_D, change_page, PAGE_LEAVE}, {SCREEN_LEFT, go_beside, -1}, {SCREEN_RIGHT, go_beside, 1},
        {'\t', go, TO_NEXT}, {SCREEN_BACK_TAB, go, -TO_NEXT}, {SCREEN_UP, change_lane, -1},
        {'k', change_lane, -1}, {SCREEN_DOWN, change_lane, 1}, {'j', change_lane, 1},
        {SCREEN_PAGE_UP, scroll_page, -1}, {SCREEN_PAGE_DOWN, scroll_page, 1}, {'n', go, TO_STALL},
        {'N', go, -TO_STALL}, {'b', go, TO_BLAMED}, {SCREEN_BACKSPACE, change_page, PAGE_BACK},
        {'/', change_page, PAGE_SEARCH}, {'.', go, TO_FOUND}, {',', go, -TO_FOUND}, {'g', go, TO_FIRST},
        {SCREEN_HOME, go, TO_FIRST}, {'G', go, TO_LAST}, {SCREEN_END, go, TO_LAST}, {'+', viewer_zoom, 1},
        {'=', viewer_zoom, 1}, {'-', viewer_zoom, -1}, {'_', viewer_zoom, -1}, {'h', viewer_slide, -1},
        {'l', viewer_slide, 1}, {'z', go, TO_ZOOM}, {'0', change_page, PAGE_ALL}, {'[', go, -TO_PART},
        {']', go, TO_PART}, {'c', go, -TO_CRITICAL}, {'C', go, TO_CRITICAL}, {'p', change_page, PAGE_PATH},
        {'r', viewer_replay_start_or_end, 0}, {' ', viewer_replay_stop_or_go, 0},
        {'<', viewer_replay_speed, -1}, {'>', viewer_replay_speed, 1},
        {SCREEN_ENTER, change_page, PAGE_FACTS}, {'B', change_page, PAGE_BIG}, {'m', change_page, PAGE_MOUSE},
        {'?', change_page, PAGE_HELP}};

void viewer_event(struct viewer *viewer, const struct reply *frame, const struct screen_event *event)
{
	viewer->told[0] = '\0';
	if (event->key == SCREEN_RESIZED || viewer_mouse(viewer, frame, event))
		return;
	if (viewer->typing) {
		typed(viewer, frame, event->key);
		return;
	}
	if (viewer->help) { /* other keys only close the help */
		bool more = event->key == '?' && viewer_help(viewer->help * page_layout(viewer).rows);
		viewer->help = more ? viewer->help + 1 : 0;
		return;
	}
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].key == event->key) {
			keys[i].act(viewer, frame, keys[i].step);
			return;
		}
	viewer_tell(viewer, "this key has no function; ? lists the keys");
}
