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

void queue_put(struct queue *queue, const void *element)
{
	if (!queue->last || queue->last->count == BLOCK) {
		struct queue_block *block = mem_alloc(sizeof *block + BLOCK * queue->element_bytes);
		*(queue->last ? &queue->last->next : &queue->first) = block;
		queue->last = block;
	}
	memcpy(queue->last->bytes + queue->last->count++ * queue->element_bytes, element,
	        queue->element_bytes);
	queue->count++;
}

bool queue_take(struct queue *queue, void *element)
{
	struct queue_block *block = queue->first;
	if (queue->count == 0)
		return false;
	memcpy(element, block->bytes + queue->at++ * queue->element_bytes, queue->element_bytes);
	queue->count--;
	if (queue->at == block->count) {
		queue->first = block->next;
		queue->last = queue->first ? queue->last : NULL;
		queue->at = 0;
		mem_free(block);
	}
	return true;
}
