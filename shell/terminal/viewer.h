/* viewer.h -- the view without a screen: keys become requests, and frames become pages of cells
 *
 *      key ---viewer_key---> viewer ---viewer_request---> rank 0 ---viewer_take---> viewer ---page_make---> cells
 *
 * Nothing here knows a terminal: screen.c paints, view.c holds both together. */
#ifndef RANKSH_VIEWER_H
#define RANKSH_VIEWER_H

#include "shell/wire/wire.h"
#include "world/op.h"

struct viewer {
	const char *title;
	int width, height;          /* of the screen */
	bool facts, leaving, whole; /* whole: the window follows everything there is */
	int64_t from, to;
	int first_row;
	op_id selected;
};

void viewer_request(const struct viewer *viewer, struct request *request);
/* What rank 0 says of the window is taken over: it knows what there is. */
void viewer_take(struct viewer *viewer, const struct reply *frame);
/* What the key does, given the frame that was seen when it was pressed. */
void viewer_key(struct viewer *viewer, const struct reply *frame, int key);
/* Rows of the page that the picture has. */
int page_picture_rows(const struct viewer *viewer);
/* The whole screen; released by the caller (picture_release). */
void page_make(const struct viewer *viewer, const struct reply *frame, struct picture *page);

#endif
