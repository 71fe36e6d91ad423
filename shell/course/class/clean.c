/* clean.c -- cleans one character at a time, by its wcwidth */
#include "shell/course/class/clean.h"
#include "shell/wire/plain.h"

#include <wchar.h>

enum { ELLIPSIS = 0x2026, SOFT_HYPHEN = 0xad };

/* Returns the character to show; 0: none. */
static uint32_t shown(uint32_t point)
{
	if (point == '\n' || point == '\t')
		return ' ';
	if (utf8_obeyed(point))
		return '?';
	if (point >= 0x80 && plain_wanted())
		return '?';
	int width = wcwidth((wchar_t)point);
	return width < 0 ? '?' : width == 0 || point == SOFT_HYPHEN ? 0 : point;
}

int clean_width(uint32_t point)
{
	return wcwidth((wchar_t)point) == 2 ? 2 : 1;
}

int clean_columns(const char *utf8)
{
	int columns = 0;
	for (uint32_t point; (point = utf8_next(&utf8));)
		columns += clean_width(point);
	return columns;
}

/* Keeps room for an ellipsis until the text's end is known. */
void clean_put(struct text *out, const char *utf8, int columns)
{
	size_t cut = out->count; /* length that leaves room for an ellipsis */
	int used = 0;
	for (uint32_t point; (point = utf8_next(&utf8));) {
		if (!(point = shown(point)))
			continue;
		used += clean_width(point);
		if (used > columns)
			break;
		text_put_point(out, point);
		if (used < columns)
			cut = out->count;
	}
	if (used <= columns || columns < 1)
		return;
	out->count = cut;
	text_put_point(out, ELLIPSIS);
}
