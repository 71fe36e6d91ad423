/* bytes.h -- the real bytes at the addresses of rank `me`, for a backend that keeps them in this
 * process */
#ifndef RANKSH_BYTES_H
#define RANKSH_BYTES_H

#include "world/world.h"

/* Set by the backend, called for the segments of rank `me` */
struct segment_calls {
	void *self;
	void *(*get)(void *self, enum space space, int64_t bytes); /* never NULL */
	void (*give)(void *self, enum space space, void *base, int64_t bytes);
};
void world_segment_calls(struct world *world, struct segment_calls calls);
/* Returns the bytes at an address of rank `me`; NULL if there are none. */
void *world_data(const struct world *world, enum space space, int64_t address);
/* Frees the bytes of segments returned by this ended OP_SEGMENT of rank `me`: earlier operations
 * may read them until then. */
void world_segment_done(struct world *world, op_id segment_op);

#endif
