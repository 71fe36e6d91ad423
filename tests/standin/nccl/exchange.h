/* exchange.h -- messages between two ranks of a communicator, through a channel's slots
 *
 * The k-th message of a channel needs both sides: each posts its time, then the bytes go through, then each ends it.
 *
 *      sender     posted k, at 70 ns         moved 1 2 3 ...   ended k
 *      receiver   posted k, at 50 ns           moved 1 2 3     ended k        both know: it begins at 70 ns
 *
 * A side posts k+1 once the other has ended k, so that what was posted stands until it has been read. There are two
 * lanes, so that sends and receives and the messages within collectives are numbered apart. */
#ifndef RANKSH_STANDIN_EXCHANGE_H
#define RANKSH_STANDIN_EXCHANGE_H

#include "standin/nccl/meeting.h"

enum lane { LANE_PAIRS, LANE_COLLECTIVES };

struct message {
	bool sends;
	int peer; /* may be this rank: then it is in the list twice */
	const char *from;
	char *to;
	int64_t bytes;
	/* ---- by exchange */
	int64_t begin_ns; /* when the later of the two sides came */
	int64_t done;     /* bytes */
	int pair;
	uint64_t number;
	enum { UNPOSTED, POSTED, MOVING, ENDED } state;
};

enum exchanged { EXCHANGED, EXCHANGE_ABORTED, EXCHANGE_DIFFERS };
/* All messages at once; of those with one peer the k-th that is sent and the k-th that comes are a pair, and pairs go one
 * after the other, as NCCL has it within a group. at_ns: when this side came. EXCHANGE_DIFFERS: a receiver
 * waits for another number of bytes than is sent. */
enum exchanged exchange(
        struct meeting *meeting, enum lane lane, int64_t at_ns, struct message *message, int count);

#endif
