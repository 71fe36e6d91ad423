/* critical.h -- the critical path: the chain of pieces that sets the end, across ranks; and how
 * much longer other work could take without moving that end
 *
 *   rank 0  |- launch -|== matmul 2 ms ==|....................|== allreduce ==|
 *   rank 2  |- launch -|======== matmul 4 ms ========|########|== allreduce ==|
 *             the path: launch, matmul and allreduce of rank 2; rank 0's matmul has 2 ms of slack
 *
 * The path leads back from the last end. Before each piece comes the dependency that was fulfilled
 * last (ties: the lowest rank, stream, number). The pieces add up to the window. */
#ifndef RANKSH_TRACE_CRITICAL_H
#define RANKSH_TRACE_CRITICAL_H

#include "trace/trace.h"

#define CRITICAL_KINDS(X)             \
	X(COMPUTE, "compute")         \
	X(COMM, "communication")      \
	X(COPY, "copies")             \
	X(SHARING, "lost by sharing") \
	X(LAUNCH, "launch")           \
	X(HOST, "host")               \
	X(MEMORY, "memory")           \
	X(IDLE, "idle") /* a host has no line; in measured times, the time between two pieces */
enum critical_kind {
#define X(symbol, name) CRITICAL_##symbol,
	CRITICAL_KINDS(X)
#undef X
	        CRITICAL_KIND_COUNT
};
enum {
	CRITICAL_WORK =
	        1 << CRITICAL_COMPUTE | 1 << CRITICAL_COMM | 1 << CRITICAL_COPY | 1 << CRITICAL_SHARING
};
struct critical_piece {
	enum critical_kind kind;
	op_id op; /* for IDLE: the operation after it */
	int64_t from, to;
};
struct critical {
	struct window window;         /* to the last end in the section */
	struct critical_piece *piece; /* by time: each begins where the one before it ends */
	size_t count;
	/* ns, by operation; TIME_UNKNOWN: never ends, or after the section. NULL: not wanted */
	int64_t *slack;
	uint8_t *on; /* by operation: bits 1 << kind of its pieces on the path */
	size_t ops;
};
/* Stores the path of the section (-1: everything). slack: also stores the slack of all operations,
 * which doubles the time. Takes about 200 bytes an operation and keeps 9. Stores no piece if
 * nothing has an end. The caller releases `critical` in any case. */
enum status critical_find(const struct trace *trace, int section, bool slack, struct critical *critical);
/* For a picture of the path: makes waits invisible and marks work beside the path as `aside`.
 * Returns true if some of the path is on this lane. */
bool critical_keep(const struct critical *critical, int stream, struct spans *spans);
const char *critical_kind_name(enum critical_kind kind);
void critical_release(struct critical *critical);
/* Appends the path (of a long one, the middle is only counted), its pieces by kind, and the slack
 * of the largest other work. */
enum status trace_critical(const struct trace *trace, int section, int width, struct text *out);

#endif
