/* viewer_window.c -- moves and zooms the view's window */
#include "base/arithmetic.h"
#include "shell/terminal/viewer_parts.h"

#include <stdio.h>

void viewer_tell(struct viewer *viewer, const char *why)
{
	snprintf(viewer->told, sizeof viewer->told, "%s", why);
}

int64_t viewer_within(const struct viewer *viewer, int64_t time)
{
	return most_of(viewer->from, least_of(time, viewer->to - 1));
}

/* Keeps the window within half its width of the data. */
void viewer_move_to(struct viewer *viewer, const struct reply *frame, int64_t from, int64_t width)
{
	int64_t least = frame->whole_from - width / 2, most = frame->whole_to - width / 2;
	viewer->from = most_of(least, least_of(from, most));
	viewer->to = viewer->from + width;
	viewer->whole = false;
}

/* Halves or doubles the window around `about`. */
void viewer_zoom_about(struct viewer *viewer, const struct reply *frame, int step, int64_t about)
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

void viewer_show_all(struct viewer *viewer, const struct reply *frame, int unused)
{
	(void)frame;
	(void)unused;
	viewer->whole = true;
	viewer->first_row = 0;
}
