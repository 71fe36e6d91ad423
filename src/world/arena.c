/* arena.c -- memory that lives as long as the world: operands and parts of records, clocks
 *
 * Chunks in a chain, the newest first; a piece is cut from the newest, and what is left of an older one is
 * lost. Pieces are zeroed, aligned to 16 bytes, never moved and never given back alone: pointers to them stay
 * good. */
#include "world/books.h"

struct arena {
	struct arena *before;
	size_t used, room;
	_Alignas(16) unsigned char bytes[];
};
enum { ARENA_CHUNK = 1 << 16 };

void *arena_take(struct arena **arena, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (!*arena || (*arena)->room - (*arena)->used < bytes) {
		size_t room = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
		struct arena *chunk = mem_alloc(sizeof *chunk + room);
		chunk->room = room;
		chunk->before = *arena;
		*arena = chunk;
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
