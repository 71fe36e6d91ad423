/* op.h -- operations: what ranks have queued, in two parts, and where those of several ranks meet
 *
 * A record is what a line asks for, stored once for all of its ranks; a `struct op` is one rank's operation,
 * 64 bytes, so that thousands of ranks cost little:
 *
 *      records   7: y = matmul x w, 64 x 64, on compute            what all ranks of the line have in common
 *      ops       12: rank 0, record 7    13: rank 1, record 7      order, waits, times
 *
 * The fields marked "backend's" know time and are in no digest of the books. */
#ifndef RANKSH_OP_H
#define RANKSH_OP_H

#include "base/dtype.h"
#include "base/names.h"

/* X(symbol, name) */
#define SPACES(X)           \
	X(HOST, "host")     \
	X(PINNED, "pinned") \
	X(DEVICE, "device") \
	X(DISK, "disk")
enum space {
#define X(symbol, name) SPACE_##symbol,
	SPACES(X)
#undef X
	        SPACE_COUNT
};
const char *space_name(enum space space);
/* What the host reads and writes as its own */
static inline bool space_is_host(enum space space)
{
	return space == SPACE_HOST || space == SPACE_PINNED;
}

typedef uint32_t op_id;          /* index into world.ops; 0 is none */
#define OP_EVERYTHING UINT32_MAX /* as a sync's target: all that the rank has queued */

/* X(symbol, name) */
#define OP_KINDS(X)                                                                                    \
	X(KERNEL, "kernel")                                                                            \
	X(COPY, "copy")                                                                                \
	X(COLLECTIVE, "collective")                                                                    \
	X(P2P, "p2p")                                                                                  \
	X(ONE_SIDED, "one-sided") /* put, get, add: it needs no operation of the other rank */         \
	X(RECORD, "record")                                                                            \
	X(WAIT, "wait")                                                                                \
	X(HOST, "host")       /* from here on on the host's own lane; it computes for duration_ns */   \
	X(FILL, "fill")       /* initial data: the host writes a tensor; takes no time */              \
	X(SYNC, "sync")       /* the host is blocked until `target` is done: record.reason says why */ \
	X(SEGMENT, "segment") /* the allocator gets or gives back a segment */                         \
	X(CRASH, "crash")     /* the rank does nothing from here on */
enum op_kind {
#define X(symbol, name) OP_##symbol,
	OP_KINDS(X)
#undef X
	        OP_KIND_COUNT
};
const char *op_kind_name(enum op_kind kind);
static inline bool op_kind_is_host(enum op_kind kind)
{
	return kind >= OP_HOST;
}

enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ADD = 4 /* += : writes, and reads too */ };
/* A tensor as an operation uses it: where, how laid out, and what is done to it. */
struct operand {
	int64_t address; /* bytes, in the rank's space */
	uint8_t space, access;
	bool transposed; /* for wording only; the layout has it done already */
	int tensor;      /* index at the time of queueing (one rank's; for names in messages), -1 if none */
	name_id name;    /* "y", or "g[0:512]" */
	struct layout layout;
};

/* Do they share memory, from the first byte of each to its last? There may be gaps between (races/overlap.c). A tensor
 * without elements shares none. */
bool spans_overlap(const struct operand *a, const struct operand *b);
/* All but `tensor`, which is one rank's */
bool operand_equal(const struct operand *a, const struct operand *b);

enum reduction { REDUCE_SUM, REDUCE_AVG, REDUCE_MAX, REDUCE_MIN };
enum p2p_direction { P2P_SEND, P2P_RECV };
/* What an OP_ONE_SIDED does to the window of its target */
enum one_sided { ONE_SIDED_PUT, ONE_SIDED_GET, ONE_SIDED_ADD };
/* One transfer of an OP_P2P; a send has its operand's index among the record's operands. An OP_ONE_SIDED has one part.
 */
struct part {
	uint8_t direction; /* enum p2p_direction; ONE_SIDED: enum one_sided */
	int peer /* world rank */;
	int operand;
	int64_t offset; /* ONE_SIDED: bytes from the window's beginning */
};
/* What a collective does to the window on its operand */
enum window_step { WINDOW_NONE, WINDOW_OPEN, WINDOW_CLOSE };

/* An alltoall whose members get unlike numbers of rows (MPI_Alltoallv), as one rank calls it. rows: the world's
 * arena's; to each place first, then from each. */
struct split {
	int n;             /* places of the group; 0: all parts are equal, there is nothing else here */
	int64_t row_bytes; /* of all members alike */
	const int64_t *rows;
};
static inline int64_t rows_to(const struct split *split, int place)
{
	return split->rows[place];
}
static inline int64_t rows_from(const struct split *split, int place)
{
	return split->rows[split->n + place];
}
bool splits_equal(const struct split *a, const struct split *b);

enum { PARAMETERS_MAX = 6, COPY_RATE = 0 /* bytes a second in place of the machine's; 0: the machine's */ };
/* What one line asked of one or more ranks in the same way (same shapes, addresses, parameters): stored
 * once. */
