/* view.c -- the view: a frame is asked for, made a page of, painted; a key is awaited, and so on */
#include "shell/terminal/view.h"
#include "shell/terminal/screen.h"
#include "shell/terminal/viewer.h"
#include "trace/trace.h"
#include "shell/wire/wire.h"

enum { LOOK_MS = 200, SECOND_MS = 1000 };

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

static void paint(const struct screen *screen, const struct viewer *viewer, const struct reply *frame)
{
	struct picture page;
	page_make(viewer, frame, &page);
	screen_paint(screen, &page);
	picture_release(&page);
}

/* Without a key a frame is asked for every second: the job may be gone. */
static enum status look_on(struct talk *talk, struct screen *screen, struct viewer *viewer)
{
	struct reply frame = {0};
	struct screen_event event;
	enum status status = fetch(talk, screen, viewer, &frame);
	for (int waited = 0; status == ST_OK && !viewer->leaving;) {
		screen_mouse(screen, viewer->mouse);
		paint(screen, viewer, &frame);
		bool came = screen_event(screen, LOOK_MS, &event);
		waited = came ? SECOND_MS : waited + LOOK_MS;
		if (came)
			viewer_event(viewer, &frame, &event);
		if (waited >= SECOND_MS) {
			waited = 0;
			status = fetch(talk, screen, viewer, &frame);
		}
	}
	screen_mouse(screen, false);
	reply_release(&frame);
	return status;
}

enum status view_run(struct talk *talk, const char *title, bool colour, bool wide)
{
	struct viewer viewer;
	struct screen *screen;
	viewer_start(&viewer, title);
	enum status status = screen_open(&screen, colour, wide);
	if (status == ST_OK)
		status = look_on(talk, screen, &viewer);
	screen_close(screen);
	viewer_release(&viewer);
	return status;
}
