/* queue.h -- a FIFO of elements of one size, in blocks. Zeroed but for element_bytes, it is
 * empty. Not thread-safe. */
#ifndef RANKSH_CUDA_HOST_QUEUE_H
#define RANKSH_CUDA_HOST_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue_block;
struct queue {
	size_t element_bytes, count;
	struct queue_block *first, *last;
	size_t at; /* elements of the first block already taken */
};
void queue_put(struct queue *queue, const void *element);
bool queue_take(struct queue *queue, void *element); /* false: it is empty */

#endif
