/* conductor.h -- rank 0's loop: request in, broadcast, run, agree on status, merge outputs, reply; and the
 * other ranks' loop.
 *
 * Everything that all processes do together is an order: rank 0 sends it, every process carries it out, and
 * the results are gathered: status, digest of the books, what was said. */
#ifndef RANKSH_CONDUCTOR_H
#define RANKSH_CONDUCTOR_H

#include "shell/wire/capture.h"
#include "shell/session/credit.h"
#include "shell/session/options.h"
#include "shell/session/shell.h"

/* LINE: as typed at the prompt. TEXT: a script, or a part of one. LINES: line by line, as they come down a
 * pipe. COURSE: what the options ask of lessons. END: no more lines come; who waits now is stuck. ROUND: what has happened meanwhile is shared, for a look. */
enum order_kind {
	ORDER_LINE,
	ORDER_TEXT,
	ORDER_LINES,
	ORDER_END,
	ORDER_ROUND,
	ORDER_SETUP,
	ORDER_COURSE,
	ORDER_LEAVE
};
struct order {
	int32_t kind;       /* enum order_kind */
	int32_t first_line; /* TEXT, LINES */
	int32_t width;      /* SETUP, also colour; its text: tasks that are solved */
	int32_t colour;
	int32_t silent;      /* LINE: a replay */
	int32_t shown;       /* LINE: a replay, which is said */
	int64_t stop, stamp; /* LINE: see struct entry */
	const char *file;    /* TEXT, LINES: for messages; NULL: none */
	const char *text;
	size_t count;
	const char *values; /* LINE, a replay: what it read then (session/steering.h); NULL: nothing */
};

/* Rank 0: where output goes, text that a rank printed by itself, and whether the line at work is to stop: Ctrl-C was
 * typed, or nobody listens any more (NULL: nobody types). Lines that run again are not stopped by Ctrl-C (`again`), but
 * where they wait for a device (`waits`): then none is waited for until they have run. The listener says so, and forgets it. */
struct listener {
	void *self;
	void (*say)(void *self, const char *bytes, size_t count);
	void (*foreign)(void *self, int rank, const char *bytes, size_t count);
	bool (*interrupted)(void *self, bool again, bool waits);
};
struct conductor {
	struct shell shell; /* its `device` and `course` are set before conductor_open */
	struct credit credit;
	struct transport *transport;
	struct capture *capture; /* NULL: nothing is caught (one process without a wire) */
	const struct options *options;
	struct text bytes;               /* scratch: messages */
	struct transport_bytes *results; /* rank 0: one for each process (agree.c) */
	bool differ_told;                /* that books differ is said once */
	bool data_failed;                /* rank 0: a failure of a process's data was told */
	bool output_failed;              /* batch: descriptor 1 cannot be written */
	int64_t flushed_ns, limit_at_ns;
	size_t taken; /* after LINES: bytes that were run; the rest is the beginning of something */
	struct listener to;
};

enum status conductor_open(struct conductor *conductor, struct transport *t, struct capture *capture,
        const struct options *options);
void conductor_close(struct conductor *conductor);
/* Rank 0: everybody carries the order out. Words of a failure by fail_text(). */
enum status conductor_order(struct conductor *conductor, const struct order *order);
/* The other ranks, until ORDER_LEAVE. */
void conductor_follow(struct conductor *conductor);
/* What is done while a message is waited for. Rank 0 shows what ranks have printed by themselves; the others hand
 * on to it what they have. */
void conductor_poll(void *conductor);
/* Did the session's limit (--limit) end it? */
bool conductor_over_limit(const struct conductor *conductor);

#endif
