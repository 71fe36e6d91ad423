/* viewer_window.c -- the view's window: moved and zoomed by keys and mouse, and replayed */
#include "base/arithmetic.h"
#include "shell/terminal/screen.h"
#include "shell/terminal/viewer.h"

#include <stdio.h>

void viewer_tell(struct viewer *viewer, const char *why)
{
	snprintf(viewer->told, sizeof viewer->told, "%s", why);
}

int64_t viewer_within(const struct viewer *viewer, int64_t time)
{
	return most_of(viewer->from, least_of(time, viewer->to - 1));
}

/* Moves the window, at most half its width beyond the data. */
static void viewer_move_to(struct viewer *viewer, const struct reply *frame, int64_t from, int64_t width)
{
	int64_t least = frame->whole_from - width / 2, most = frame->whole_to - width / 2;
	viewer->from = most_of(least, least_of(from, most));
	viewer->to = viewer->from + width;
	viewer->whole = false;
}

static void viewer_zoom_about(struct viewer *viewer, const struct reply *frame, int step, int64_t about)
{
	int64_t width = viewer->to - viewer->from, whole = frame->whole_to - frame->whole_from;
	/* a cell is at least a nanosecond */
	int64_t fresh = most_of(step > 0 ? width / 2 : width * 2, viewer->width);
	if (step > 0 && fresh >= width) {
		viewer_tell(viewer, "a column is a nanosecond: there is no more to see");
	} else if (step < 0 && viewer->whole) {
		viewer_tell(viewer, "this is everything");
	} else if (step < 0 && fresh >= whole) {
		viewer->whole = true;
	} else {
		int64_t before = (int64_t)((double)(about - viewer->from) * ((double)fresh / (double)width));
		viewer_move_to(viewer, frame, about - before, fresh);
	}
}

void viewer_zoom(struct viewer *viewer, const struct reply *frame, int step)
{
	int64_t at = viewer->at.time;
	bool seen = viewer->at.op && at >= viewer->from && at < viewer->to;
	viewer_zoom_about(viewer, frame, step, seen ? at : viewer->from + (viewer->to - viewer->from) / 2);
}

void viewer_slide(struct viewer *viewer, const struct reply *frame, int quarters)
{
	int64_t width = viewer->to - viewer->from, before = viewer->from;
	if (viewer->whole) {
		viewer_tell(viewer, "this is everything: + zooms");
		return;
	}
	viewer_move_to(viewer, frame, viewer->from + quarters * (width / 4), width);
	if (viewer->from == before)
		viewer_tell(viewer, quarters > 0 ? "nothing is later" : "nothing is earlier");
}

/* ---- the mouse: a click picks, the wheel zooms, a drag slides the window ---- */

static int64_t time_at(const struct viewer *viewer, const struct reply *frame, int x)
{
	int column = x / page_layout(viewer).across - frame->first_column;
	return viewer->from +
	        (int64_t)((double)(viewer->to - viewer->from) / (double)most_of(frame->cells, 1) *
	                (column + 0.5));
}

/* A click on the map moves the window, on a lane the cursor. */
static void click(struct viewer *viewer, const struct reply *frame, int x, int y)
{
	struct page_layout at = page_layout(viewer);
	struct viewer_place place = {.time = viewer_within(viewer, time_at(viewer, frame, x))};
	int64_t width = viewer->to - viewer->from, whole = frame->whole_to - frame->whole_from;
	int row = (y - at.picture) / at.down - 1; /* below the ruler */
	if (y == at.map) {
		viewer_move_to(viewer, frame,
		        frame->whole_from + (int64_t)((double)whole / viewer->width * (x + 0.5)) - width / 2,
		        width);
	} else if (y >= at.picture && y < at.picture + at.rows && row >= 0 &&
	        viewer_lane(frame, row, &place)) {
		viewer->goal = place.time;
		viewer_seek(viewer, "here", place);
	} else {
		viewer_tell(viewer, "no lane is there");
	}
}

static void drag(struct viewer *viewer, const struct reply *frame, int columns)
{
	int64_t width = viewer->to - viewer->from;
	double cell = (double)width / (double)most_of(frame->cells, 1) / page_layout(viewer).across;
	if (viewer->whole)
		viewer_tell(viewer, "this is everything: + zooms");
	else
		viewer_move_to(viewer, frame, viewer->from - (int64_t)(columns * cell), width);
}

