/* view.c -- the view loop: request a frame, paint its page, wait for a key */
#include "shell/terminal/screen.h"
#include "shell/terminal/talk.h"
#include "shell/terminal/viewer.h"
#include "trace/trace.h"
#include "shell/wire/io.h"
#include "shell/wire/wire.h"

enum { TICK_MS = 50, LOOK_MS = 200, SECOND_MS = 1000, MS_NS = 1000000 };

static enum status fetch(
        struct talk *talk, const struct screen *screen, struct viewer *viewer, struct reply *frame)
{
	struct request request;
	screen_size(screen, &viewer->width, &viewer->height);
	viewer_request(viewer, &request);
	reply_release(frame);
	enum status status = talk_ask(talk, &request, REPLY_VIEW, frame, -1);
	if (status == ST_OK)
		viewer_take(viewer, frame);
	return status;
}

/* Requests a frame every second, because the job may die; in a replay twenty. */
static enum status look_on(struct talk *talk, struct screen *screen, struct viewer *viewer)
{
	struct reply frame = {0};
	struct screen_event event;
	struct picture page;
	enum status status = fetch(talk, screen, viewer, &frame);
	int64_t asked = wall_ns() / MS_NS, ticked = asked;
	while (status == ST_OK && !viewer->leaving) {
		screen_mouse(screen, viewer->mouse);
		page_make(viewer, &frame, &page);
		screen_paint(screen, &page);
		picture_release(&page);
		bool came = screen_event(screen, viewer->replay.runs ? TICK_MS : LOOK_MS, &event);
		bool moves = viewer->replay.runs;
		int64_t now = wall_ns() / MS_NS;
		viewer_tick(viewer, now - ticked);
		ticked = now;
		if (came)
			viewer_event(viewer, &frame, &event);
		if (came || moves || now - asked >= SECOND_MS) {
			asked = now;
			status = fetch(talk, screen, viewer, &frame);
		}
	}
	screen_mouse(screen, false);
	reply_release(&frame);
	return status;
}

enum status view_run(
        struct talk *talk, const char *title, bool colour, bool wide, const struct window *replay)
{
	struct viewer viewer;
	struct screen *screen;
	viewer_start(&viewer, title);
	if (replay)
		viewer_replay(&viewer, replay->from, replay->to);
	enum status status = screen_open(&screen, colour, wide);
	if (status == ST_OK)
		status = look_on(talk, screen, &viewer);
	screen_close(screen);
	viewer_release(&viewer);
	return status;
}
