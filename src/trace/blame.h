/* blame.h -- private to trace/: what the stalled time is blamed on, summed by operation */
#ifndef RANKSH_TRACE_BLAME_H
#define RANKSH_TRACE_BLAME_H

#include "trace/lanes.h"
#include "base/ranks.h"

enum {
	BLAME_SLOWED = CAUSE_COUNT, /* no cause of delay: work that took longer than it would have alone */
	BLAME_ANSWERED /* CAUSE_HOST, of a line that came when an answer had made an earlier time final */
};
/* What a stall hangs on, alike for all ranks that blame the same: names, and the rank when it is another
 * one */
struct blame_key {
	int cause, by_rank /* -1: the rank's own */;
	name_id title, object, stream /* blamed */, lane /* delayed */;
	name_id own_title, own_object; /* BLAME_SLOWED: the work that was slowed */
	int shared;                    /* BLAME_SLOWED: enum slowed_by */
	int on_host;                   /* it is the host itself that stood still */
};
enum slowed_by {
	SHARED_DEVICE,
	SHARED_LINK,
	SHARED_ITSELF /* parts of its own */,
	SHARED_PARTNER /* who came late */
};
struct blame {
	struct blame_key key;
	struct ranks ranks;
	int64_t most;  /* ns, on the rank that lost most */
	int64_t least; /* of the ranks before `rank` */
	int rank;      /* the one being added up: ranks come one after the other */
	int64_t ns;    /* on that rank, so far */
};
struct sharers;
/* A hash table with open addressing: slots hold 1 + the index into blame, 0 for an empty one; slot_count is a
 * power of two. A zeroed struct is empty. */
struct blames {
	struct blame *blame;
	size_t count;
	uint32_t *slots;
	size_t slot_count;
	struct sharers *sharing; /* of the trace: whom work that was slowed shared with */
};

/* Of a lane: a stall, or work that lost `slowed` ns by sharing */
void blames_add(struct blames *blames, const struct lanes *lanes, int stream, const struct span *span,
        int64_t slowed);
/* The `most` largest of streams, one line each, under a headline, then those of the hosts, which cost only what they keep from
 * the streams; nothing when there are none. */
void blames_print(struct blames *blames, const struct trace *trace, int most, int width, struct text *out);
void blames_release(struct blames *blames);

#endif
