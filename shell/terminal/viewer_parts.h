/* viewer_parts.h -- private to the view: what its keys share
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_VIEWER_PARTS_H
#define RANKSH_VIEWER_PARTS_H

#include "shell/terminal/viewer.h"

/* Why a key did nothing */
void viewer_tell(struct viewer *viewer, const char *why);
/* The time, or the window's edge that is nearer to it */
int64_t viewer_within(const struct viewer *viewer, int64_t time);
void viewer_move_to(struct viewer *viewer, const struct reply *frame, int64_t from, int64_t width);
void viewer_zoom_about(struct viewer *viewer, const struct reply *frame, int step, int64_t about);

/* The next frame is asked for with the cursor sought: "here", "next" ... from that place */
void viewer_seek(struct viewer *viewer, const char *what, struct viewer_place from);
/* The lane in the i-th row that is seen; false: there is none */
bool viewer_lane(const struct reply *frame, int i, struct viewer_place *place);
/* false: it is no event of the mouse */
bool viewer_mouse(struct viewer *viewer, const struct reply *frame, const struct screen_event *event);

/* What keys do: of the table in viewer.c */
typedef void viewer_act(struct viewer *viewer, const struct reply *frame, int step);
viewer_act viewer_zoom, viewer_slide, viewer_show_all;
viewer_act viewer_replay_start_or_end, viewer_replay_stop_or_go, viewer_replay_speed;
/* A column earlier or later; false: nothing is replayed */
bool viewer_replay_step(struct viewer *viewer, const struct reply *frame, int step);

#endif
