/* order.h -- what control gives the host thread to do: copies of what the books say, as their arrays move. And what comes
 * back. An umbrella header: it brings along what it includes.
 *
 *      control: MPI, books        orders --->   host: the learner's program, on the GPU
 *      never waits for a device   <--- reports  may wait, in a call of CUDA too
 *
 * What a record points to (operands, parts, rows) is a copy too, in `arrays`: a thread that hangs in a call of CUDA may outlive
 * the world. */
#ifndef RANKSH_CUDA_ORDER_H
#define RANKSH_CUDA_ORDER_H

#include "base/memory.h"
#include "cuda/exchange/exchange.h"
#include "cuda/host/measured.h"
#include "world/world.h"

enum host_order_kind {
	ORDER_OPERATION,
	/* From here on session's time is the host's clock less `shift`; nothing is issued before session's time `at`. */
	ORDER_CLOCK,
	/* Memory that the books have got: it becomes real here. */
	ORDER_SEGMENT,
	/* ... and have given back; all that used it is over. */
	ORDER_SEGMENT_GONE,
	/* Members of a group that is new in the books: exchange.open */
	ORDER_PART
};

/* With whom an operation meets, as the books say; the host fills in addresses */
struct host_meeting {
	int part;
	uint32_t turn; /* of a collective */
	int n, place;
	const int *ranks;         /* behind the turns */
	bool *counts;             /* of a collective with backup=: as in struct exchange_collective */
	uint32_t transfer_turn[]; /* P2P: of each part's channel, record.parts of them */
};

struct host_order {
	uint8_t kind;
	/* ---- ORDER_OPERATION */
	uint8_t stream; /* number on the rank: STREAM_HOST, STREAM_DEFAULT, 2 ... */
	bool blocking;
	int8_t priority; /* of the stream, as both in struct stream */
	uint16_t flags;  /* OPF_FREE_LAUNCH, OPF_TOGETHER: as one with the one before it */
	/* Of a `together`: another one of it comes behind. OP_SEGMENT, ORDER_SEGMENT, _GONE: the segments that come behind are
	 * its own, and its time. */
	bool more;
	op_id id;
	op_id target;         /* as in struct op */
	struct record record; /* a copy */
	void *arrays;         /* of the record; host_order_release */
	bool never; /* what it meets does not agree: nothing is done, and its stream stands until host_cancel(id) */
	bool undone; /* it was ended before it was given: nothing is done, and it is reported undone in its place */
	int64_t launch_ns;   /* the host takes so long to issue it (played); 0: as long as it takes */
	int64_t least_ns;    /* it lasts so long at least, from its start: spin, played, slow; 0 */
	int64_t foreseen_ns; /* 0: not known */
	op_id graph;         /* the first operation of the graph's launch that it came with; 0: none */
	bool graph_more;     /* the next order is of that launch, too */
	struct host_meeting *meeting; /* host_order_release; NULL: meets nobody */
	struct operand
	        remote;  /* ONE_SIDED: layout and type of what is reached in the peer's window; no address */
	uint32_t window; /* ONE_SIDED: as in struct exchange_one_sided; its offset stands in record.part */
	/* ---- ORDER_CLOCK */
	int64_t shift, at;
	/* ---- ORDER_SEGMENT, _GONE: space, address, bytes. host_read and host_write, which give no order but ask
	 * with one: by, space, address, layout, packed */
	uint8_t space;
	int64_t address, bytes;
	op_id by;
	struct layout layout;
	void *packed;
};

static inline void host_order_release(const struct host_order *order)
{
	mem_free(order->meeting);
	mem_free(order->arrays);
}

/* What became of an operation, or (measured.id 0) of a part: an error came to it later than the call that began what runs there,
 * or it could not be opened. Nothing more comes of what is queued there. */
struct host_report {
	struct measured measured; /* blame 0 */
	int part;                 /* of no operation; else unused */
	enum status status;       /* not ST_OK: `measured.undone`, and its results never came */
	char *words;              /* why, mem_free'd by who takes it; NULL with ST_OK */
	/* Not 0: the report says only that this operation has read a number out of range: element `place` has the value `value` */
	op_id looks_up;
	int64_t place, value;
};

#endif
