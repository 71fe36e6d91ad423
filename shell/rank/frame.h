/* frame.h -- one frame of the view: cells that rank 0 computes and the front end paints. Looking only: it
 * moves nothing. */
#ifndef RANKSH_FRAME_H
#define RANKSH_FRAME_H

#include "shell/session/shell.h"
#include "shell/wire/wire.h"
#include "trace/critical.h"
#include "trace/lanes_cache.h"
#include "trace/trace.h"

/* A picture that was drawn for these options; the cursor is not in it. */
struct frame_picture {
	struct window window; /* to 0: there is none */
	int width, first_row, rows;
	int64_t as_of;
	bool path;
	struct picture picture;
	struct timeline_places places;
};
/* What stays from frame to frame; a zeroed struct keeps nothing yet. */
struct frame_kept {
	struct kept_lanes lanes;
	struct window whole; /* to 0: not known */
	uint8_t *level;      /* trace_density of it, in so many parts; 0: not known */
	int parts;
	struct critical path;                   /* of everything; window.to 0: it was not asked for yet */
	struct frame_picture of_whole, of_part; /* the latest of everything, and of less */
};
/* Before a line runs, and before the session ends: what was kept may not hold any more. */
void frame_forget(struct frame_kept *kept);
/* What the request asks to see, in a reply of REPLY_VIEW: the picture, the window it shows, and the facts of
 * the selected operation. */
enum status view_frame(
        struct shell *shell, struct frame_kept *kept, const struct request *request, struct reply *reply);

#endif
