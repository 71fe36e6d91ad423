/* arena.c -- memory that lives as long as the world: operands and parts of records, clocks */
#include "world/books.h"

struct arena {
	struct arena *before;
	size_t used, room;
	_Alignas(16) unsigned char bytes[];
};
enum { ARENA_CHUNK = 1 << 16 };

static enum status arena_chunk(struct arena **arena, size_t bytes)
{
	size_t room = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
	struct arena *chunk = mem_alloc(sizeof *chunk + room);

	if (!chunk)
		return ST_MEMORY;
	chunk->room = room;
	chunk->before = *arena;
	*arena = chunk;
	return ST_OK;
}

void *arena_take(struct arena **arena, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (!*arena || (*arena)->room - (*arena)->used < bytes) {
		if (arena_chunk(arena, bytes))
			return NULL;
	}
	void *taken = (*arena)->bytes + (*arena)->used;
	(*arena)->used += bytes;
	return taken;
}

void arena_free(struct arena *arena)
{
	while (arena) {
		struct arena *before = arena->before;
		mem_free(arena);
		arena = before;
	}
}

enum status books_reserve(void **items, size_t count, size_t more, size_t *room, size_t element_bytes)
{
	if (*room >= count + more)
		return ST_OK;
	size_t wanted = *room < 8 ? 16 : *room * 2;
	if (wanted < count + more)
		wanted = count + more;
	void *grown = mem_resize(*items, wanted * element_bytes);
	if (!grown)
		return ST_MEMORY;
	*items = grown;
	*room = wanted;
	return ST_OK;
}
