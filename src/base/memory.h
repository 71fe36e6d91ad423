/* memory.h -- every allocation of ranksh goes through here, so that a test can make the n-th one fail. */
#ifndef RANKSH_MEMORY_H
#define RANKSH_MEMORY_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory, or NULL with the failure worded. mem_alloc(0) is valid and may be freed. */
void *mem_alloc(size_t bytes);
/* As realloc: the old block stays valid when NULL comes back. New bytes are not zeroed. */
void *mem_resize(void *block, size_t bytes);
char *mem_copy_text(const char *text, size_t length); /* NUL-terminated copy, NULL on failure */
void mem_free(void *block);

/* Makes room for one more element in a growable array: MEM_GROW(&v->items, v->count, &v->room)
 * returns ST_OK or ST_MEMORY; the array is unchanged on failure. New elements are not zeroed. */
#define MEM_GROW(items, count, room) mem_grow((void **)(items), (count), (room), sizeof **(items))
enum status mem_grow(void **items, size_t count, size_t *room, size_t element_bytes);

/* Tests: the n-th allocation from now on (0 is the next) fails, once; -1 turns it off. */
void mem_fail_at(long n);
/* Tests: the allocation that is to fail has not come yet. */
bool mem_fail_waits(void);
/* Tests: blocks allocated and not yet freed. */
long mem_live(void);

#endif
