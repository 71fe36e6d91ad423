/* op.h -- operations that ranks have queued, and the rendezvous of several ranks' operations
 *
 *      records   7: y = matmul x w, 64 x 64, on compute            common to all ranks of the line
 *      ops       12: rank 0, record 7    13: rank 1, record 7      order, waits, times
 *
 * Fields marked "backend's" depend on time and are in no digest. */
#ifndef RANKSH_OP_H
#define RANKSH_OP_H

#include "base/dtype.h"
#include "base/names.h"

/* X(symbol, name), here and below */
#define NAME_IN_LIST(symbol, name) name,
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
/* Returns true for memory that the host accesses directly. */
static inline bool space_is_host(enum space space)
{
	return space == SPACE_HOST || space == SPACE_PINNED;
}

typedef uint32_t op_id;          /* index into world.ops; 0 is none */
#define OP_EVERYTHING UINT32_MAX /* a sync's target: all that the rank has queued */

#define OP_KINDS(X)                                                                           \
	X(KERNEL, "kernel")                                                                   \
	X(COPY, "copy")                                                                       \
	X(COLLECTIVE, "collective")                                                           \
	X(P2P, "p2p")                                                                         \
	X(ONE_SIDED, "one-sided") /* without an operation of the other rank */                \
	X(RECORD, "record")                                                                   \
	X(WAIT, "wait")                                                                       \
	X(HOST, "host")       /* computes. This kind and the rest are on the host's lane */   \
	X(FILL, "fill")       /* the host writes initial data, in no time */                  \
	X(SYNC, "sync")       /* blocks the host until `target` is done, for record.reason */ \
	X(SEGMENT, "segment") /* the allocator gets or returns a segment */                   \
	X(CRASH, "crash")     /* the rank stops for good */
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

enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ADD = 4 /* +=, reads too */ };
/* A tensor as an operation uses it */
struct operand {
	int64_t address; /* in the rank's space */
	uint8_t space, access;
	bool transposed; /* for messages; the layout is transposed */
	int tensor;      /* index when queued, on one of the record's ranks; -1: none */
	name_id name;    /* "y", or "g[0:512]" */
	struct layout layout;
};

/* Returns true if the spans from first to last byte overlap, gaps included (races/history.c
 * compares the bytes). An empty tensor overlaps nothing. */
bool spans_overlap(const struct operand *a, const struct operand *b);
/* Compares all members except `tensor`, which is that of one rank. */
bool operand_equal(const struct operand *a, const struct operand *b);

enum reduction { REDUCE_SUM, REDUCE_AVG, REDUCE_MAX, REDUCE_MIN };
enum p2p_direction { P2P_SEND, P2P_RECV };
/* The action on the target's window */
enum one_sided { ONE_SIDED_PUT, ONE_SIDED_GET, ONE_SIDED_ADD };
/* One transfer of an OP_P2P, or the one of an OP_ONE_SIDED */
struct part {
	uint8_t direction; /* enum p2p_direction; ONE_SIDED: enum one_sided */
	int peer /* world rank */;
	int operand;    /* index into the record's operands */
	int64_t offset; /* ONE_SIDED: bytes into the window */
};
/* What a collective does to its operand's window */
enum window_step { WINDOW_NONE, WINDOW_OPEN, WINDOW_CLOSE };

