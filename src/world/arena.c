/* arena.c -- memory that lives as long as the world
 *
 * A chain of chunks, newest first; pieces are cut from the newest. They are zeroed, aligned to
 * 16 bytes, and neither moved nor freed alone. */
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
