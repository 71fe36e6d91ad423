/* memory.h -- every allocation of ranksh goes through here, so that a test can make the n-th one fail. */
#ifndef RANKSH_MEMORY_H
#define RANKSH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory; mem_alloc(0) is valid and may be freed. Never NULL: a process that finds no memory cannot
 * keep what it shares with the others, so it says so and ends, and the job with it (mem_on_exhausted). */
void *mem_alloc(size_t bytes) __attribute__((returns_nonnull));
/* As realloc, never NULL. New bytes are not zeroed. */
void *mem_resize(void *block, size_t bytes) __attribute__((returns_nonnull));
char *mem_copy_text(const char *text, size_t length) __attribute__((returns_nonnull)); /* NUL-terminated */
void mem_free(void *block);

/* From now on what is given back stays with the process, up to 128 MB: a frame of the view over a million spans takes 60 MB, the
 * next one takes them again, and pages new from the system cost as much as all of its work. */
void mem_keep(void);

/* One more element of a growable array, not zeroed: *MEM_ADD(&v->items, &v->count) = item, where `item` does
 * not depend on either. An empty array is NULL and 0. The count alone tells the room, which is 16 or a
 * power of two: nothing else may grow the array, and the count may fall. */
#define MEM_ADD(items, count)                                                   \
	__extension__({                                                         \
		size_t at_ = (*(count))++;                                      \
		if (!*(items) || (at_ >= MEM_FIRST && (at_ & (at_ - 1)) == 0))  \
			*(items) = mem_double(*(items), at_, sizeof **(items)); \
		&(*(items))[at_];                                               \
	})
enum { MEM_FIRST = 16 };
void *mem_double(void *array, size_t count, size_t element_bytes) __attribute__((returns_nonnull));
/* Of an array that grows by many elements at once, and keeps its room: makes room for `wanted` in all, twice as
 * many as before at least. New elements are not zeroed. */
#define MEM_ROOM(items, wanted, room) mem_room((void **)(items), (wanted), (room), sizeof **(items))
void mem_room(void **items, size_t wanted, size_t *room, size_t element_bytes);

/* Zeroed pages straight from the system, for memory of a simulated device: given back whole. Never NULL. */
void *mem_map(size_t bytes) __attribute__((returns_nonnull));
void mem_unmap(void *pages, size_t bytes);

/* Called when `bytes` were not to be had: it may end the process with words and a status of its own, and must
 * not allocate. After it, or without it, the process prints one line on its standard error and ends with
 * status MEM_EXIT. Any thread may be the one that finds no memory. */
void mem_on_exhausted(void (*say)(size_t bytes));
enum { MEM_EXIT = 4 };

/* Tests: the n-th allocation from now on (0 is the next) ends the process as any does that
 * finds no memory; -1 turns it off. tests/unit/check.h has a process of its own for it. */
void mem_fail_at(long n);
/* Tests: blocks allocated and not yet freed. */
long mem_live(void);

#endif