/* One rank's counts for an alltoall (MPI_Alltoallv) */
struct split {
	int n;               /* places; 0: equal parts, without counts */
	int64_t row_bytes;   /* the same on all members */
	const int64_t *rows; /* in the arena: n numbers of rows sent, then n of rows received */
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

enum { PARAMETERS_MAX = 6, COPY_RATE = 0 /* bytes/s; 0: the machine's */ };
/* A line's operation, shared by the ranks that have the same shapes, addresses and parameters */
struct record {
	uint8_t kind;                        /* enum op_kind */
	char colour;                         /* 'F' 'R' 'B' 'W' 'O' 'C' 'D' from `phase`, or 0 */
	int16_t microbatch;                  /* from `phase F3`, or -1 */
	name_id title;                       /* "matmul", "allreduce", "copy" ... */
	name_id object;                      /* result or subject, for labels: "y" */
	name_id phase;                       /* "F3" or 0 */
	name_id reason;                      /* SYNC: "sync" "print" "barrier" "copy" "let" ... */
	int section;                         /* number of the `mark`; 0: none yet */
	int line;                            /* of the journal, or of `file` */
	name_id file;                        /* of a program or `source`, or 0. In no digest */
	const struct kernel *kernel;         /* OP_KERNEL, OP_FILL; `add` to a window: `scale` */
	const struct collective *collective; /* OP_COLLECTIVE */
	int group;      /* COLLECTIVE, P2P, ONE_SIDED: index into world.groups; else -1 */
	uint8_t window; /* COLLECTIVE: enum window_step */
	/* when the operation ends, the backend calls done() on the rank's process, so that the
	 * shell can read its output, or the memory that a SYNC waited for. In no digest */
	bool noted;
	int root; /* place, or -1 */
	/* as in the line: enum reduction, enum algorithm (collectives/algorithm.h) */
	uint8_t reduction, algorithm;
	uint16_t backup; /* COLLECTIVE: number of members it does not wait for */
	uint8_t operands, parts;
	/* in the arena, immutable, shared by equal records. Operands of a SYNC: host memory that
	 * the host reads after the wait */
	struct operand *operand;
	struct part *part;
	struct split split;               /* alltoall with counts */
	uint32_t moved;                   /* graph.c: latest copy for a launch; 0: none */
	unsigned machine;                 /* machine.changes when stored */
	double parameter[PARAMETERS_MAX]; /* options in the kernel's order; COPY: COPY_RATE */
	double flops;                     /* of one rank */
	int64_t bytes;                    /* kernels: memory traffic; others: the message */
	/* COLLECTIVE of unequal parts: bytes without the padding that is in `bytes`; 0: equal
	 * parts */
	int64_t whole;
	uint8_t dtype;       /* for the peak rate */
	int64_t duration_ns; /* host, spin, segment: as given; -1: modelled */
	/* the backend's cost when the record is first queued. In no digest */
	int64_t alone_ns;        /* undisturbed; -1: unknown */
	double latency_ns, rate; /* messages: fixed part, bytes/s of the rest */
	double flow_bytes;       /* bytes of the rest */
	uint8_t taken;           /* COLLECTIVE: algorithm chosen by auto */
	int64_t launch_ns;       /* host time to issue it */
};

/* Returns the title, or the reason of a SYNC: "print". */
static inline name_id record_called(const struct record *record)
{
	return record->kind == OP_SYNC && record->reason ? record->reason : record->title;
}

enum op_flags {
	/* issued with the operation before it, without a launch (graphs, together, implicit
	 * waits) */
	OPF_FREE_LAUNCH = 1,
	OPF_ABORTED = 2, /* backend's */
	OPF_STARTED = 4, /* backend's */
	OPF_DONE = 8,    /* backend's: start and end are final */
	OPF_ISSUED = 16, /* backend's: issue is final */
	/* backend's: its group had timed out, or its collective ran without it */
	OPF_LATE = 64,
	OPF_TOGETHER = 128, /* starts with the rank's previous communication */
};
#define TIME_UNKNOWN INT64_MAX
struct op {
	uint32_t record;
	op_id next_program; /* of the rank, in program order */
	op_id next_stream;  /* of the stream */
	/* WAIT, SYNC: the operation that ends the wait, or OP_EVERYTHING; 0: none. ONE_SIDED: the
	 * collective that opened the window */
	op_id target;
	/* COLLECTIVE: index into world.matches; P2P: into world.part_matches, of the first of the
	 * parts' matches; 0: none */
	uint32_t match;
	/* backend's: the operation that delayed its start */
	op_id blame;
	uint16_t rank;
	uint8_t stream, flags;
	uint32_t number;                  /* on its rank, from 1 */
	int64_t issue, ready, start, end; /* backend's, virtual ns; TIME_UNKNOWN until final */
};
_Static_assert(sizeof(struct op) == 64, "an operation is one cache line");

/* A rendezvous of a collective's ranks, or of the two sides of a transfer */
struct crossing;
struct match {
	int group, instance;
	/* from 0, in the group instance or (source, destination) channel */
	uint32_t sequence;
	int n, count;     /* places; taken ones */
	const int *ranks; /* by place; transfer: sender, receiver */
	op_id *member;    /* by place; 0: not queued */
	int first;        /* lowest place with a member */
	/* neighbours in the same group instance or channel; 0: none. An abort cuts the chain. */
	uint32_t next, before;
	struct crossing *crossings; /* orders.c: matches of other groups queued just before */
	bool p2p;
	bool mismatch; /* the members disagree, so it never ends */
	bool aborted;
};

#endif
