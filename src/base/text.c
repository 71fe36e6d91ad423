/* text.c -- a growing text, and UTF-8: columns, validity, distance */
#include "base/text.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_make_room(struct text *text, size_t count)
{
	enum { FIRST_ROOM = 48 };
	size_t wanted = text->count + count + 1;
	MEM_ROOM(&text->bytes, wanted < FIRST_ROOM ? FIRST_ROOM : wanted, &text->room);
}

void text_put(struct text *text, const char *bytes, size_t count)
{
	text_make_room(text, count);
	if (count) /* bytes may be NULL */
		memcpy(text->bytes + text->count, bytes, count);
	text->count += count;
	text->bytes[text->count] = '\0';
}

void text_vadd(struct text *text, const char *format, va_list arguments)
{
	char small[256];
	va_list again;

	va_copy(again, arguments);
	int length = vsnprintf(small, sizeof small, format, arguments);
	if (length >= 0 && (size_t)length < sizeof small) {
		text_put(text, small, length);
	} else if (length >= 0) {
		text_make_room(text, length);
		vsnprintf(text->bytes + text->count, (size_t)length + 1, format, again);
		text->count += length;
	}
	va_end(again);
}

void text_add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vadd(text, format, arguments);
	va_end(arguments);
}

void text_repeat(struct text *text, const char *what, long times)
{
	size_t length = strlen(what);
	for (long i = 0; i < times; i++)
		text_put(text, what, length);
}

void text_clear(struct text *text)
{
	text->count = 0;
	if (text->bytes)
		text->bytes[0] = '\0';
}

void text_release(struct text *text)
{
	mem_free(text->bytes);
	*text = (struct text){0};
}

const char *text_string(const struct text *text)
{
	return text->bytes ? text->bytes : "";
}

/* ESC [ ... ends with the first byte from @ to ~. */
size_t text_step(const char *at, const char *end, int *columns)
{
	const char *p = at + 1;
	*columns = 1;
	if (*at == '\033' && p < end && *p == '[') {
		*columns = 0;
		for (p++; p < end && !(*p >= '@' && *p <= '~'); p++)
			;
		return p - at + (p < end);
	}
	while (p < end && (*p & 0xc0) == 0x80)
		p++;
	return p - at;
}

size_t text_columns(const char *utf8)
{
	const char *end = utf8 + strlen(utf8);
	size_t columns = 0;
	int wide;
	for (const char *p = utf8; p < end; p += text_step(p, end, &wide), columns += wide)
		;
	return columns;
}

/* RFC 3629: a code point up to U+10FFFF that is no surrogate, in its shortest form */
uint32_t utf8_next(const char **at)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000}; /* by further bytes */
	const unsigned char *s = (const unsigned char *)*at;
	int more = *s < 0xc0 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3, i = 1;
	uint32_t point = more ? *s & (0x7fu >> more) : *s < 0x80 ? *s : '?';
	if (!*s)
		return 0;
	for (; i <= more && (s[i] & 0xc0) == 0x80; i++)
		point = point << 6 | (s[i] & 0x3fu);
	*at += i;
	bool valid =
	        i > more && point >= least[more] && point <= 0x10ffff && (point < 0xd800 || point >= 0xe000);
	return valid ? point : '?';
}

bool utf8_obeyed(uint32_t point)
{
	return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7f && point < 0xa0);
}

void text_make_safe(char *words)
{
	char *to = words;
	for (const char *at = words; at && *at;) {
		const char *from = at;
		uint32_t point = utf8_next(&at);
		size_t length = (size_t)(at - from);
		if (point == '?' || utf8_obeyed(point)) {
			*to++ = '?';
			continue;
		}
		memmove(to, from, length);
		to += length;
	}
	if (to)
		*to = '\0';
}

/* The first byte's leading ones count the bytes; the others carry six bits:
 *     0xxxxxxx   110xxxxx 10xxxxxx   1110xxxx 10xxxxxx 10xxxxxx   11110xxx 10xxxxxx (3 times)
 * Returns the number of bytes. */
static int point_bytes(uint32_t point, char bytes[4])
{
	static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
	int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
	for (int i = more; i > 0; i--, point >>= 6)
		bytes[i] = (char)(0x80 | (point & 0x3f));
	bytes[0] = (char)(lead[more] | point);
	return more + 1;
}

void text_put_point(struct text *text, uint32_t point)
{
	char bytes[4];
	text_put(text, bytes, point_bytes(point, bytes));
}

