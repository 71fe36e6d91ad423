/* viewer_parts.h -- private to the view: functions that its keys share. An umbrella header. */
#ifndef RANKSH_VIEWER_PARTS_H
#define RANKSH_VIEWER_PARTS_H

#include "shell/terminal/viewer.h"

/* Shows why a key did nothing. */
void viewer_tell(struct viewer *viewer, const char *why);
/* Clamps the time to the window. */
int64_t viewer_within(const struct viewer *viewer, int64_t time);
void viewer_move_to(struct viewer *viewer, const struct reply *frame, int64_t from, int64_t width);
void viewer_zoom_about(struct viewer *viewer, const struct reply *frame, int step, int64_t about);

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
