/* offset.h -- how far another host's clock is ahead of ours, from messages to it and back */
#ifndef RANKSH_CUDA_OFFSET_H
#define RANKSH_CUDA_OFFSET_H

#include <stdint.h>

/* A message there and back: our clock when it went, theirs when it was there, ours when the answer came */
struct clock_ping {
	int64_t sent_ns, theirs_ns, back_ns;
};
/* Their clock less ours; it is wrong by uncertainty_ns at most. */
struct clock_offset {
	int64_t ns, uncertainty_ns;
};

/* By the quickest of the pings: it was there sometime between sent and back, most likely half-way, and the less time
 * there is between, the less it matters where. count is at least 1. */
struct clock_offset clock_offset(const struct clock_ping *pings, int count);

#endif
