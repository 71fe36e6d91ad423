/* read.h -- reads tensors' data for expressions */
#ifndef RANKSH_READ_H
#define RANKSH_READ_H

#include "shell/session/shell.h"

struct view {       /* a tensor argument on one rank */
	int tensor; /* in world.tensors; -1: a result without a name yet */
	bool sliced;
	name_id name;      /* "h3", "g[0:4]" */
	name_id base_name; /* "g" */
	enum space space;
	int64_t address;
	struct layout layout; /* slice and .T applied */
	bool transposed;
};

/* Returns the view as an operand. access: ACCESS_READ, ... */
struct operand view_operand(const struct view *view, int access);
/* Host tensors that an OP_SYNC reads; the masks of the race search hold no more */
enum { HOST_READS_MOST = 32 };
struct host_reads {
	struct operand operand[HOST_READS_MOST];
	int count;
	bool noted; /* as in struct record: later lines are queued before the values are read */
};
/* Queues a copy of a device tensor to the host and stores its *id. copy: the COPY's record, to
 * which shell_bring adds operand, bytes, type and object. A host tensor needs no copy: it is added
 * to `reads`, which the caller keeps below HOST_READS_MOST (NULL: skipped); *id is unchanged. */
enum status shell_bring(struct shell *shell, int rank, int stream, const struct view *view,
        struct record copy, struct host_reads *reads, op_id *id);

/* Reads this rank's elements, packed [layout_bytes]. by: the copy that brought them
 * (backend.read); 0: from memory */
enum status read_packed(const struct shell *shell, op_id by, const struct view *view, void *packed);
/* Reads them as f32 [layout_count]. */
enum status read_floats(const struct shell *shell, op_id by, const struct view *view, float *values);

enum read_kind {
	READ_ELEMENT, /* the only element of view[0] */
	READ_SUM,
	READ_NORM,
	/* of views a, b: max|a-b| / max(max|a|, max|b|); 0 if equal, inf with a NaN. Requires
	 * equal shapes */
	READ_DIFFERENCE,
	READ_STEP, /* step_away(a, b, c) in the coarsest type. Requires equal shapes */
	READ_LIST  /* whole numbers: all of view[0], then all of view[1] */
};
enum { READ_VIEWS = 3 /* a, b, c */ };
struct data_read {
	enum read_kind kind;
	int stream; /* the number of the stream that copies device tensors */
	int after;  /* for host tensors: the host waits for this stream; STREAM_HOST: none */
	int views;  /* 1; 2 for DIFFERENCE and LIST; 3 for STEP */
	struct view view[READ_VIEWS];
};
/* Returns the number of values for each rank: 1, or the longest list's length. */
size_t reads_each(const struct ranks *set, const struct data_read *reads);
/* Collective. Reads reads[i] on the i-th rank of `set` into values[i * reads_each] of all
 * processes. reason NULL: a read from outside the program, which only waits for the writers
 * (backend.reach). Else the program's own read, like `.item()`: it queues a COPY and a SYNC
 * (record.reason), and waits for them. Fails with ST_SHAPE, ST_DTYPE; with ST_WAITS or ST_STUCK if
 * the data depends on a line that another rank has not received. --dry waits alike, so that times
 * agree, and leaves `values` unchanged. */
enum status shell_read(struct shell *shell, const struct ranks *set, const struct data_read *reads,
        const char *reason, double *values);

#endif
