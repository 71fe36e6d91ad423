/* lanes.h -- what lanes.c (streams, operations in flight) and completion.c (waits) share.
 * An umbrella header.
 *
 *      kept   | reported, its end lies ahead | reported ... | in flight | in flight | not given
 *             first                                         told                      count
 *
 * An operation is reported when its last event has completed. It is kept until the host clock has
 * passed its end: at once on a GPU; on a virtual clock a wait must also wait for an end that lies
 * ahead. */
#ifndef RANKSH_CUDA_HOST_LANES_H
#define RANKSH_CUDA_HOST_LANES_H

#include "cuda/host/host_thread.h"

struct lane_queue {
	struct host_lane lane;    /* first: the part that other files see */
	struct host_flight *ring; /* operation i is at i % room; room is a power of two */
	size_t room, first, told, count;
	int64_t last_end; /* session time */
};

enum { LANES = 256 };
struct host_lanes {
	struct lane_queue *by_number[LANES];
	struct lane_queue *all[LANES];
	int count;
	int greatest; /* priority */
	CUevent *free;
	size_t free_count;
};

static inline struct host_flight *lane_flight(const struct lane_queue *lane, size_t i)
{
	return &lane->ring[i & (lane->room - 1)];
}

/* Returns a kept operation; NULL if it is not there. */
struct host_flight *lane_find(const struct lane_queue *lane, op_id id);
/* Returns its events and frees its words. */
void flight_release(struct host_thread *host, struct host_flight *flight);

#endif
