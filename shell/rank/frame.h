/* frame.h -- a view frame: rank 0 computes cells, the front end paints them. Read-only. */
#ifndef RANKSH_FRAME_H
#define RANKSH_FRAME_H

#include "shell/session/shell.h"
#include "shell/wire/wire.h"
#include "trace/critical.h"
#include "trace/lanes.h"
#include "trace/spots.h"
#include "trace/trace.h"

/* ---- cursor.c: the cursor moves as a request seeks, and the window follows ---- */

struct cursor {
	struct spot spot;
	bool stands;
};

/* Places the cursor at the request's lane, operation and time. */
void cursor_place(const struct trace *trace, const struct request *request, struct cursor *cursor);
/* Moves the cursor by request->seek (docs/internals/wire.md), except `top` and `bottom`, and
 * *window to follow it. reply->told: the reason if the cursor stays; reply->part: the window's
 * iteration or section. path may be NULL. */
void cursor_seek(const struct trace *trace, const struct request *request, struct window whole,
        const struct critical *path, struct cursor *cursor, struct window *window, struct reply *reply);

/* ---- frame.c ---- */

/* A request for a picture. It is compared byte by byte, so it must have no gaps. */
struct frame_asked {
	int64_t from, to, as_of; /* to 0: there is no picture */
	int width, first_row, rows, path;
};
struct frame_picture {
	struct frame_asked asked;
	struct picture picture;
	struct timeline_places places;
};
/* State kept between frames; a zeroed struct is empty. */
struct frame_kept {
	struct kept_lanes lanes;
	struct window whole; /* to 0: unknown */
	uint8_t *level;      /* its trace_density in `parts` parts; NULL: unknown */
	int parts;
	/* the whole critical path; window.to 0: not requested yet */
	struct critical path;
	struct frame_picture of_whole, of_part; /* the latest of the whole extent, and of a part */
};
/* Empties *kept. Call it before a line runs, and before the session ends. */
void frame_forget(struct frame_kept *kept);
/* Fills a REPLY_VIEW with the requested picture. */
enum status view_frame(
        struct shell *shell, struct frame_kept *kept, const struct request *request, struct reply *reply);

#endif
