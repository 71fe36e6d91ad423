/* cursor.h -- the view's cursor: it goes where a request seeks, and the window follows it */
#ifndef RANKSH_CURSOR_H
#define RANKSH_CURSOR_H

#include "shell/wire/wire.h"
#include "trace/spots.h"
#include "trace/trace.h"

struct cursor {
	struct spot spot;
	bool stands; /* false: nowhere */
};
struct critical;

/* Where the request says that it stands: its lane, operation and time. */
void cursor_place(const struct trace *trace, const struct request *request, struct cursor *cursor);
/* It goes where request->seek says (docs/internals/wire.md), but for `top` and `bottom`; `told` gets why it could not, `part` whose
 * time the window was set to. path: NULL, there is none. window: what is shown, and then what is to be */
void cursor_seek(const struct trace *trace, const struct request *request, struct window whole,
        const struct critical *path, struct cursor *cursor, struct window *window, struct reply *reply);
/* The cursor's operation begins within the window: it is moved, as wide as it is. */
void cursor_follow(const struct cursor *cursor, struct window whole, struct window *window);

#endif