struct record {
	uint8_t kind;       /* enum op_kind */
	char colour;        /* 'F' 'R' 'B' 'W' 'O' 'C' 'D' from `phase`, or 0 */
	int16_t microbatch; /* from `phase F3`, or -1 */
	name_id title;      /* "matmul", "allreduce", "copy" ... */
	name_id object;     /* what it makes or moves, for labels: "y" */
	name_id phase;      /* "F3" or 0 */
	name_id reason;     /* of a SYNC: "sync" "print" "barrier" "copy" "let" ... */
	int section;        /* number of the `mark` it stands under; 0 before the first */
	int line;           /* number of the journal's line (looks like: who typed this), or of `file`'s */
	name_id file;       /* of a program, or of what `source` reads; 0: the text at hand. In no digest */
	const struct kernel *kernel;         /* OP_KERNEL, OP_FILL; of an `add` to a window: `scale` */
	const struct collective *collective; /* OP_COLLECTIVE */
	int group;      /* COLLECTIVE, P2P, ONE_SIDED: index into world.groups; else -1 */
	uint8_t window; /* COLLECTIVE: enum window_step */
	/* the shell hears when it is over, on its rank's process, and asks for what it wrote, or what a SYNC read;
	 * in no digest */
	bool noted;
	int root; /* place in the group, or -1 */
	/* as the line gives them: enum reduction, enum algorithm (collectives/algorithm.h) */
	uint8_t reduction, algorithm;
	uint16_t backup; /* COLLECTIVE: so many members need not be waited for */
	uint8_t operands, parts;
	/* of a SYNC: the host's own memory, which it reads when the wait is over */
	struct operand
	        *operand; /* the world's arena's, never changed: equal ones are shared by many records */
	struct part *part;
	struct split split;               /* COLLECTIVE: of an alltoall with counts */
	uint32_t moved;                   /* graph.c: its latest copy for another launch, 0 none */
	unsigned machine;                 /* its state (machine.changes) that the cost is of */
	double parameter[PARAMETERS_MAX]; /* the kernel's options, in its row's order; COPY: COPY_RATE */
	double flops;                     /* of one rank */
	int64_t bytes; /* kernels: memory traffic; copies, collectives: the message (the tensor's bytes) */
	/* COLLECTIVE whose parts are not equal: bytes of the tensor that is cut into them or put together, without the padding that is
	 * in `bytes`; 0: they are equal */
	int64_t whole;
	uint8_t dtype;       /* enum dtype that decides the peak */
	int64_t duration_ns; /* host, spin, segment: asked for; -1: the cost model says */
	/* The cost on the machine of then, set by the backend when the record is first queued (so that `set`
	 * changes later lines only); in no digest. */
	int64_t alone_ns;        /* the duration undisturbed; -1 not yet known */
	double latency_ns, rate; /* of a copy, transfer or collective: fixed part; bytes/s of the rest */
	double flow_bytes;       /* ... and what the rest moves */
	uint8_t taken;           /* COLLECTIVE: enum algorithm that auto chose */
	int64_t launch_ns;       /* host time to issue it */
};

/* Its title; of a wait of the host the reason: "print" */
static inline name_id record_called(const struct record *record)
{
	return record->kind == OP_SYNC && record->reason ? record->reason : record->title;
}

enum op_flags {
	OPF_FREE_LAUNCH = 1, /* issued with the operation before it, for no launch time of its own (graphs,
	                      * together, implicit waits) */
	OPF_ABORTED = 2,     /* backend's */
	OPF_STARTED = 4,
	OPF_DONE = 8,    /* backend's: start / end are final */
	OPF_ISSUED = 16, /* backend's: issue is final */
	/* backend's: its part of the group had expired when it came, or its collective goes on without it */
	OPF_LATE = 64,
	OPF_TOGETHER = 128, /* starts as one with the collective or transfer that its rank queued before it */
};
#define TIME_UNKNOWN INT64_MAX
struct op {
	uint32_t record;
	op_id next_program; /* the rank's next in program order */
	op_id next_stream;  /* the next on its stream */
	/* WAIT, SYNC: what is waited for; 0 nothing; OP_EVERYTHING. ONE_SIDED: the collective that opened the window
	 */
	op_id target;
	/* COLLECTIVE: index into world.matches; P2P: into world.part_matches, one each; 0 none */
	uint32_t match;
	/* backend's: the operation that made it start as late as it did (last to arrive, engine's holder) */
	op_id blame;
	uint16_t rank;
	uint8_t stream, flags;
	uint32_t number;                  /* 1, 2 ... on its rank */
	int64_t issue, ready, start, end; /* backend's, virtual ns; TIME_UNKNOWN until final */
};
_Static_assert(sizeof(struct op) == 64, "an operation is one cache line");

/* A rendezvous: where the ranks of a collective, or the two ends of a transfer, come together. It is made
 * when the first member queues its part; whether the parts agree is known in program order, at once. */
struct crossing;
struct match {
	int group, instance;
	/* in the group instance, or in the (source, destination) channel; 0 is the first */
	uint32_t sequence;
	int n, count;     /* places, and how many of them are taken */
	const int *ranks; /* by place; of a transfer the sender and the receiver */
	op_id *member;    /* by place; 0: not queued */
	int first;        /* the lowest place with a member: it names the collective in messages */
	/* the next of the same group instance or channel, 0 none, and the one before it, but for an abort */
	uint32_t next, before;
	struct crossing
	        *crossings; /* crossing.c: matches of other groups that some rank queued just before */
	bool p2p;
	bool mismatch; /* kind, size, type, root, reduction or algorithm differ: nobody will ever leave it */
	bool aborted;
};

#endif
