/* offset.h -- the offset of another host's clock, from messages and their answers */
#ifndef RANKSH_CUDA_OFFSET_H
#define RANKSH_CUDA_OFFSET_H

#include <stdint.h>

/* One message and its answer: our clock at sending, theirs at arrival, ours at the answer */
struct clock_ping {
	int64_t sent_ns, theirs_ns, back_ns;
};
/* their clock - ours; the error is at most uncertainty_ns */
struct clock_offset {
	int64_t ns, uncertainty_ns;
};

/* Uses the ping with the shortest round trip and assumes that the message arrived half-way; the
 * error is at most half the round trip. Requires count >= 1. */
struct clock_offset clock_offset(const struct clock_ping *pings, int count);

#endif
