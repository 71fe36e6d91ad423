/* read.h -- values made from data, for the language's expressions */
#ifndef RANKSH_READ_H
#define RANKSH_READ_H

#include "shell/session/shell.h"

struct view {       /* a tensor argument on one rank */
	int tensor; /* index into world.tensors; -1: a result whose name is not there yet */
	bool sliced;
	name_id name;      /* as written, $ replaced: "h3", "g[0:4]" */
	name_id base_name; /* "g" */
	enum space space;
	int64_t address;
	struct layout layout; /* slice and .T applied */
	bool transposed;
};

/* The view as an operand of an operation. access: ACCESS_READ, ... */
struct operand view_operand(const struct view *view, int access);
/* What a line's wait of the host reads of the host's own memory: the operands of its OP_SYNC. The races' masks hold
 * no more operands of one operation. */
enum { HOST_READS_MOST = 32 };
struct host_reads {
	struct operand operand[HOST_READS_MOST];
	int count;
	bool noted; /* as in struct record: lines that follow are queued before the values are asked for */
};
/* Queues the copy of a device tensor to the host, in the stream's order, filling what `record` does not
 * hold yet (operand, bytes, object). *id: the operation; unchanged for a tensor that is on the host
 * already, which joins `reads`; NULL: the host has waited for all. */
enum status shell_bring(struct shell *shell, int rank, int stream, const struct view *view,
        struct record *record, struct host_reads *reads, op_id *id);

/* The elements of a tensor of this process's rank, side by side. by: what brought them (backend.read); 0: as memory is
 * now. packed: [layout_bytes] */
enum status read_packed(const struct shell *shell, op_id by, const struct view *view, void *packed);
/* The same as f32. values: [layout_count] */
enum status read_floats(const struct shell *shell, op_id by, const struct view *view, float *values);

enum read_kind {
	READ_ELEMENT /* a has one element */,
	READ_SUM,
	READ_NORM,
	/* max|a-b| / max(max|a|, max|b|), 0 when both are 0, inf with NaN; shapes must agree: ST_SHAPE */
	READ_DIFFERENCE,
	READ_STEP, /* step_away(a, b, c), in the coarsest of their types; shapes as of DIFFERENCE */
	READ_LIST  /* all elements of a, whole numbers, and behind them those of b */
};
struct data_read {
	enum read_kind kind;
	int stream /* the rank's current one, by number */;
	/* Before it reads its own memory, the host waits for this stream's work; STREAM_HOST: for nothing */
	int after;
	struct view a, b, c;
};
/* How many values the reads give for each rank: 1, and of lists as many as the longest of `set` has */
size_t reads_each(const struct ranks *set, const struct data_read *reads);
/* reads[i]: of the i-th rank of `set`, ascending; its values begin at values[i * reads_each]. Gives each rank's to all
 * processes.
 * reason NULL: the side door: waits (backend.reach) for what is queued on the rank so far as far as it
 * touches the tensors, leaves no operation and no span. Else the program's own read: queues the hidden COPY
 * and SYNC (record.reason) as `print` does, and reaches it. ST_WAITS, worded, when the data hangs on a line
 * not yet given to another rank. With --dry it waits as it would with data, so that the times are those, and leaves
 * `values` as they are. */
enum status shell_read(struct shell *shell, const struct ranks *set, const struct data_read *reads,
        const char *reason, double *values);

#endif
