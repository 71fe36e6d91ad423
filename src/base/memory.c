/* memory.c -- allocation with one place to make it fail */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static long fail_countdown = -1; /* reached only by tests */
static long live_blocks;

static int must_fail(void)
{
	return fail_countdown >= 0 && fail_countdown-- == 0;
}

void *mem_alloc(size_t bytes)
{
	void *block = must_fail() ? NULL : calloc(1, bytes ? bytes : 1);
	if (!block)
		fail(ST_MEMORY, "this computer is out of memory (%zu bytes wanted)", bytes);
	else
		__atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
	return block;
}

void *mem_resize(void *old, size_t bytes)
{
	void *block = must_fail() ? NULL : realloc(old, bytes ? bytes : 1);
	if (!block)
		fail(ST_MEMORY, "this computer is out of memory (%zu bytes wanted)", bytes);
	else if (!old)
		__atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
	return block;
}

char *mem_copy_text(const char *text, size_t length)
{
	char *copy = mem_alloc(length + 1);
	if (copy)
		memcpy(copy, text, length);
	return copy;
}

void mem_free(void *block)
{
	if (block)
		__atomic_fetch_sub(&live_blocks, 1, __ATOMIC_RELAXED);
	free(block);
}

enum status mem_grow(void **items, size_t count, size_t *room, size_t element_bytes)
{
	if (count < *room)
		return ST_OK;
	size_t wanted = *room ? *room * 2 : 16;
	void *moved = mem_resize(*items, wanted * element_bytes);
	if (!moved)
		return ST_MEMORY;
	*items = moved;
	*room = wanted;
	return ST_OK;
}

void mem_fail_at(long n)
{
	fail_countdown = n;
}

bool mem_fail_waits(void)
{
	return fail_countdown >= 0;
}

long mem_live(void)
{
	return live_blocks;
}
