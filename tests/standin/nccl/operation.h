/* operation.h -- what a collective, a send or a receive does to memory, and how long it takes */
#ifndef RANKSH_STANDIN_OPERATION_H
#define RANKSH_STANDIN_OPERATION_H

#include "standin/nccl/exchange.h"
#include "standin/nccl/sums.h"

enum kind { ALLREDUCE, REDUCE, REDUCESCATTER, BROADCAST, ALLGATHER, SEND, RECV };

struct operation {
	enum kind kind;
	const char *from;
	char *to;
	int64_t count; /* as the function of NCCL counts */
	int bytes;     /* of an element */
	int other;     /* the root, or the peer of a send or receive; else 0 */
	struct reducer by;
	CUstream stream;
};

/* What it takes from when the last rank has come: a latency, and the bytes that a rank sends in a ring, or the message's */
int64_t operation_ns(const struct operation *operation, int ranks);

/* Operations of one group of calls, of a rank that came to them at *ns: sends and receives all at once, then the
 * collectives, in their order. *ns: when the last of them is over. */
enum exchanged operations_run(
        struct meeting *meeting, const struct operation *operation, int count, int64_t *ns);

#endif
