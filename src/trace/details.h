/* details.h -- what the view says of the operation under its cursor */
#ifndef RANKSH_TRACE_DETAILS_H
#define RANKSH_TRACE_DETAILS_H

#include "trace/spots.h"
#include "trace/trace.h"

/* What it is, when it was, for whom it waited (a line for each), what it cost; as many lines as that takes. */
void details_put(const struct trace *trace, const struct spot *spot, struct text *out);
/* Whom it waited for: the lanes of those to blame, and until when. Released by links_release */
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
