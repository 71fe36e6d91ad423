/* bytes.h -- the real bytes behind the addresses of rank `me`, for a backend that keeps them in this process */
#ifndef RANKSH_BYTES_H
#define RANKSH_BYTES_H

#include "world/world.h"

/* Called by world when segments come and go on rank `me`; set by the backend. */
struct segment_calls {
	void *self;
	void *(*get)(void *self, enum space space, int64_t bytes); /* never NULL */
	void (*give)(void *self, enum space space, void *base, int64_t bytes);
};
void world_segment_calls(struct world *world, struct segment_calls calls);
/* The real bytes behind an address of rank `me`, NULL otherwise. */
void *world_data(const struct world *world, enum space space, int64_t address);
/* The backend calls it when an OP_SEGMENT of rank `me` ends: until then the bytes of segments that it gives
 * back stay, for the operations queued before it. */
void world_segment_done(struct world *world, op_id segment_op);

#endif
