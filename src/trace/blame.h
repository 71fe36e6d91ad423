/* blame.h -- private to trace/: stalled time summed by the operation to blame */
#ifndef RANKSH_TRACE_BLAME_H
#define RANKSH_TRACE_BLAME_H

#include "trace/lanes.h"
#include "base/ranks.h"

enum {
	BLAME_SLOWED = CAUSE_COUNT, /* not a cause of delay: work that took longer than alone */
	/* CAUSE_HOST, because the line came after an answer had fixed the time before it */
	BLAME_ANSWERED
};
/* The reason of a stall, as names, so that operations and ranks with one reason are equal. No
 * padding, because keys are compared by their bytes. */
struct blame_key {
	int cause, by_rank /* -1: its own */;
	name_id title, object, stream /* blamed */, lane /* delayed */;
	name_id own_title, own_object; /* BLAME_SLOWED: the work that was slowed */
	int shared;                    /* BLAME_SLOWED: enum slowed_by */
	int on_host;                   /* the host itself waited */
};
enum slowed_by {
	SHARED_DEVICE,
	SHARED_LINK,
	SHARED_ITSELF,
	SHARED_PARTNER /* a late one */
};
struct blame {
	struct blame_key key;
	struct ranks ranks;
	int64_t most;  /* ns, on the rank that lost most */
	int64_t least; /* on the ranks before `rank` */
	int rank;      /* the one that is summed now */
	int64_t ns;    /* on that rank, so far */
};
struct sharers;
/* A zeroed struct is empty. */
struct blames {
	struct blame *blame;
	size_t count;
	struct names *keys;      /* number i is blame[i - 1].key */
	struct sharers *sharing; /* finds the operations that slowed work shared with */
};

/* Adds a stall of a lane, or work that lost `slowed` ns by sharing. */
void blames_add(struct blames *blames, const struct lanes *lanes, int stream, const struct span *span,
        int64_t slowed);
/* Appends a headline, the `most` largest stalls of streams, then those of hosts, which cost only
 * the time that streams lose by them; nothing if there are none. */
void blames_print(struct blames *blames, const struct trace *trace, int most, int width, struct text *out);
void blames_release(struct blames *blames);

#endif
