/* cursor.h -- the view's cursor: moves as a request seeks, and the window follows */
#ifndef RANKSH_CURSOR_H
#define RANKSH_CURSOR_H

#include "shell/wire/wire.h"
#include "trace/spots.h"
#include "trace/trace.h"

struct cursor {
	struct spot spot;
	bool stands; /* false: there is no cursor */
};
struct critical;

/* Places the cursor at the request's lane, operation and time. */
void cursor_place(const struct trace *trace, const struct request *request, struct cursor *cursor);
/* Moves it by request->seek (docs/internals/wire.md), not `top` and `bottom`. reply->told: a
 * failure's reason; reply->part: the window's part. path: or NULL. window: old, then new. */
void cursor_seek(const struct trace *trace, const struct request *request, struct window whole,
        const struct critical *path, struct cursor *cursor, struct window *window, struct reply *reply);
/* Moves the window, at equal width, so that the cursor's operation begins in it. */
void cursor_follow(const struct cursor *cursor, struct window whole, struct window *window);

#endif
