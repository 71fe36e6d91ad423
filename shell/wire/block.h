/* block.h -- a message between processes as blocks: a length, then that many bytes
 *
 *     an order    | 64: struct order | 6: "a.rsh" | 11: "reset; sync" |
 *
 * All processes run one binary, so a struct travels as bytes; its pointers are meaningless. */
#ifndef RANKSH_WIRE_BLOCK_H
#define RANKSH_WIRE_BLOCK_H

#include "base/text.h"
#include <stdint.h>
#include <string.h>

static inline void block_put(struct text *message, const void *bytes, size_t count)
{
	uint64_t length = count;
	text_put(message, (const char *)&length, sizeof length);
	text_put(message, bytes, count);
}

/* Adds a string with its NUL; for NULL, a block without bytes. */
static inline void block_put_string(struct text *message, const char *string)
{
	block_put(message, string ? string : "", string ? strlen(string) + 1 : 0);
}

/* Moves *at past the block; *bytes points into it. Returns false if there is none before `end`. */
static inline bool block_take(const char **at, const char *end, const char **bytes, size_t *count)
{
	uint64_t length;
	if ((size_t)(end - *at) < sizeof length)
		return false;
	memcpy(&length, *at, sizeof length);
	if ((size_t)(end - *at) - sizeof length < length)
		return false;
	*bytes = *at + sizeof length;
	*count = length;
	*at = *bytes + length;
	return true;
}

/* Reads a block with a struct. Returns false if there is none or its size differs. */
static inline bool block_take_struct(const char **at, const char *end, void *to, size_t size)
{
	const char *bytes;
	size_t count;
	if (!block_take(at, end, &bytes, &count) || count != size)
		return false;
	memcpy(to, bytes, size);
	return true;
}

#endif
