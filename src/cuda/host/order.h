/* order.h -- orders that control gives the host thread, and the reports that come back. An
 * umbrella header.
 *
 * Orders are copies: the world's arrays move, and a thread that hangs in a CUDA call may outlive
 * the world. What a record points to (operands, parts, rows) is copied to `arrays`. */
#ifndef RANKSH_CUDA_ORDER_H
#define RANKSH_CUDA_ORDER_H

#include "base/memory.h"
#include "cuda/exchange/exchange.h"
#include "world/world.h"

enum host_order_kind {
	ORDER_OPERATION,
	/* From here on session time is the host clock less `shift`; nothing is issued before
	 * session time `at`. */
	ORDER_CLOCK,
	/* New memory of the world: it is allocated here. */
	ORDER_SEGMENT,
	/* Memory that the world has freed; its last use has completed. */
	ORDER_SEGMENT_GONE,
	/* A new part of a group, or a new communicator of it: calls exchange.open. */
	ORDER_PART
};

/* The members that an operation communicates with; the host thread adds addresses. */
struct host_match {
	int part;
	uint32_t seq; /* sequence number of a collective */
	int n, place;
	const int *ranks; /* stored after transfer_seq */
	bool *counts;     /* collective with backup=: as in struct exchange_collective */
	/* OP_P2P: sequence number in each part's channel, record.parts of them */
	uint32_t transfer_seq[];
};

struct host_order {
	uint8_t kind;
	/* ---- ORDER_OPERATION */
	uint8_t stream; /* number on the rank: STREAM_HOST, STREAM_DEFAULT, 2 ... */
	bool blocking;
	int8_t priority; /* the stream's, as in struct stream */
	uint16_t flags;  /* OPF_FREE_LAUNCH, OPF_TOGETHER: starts with the previous one */
	/* In a `together`: another member follows. OP_SEGMENT, ORDER_SEGMENT, _GONE: the segments
	 * that follow belong to the operation, and so does their time. */
	bool more;
	op_id id;
	op_id target;         /* as in struct op */
	struct record record; /* a copy */
	void *arrays;         /* of the record; freed by host_order_release */
	/* members' arguments disagree: its stream blocks until host_cancel(id) */
	bool never;
	/* it ended before it was given: it is not executed, but reported undone in its turn */
	bool undone;
	int64_t launch_ns;        /* duration of a played launch; 0: as measured */
	int64_t least_ns;         /* least duration from its start (spin, played, slow); 0: none */
	int64_t foreseen_ns;      /* predicted duration; 0: unknown */
	op_id graph;              /* the first operation of its graph launch; 0: none */
	bool graph_more;          /* the next order belongs to the same launch */
	struct host_match *match; /* freed by host_order_release; NULL: no communication */
	/* ONE_SIDED: layout and type of the target in the peer's window; no address */
	struct operand remote;
	/* ONE_SIDED: as in struct exchange_one_sided; the offset is in record.part */
	uint32_t window;
	/* ---- ORDER_CLOCK */
	int64_t shift, at;
	/* ---- ORDER_SEGMENT, _GONE: space, address, bytes. host_read and host_write, which use
	 * an order as a request: by, space, address, layout, packed */
	uint8_t space;
	int64_t address, bytes;
	op_id by;
	struct layout layout;
	void *packed;
};

static inline void host_order_release(const struct host_order *order)
{
	mem_free(order->match);
	mem_free(order->arrays);
}

/* The measured times of an operation, ns on the session's clock, which begins with its world;
 * final. issue <= ready <= start <= end, as in struct times (backend/backend.h). The host was busy
 * from issue - launch to issue. */
struct measured {
	op_id id; /* 0: unknown */
	op_id blame;
	int64_t issue, ready, start, end, launch;
	uint32_t undone; /* 1: aborted, or its device failed: it has no result */
	/* 1: in a graph launch of which only the total is measured; its part is predicted */
	uint32_t divided;
};

/* The outcome of an operation, or with measured.id 0 of a part that has failed asynchronously or
 * could not be opened. Nothing queued in such a part completes. */
struct host_report {
	struct measured measured; /* blame 0 */
	int part;                 /* only with measured.id 0 */
	enum status status;       /* not ST_OK: the operation is undone and has no result */
	char *words;              /* the reason, freed by the receiver; NULL with ST_OK */
	/* not 0: only reports that this operation read an index out of range: element `place` has
	 * `value` */
	op_id looks_up;
	int64_t place, value;
};

#endif
