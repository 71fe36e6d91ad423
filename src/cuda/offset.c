/* offset.c -- the offset of another host's clock */
#include "cuda/offset.h"

struct clock_offset clock_offset(const struct clock_ping *pings, int count)
{
	const struct clock_ping *best = &pings[0];
	for (int i = 1; i < count; i++)
		if (pings[i].back_ns - pings[i].sent_ns < best->back_ns - best->sent_ns)
			best = &pings[i];
	int64_t there_and_back = best->back_ns - best->sent_ns;
	return (struct clock_offset){.ns = best->theirs_ns - best->sent_ns - there_and_back / 2,
	        .uncertainty_ns = there_and_back - there_and_back / 2};
}
