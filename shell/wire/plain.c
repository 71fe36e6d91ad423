/* plain.c -- removes control characters from output, and replaces signs for ASCII terminals
 *
 *      ███▐███ matmul y ░░│        ###[### matmul y ::| */
#include "shell/wire/plain.h"
#include "trace/trace.h"

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

/* Returns true if "0;2;7;1;38;5;75" has only attributes and colours that ranksh writes. */
static bool is_ours(const char *at, const char *end)
{
	static const int ours[] = {
#define X(symbol, ansi) ansi,
		COLOURS(X)
#undef X
	};
	while (at < end) {
		char *behind;
		bool colour = end - at > 5 && strncmp(at, "38;5;", 5) == 0, known = false;
		long number = strtol(at + (colour ? 5 : 0), &behind, 10);
		for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
			known |= ours[i] == number;
		known = colour ? known : number == 0 || number == 1 || number == 2 || number == 7;
		if (!known || behind == at || behind > end || (behind < end && *behind != ';'))
			return false;
		at = behind + 1;
	}
	return true;
}

/* Returns the length of a colour sequence ESC [ digits m; else 0. */
static size_t colour_at(const char *at, const char *end)
{
	size_t left = (size_t)(end - at), count = 2;
	if (left < 4 || at[0] != '\033' || at[1] != '[')
		return 0;
	while (count < left && strchr("0123456789;", at[count]))
		count++;
	return count > 2 && count < left && at[count] == 'm' && is_ours(at + 2, at + count) ? count + 1 : 0;
}

void plain_put(const char *bytes, size_t count, bool colours, struct text *out)
{
	bool plain = plain_wanted();
	for (const char *at = bytes, *end = bytes + count; at < end;) {
		size_t colour = colours ? colour_at(at, end) : 0;
		text_put(out, at, colour);
		at += colour;
		if (colour)
			continue;
		uint32_t point = utf8_next(&at);
		at += !point; /* a NUL */
		if (!point || utf8_obeyed(point))
			point = '?';
		text_put_point(out, plain && point >= 0x80 ? (uint32_t)plain_sign(point) : point);
	}
}
