/* queue.h -- a queue of elements of one size, in blocks that are freed as it is used. A zeroed one, but for element_bytes, is
 * empty. It knows no threads. */
#ifndef RANKSH_CUDA_HOST_QUEUE_H
#define RANKSH_CUDA_HOST_QUEUE_H

#include <stddef.h>

struct queue_block;
struct queue {
	size_t element_bytes, count;
	struct queue_block *first, *last;
	size_t at; /* of the first block: so many are gone */
};
void queue_put(struct queue *queue, const void *elements, size_t count);
size_t queue_take(struct queue *queue, void *elements, size_t most); /* how many it took */
void queue_release(struct queue *queue);

#endif
