/* memory.c -- allocation, and the only exit of a process whose memory is exhausted
 *
 * A process that cannot store the replicated state ends, and so does the job. The message is
 * written from the stack, because stdio may allocate. */
#include "base/memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long fail_countdown = -1;
static long live_blocks;

static int must_fail(void)
{
	return fail_countdown >= 0 && fail_countdown-- == 0;
}

static void (*on_exhausted)(size_t bytes);

void mem_on_exhausted(void (*say)(size_t bytes))
{
	on_exhausted = say;
}

static _Noreturn void exhausted(size_t bytes)
{
	char words[100];
	if (on_exhausted)
		on_exhausted(bytes);
	int count = snprintf(
	        words, sizeof words, "ranksh: this computer is out of memory (%zu bytes wanted)\n", bytes);
	while (write(2, words, count) < 0 && errno == EINTR)
		;
	_exit(MEM_EXIT);
}

void *mem_alloc(size_t bytes)
{
	void *block = must_fail() ? NULL : calloc(1, bytes ? bytes : 1);
	if (!block)
		exhausted(bytes);
	__atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
	return block;
}

void *mem_resize(void *old, size_t bytes)
{
	void *block = must_fail() ? NULL : realloc(old, bytes ? bytes : 1);
	if (!block)
		exhausted(bytes);
	if (!old)
		__atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
	return block;
}

char *mem_copy_text(const char *text, size_t length)
{
	char *copy = mem_resize(NULL, length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void mem_free(void *block)
{
	if (block)
		__atomic_fetch_sub(&live_blocks, 1, __ATOMIC_RELAXED);
	free(block);
}

void mem_keep(void)
{
	/* the largest that glibc accepts */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 128 << 20);
}

void *mem_double(void *array, size_t count, size_t element_bytes)
{
	return mem_resize(array, (count ? 2 * count : MEM_FIRST) * element_bytes);
}

void mem_room(void **items, size_t wanted, size_t *room, size_t element_bytes)
{
	if (wanted <= *room)
		return;
	*room = *room * 2 > wanted ? *room * 2 : wanted;
	*room = *room > MEM_FIRST ? *room : MEM_FIRST;
	*items = mem_resize(*items, *room * element_bytes);
}

void *mem_map(size_t bytes)
{
	void *pages = must_fail()
	        ? MAP_FAILED
	        : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		exhausted(bytes);
	return pages;
}

void mem_unmap(void *pages, size_t bytes)
{
	munmap(pages, bytes);
}

void mem_fail_at(long n)
{
	fail_countdown = n;
}

long mem_live(void)
{
	return live_blocks;
}
