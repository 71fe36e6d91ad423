/* memory.h -- all allocations of ranksh, so that tests can fail the n-th */
#ifndef RANKSH_MEMORY_H
#define RANKSH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns zeroed memory, also for 0 bytes; never NULL. If memory is exhausted, the process reports
 * it and ends, and so does the job (mem_on_exhausted). */
void *mem_alloc(size_t bytes) __attribute__((returns_nonnull));
/* As realloc; never NULL. New bytes are not zeroed. */
void *mem_resize(void *block, size_t bytes) __attribute__((returns_nonnull));
/* Returns a copy with a NUL after it; free it with mem_free. */
char *mem_copy_text(const char *text, size_t length) __attribute__((returns_nonnull));
void mem_free(void *block);

/* Makes free() keep up to 128 MB in the process. Otherwise a large view spends half of its time on
 * new pages. */
void mem_keep(void);

/* Adds an element, which is not zeroed, and returns a pointer to it. In *MEM_ADD(&v->items,
 * &v->count) = item, `item` must use neither argument. An empty array is NULL and 0. The room
 * follows from the count, so nothing else may grow the array; the count may fall. */
#define MEM_ADD(items, count)                                                   \
	__extension__({                                                         \
		size_t at_ = (*(count))++;                                      \
		if (!*(items) || (at_ >= MEM_FIRST && (at_ & (at_ - 1)) == 0))  \
			*(items) = mem_double(*(items), at_, sizeof **(items)); \
		&(*(items))[at_];                                               \
	})
enum { MEM_FIRST = 16 };
/* MEM_INSERT adds before element `at`; MEM_REMOVE removes element `at`. */
#define MEM_INSERT(items, count, at)                                     \
	__extension__({                                                  \
		(void)MEM_ADD(items, count);                             \
		memmove(&(*(items))[(at) + 1], &(*(items))[at],          \
		        (size_t)(*(count)-1 - (at)) * sizeof **(items)); \
		&(*(items))[at];                                         \
	})
#define MEM_REMOVE(items, count, at) \
	memmove(&(items)[at], &(items)[(at) + 1], (size_t)(--*(count) - (at)) * sizeof *(items))
void *mem_double(void *array, size_t count, size_t element_bytes) __attribute__((returns_nonnull));
/* Grows the array if its *room is less than `wanted` elements: to `wanted`, or to twice its room
 * if that is more. New elements are not zeroed. */
#define MEM_ROOM(items, wanted, room) mem_room((void **)(items), (wanted), (room), sizeof **(items))
void mem_room(void **items, size_t wanted, size_t *room, size_t element_bytes);

/* Maps zeroed pages for memory of a simulated device; never NULL. Unmap them as a whole. */
void *mem_map(size_t bytes) __attribute__((returns_nonnull));
void mem_unmap(void *pages, size_t bytes);

/* Sets the function that a thread calls if an allocation of `bytes` fails. It must not allocate,
 * and may end the process. If it returns, the process prints a line on standard error and ends
 * with MEM_EXIT. */
void mem_on_exhausted(void (*say)(size_t bytes));
enum { MEM_EXIT = 4 };

/* Tests: the n-th allocation from now on (0: the next) finds no memory and ends the process; -1:
 * off. See tests/unit/check.h. */
void mem_fail_at(long n);
/* Tests: returns the number of blocks that are not freed. */
long mem_live(void);

#endif
