/* lanes.h -- what lanes.c (streams and what is issued there) and over.c (what of it is over, waits for it) share
 *
 *      kept        | told, its end lies ahead | told ... | in flight | in flight | not given yet
 *                  first                        told                               count
 *
 * An operation is told when its last event is over. It is kept until the host's clock has passed its end: at once on a GPU;
 * where the clock is virtual, a wait for it has to come behind an end that lies ahead. An umbrella header: it brings along what it
 * includes. */
#ifndef RANKSH_CUDA_HOST_LANES_H
#define RANKSH_CUDA_HOST_LANES_H

#include "cuda/host/inside.h"

struct lane_queue {
	struct host_lane lane;    /* first: what others see of it */
	struct host_flight *ring; /* number i at i % room, room a power of two */
	size_t room, first, told, count;
	int64_t last_end; /* session's time */
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

/* Of those that are kept; NULL: it is not there */
struct host_flight *lane_find(const struct lane_queue *lane, op_id id);
/* Its events and words are nobody's any more. */
void flight_release(struct host_thread *host, struct host_flight *flight);

#endif
