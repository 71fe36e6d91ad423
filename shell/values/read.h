/* read.h -- reads data for the language's expressions */
#ifndef RANKSH_READ_H
#define RANKSH_READ_H

#include "shell/session/shell.h"

struct view {       /* a tensor argument on one rank */
	int tensor; /* in world.tensors; -1: a result without a name yet */
	bool sliced;
	name_id name;      /* $ replaced: "h3", "g[0:4]" */
	name_id base_name; /* "g" */
	enum space space;
	int64_t address;
	struct layout layout; /* slice and .T applied */
	bool transposed;
};

/* Returns the view as an operand. access: ACCESS_READ, ... */
struct operand view_operand(const struct view *view, int access);
/* Host memory read by an OP_SYNC; the races' masks hold no more */
enum { HOST_READS_MOST = 32 };
struct host_reads {
	struct operand operand[HOST_READS_MOST];
	int count;
	bool noted; /* as in struct record: later lines are queued before the values are read */
};
/* Queues a device tensor's copy to the host, in stream order, and sets operand, bytes and object
 * of `record`. *id: the operation; unchanged for a host tensor, which joins `reads` (or NULL). */
enum status shell_bring(struct shell *shell, int rank, int stream, const struct view *view,
        struct record *record, struct host_reads *reads, op_id *id);

/* Reads this rank's elements, packed [layout_bytes]. by: their copy (backend.read); 0: memory */
enum status read_packed(const struct shell *shell, op_id by, const struct view *view, void *packed);
/* The same as f32 [layout_count] */
enum status read_floats(const struct shell *shell, op_id by, const struct view *view, float *values);

enum read_kind {
	READ_ELEMENT, /* a has one element */
	READ_SUM,
	READ_NORM,
	/* max|a-b| / max(max|a|, max|b|); 0 if both are 0, inf with NaN; or ST_SHAPE */
	READ_DIFFERENCE,
	READ_STEP, /* step_away(a, b, c) in the coarsest type; ST_SHAPE too */
	READ_LIST  /* whole numbers: all of a, then b */
};
enum { READ_VIEWS = 3 /* a, b, c */ };
struct data_read {
	enum read_kind kind;
	int stream; /* the rank's current one, by number */
	int after;  /* the host waits for this stream first; STREAM_HOST: none */
	int views;  /* 1; 2 of DIFFERENCE and LIST; 3 of STEP */
	struct view view[READ_VIEWS];
};
/* Returns the number of values for each rank: 1, or the longest list's length. */
size_t reads_each(const struct ranks *set, const struct data_read *reads);
/* Reads reads[i] of the i-th rank in `set` into values[i * reads_each], for all processes. reason
 * NULL: a read from outside, which reaches the writers (backend.reach) without new operations or
 * spans. Else the program's own read, like `print`: queues a COPY and a SYNC (record.reason) and
 * reaches them. Fails with ST_WAITS, worded, if the data depends on a line that another rank has
 * not received yet. --dry waits alike, so that times agree, and leaves `values` unchanged. */
enum status shell_read(struct shell *shell, const struct ranks *set, const struct data_read *reads,
        const char *reason, double *values);

#endif
