/* viewer.h -- the view without a screen: keys become requests, and frames become pages of cells
 *
 *      key ---viewer_event---> viewer ---viewer_request---> rank 0 ---viewer_take---> viewer ---page_make---> cells
 *
 * Nothing here knows a terminal: screen.c paints, view.c holds both together. */
#ifndef RANKSH_VIEWER_H
#define RANKSH_VIEWER_H

#include "shell/terminal/screen.h"
#include "shell/wire/wire.h"
#include "world/op.h"

/* An operation on a lane; op 0: nowhere */
struct viewer_place {
	op_id op;
	int rank, stream;
	int64_t time;
};
/* What happened from .. to, again: all is as it was at `now`, which moves by so many virtual ns in a second. */
struct viewer_replay {
	bool on, runs;
	int64_t from, to, now;
	double speed;
};
enum { VIEWER_TRAIL = 16 };
struct viewer {
	const char *title;
	int width, height;                      /* of the screen */
	bool facts, big, mouse, leaving, whole; /* whole: the window follows everything there is */
	int help;                               /* the page of keys that is shown, from 1; 0: none */
	int64_t from, to;
	int first_row;
	bool path; /* the critical path is drawn */
	struct viewer_replay replay;
	struct viewer_place at;                  /* the cursor */
	int64_t goal;                            /* the time near which it stays from lane to lane */
	struct viewer_place trail[VIEWER_TRAIL]; /* where it came from, the latest last */
	int trail_count;
	const char *seek; /* what the next request seeks, "": nothing; and from where: */
	struct viewer_place seek_from;
	bool typing; /* a text to look for */
	struct text find;
	char told[160]; /* why the key did nothing; "" */
	int press_x, press_y;
};

void viewer_start(struct viewer *viewer, const char *title);
void viewer_release(struct viewer *viewer);
void viewer_request(const struct viewer *viewer, struct request *request);
/* What rank 0 says of the window and of the cursor is taken over: it knows what there is. */
void viewer_take(struct viewer *viewer, const struct reply *frame);
/* What the key does, given the frame that was seen when it was pressed. */
void viewer_event(struct viewer *viewer, const struct reply *frame, const struct screen_event *event);
/* Plays what happened between these times; so many ms have passed since the last call. */
void viewer_replay(struct viewer *viewer, int64_t from, int64_t to);
void viewer_tick(struct viewer *viewer, int64_t ms);
/* "replay at 1.20 ms, 0.50 ms a second ..."; nothing while none is on */
void viewer_replay_text(const struct viewer *viewer, struct text *out);
/* The i-th line about the keys; NULL: there are no more */
const char *viewer_help(int i);

/* Where things are on the page */
struct page_layout {
	int map, picture, rows,
	        facts; /* first row of the map (-1: none) and of the picture; rows of it, and of the facts */
	int across, down; /* columns and rows of a cell of the picture */
};
struct page_layout page_layout(const struct viewer *viewer);
/* The whole screen; released by the caller (picture_release). */
void page_make(const struct viewer *viewer, const struct reply *frame, struct picture *page);

#endif
