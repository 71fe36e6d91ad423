/* queue.c -- a FIFO in blocks */
#include "cuda/host/queue.h"
#include "base/memory.h"

#include <string.h>

enum { BLOCK = 64 };
struct queue_block {
	struct queue_block *next;
	size_t count;
	char bytes[];
};

void queue_put(struct queue *queue, const void *elements, size_t count)
{
	const char *from = elements;
	for (; count > 0; count--, from += queue->element_bytes) {
		if (!queue->last || queue->last->count == BLOCK) {
			struct queue_block *block = mem_alloc(sizeof *block + BLOCK * queue->element_bytes);
			*(queue->last ? &queue->last->next : &queue->first) = block;
			queue->last = block;
		}
		memcpy(queue->last->bytes + queue->last->count++ * queue->element_bytes, from,
		        queue->element_bytes);
		queue->count++;
	}
}

size_t queue_take(struct queue *queue, void *elements, size_t most)
{
	char *to = elements;
	size_t took = 0;
	for (; took < most && queue->count > 0; took++, to += queue->element_bytes) {
		struct queue_block *block = queue->first;
		memcpy(to, block->bytes + queue->at++ * queue->element_bytes, queue->element_bytes);
		queue->count--;
		if (queue->at < block->count)
			continue;
		queue->first = block->next;
		queue->at = 0;
		if (!queue->first)
			queue->last = NULL;
		mem_free(block);
	}
	return took;
}

void queue_release(struct queue *queue)
{
	while (queue->first) {
		struct queue_block *next = queue->first->next;
		mem_free(queue->first);
		queue->first = next;
	}
	*queue = (struct queue){.element_bytes = queue->element_bytes};
}