bool viewer_mouse(struct viewer *viewer, const struct reply *frame, const struct screen_event *event)
{
	if (event->key == SCREEN_PRESS) {
		viewer->press_x = event->x;
		viewer->press_y = event->y;
	} else if (event->key == SCREEN_RELEASE) { /* a quick click may send no press */
		if (viewer->press_x >= 0 && event->x != viewer->press_x)
			drag(viewer, frame, event->x - viewer->press_x);
		else
			click(viewer, frame, event->x, viewer->press_x < 0 ? event->y : viewer->press_y);
		viewer->press_x = -1;
	} else if (event->key == SCREEN_WHEEL_UP || event->key == SCREEN_WHEEL_DOWN) {
		viewer_zoom_about(viewer, frame, event->key == SCREEN_WHEEL_UP ? 1 : -1,
		        viewer_within(viewer, time_at(viewer, frame, event->x)));
	} else {
		return false;
	}
	return true;
}

/* ---- the replay: `now` moves, and later ends are not drawn ----
 *
 *      from |=== a ===|eeee▼-- b --|        | to        rank 0 draws each frame as of `now` */

enum { SECONDS = 10 /* from one end to the other, initially */ };

void viewer_replay(struct viewer *viewer, int64_t from, int64_t to)
{
	to = most_of(to, from + 1);
	viewer->replay = (struct viewer_replay){.on = true,
	        .runs = true,
	        .from = from,
	        .to = to,
	        .now = from,
	        .speed = (double)(to - from) / SECONDS};
	viewer->whole = false;
	viewer->from = from;
	viewer->to = to;
}

/* Moves the window with `now` if it shows only a part of the time. */
static void follow(struct viewer *viewer)
{
	int64_t width = viewer->to - viewer->from, now = viewer->replay.now;
	if (viewer->whole || (now >= viewer->from && now <= viewer->to))
		return;
	viewer->from = now - width / 4;
	viewer->to = viewer->from + width;
}

static void move_now(struct viewer *viewer, int64_t now)
{
	struct viewer_replay *replay = &viewer->replay;
	replay->now = most_of(replay->from, least_of(now, replay->to));
	replay->runs = replay->runs && replay->now < replay->to;
	follow(viewer);
}

void viewer_tick(struct viewer *viewer, int64_t ms)
{
	struct viewer_replay *replay = &viewer->replay;
	if (!replay->on || !replay->runs || ms <= 0)
		return;
	double ns = replay->speed * (double)ms / 1000;
	int64_t left = replay->to - replay->now;
	move_now(viewer, ns < (double)left ? replay->now + (int64_t)most_of((int64_t)ns, 1) : replay->to);
}

void viewer_replay_start_or_end(struct viewer *viewer, const struct reply *frame, int unused)
{
	(void)unused;
	if (viewer->replay.on)
		viewer->replay.on = false;
	else
		viewer_replay(viewer, most_of(viewer->from, frame->whole_from),
		        least_of(viewer->to, frame->whole_to));
}

void viewer_replay_stop_or_go(struct viewer *viewer, const struct reply *frame, int unused)
{
	struct viewer_replay *replay = &viewer->replay;
	if (!replay->on) {
		viewer_replay_start_or_end(viewer, frame, unused);
		return;
	}
	if (replay->now == replay->to)
		replay->now = replay->from;
	else
		replay->runs = !replay->runs;
	replay->runs = replay->runs || replay->now == replay->from;
	follow(viewer);
}

bool viewer_replay_step(struct viewer *viewer, const struct reply *frame, int step)
{
	if (!viewer->replay.on)
		return false;
	viewer->replay.runs = false;
	int64_t column = most_of((viewer->to - viewer->from) / most_of(frame->cells, 1), 1);
	move_now(viewer, viewer->replay.now + step * column);
	return true;
}

void viewer_replay_speed(struct viewer *viewer, const struct reply *frame, int step)
{
	struct viewer_replay *replay = &viewer->replay;
	double whole = (double)(replay->to - replay->from), speed = replay->speed * (step > 0 ? 2 : 0.5);
	(void)frame;
	if (!replay->on)
		viewer_tell(viewer, "no replay: r starts one");
	else if (speed > whole * 10 || speed < whole / 1000)
		viewer_tell(viewer, step > 0 ? "this is the highest speed" : "this is the lowest speed");
	else
		replay->speed = speed;
}

void viewer_replay_text(const struct viewer *viewer, struct text *out)
{
	const struct viewer_replay *replay = &viewer->replay;
	if (!replay->on)
		return;
	text_add(out, "replay at %s, %s/s%s   space %s  arrows step  < >  r ends",
	        time_words(replay->now).text, time_words((int64_t)replay->speed).text,
	        replay->runs                        ? ""
	                : replay->now == replay->to ? ", the end"
	                                            : ", stopped",
	        replay->runs ? "stops" : "goes");
}
