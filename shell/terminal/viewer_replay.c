/* viewer_replay.c -- replays the window with a moving `now`: later ends are not drawn
 *
 *      from |=== a ===|eeee▼-- b --|        | to        rank 0 draws each frame as of `now` */
#include "base/arithmetic.h"
#include "shell/terminal/viewer_parts.h"

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

/* The window follows `now` if it shows only a part of the time. */
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

/* Between the whole in a thousand seconds and in a tenth of one. */
void viewer_replay_speed(struct viewer *viewer, const struct reply *frame, int step)
{
	struct viewer_replay *replay = &viewer->replay;
	double whole = (double)(replay->to - replay->from), speed = replay->speed * (step > 0 ? 2 : 0.5);
	(void)frame;
	if (!replay->on)
		viewer_tell(viewer, "nothing is replayed: r does");
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
	text_add(out, "replay at ");
	time_text(replay->now, out);
	text_add(out, ", ");
	time_text((int64_t)replay->speed, out);
	text_add(out, "/s%s", replay->runs ? "" : replay->now == replay->to ? ", the end" : ", stopped");
	text_add(out, "   space %s  arrows step  < >  r ends", replay->runs ? "stops" : "goes");
}
