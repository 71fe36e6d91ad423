/* viewer_mouse.c -- the view's mouse: a click picks, the wheel zooms, a drag slides the window */
#include "base/arithmetic.h"
#include "shell/terminal/screen.h"
#include "shell/terminal/viewer_parts.h"

static int64_t time_at(const struct viewer *viewer, const struct reply *frame, int x)
{
	int column = x / page_layout(viewer).across - frame->first_column;
	return viewer->from +
	        (int64_t)((double)(viewer->to - viewer->from) / (double)most_of(frame->cells, 1) *
	                (column + 0.5));
}

/* Moves the window if the map is clicked, the cursor if a lane is. */
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
	} else if (event->key == SCREEN_RELEASE) { /* a quick click may send only this */
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
