/* details.h -- the view's words for the operation under its cursor */
#ifndef RANKSH_TRACE_DETAILS_H
#define RANKSH_TRACE_DETAILS_H

#include "trace/spots.h"
#include "trace/trace.h"

/* Appends what it is, its times, its waits (a line each) and its cost. */
void details_put(const struct trace *trace, const struct spot *spot, struct text *out);
/* The lanes that it waited for, and until when. Released by links_release */
struct links {
	struct wait_link {
		struct lane_place lane;
		int64_t until;
		char letter; /* of the cause */
	} * link;
	size_t count;
};
void links_find(const struct trace *trace, const struct spot *spot, struct links *links);
void links_release(struct links *links);

#endif
