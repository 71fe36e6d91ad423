/* characters.c -- a text as numbers
 *
 *      "hello"      code points  104 101 108 108 111
 *      vocabulary   e h l o      ids 0 1 2 3, by code point
 *      text         1 0 2 2 3 */
#include "base/characters.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

enum { CODE_POINTS = 0x110000 };

static enum status characters_check(const char *name, const char *bytes, size_t count)
{
	if (count == 0)
		return fail(ST_FILE, "%s is empty", name);
	const char *saved = text_saved_as(bytes, count);
	if (saved)
		return fail(ST_FILE, "%s is %s", name, saved);
	if (memchr(bytes, 0, count))
		return fail(ST_FILE, "%s is binary, not text: its byte %zu is zero", name,
		        (size_t)((const char *)memchr(bytes, 0, count) - bytes));
	size_t valid = text_valid(bytes, count);
	if (valid < count)
		return fail(ST_FILE, "%s is not text: it is not UTF-8 from byte %zu on", name, valid);
	return ST_OK;
}

enum status characters_make(struct characters *characters, const char *name, const char *bytes, size_t count)
{
	const char *end = bytes + count;
	*characters = (struct characters){0};
	enum status status = characters_check(name, bytes, count);
	if (status != ST_OK)
		return status;
	int32_t *place = mem_alloc(CODE_POINTS * sizeof *place);
	characters->id = mem_alloc(count * sizeof *characters->id);
	for (const char *at = bytes; at < end;) {
		uint32_t code = utf8_next(&at);
		place[code] = 1;
		characters->id[characters->count++] = code;
	}
	for (int32_t code = 0; code < CODE_POINTS; code++)
		if (place[code])
			place[code] = characters->vocab++;
	for (int64_t i = 0; i < characters->count; i++)
		characters->id[i] = place[characters->id[i]];
	mem_free(place);
	return ST_OK;
}
