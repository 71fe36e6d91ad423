/* plain.c -- words for a terminal that shows ASCII alone
 *
 *      ███▐███ matmul y ░░│        ###[### matmul y ::|
 */
#include "shell/wire/plain.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool plain_wanted(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *said = getenv(names[i]);
		size_t length = said ? strlen(said) : 0;
		if (!length)
			continue;
		for (size_t k = 0; k < length; k++)
			if (strncasecmp(said + k, "utf-8", 5) == 0 || strncasecmp(said + k, "utf8", 4) == 0)
				return false;
		return true;
	}
	return false;
}

char plain_sign(uint32_t point)
{
	static const struct {
		uint32_t point;
		char plain;
	} nearest[] = {{0x2588, '#'}, {0x2590, '['}, {0x258c, '#'}, {0x258e, '!'}, {0x2591, ':'},
	        {0x2592, ':'}, {0x2593, '#'}, {0x2502, '|'}, {0x250a, '\''}, {0x2500, '-'}, {0x2504, '~'},
	        {0x25b2, '^'}, {0x25bc, 'v'}, {0x25b6, '>'}, {0x25b8, '>'}, {0x25cb, 'o'}, {0x25c6, 'X'},
	        {0x2026, '~'}, {0x00d7, 'x'}, {0x00b7, '.'}, {0x2581, '.'}, {0x2582, '.'}, {0x2583, '-'},
	        {0x2584, '-'}, {0x2585, '='}, {0x2586, '='}, {0x2587, '#'}, {0x2713, 'x'}};
	for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++)
		if (nearest[i].point == point)
			return nearest[i].plain;
	return (char)(point < 0x7f ? point : '?');
}

void plain_put(const char *bytes, size_t count, struct text *out)
{
	if (!plain_wanted()) {
		text_put(out, bytes, count);
		return;
	}
	for (const char *at = bytes, *end = bytes + count; at < end;) {
		char sign = *at;
		if ((unsigned char)sign < 0x80)
			at++;
		else
			sign = plain_sign(utf8_next(&at));
		text_put(out, &sign, 1);
	}
}

/* ESC [ digits m */
static size_t colour_at(const char *at, const char *end)
{
	size_t left = end - at, count = 2;
	if (left < 3 || at[0] != '\033' || at[1] != '[')
		return 0;
	while (count < left && strchr("0123456789;", at[count]))
		count++;
	return count < left && at[count] == 'm' ? count + 1 : 0;
}

void plain_safe(const char *bytes, size_t count, struct text *out)
{
	for (const char *at = bytes, *end = bytes + count; at < end && *at;) {
		const char *from = at;
		size_t colour = colour_at(at, end);
		uint32_t point = colour ? ' ' : utf8_next(&at);
		bool obeyed =
		        (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7f && point < 0xa0);
		at += colour;
		text_put(out, obeyed ? "?" : from, obeyed ? 1 : (size_t)(at - from));
	}
}