size_t text_valid(const char *bytes, size_t count)
{
	const char *at = bytes, *end = bytes + count;
	while (at < end) {
		if (*at > 0) { /* ASCII */
			at++;
			continue;
		}
		char piece[5] = "";
		const char *next = piece;
		memcpy(piece, at, least_of(end - at, 4));
		uint32_t point = utf8_next(&next);
		if (!point || (point == '?' && *piece != '?'))
			break;
		at += next - piece;
	}
	return at - bytes;
}

static bool is_ascii_text(char c)
{
	return (c >= ' ' && c <= '~') || (c && strchr("\t\r\n", c));
}

/* Returns true for two ASCII characters of two bytes each, as in UTF-16. high: which byte of each
 * pair is zero, the first (0) or the second (1). */
static bool begins_wide(const char *bytes, size_t count, int high)
{
	const char *low = bytes + !high;
	return count >= 4 && !bytes[high] && !bytes[high + 2] && is_ascii_text(low[0]) &&
	        is_ascii_text(low[2]);
}

const char *text_saved_as(const char *bytes, size_t count)
{
	bool marked = count >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
	return marked || begins_wide(bytes, count, 0) || begins_wide(bytes, count, 1)
	        ? "saved as UTF-16: save it as UTF-8"
	        : NULL;
}

/* Returns true if a CR is followed by more than blanks before the next LF. */
static bool ends_in_cr(const char *bytes, size_t count)
{
	const char *end = bytes + count, *at = bytes;
	while ((at = memchr(at, '\r', (size_t)(end - at))) != NULL) {
		while (at < end && strchr(" \t\r", *at))
			at++;
		if (at < end && *at != '\n')
			return true;
	}
	return false;
}

const char *text_lines_saved_as(const char *bytes, size_t count)
{
	const char *saved = text_saved_as(bytes, count);
	return saved || !ends_in_cr(bytes, count) || text_valid(bytes, count) < count
	        ? saved
	        : "lines end in CR alone: `tr '\\r' '\\n' < OLD > NEW` writes them with LF";
}

/* Optimal string alignment distance (Damerau 1964). In row i, entry j is the distance between a's
 * first i bytes and b's first j.
 *
 *      before[j-1]  before[j]           replace, or the same byte: before[j-1] + 0 or 1
 *      now[j-1]     now[j]              delete: before[j] + 1        insert: now[j-1] + 1
 *
 * Swapped neighbours: older[j-2] + 1. Words are cut at MOST bytes. */
int text_distance(const char *a, const char *b)
{
	enum { MOST = 64 };
	int n = strnlen(a, MOST), m = strnlen(b, MOST);
	int row[3][MOST + 1];

	for (int j = 0; j <= m; j++)
		row[0][j] = j;
	for (int i = 1; i <= n; i++) {
		int *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
		now[0] = i;
		for (int j = 1; j <= m; j++) {
			int replaced = before[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least_of(replaced, least_of(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			        older[j - 2] + 1 < now[j])
				now[j] = older[j - 2] + 1;
		}
	}
	return row[n % 3][m];
}

int text_too_far(const char *word)
{
	return text_columns(word) > 4 ? 3 : 2;
}

bool text_nearer(const char *word, const char *name, int *least)
{
	if (labs((long)text_columns(word) - (long)text_columns(name)) >= *least)
		return false;
	int distance = text_distance(word, name);
	bool nearer = distance < *least;
	if (nearer)
		*least = distance;
	return nearer;
}

const char *text_line(const char **at, const char *end, size_t *length)
{
	const char *line = *at;
	if (line >= end)
		return NULL;
	const char *newline = memchr(line, '\n', end - line);
	*length = (newline ? newline : end) - line;
	*at = newline ? newline + 1 : end;
	return line;
}

int text_place(const char *words, const char *word, size_t length)
{
	int place = 0;
	for (const char *p = words; p && *p; p += *p == ' ', place++) {
		const char *one = p;
		while (*p && *p != ' ')
			p++;
		if ((size_t)(p - one) == length && memcmp(one, word, length) == 0)
			return place;
	}
	return -1;
}

const char *text_nearest(const char *words, const char *word, size_t length, int *near_length)
{
	char wanted[40] = "", one[40];
	const char *near = NULL;
	memcpy(wanted, word, length < sizeof wanted ? length : sizeof wanted - 1);
	int best = text_too_far(wanted);
	for (const char *p = words; *p; p += strspn(p, " ")) {
		int count = strcspn(p, " ");
		snprintf(one, sizeof one, "%.*s", count, p);
		/* of equally near ones, one that begins with the typed word: `off` for `of` */
		bool begins =
		        near && *wanted && count - (int)length == best && strncmp(wanted, one, length) == 0;
		if (text_nearer(wanted, one, &best) || begins) {
			near = p;
			*near_length = count;
		}
		p += count;
	}
	return near;
}
