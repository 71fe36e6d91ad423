/* viewer.h -- the view without a screen: keys become requests, frames become pages of cells
 *
 *     key --viewer_event--> viewer --viewer_request--> rank 0 --viewer_take--> viewer
 *     viewer --page_make--> cells
 *
 * Only view.c depends on a terminal: it connects these to screen.c. */
#ifndef RANKSH_VIEWER_H
#define RANKSH_VIEWER_H

#include "shell/terminal/screen.h"
#include "shell/terminal/talk.h"
#include "shell/wire/wire.h"
#include "world/op.h"

/* An operation on a lane; op 0: none */
struct viewer_place {
	op_id op;
	int rank, stream;
	int64_t time;
};
/* The view shows the state at `now`, which advances. */
struct viewer_replay {
	bool on, runs;
	int64_t from, to, now;
	double speed;
};
enum { VIEWER_TRAIL = 16 };
struct viewer {
	const char *title;
	int width, height;
	/* whole: the window shows everything, also as it grows */
	bool facts, big, mouse, leaving, whole;
	int help; /* the help page shown, from 1; 0: none */
	int64_t from, to;
	int first_row;
	bool path;
	struct viewer_replay replay;
	struct viewer_place at;
	int64_t goal;                            /* the cursor's preferred time on other lanes */
	struct viewer_place trail[VIEWER_TRAIL]; /* earlier cursor places, the latest last */
	int trail_count;
	/* the next request's cursor movement, "": none; and its start */
	const char *seek;
	struct viewer_place seek_from;
	bool typing; /* the user types a search text */
	struct text find;
	char told[160]; /* why the last key did nothing; "" */
	int press_x, press_y;
};

void viewer_start(struct viewer *viewer, const char *title);
void viewer_release(struct viewer *viewer);
void viewer_request(const struct viewer *viewer, struct request *request);
/* Takes window and cursor from rank 0's frame, because rank 0 knows which operations exist. */
void viewer_take(struct viewer *viewer, const struct reply *frame);
/* Handles a key; `frame` is the one on the screen. */
void viewer_event(struct viewer *viewer, const struct reply *frame, const struct screen_event *event);
void viewer_replay(struct viewer *viewer, int64_t from, int64_t to);
/* Advances a replay. ms: since the last call */
void viewer_tick(struct viewer *viewer, int64_t ms);
/* Appends "replay at 1.20 ms, ..."; nothing without one. */
void viewer_replay_text(const struct viewer *viewer, struct text *out);
/* Returns line i of the help; NULL after the last. */
const char *viewer_help(int i);

struct page_layout {
	/* map (-1: none), picture: their first rows; rows, facts: heights of picture and facts */
	int map, picture, rows, facts;
	int across, down; /* columns and rows for each picture cell */
};
struct page_layout page_layout(const struct viewer *viewer);
/* The caller owns the picture (picture_release). */
void page_make(const struct viewer *viewer, const struct reply *frame, struct picture *page);
/* view.c: shows the view until q. replay: the window to replay, or NULL. Fails with ST_MPI or
 * ST_FILE (no screen). */
enum status view_run(
        struct talk *talk, const char *title, bool colour, bool wide, const struct window *replay);

/* ---- shared by the keys of the view ---- */

void viewer_tell(struct viewer *viewer, const char *why);
/* Clamps the time to the window. */
int64_t viewer_within(const struct viewer *viewer, int64_t time);

/* The next frame moves the cursor ("here", "next" ...) from that place. */
void viewer_seek(struct viewer *viewer, const char *what, struct viewer_place from);
/* Sets rank and stream of the i-th visible row; false if there is none. */
bool viewer_lane(const struct reply *frame, int i, struct viewer_place *place);
/* Returns false if it is no mouse event. */
bool viewer_mouse(struct viewer *viewer, const struct reply *frame, const struct screen_event *event);

/* The actions in viewer.c's table */
typedef void viewer_act(struct viewer *viewer, const struct reply *frame, int step);
viewer_act viewer_zoom, viewer_slide;
viewer_act viewer_replay_start_or_end, viewer_replay_stop_or_go, viewer_replay_speed;
/* Moves the replay by a column; false if there is none. */
bool viewer_replay_step(struct viewer *viewer, const struct reply *frame, int step);

#endif
