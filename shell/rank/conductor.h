/* conductor.h -- rank 0's loop and the others'
 *
 * An order is a joint action: rank 0 sends it, every process carries it out, rank 0 gathers
 * statuses, digests and output. */
#ifndef RANKSH_CONDUCTOR_H
#define RANKSH_CONDUCTOR_H

#include "shell/wire/io.h"
#include "shell/session/credit.h"
#include "shell/session/options.h"
#include "shell/session/shell.h"

/* LINE: a typed line. TEXT: a script or a part of it. LINES: lines of a pipe. END: ends a script;
 * ranks that still wait are stuck. ROUND: shares measured times for a view. COURSE: runs the
 * course's options. */
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
	int32_t first_line; /* for TEXT, LINES */
	int32_t width;      /* SETUP, also colour; its text: solved tasks */
	int32_t colour, numbers;
	int32_t silent;      /* LINE: a silent replay */
	int32_t shown;       /* LINE: a replay with output */
	int64_t stop, stamp; /* LINE: as in struct journal_entry */
	const char *file;    /* TEXT, LINES: for messages; NULL: none */
	const char *text;
	size_t count;
	/* LINE, a replay: its recorded values (session/steering.h); NULL: none */
	const char *values;
};

/* Rank 0's callbacks for output and the ranks' own prints. `interrupted` (NULL: no prompt) returns
 * true to stop the running line, after Ctrl-C or if the reader is gone. In a replay (`again`),
 * Ctrl-C only ends waits for devices (`waits`). */
struct listener {
	void *self;
	void (*say)(void *self, enum severity severity, const char *bytes, size_t count);
	void (*foreign)(void *self, int rank, const char *bytes, size_t count);
	bool (*interrupted)(void *self, bool again, bool waits);
};
struct conductor {
	struct shell shell; /* set `device` and `course` before conductor_open */
	struct credit credit;
	struct transport *transport;
	struct capture *capture; /* NULL: one process without a wire */
	const struct options *options;
	struct text bytes;
	struct transport_bytes *results; /* rank 0: one for each process (agree.c) */
	bool differ_told;                /* different worlds are reported once */
	bool data_failed;
	bool output_failed;
	int64_t flushed_ns, limit_at_ns;
	size_t taken; /* after LINES: bytes that were run; the rest is incomplete */
	struct listener to;
};

enum status conductor_open(struct conductor *conductor, struct transport *t, struct capture *capture,
        const struct options *options);
void conductor_close(struct conductor *conductor);
/* Rank 0: makes all processes carry out the order. Returns the status of all (agree_all). */
enum status conductor_order(struct conductor *conductor, const struct order *order);
/* Other ranks: carries out orders until ORDER_LEAVE. */
void conductor_follow(struct conductor *conductor);
/* Called during waits: rank 0 shows the ranks' own prints, the others forward theirs. */
void conductor_poll(void *conductor);
bool conductor_over_limit(const struct conductor *conductor);

/* ---- agree.c: ends an order ----
 *
 * - A refused line, a false `expect`: decided from the world, so the same everywhere.
 * - A data failure (a full disk): the process made all calls; rank 0 reports its data as invalid.
 * - A failed message (ST_MPI): this process is at another point than its peers. The job ends,
 *   because they would wait for ever. */

/* Gathers all results. Rank 0 shows output and returns ST_BUG if another rank reports one, else
 * the first failure in rank order, with its message; others return their own. */
enum status agree_all(struct conductor *conductor, enum status status);
/* Reports the failure and ends the job. Returns only if this process is alone. */
enum status agree_end(struct conductor *conductor, enum status status);

/* ---- batch.c, and test.c for `#>` lines: runs without a prompt, on rank 0 ---- */

/* Returns the process's exit status. */
int batch_run(struct conductor *conductor);
/* Compares a script's output, also a refused line's message, with its `#>` lines. Fails with
 * ST_EXPECT if they differ. Reports if there are none. */
enum status test_text(struct conductor *conductor, const char *file, const char *bytes, size_t count);
/* Runs a script. Fails with ST_STUCK if ranks wait at its end. */
enum status run_text(struct conductor *conductor, const char *file, const char *bytes, size_t count);
/* Writes the last failure's words to the real descriptor 2. */
void say_failure(struct conductor *conductor, enum status status);

/* serve.c: reads requests from descriptor 0 and replies on the real descriptor 1 until the front
 * end leaves. Returns the exit status. */
int serve_run(struct conductor *conductor);

#endif
